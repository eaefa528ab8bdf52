"""Rewriting a part over the journal: gone on with after any end, looked at, edited, and nothing asked twice."""

import asyncio
import json

import pytest

from characterbox.accounts.account import COMMAND_LINE, LOCAL, Account
from characterbox.errors import (
    AddressError,
    EndpointError,
    NotAllowed,
    PlayedElsewhere,
    RecordMismatch,
    ReplyError,
    StoryError,
)
from characterbox.llm.endpoint import Endpoint
from characterbox.play.paths import REFLECTIONS
from characterbox.processes.concurrency import held
from characterbox.share.story_file import bring_in, file_of, read_story_file
from characterbox.training.reflection.rewriting import Found
from characterbox.training.reflection.running import (
    answers_to,
    edit,
    place_of_reflection,
    reflect_on,
    reflection_of,
    reflections_of,
    rewritten,
)
from tests.fakes.databases import store_in
from tests.fakes.reflecting_model import FOUND, ReflectingModel, played, touched
from tests.fakes.scenes import a_scene
from tests.fakes.stories import AT, a_story

pytestmark = pytest.mark.slow

ACTION, BELIEF = "r1/ann/action", "r1/ann/self-belief"
PLACE = "self-reflection/m/ann/"


@pytest.fixture
def model():
    return ReflectingModel(a_scene("Ann", "Bob"))


@pytest.fixture
async def story(store, model):
    return await played(store, model)


async def off_loop(function, *args, **named):
    """What is not to be called where an event loop runs."""
    return await asyncio.to_thread(function, *args, **named)


def states(reflection):
    return {step.path: step.state for step in reflection.steps}


async def test_a_part_is_rewritten_reply_by_reply_and_the_story_stays_as_it_was(store, model, story):
    events, costs = store.stories.events(story.id), store.stories.costs(story.id)
    reflection = await reflect_on(store, model, story, "Ann")
    own = [step.path for step in reflection.steps]
    assert own == [
        *("r0/ann/self-belief", "r0/ann/environment-belief", ACTION),
        *("r1/bob/reaction/ann", BELIEF, "r1/ann/environment-belief"),
    ]
    assert reflection.complete
    assert reflection.counts == {"accepted": len(own)}
    assert [one.model_dump() for one in reflection.found.inconsistencies] == FOUND
    assert [*model.paths()] == ["inconsistencies", *(f"{kind}/{path}" for path in own for kind in ("rewrite", "check"))]
    assert {request.agent for request in model.asked} == {"Ann"}
    assert store.stories.events(story.id) == events
    assert store.stories.costs(story.id) == costs
    assert store.stories.costs(story.id, "judges").replies.calls == len(model.asked)
    assert store.ratings.frame().empty
    assert all(path.startswith(PLACE) for path in store.stories.replies(story.id, REFLECTIONS))


async def test_after_stands_beside_before_and_everything_else_is_the_same(store, model, story):
    reflection = await reflect_on(store, model, story, "Ann")
    events = store.stories.events(story.id)
    after = reflection.retold(events)
    assert [(one.kind, one.path) for one in after] == [(one.kind, one.path) for one in events]
    for before, now in zip(events, after, strict=True):
        if getattr(before, "character", None) == "Ann" and before.kind in {
            *("action", "dialogue", "reaction", "self_belief", "environment_belief")
        }:
            assert "gently" in str(now)
        else:
            assert before == now


@pytest.mark.parametrize("replies", range(13))
async def test_wherever_it_broke_off_it_goes_on_there_and_comes_to_the_same(store, model, story, replies):
    model.dies_after = replies
    with pytest.raises(EndpointError):
        await reflect_on(store, model, story, "Ann")
    part = await off_loop(reflection_of, store, story, "Ann")
    assert not part.complete
    assert (part.found == Found()) == (replies == 0)
    assert sum(step.state == "accepted" for step in part.steps) == max(0, replies - 1) // 2
    assert sum(step.state == "not checked" for step in part.steps) == (replies > 0 and (replies - 1) % 2)
    model.dies_after = None
    whole = await reflect_on(store, model, story, "Ann")
    assert set(model.paths().values()) == {1}
    another = ReflectingModel(model.scene)
    anew = await reflect_on(store, another, await played(store, another), "Ann")
    assert (whole.steps, whole.events, whole.found) == (anew.steps, anew.events, anew.found)
    assert await reflect_on(store, model, story, "Ann") == whole == await off_loop(reflection_of, store, story, "Ann")
    assert set(model.paths().values()) == {1}
    assert await off_loop(reflections_of, store, story) == [whole]


