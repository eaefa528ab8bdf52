"""`characterbox judge`: have a story judged."""

import argparse
import json
from collections.abc import Mapping

from annotations.marking.rating import IMPROVISED
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.commands.exits import say
from characterbox.errors import RecordMismatch, StoryError
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.judging.protocol import Protocol
from characterbox.judging.provenance import DEMO_NOTE, provenance
from characterbox.judging.subject import JudgeRubric
from characterbox.llm.sampling import read

_RUBRICS: Mapping[str, JudgeRubric] = {
    "characters": "character",
    "narrator": "narrator",
    "narrator-steps": "narrator_steps",
    "scene": "scene",
}


def run(options: argparse.Namespace) -> int:
    """Judge the story, and print its ratings as JSON, one a line."""
    judge = judge_of(options)
    with open_store(options) as store:
        of = _RUBRICS[options.of or "characters"]
        judge = registered(store, judge, of)
        story = store.stories.story(options.story)
        try:
            ratings = with_client(
                store, lambda client: judge_story(store, client, story, judge, of=of, anew=options.anew)
            )
        except RecordMismatch as error:
            raise StoryError(
                "judge {judge}: {error}; use --anew to judge again", judge=judge.called, error=error
            ) from None
        told = provenance(store, {story.id})
        marks = [told(rating.identity, rating.rater, rating.kind, rating.model) for rating in ratings]
    for rating, mark in zip(ratings, marks, strict=True):
        row = {
            "item": rating.item,
            **rating.model_dump(exclude={"identity", "variation", "reason"}),
            "reason": None if rating.reason is None else str(rating.reason),
            IMPROVISED: mark,
            "judged_by": str(judge.called),
        }
        print(json.dumps(row, ensure_ascii=False), flush=True)
    for mark in sorted({*marks} - {""}):
        say(f"{mark}: {DEMO_NOTE}")
    if missing := sum(rating.score is None for rating in ratings):
        say(f"{missing:,} scores could not be read; --anew asks for them again")
    return 0


def judge_of(options: argparse.Namespace) -> Judge:
    """The judge that the options name, and how it is to judge."""
    judge = Judge.parse(options.judge)
    given = {name: value for name in Protocol.model_fields if (value := getattr(options, name)) is not None}
    wanted = {name: read(value) for name, value in given.items()}
    return judge.model_copy(update={"protocol": judge.protocol.model_copy(update=wanted)})
