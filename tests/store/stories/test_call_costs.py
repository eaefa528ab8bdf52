"""What a story has cost."""

import pytest

from characterbox.play.events import Action
from characterbox.store.stories.call_costs import NOTHING, StoryCosts, total
from tests.fakes.stories import a_reply, a_story


def test_a_story_that_has_not_begun_cost_nothing(store):
    assert store.stories.costs(a_story(store).id) == StoryCosts(NOTHING, {}, degraded=0, unanswered=0)


async def test_calls_are_summed_and_what_was_not_asked_for_this_story_costs_nothing(store):
    story, other = a_story(store), a_story(store)
    quiet = {"attempts": 1, "troubles": ()}
    replies = [
        a_reply("r1/ann/action", prompt_tokens=100, completion_tokens=10, cached_tokens=40, price=0.5, **quiet),
        a_reply("r1/bob/action", attempts=3, troubles=("HTTP 429", "timed out"), price=0.25),
        a_reply("r1/bob/action", take=1, attempts=2, troubles=("HTTP 429",), price=0.25),
        a_reply("r1/ann/dialogue", origin="0123456789ab", attempts=9, troubles=("HTTP 500",)),
        a_reply("r1/bob/dialogue", author="human", price=None, prompt_tokens=None, completion_tokens=None, **quiet),
        a_reply("r1/bob/dialogue", take=1, author="edit", price=None, **quiet),
        a_reply("judge/max/ann/scores", prompt_tokens=1000, price=None, **quiet),
    ]
    with store.stories.claimed(story.id) as claimed, store.stories.claimed(other.id) as elsewhere:
        for reply in replies:
            await claimed.answered(reply)
        for path in ("r1/ann/action", "r1/bob/action", "r1/bob/action", "r1/bob/action", "judge/max/ann/scores"):
            await claimed.asked(path, 0)
        for seq, degraded in enumerate((True, False, True), 1):
            event = Action(path=f"r{seq}/ann/action", round=seq, character="Ann", text="bows", degraded=degraded)
            await claimed.record(seq, event)
        await elsewhere.answered(a_reply())
    replies = NOTHING._replace(
        calls=3, reused=1, by_people=2, prompt_tokens=120, completion_tokens=16, cached_tokens=40, cache_told=1,
        price=1.0, seconds=0.75, retries=3, dearest=0.5,
    )  # fmt: skip
    troubles = {"HTTP 429": 2, "timed out": 1}
    assert store.stories.costs(story.id) == StoryCosts(replies, troubles, degraded=2, unanswered=1)
    judges = store.stories.costs(story.id, "judges")
    asked = judges.replies
    assert (asked.calls, asked.prompt_tokens, asked.dollars, asked.unpriced) == (1, 1000, None, 1)
    assert (judges.unanswered, judges.degraded) == (0, 0)
    assert store.stories.costs(story.id, "all").replies.calls == 4


@pytest.mark.parametrize("missing", ["prompt_tokens", "completion_tokens"])
async def test_what_is_unknown_is_said(store, missing):
    story = a_story(store)
    with store.stories.claimed(story.id) as claimed:
        await claimed.answered(a_reply("r1/ann/action", price=None, **{missing: None}))
        await claimed.answered(a_reply("r1/bob/action"))
    costs = store.stories.costs(story.id).replies
    assert (costs.dollars, costs.unpriced, costs.uncounted) == (None, 1, 1)


def test_a_total_adds_every_field_and_keeps_the_dearest():
    one = NOTHING._replace(calls=1, price=0.5, seconds=2.0, uncounted=1, dearest=0.5)
    assert total([one, one, NOTHING]) == one._replace(calls=2, price=1.0, seconds=4.0, uncounted=2)
    assert total([]) == NOTHING