async def test_what_does_not_fit_keeps_the_original_with_the_reason(store, model, story):
    verdicts = {ACTION: '{"fits": false, "reason": "He would have run."}', BELIEF: "Well, perhaps."}
    model.check = lambda path, _: verdicts.get(path, '{"fits": true, "reason": ""}')
    reflection = await reflect_on(store, model, story, "Ann")
    assert states(reflection)[ACTION] == states(reflection)[BELIEF] == "refused"
    assert reflection.counts == {"accepted": 4, "refused": 2}
    assert {reason.split(":")[0] for reason in reflection.refusals} == {
        "it does not fit the rest of the story",
        "the answer to whether it fits could not be read",
    }
    assert model.paths()[f"check/{BELIEF}/again"] == 1
    events = store.stories.events(story.id)
    for before, now in zip(events, reflection.retold(events), strict=True):
        assert before.path not in (ACTION, BELIEF) or before == now
    later = next(one for one in model.asked if one.path.endswith(f"rewrite/{BELIEF}"))
    assert "by Ann at r1/ann/action, gently" not in later.messages[-1].content, "what was refused is not told of"
    learnt = await off_loop(lambda: [*rewritten(store, story)])
    assert [one.original.path for one in learnt] == [
        step.path for step in reflection.steps if step.path not in (ACTION, BELIEF)
    ]


async def test_what_has_not_the_form_is_asked_for_once_more_and_then_refused(store, model, story):
    model.instead = {f"rewrite/{ACTION}": '{"action": "Ann waits."}', f"rewrite/{BELIEF}": "I believe."}
    reflection = await reflect_on(store, model, story, "Ann")
    assert states(reflection)[ACTION] == states(reflection)[BELIEF] == "refused"
    for path in (ACTION, BELIEF):
        assert model.paths()[f"rewrite/{path}"] == model.paths()[f"rewrite/{path}/again"] == 1
        assert model.paths()[f"check/{path}"] == 0
    again = next(one for one in model.asked if one.path.endswith(f"{ACTION}/again"))
    assert "dialogue: Field required" in again.messages[-1].content
    [step] = [step for step in reflection.steps if step.path == ACTION]
    assert step.after == '{"action": "Ann waits."}'


async def test_what_was_cut_off_is_refused(store, model, story):
    model.cut_off = f"rewrite/{ACTION}"
    reflection = await reflect_on(store, model, story, "Ann")
    assert states(reflection)[ACTION] == "accepted", "the second reply is whole"
    assert model.paths()[f"rewrite/{ACTION}/again"] == 1


async def test_what_is_good_already_is_not_checked_and_can_be_learnt_from(store, model, story):
    model.rewrite = lambda path, original: original if path == ACTION else touched(path, original)
    reflection = await reflect_on(store, model, story, "Ann")
    assert states(reflection)[ACTION] == "unchanged"
    assert model.paths()[f"check/{ACTION}"] == 0
    learnt = await off_loop(lambda: {one.original.path: one for one in rewritten(store, story)})
    assert len(learnt) == len(reflection.steps)
    replies = store.stories.replies(story.id, "r")
    assert json.loads(learnt[ACTION].text) == json.loads(replies[ACTION].text)
    for path, one in learnt.items():
        assert one.original == replies[path]
        assert (one.character, one.model) == ("Ann", AT)
        assert path == ACTION or "gently" in one.text


async def test_what_is_wrong_can_be_unreadable_and_says_so(store, model, story):
    model.found = "All is well."
    reflection = await reflect_on(store, model, story, "Ann")
    assert model.paths()["inconsistencies/again"] == 1
    assert reflection.found.inconsistencies == ()
    assert reflection.found.unread.code == "no_fields"
    assert reflection.complete


