"""What a judge says of a part before and after it was rewritten: to be known before anything is trained on it.

Before is the judge's own rating of the part, which counts. After is an experiment: the same questions about the
rewritten words, whose scores are nobody's ratings.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from annotations.errors import Undefined
from annotations.marking.rating import places_of
from annotations.rubrics.rubric import load_rubric
from annotations.validity.judge_variations import Change, changes, table_of
from characterbox.errors import StoryError
from characterbox.judging.judge import Judge, all_judges, judge_works
from characterbox.judging.subject import Part
from characterbox.judging.verdict import all_of
from characterbox.llm.asking import Asker
from characterbox.store import Store
from characterbox.store.ratings.ratings import Rating, item_of
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.rewriting import Reflection


@dataclass(frozen=True)
class JudgedReflection:
    """The ratings of one part by one judge, before and after, as far as there are some, by metric."""

    reflection: Reflection
    judge: Judge
    before: Mapping[str, Rating]
    after: Mapping[str, Rating]

    @property
    def differences(self) -> dict[str, int]:
        """After minus before, in points of the scale, by metric; without those that lack a score."""
        before, after = (
            {metric: rating.score for metric, rating in side.items() if rating.score is not None}
            for side in (self.before, self.after)
        )
        return {metric: after[metric] - score for metric, score in before.items() if metric in after}


async def judge_reflection(
    store: Store, client: Asker, story: Story, reflection: Reflection, judge: Judge, *, anew: bool = False
) -> JudgedReflection:
    """Have a judge, as it is registered, score a part of a story as it was and as it is rewritten; once, however often
    asked, but where it is wanted `anew`, as in `judge_story`.

    Raises StoryError if no rewriting is accepted, and what `judge_works` does.
    """
    if not reflection.events:
        raise StoryError(
            "story {id}: no rewriting of {name} by {model} is accepted, so there is nothing to compare",
            id=story.id,
            name=reflection.character,
            model=reflection.model,
        )
    events = await asyncio.to_thread(store.stories.events, story.id)
    trial = judge.model_copy(update={"variation": _variation(reflection)})

    async def rated(who: Judge, part: Part) -> dict[str, Rating]:
        return {one.metric: one for one in await judge_works(store, client, story, who, [part], anew=anew)}

    was = Part(story.script.scene, reflection.character, events)
    now = replace(was, events=reflection.retold(events))
    before, after = await all_of([rated(judge, was), rated(trial, now)])
    return JudgedReflection(reflection, judge, before, after)


def judgings_of(store: Store, story: Story, reflection: Reflection) -> list[JudgedReflection]:
    """What judges have said of a part before and after, as it is rewritten now, by name; nobody is asked."""
    item, variation = item_of(story, reflection.character).label, _variation(reflection)
    found = []
    for judge in all_judges(store):
        if after := store.ratings.of_judge(item, judge.rater, variation):
            before = store.ratings.of_judge(item, judge.rater)
            found.append(JudgedReflection(reflection, judge, before, after))
    return found


def differences(judged: Sequence[JudgedReflection]) -> Mapping[str, Change | Undefined]:
    """How the scores of all these parts changed, by metric and overall, as `annotations` compares two judgings."""
    metrics = list(load_rubric().keys)
    before, after = (_frame([one.before for one in judged]), _frame([one.after for one in judged]))
    return changes(table_of(before, metrics), table_of(after, metrics), places_of(before))


def _frame(parts: Sequence[Mapping[str, Rating]]) -> pd.DataFrame:
    """Ratings as a table. Each part is an item by itself, be it that two models have rewritten the same one."""
    return pd.DataFrame(
        {"item": number, **{name: getattr(rating, name) for name in ("scene", "model", "metric", "score")}}
        for number, ratings in enumerate(parts)
        for rating in ratings.values()
    )


def _variation(reflection: Reflection) -> str:
    """What the judge's replies and scores are filed under: those of other rewritings of the part are others."""
    words = "\0".join(event.model_dump_json() for event in reflection.events)
    return f"rewritten by {reflection.model.filed_as} {hashlib.sha256(words.encode()).hexdigest()[:8]}"
