"""Judgements as examples: the brief prompt of a trajectory, and the scores that a teacher gave it (CharacterRM; paper,
section 5).

The teacher is a judge, or the mean of the experts, rounded to whole scores, halves up. With a critique, the prompt is
the long one that asks for a critique first, and critique and scores are learnt.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from annotations.rubrics.rubric import load_rubric
from characterbox.errors import ReplyError
from characterbox.judging.protocol import Protocol
from characterbox.judging.subject import Part, Questions
from characterbox.judging.verdict import place_of_judge, read_critique
from characterbox.llm.request import AGAIN, ChatMessage
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.ratings.scores import JUDGED
from characterbox.training.datasets.calls import Source
from characterbox.training.datasets.example import Example, LeftOut, Provenance

EXPERTS = "experts"
"""What stands for the judge where the experts are the teacher."""
BRIEF = Protocol(manner="brief")
CRITIQUE = Protocol(manner="critique")


def judgements(
    store: Store, source: Source, scores: pd.DataFrame, judge: str | None, *, critique: bool
) -> Iterator[Example | LeftOut]:
    """The judgements of a story's trajectories; `scores` are its rows of `trajectory_scores`."""
    rubric = load_rubric()
    scene, by_slug = source.story.script.scene, {str(row["slug"]): row for row in scores.to_dict("records")}
    for name in scene.names:
        row = by_slug.get(slug_of(name))
        if row is None:
            continue
        given = {key: _whole(float(row[key])) for key in rubric.keys if not math.isnan(float(row[key]))}
        place = EXPERTS if judge is None else place_of_judge(judge).rstrip("/")
        told = _critique(store, source, f"{place}/{slug_of(name)}") if critique else None
        if source.not_lent_since is not None:
            yield "after_written"
        elif len(given) < len(rubric.keys):
            yield "unscored"
        elif critique and told is None:
            yield "no_critique"
        else:
            questions = Questions(
                Part(scene, name, source.events), CRITIQUE if critique else BRIEF, rubric, rubric.keys
            )
            messages = questions.scores(rubric.keys, told)
            provenance = Provenance(
                story=source.story.id,
                path=f"{place}/{slug_of(name)}",
                take=0,
                models={"judge": judge or EXPERTS, "character": source.story.casting.characters[name].model},
                prompt=_digest(messages),
                scene=scene.id,
                language=scene.language,
                improvised=source.improvised or bool(row.get(JUDGED, False)),
            )
            answer = json.dumps({key: rubric.check(key, given[key]) for key in rubric.keys})
            yield Example((*messages, ChatMessage("assistant", answer)), provenance)


def _whole(mean: float) -> int:
    """The nearest whole score, of a half the higher one."""
    return math.floor(mean + 0.5)


def _critique(store: Store, source: Source, place: str) -> str | None:
    """The critique that a judge wrote of a trajectory, as it was read at the first try."""
    path = f"{place}/critique"
    replies = store.stories.replies_at(source.story.id, [path, f"{path}{AGAIN}"])
    try:
        return read_critique(replies[path].whole()) if [*replies] == [path] else None
    except ReplyError:
        return None


def _digest(messages: Sequence[ChatMessage]) -> str:
    told: Sequence[Mapping[str, str]] = [{"role": one.role, "content": one.content} for one in messages]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()