async def test_what_rests_on_an_edit_is_asked_anew_and_nothing_before_it(store, model, story):
    shown = await reflect_on(store, model, story, "Ann")
    before = model.paths()
    text = json.dumps({**json.loads(shown.steps[2].after), "action": "Ann hums."})
    await off_loop(edit, store, LOCAL, shown, f"rewrite/{ACTION}", text, seen=0)
    part = await off_loop(reflection_of, store, story, "Ann")
    assert states(part)[ACTION] == "not checked"
    assert states(part)["r0/ann/self-belief"] == "accepted"
    assert states(part)[BELIEF] == "not asked"
    whole = await reflect_on(store, model, story, "Ann")
    anew = model.paths() - before
    assert [*anew] == [
        f"check/{ACTION}",
        *(f"rewrite/{step.path}" for step in shown.steps[3:]),
    ], "where the new rewriting is the one that was checked already, it is not checked again"
    assert json.loads(next(one.after for one in whole.steps if one.path == ACTION))["action"] == "Ann hums."
    takes = store.stories.takes(story.id, f"{PLACE}rewrite/{ACTION}")
    assert [(one.take, one.author) for one in takes] == [(0, "model"), (1, "edit")]
    assert await reflect_on(store, model, story, "Ann") == whole
    assert model.paths() - before == anew


async def test_other_inconsistencies_have_every_reply_rewritten_anew_but_what_a_person_wrote(store, model, story):
    shown = await reflect_on(store, model, story, "Ann")
    mine = json.dumps({**json.loads(shown.steps[2].after), "action": "Ann hums."})
    await off_loop(edit, store, LOCAL, shown, f"rewrite/{ACTION}", mine, seen=0)
    await off_loop(edit, store, LOCAL, shown, "inconsistencies", '{"found": []}', seen=0)
    model.asked.clear()
    whole = await reflect_on(store, model, story, "Ann")
    assert whole.found.inconsistencies == ()
    asked = {path for path in model.paths() if path.startswith("rewrite/")}
    assert asked == {f"rewrite/{step.path}" for step in shown.steps} - {f"rewrite/{ACTION}"}
    assert json.loads(whole.steps[2].after)["action"] == "Ann hums."


async def test_whose_writing_an_example_rests_on_is_told(store, model, story):
    shown, ray = await reflect_on(store, model, story, "Ann"), store.accounts.add(COMMAND_LINE, "Ray", "researcher")
    mine = json.dumps({**json.loads(shown.steps[2].after), "action": "Ann hums."})
    await off_loop(edit, store, ray, shown, f"rewrite/{ACTION}", mine, seen=0)
    await reflect_on(store, model, story, "Ann")
    learnt = await off_loop(lambda: [*rewritten(store, story)])
    assert [[reply.person for reply in one.by_people] for one in learnt] == [[]] * 2 + [[ray.id]] * 4
    assert "Ann hums." in learnt[2].text


async def test_an_edit_is_in_the_log(store, model, story):
    shown, ray = await reflect_on(store, model, story, "Ann"), store.accounts.add(COMMAND_LINE, "Ray", "researcher")
    await off_loop(edit, store, ray, shown, "inconsistencies", '{"found": []}', seen=0)
    entry = store.audit.read(1)[0]
    assert (entry.actor_name, entry.action, entry.subject) == ("Ray", "rewriting.edited", story.id)
    assert entry.detail == {"character": "Ann", "path": "inconsistencies"}


@pytest.mark.parametrize("role", ["viewer", "expert"])
async def test_whoever_may_not_direct_edits_nothing(store, model, story, role):
    shown, vera = await reflect_on(store, model, story, "Ann"), Account(id="v", name="Vera", role=role)
    with pytest.raises(NotAllowed, match="researcher role"):
        await off_loop(edit, store, vera, shown, "inconsistencies", '{"found": []}', seen=0)
    assert store.stories.replies(story.id, PLACE)[f"{PLACE}inconsistencies"].take == 0


async def test_the_replies_behind_a_part_are_told_in_the_order_in_which_they_are_asked_for(store, model, story):
    model.dies_after = 4
    model.instead = {"inconsistencies": "All is well."}
    with pytest.raises(EndpointError):
        await reflect_on(store, model, story, "Ann")
    part = await off_loop(reflection_of, store, story, "Ann")
    first = part.steps[0].path
    answers = await off_loop(answers_to, store, story, part)
    assert [*answers] == ["inconsistencies", "inconsistencies/again", f"rewrite/{first}", f"check/{first}"]
    assert answers["inconsistencies"].text == "All is well."


