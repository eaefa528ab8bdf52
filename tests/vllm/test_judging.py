"""A judge that talks at random: what can be used are scores, for the rest there is a reason."""

import json

import pytest

from annotations.rubrics.rubric import load_rubric
from tests.vllm.played import command
from tests.vllm.server import BASE

pytestmark = pytest.mark.process


def test_every_score_is_on_the_scale_or_missing_for_a_reason(server, story, database):
    judge = ("--judge", f"Tiny={server.at(BASE)}", "--temperature", "1")  # at 0 it repeats one word without end
    done = command("judge", story.id, *judge, database=database)
    ratings = [json.loads(line) for line in done.stdout.splitlines()]
    given = sorted((rating["item"], rating["metric"]) for rating in ratings)
    assert len(set(given)) == len(given) == len(story.scene.names) * len(load_rubric().keys)
    for rating in ratings:
        assert (rating["rater"], rating["kind"], rating["story_id"]) == ("Tiny", "judge", story.id)
        assert rating["reason"] if rating["score"] is None else rating["score"] in range(1, 6)
    assert any(rating["score"] for rating in ratings), {rating["reason"] for rating in ratings}
