"""`characterbox reflect`: have models rewrite their own parts in stories, and say what came of it."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from annotations.errors import Undefined
from annotations.i18n.translation import translate
from annotations.validity.judge_expert_correlation import OVERALL
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.errors import RecordMismatch, StoryError
from characterbox.judging.judge import Judge, registered
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.judging.verdict import all_of
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.judging import JudgedReflection, differences, judge_reflection
from characterbox.training.reflection.rewriting import Reflection
from characterbox.training.reflection.running import reflect_on

Done = tuple[Story, Reflection, JudgedReflection | None]


def run(options: argparse.Namespace) -> int:
    """Have the parts rewritten and, if so wanted, judged before and after; print what came of each."""
    model = None if options.model is None else Endpoint.parse(options.model)
    judge = None if options.judge is None else Judge.parse(options.judge)
    with open_store(options) as store:
        judge = None if judge is None else registered(store, judge)
        stories = [store.stories.story(id) for id in dict.fromkeys(options.stories)]
        try:
            done = with_client(store, lambda client: _all(store, client, stories, options, (model, judge)))
        except RecordMismatch as error:
            raise StoryError("{error}; use --on-mismatch ask to have it asked again", error=error) from None
    for story, reflection, judged in done:
        improvised = _improvised(story, reflection, judged)
        if options.json:
            print(json.dumps(_json(reflection, judged, improvised=improvised), ensure_ascii=False), flush=True)
        else:
            print("\n".join(_lines(reflection, judged, improvised=improvised)), flush=True)
    judgings = [judged for *_, judged in done if judged is not None]
    if len(judgings) > 1 and not options.json:
        print(_overall(judgings))
    return 0


async def _all(
    store: Store,
    client: Client,
    stories: Sequence[Story],
    options: argparse.Namespace,
    who: tuple[Endpoint | None, Judge | None],
) -> list[Done]:
    """The parts of the stories, one story after the other: those of one are rewritten side by side, then judged."""
    model, judge = who
    done: list[Done] = []
    for story in stories:
        names = story.script.scene.names if options.character is None else [options.character]
        for reflection in await all_of(
            reflect_on(store, client, story, name, model, on_mismatch=options.on_mismatch) for name in names
        ):
            judged = None
            if judge is not None and reflection.events:
                judged = await judge_reflection(store, client, story, reflection, judge)
            done.append((story, reflection, judged))
    return done


def _improvised(story: Story, reflection: Reflection, judged: JudgedReflection | None) -> bool:
    judge = judged is not None and judged.judge.endpoint.is_modelless
    return judge or reflection.model.is_modelless or bool(story.casting.improvised)


def _lines(reflection: Reflection, judged: JudgedReflection | None, *, improvised: bool) -> Iterator[str]:
    told = ", ".join(f"{count:,} {state}" for state, count in sorted(reflection.counts.items()))
    if improvised:
        yield DEMO_NOTE
    yield f"Story {reflection.story}, {reflection.character}, rewritten by {reflection.model}"
    yield f"Replies: {len(reflection.steps):,} ({told})"
    if reflection.found.unread is not None:
        yield f"What is inconsistent could not be read: {translate(reflection.found.unread)}"
    for one in reflection.found.inconsistencies or ():
        yield f"  [{one.step}] {one.what}"
    for step in reflection.steps:
        if step.refused is not None:
            yield f"Refused: [{step.number}] {step.path}, as {translate(step.refused)}"
    if judged is None:
        return
    for metric, before in judged.before.items():
        after, difference = judged.after.get(metric), judged.differences.get(metric)
        changed = "" if difference is None else f" ({difference:+d})"
        yield f"{metric}: {_score(before)} -> {'-' if after is None else _score(after)}{changed}"


def _score(rating: Any) -> str:
    return "-" if rating.score is None else str(rating.score)


def _overall(judgings: Sequence[JudgedReflection]) -> str:
    """The mean difference over all parts."""
    change = differences(judgings)[OVERALL]
    if isinstance(change, Undefined):
        return f"Overall: {translate(change.reason)}"
    found, interval = change.difference, change.difference.interval
    limits = "[no interval]" if isinstance(interval, Undefined) else f"[{interval.low:+.2f}, {interval.high:+.2f}]"
    return f"Overall, after minus before: {found.estimate:+.2f} {limits}, n = {change.n}"


def _json(reflection: Reflection, judged: JudgedReflection | None, *, improvised: bool) -> dict[str, Any]:
    found = reflection.found
    steps = [
        {**asdict(step), "refused": None if step.refused is None else str(step.refused)} for step in reflection.steps
    ]
    told: dict[str, Any] = {
        "note": DEMO_NOTE if improvised else None,
        "story": reflection.story,
        "character": reflection.character,
        "model": str(reflection.model),
        "inconsistencies": [one.model_dump() for one in found.inconsistencies or ()],
        "unread": None if found.unread is None else str(found.unread),
        "counts": dict(reflection.counts),
        "steps": steps,
    }
    if judged is not None:
        sides = {"before": judged.before, "after": judged.after}
        told["judge"] = judged.judge.rater
        told["scores"] = {
            name: {metric: rating.score for metric, rating in side.items()} for name, side in sides.items()
        }
        told["differences"] = judged.differences
    return told