async def test_a_person_can_overrule_the_check(store, model, story):
    model.check = lambda path, _: json.dumps({"fits": path != ACTION, "reason": "No."})
    shown = await reflect_on(store, model, story, "Ann")
    assert states(shown)[ACTION] == "refused"
    await off_loop(edit, store, LOCAL, shown, f"check/{ACTION}", '{"fits": true, "reason": "I say so."}', seen=0)
    assert states(await reflect_on(store, model, story, "Ann"))[ACTION] == "accepted"


async def test_an_edit_that_can_not_stand_there_is_refused(store, model, story):
    shown = await reflect_on(store, model, story, "Ann")
    with pytest.raises(ReplyError, match="Field required"):
        await off_loop(edit, store, LOCAL, shown, f"rewrite/{ACTION}", '{"action": "Ann hums."}', seen=0)
    with pytest.raises(ReplyError):
        await off_loop(edit, store, LOCAL, shown, "inconsistencies", '{"found": [{"step": 99, "what": "x"}]}', seen=0)
    with pytest.raises(ReplyError):
        await off_loop(edit, store, LOCAL, shown, f"check/{ACTION}", "Fine.", seen=0)
    with pytest.raises(StoryError, match="changed in the meantime"):
        await off_loop(edit, store, LOCAL, shown, "inconsistencies", '{"found": []}', seen=4)
    for path in ("rewrite/r9/ann/action", f"rewrite/{ACTION}/again", "elsewhere", ""):
        with pytest.raises(StoryError, match="there is no reply at"):
            await off_loop(edit, store, LOCAL, shown, path, '{"found": []}', seen=0)
    assert await off_loop(reflection_of, store, story, "Ann") == shown


async def test_one_at_a_time_is_at_a_part(store, model, story):
    shown = await off_loop(reflection_of, store, story, "Ann")
    async with held(store.stories.writing_replies(story.id, "m/ann", under=REFLECTIONS)):
        with pytest.raises(PlayedElsewhere):
            await reflect_on(store, model, story, "Ann")
        with pytest.raises(PlayedElsewhere):
            await off_loop(edit, store, LOCAL, shown, "inconsistencies", '{"found": []}', seen=0)
        assert (await reflect_on(store, model, story, "Bob")).complete, "another part is free"


async def test_a_record_of_other_prompts_stops_it_and_can_be_kept_or_asked_anew(store, model, story, monkeypatch):
    shown = await reflect_on(store, model, story, "Ann")
    monkeypatch.setattr(
        "characterbox.training.reflection.questions.Questions._task",
        lambda self, task, **values: f"## Task: {task}\n{values}\n<original>\n{values.get('original')}\n</original>",
    )
    with pytest.raises(RecordMismatch, match="answers a different prompt"):
        await reflect_on(store, model, story, "Ann")
    assert await off_loop(reflection_of, store, story, "Ann") == shown
    asked = len(model.asked)
    assert await reflect_on(store, model, story, "Ann", on_mismatch="keep") == shown
    assert len(model.asked) == asked
    await reflect_on(store, model, story, "Ann", on_mismatch="ask")
    assert len(model.asked) > asked


async def test_models_of_names_too_alike_are_not_taken_for_one_another(store, model, story):
    await reflect_on(store, model, story, "Ann", Endpoint(url=AT.url, model="GPT 4"))
    with pytest.raises(RecordMismatch, match="came from GPT 4, not from gpt-4"):
        await reflect_on(store, model, story, "Ann", Endpoint(url=AT.url, model="gpt-4"))
    assert place_of_reflection(Endpoint.parse("rehearsal#gpt-4"), "Ann") == "self-reflection/gpt-4~rehearsal/ann/"
    with pytest.raises(AddressError, match="no letter or digit"):
        await reflect_on(store, model, story, "Ann", Endpoint(url=AT.url, model="--"))


