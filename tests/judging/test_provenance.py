"""What the rehearsal improvised is known from the castings and the journal, not from names."""

import pytest

from annotations.marking.rating import any_improvised, improvised_items, improvised_judges
from annotations.report.report import statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.judging.provenance import rated
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.journal import Reply
from characterbox.store import Store
from characterbox.store.ratings.ratings import item_of, rating_of
from characterbox.store.stories.stories import Story
from tests.fakes.campaigns import assigned
from tests.fakes.campaigns import rate as expert_rates
from tests.fakes.reasons import a_reason
from tests.fakes.stories import a_reply, a_story, casting_at

REHEARSED = Endpoint(url="rehearsal", model="gpt-4")


async def answered(store: Store, story: Story, reply: Reply) -> None:
    with store.stories.writing_replies(story.id, reply.path.split("/")[1]) as journal:
        await journal.answered(reply)


async def rate(store: Store, story: Story, rater: str, kind: str, score: int | None = 3) -> None:
    names = story.script.scene.names
    if kind == "expert":
        for assignment in assigned(store, story, rater):
            await expert_rates(store, assignment, score)
        return
    reason = a_reason("no score") if score is None else None
    store.ratings.add([rating_of(story, name, rater=rater, metric="KA", score=score, reason=reason) for name in names])


@pytest.mark.slow
async def test_a_judge_at_the_rehearsal_is_marked_whatever_it_is_called(store: Store) -> None:
    story = a_story(store)
    for name in ("ann", "bob"):
        await answered(store, story, a_reply(f"judge/gpt-4/{name}/scores", endpoint=REHEARSED))
        await answered(store, story, a_reply(f"judge/glm/{name}/scores"))
    for rater, kind in (("Ann Lee", "expert"), ("GPT 4", "judge"), ("GLM", "judge")):
        await rate(store, story, rater, kind)
    frame = rated(store)
    assert improvised_judges(frame) == {"GPT 4"}
    assert improvised_items(frame) == frozenset()
    assert [any_improvised(frame, of) for of in (None, ["GLM", "GPT 4"], ["GLM"])] == [True, True, False]
    assert set(frame.loc[frame["rater"] != "GPT 4", "improvised"]) == {""}


async def test_a_story_of_which_the_rehearsal_played_a_part_is_marked(store: Store) -> None:
    played, real = a_story(store), a_story(store)
    everybody = casting_at(Endpoint(url="http://127.0.0.1:8000/v1", model="m"), played.script.scene)
    store.stories.recast(played.id, Casting(narrator=REHEARSED, characters=everybody.characters))
    await rate(store, played, "Ann Lee", "expert")
    await rate(store, real, "Ann Lee", "expert")
    frame = rated(store)
    assert improvised_items(frame) == {item_of(played, "Ann").label, item_of(played, "Bob").label}
    assert any_improvised(frame, [])


async def test_both_at_once_are_both(store: Store) -> None:
    story = a_story(store)
    store.stories.recast(story.id, casting_at(REHEARSED, story.script.scene))
    await answered(store, story, a_reply("judge/j/ann/scores", endpoint=REHEARSED))
    await rate(store, story, "J", "judge")
    frame = rated(store)
    assert dict(zip(frame["item"], frame["improvised"], strict=True)) == {
        item_of(story, "Ann").label: "story and judge",
        item_of(story, "Bob").label: "story",
    }
    assert improvised_judges(frame) == {"J"}


def test_no_ratings_are_an_empty_table(store: Store) -> None:
    assert rated(store).empty


@pytest.mark.slow
async def test_an_expert_and_a_judge_of_one_name_stay_two_raters(store: Store) -> None:
    story = a_story(store)
    await rate(store, story, "Max", "expert", 2)
    await rate(store, story, "Max", "judge", None)
    frame = rated(store)
    assert set(zip(frame["rater"], frame["kind"], strict=True)) == {("Max", "expert"), ("Max (judge)", "judge")}
    report = statistics(frame, load_rubric())
    assert list(report.validity) == ["Max (judge)"]
    assert [(line.rater, str(line.detail)) for line in report.dropped if str(line.reason) == "no score"] == [
        ("Max (judge)", "no score")
    ] * 2


async def test_ratings_from_elsewhere_carry_no_mark(store: Store) -> None:
    story = a_story(store)
    await rate(store, story, "Ann Lee", "expert")
    bare = rated(store).drop(columns="improvised")
    assert (improvised_judges(bare), improvised_items(bare)) == (frozenset(), frozenset())
    assert not any_improvised(bare)