async def test_several_models_and_characters_are_told_apart(store, model, story):
    other = Endpoint(url=AT.url, model="other")
    done = [await reflect_on(store, model, story, *who) for who in (("Ann",), ("Bob",), ("Ann", other))]
    assert await off_loop(reflections_of, store, story) == done
    learnt = await off_loop(lambda: [*rewritten(store, story)])
    assert {(one.character, one.model) for one in learnt} == {("Ann", AT), ("Bob", AT), ("Ann", other)}


async def test_what_can_not_be_rewritten_is_refused_before_anybody_is_asked(store, model, story):
    with pytest.raises(StoryError, match="has not ended"):
        await reflect_on(store, model, a_story(store), "Ann")
    with pytest.raises(StoryError, match="there is no character 'Zed'; choose one of Ann, Bob"):
        await reflect_on(store, model, story, "Zed")
    empty = a_story(store)
    store.stories.move(empty.id, "ended")
    with pytest.raises(StoryError, match="Ann has no reply of a model to rewrite"):
        await reflect_on(store, model, store.stories.story(empty.id), "Ann")
    hand = Endpoint(url="handwritten", model="handwritten")
    with pytest.raises(StoryError, match="choose a model to rewrite the part"):
        await reflect_on(store, model, story, "Ann", hand)
    assert model.asked == []


async def test_how_far_it_is_is_told_also_of_what_was_recorded(store, model, story):
    for _ in range(2):
        told = []
        await reflect_on(store, model, story, "Ann", on_step=lambda *far, told=told: told.append(far))
        assert told == [(number, 6) for number in range(7)]


async def test_it_travels_with_the_file_of_its_story(store, model, story, tmp_path):
    shown = await reflect_on(store, model, story, "Ann")
    await off_loop(edit, store, LOCAL, shown, f"check/{ACTION}", '{"fits": false, "reason": "No."}', seen=0)
    shown = await reflect_on(store, model, story, "Ann")
    content = json.dumps(file_of(store.stories, story)).encode()
    elsewhere = store_in(tmp_path / "elsewhere.db")
    try:
        brought = bring_in(elsewhere.stories, read_story_file(content))
        assert await off_loop(reflection_of, elsewhere, brought, "Ann") == shown
    finally:
        elsewhere.close()


@pytest.mark.parametrize(
    "path",
    [
        "self-reflection/m",
        "self-reflection/m/ann",
        "self-reflection/m/ann/elsewhere",
        "self-reflection/m/zed/inconsistencies",
        "self-reflection/other/ann/inconsistencies",
        "self-reflection//ann/inconsistencies",
    ],
)
async def test_what_is_filed_at_no_place_of_a_part_is_passed_over(store, model, story, path, tmp_path):
    shown = await reflect_on(store, model, story, "Bob")
    file = file_of(store.stories, story)
    reply = next(one for one in file["journal"] if one["path"].startswith("self-reflection/m/bob/"))
    file["journal"].append({**reply, "path": path})
    elsewhere = store_in(tmp_path / "elsewhere.db")
    try:
        brought = bring_in(elsewhere.stories, read_story_file(json.dumps(file).encode()))
        assert path in elsewhere.stories.replies(brought.id)
        assert [one.steps for one in await off_loop(reflections_of, elsewhere, brought)] == [shown.steps]
        assert len(await off_loop(lambda: [*rewritten(elsewhere, brought)])) == len(shown.steps)
    finally:
        elsewhere.close()


async def test_a_part_without_a_reply_of_a_model_is_passed_over(store, model, story, tmp_path):
    await reflect_on(store, model, story, "Ann")
    file = file_of(store.stories, story)
    file["journal"] = [{**one, "author": "human"} if "/ann" in one["path"] and one["path"][0] == "r" else one
                       for one in file["journal"]]  # fmt: skip
    elsewhere = store_in(tmp_path / "elsewhere.db")
    try:
        brought = bring_in(elsewhere.stories, read_story_file(json.dumps(file).encode()))
        assert await off_loop(reflections_of, elsewhere, brought) == []
    finally:
        elsewhere.close()


async def test_the_stories_of_which_a_part_is_rewritten_are_found(store, model, story):
    await played(store, model)
    assert store.stories.with_replies(REFLECTIONS) == []
    await reflect_on(store, model, story, "Ann")
    assert store.stories.with_replies(REFLECTIONS) == [story.id]
