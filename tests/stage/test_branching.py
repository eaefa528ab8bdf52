"""A story branches off: all before the branch is taken over, and only what it changes is asked."""

from collections import Counter

import pytest

from characterbox.errors import ReplyError, StoryError
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.settings import Settings
from characterbox.stage.branching import told_at
from characterbox.store.stories.stories import Branch
from characterbox.store.tables.columns import now
from tests.fakes.reasons import a_reason
from tests.fakes.stories import casting_at
from tests.fakes.waiting import until
from tests.stage.control import BELIEFS, CALLS, SCRIPT, TURN, does, only_counting, place, replies
from tests.stage.test_stage import at_rest

pytestmark = pytest.mark.process


def test_a_branch_takes_over_all_before_it_and_asks_for_the_rest(stage, ended, server):
    at = place(stage, ended, "r1/bob/action")
    branch = Branch(parent=ended.id, at=at, anew="all")
    reuse = stage.reuse(branch)
    before = BELIEFS + TURN
    assert (reuse.known, reuse.recorded) == (before, CALLS)
    story = stage.branch(branch)
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == 2 * CALLS - before
    origins = Counter(reply.origin for reply in stage.store.stories.journal(story.id))
    assert origins == {ended.id: before, None: CALLS - before}
    assert stage.store.stories.events(story.id)[: at - 1] == stage.store.stories.events(ended.id)[: at - 1]
    assert stage.store.stories.story(story.id).branch == branch
    costs = stage.store.stories.costs(story.id).replies
    assert (costs.calls, costs.reused) == (CALLS - before, before)


def test_how_much_a_branch_takes_over_is_found_out_without_the_prompts_before_it_and_once(
    stage, ended, casting, server, looked_up, tmp_path
):
    at, rest = place(stage, ended, "r1/bob/self-belief"), ["r1/bob/self-belief", "r1/bob/environment-belief"]
    other = Endpoint(url=server.url, model="other")
    recast = Casting(narrator=casting.narrator, characters={**casting.characters, "Bob": other})
    text = '{"belief": "B", "desire": "D", "intention": "I"}'
    for anew, playing, edit in (
        *(("all", casting, None), ("this", casting, None), ("this", casting, text)),
        *(("changed", casting, None), ("changed", recast, None)),
    ):
        branch = Branch(parent=ended.id, at=at, anew=anew)
        looked_up.clear()
        first = stage.reuse(branch, playing, edit)
        assert looked_up == rest, (anew, edit)
        with only_counting(tmp_path):
            assert stage.reuse(branch, playing, edit) == first, (anew, edit)
        assert looked_up == rest, (anew, edit)


def test_how_much_a_branch_takes_over_is_found_out_anew_when_the_story_has_grown(stage, casting):
    story = stage.store.stories.create(SCRIPT, casting, "app")
    branch = Branch(parent=story.id, at=1, anew="changed")
    for known in (BELIEFS, BELIEFS + TURN):
        stage.step(story.id, "turn")
        assert at_rest(stage, story) == "paused"
        assert (stage.reuse(branch).known, stage.reuse(branch).recorded) == (known, known)
    stage.resume(story.id)
    assert at_rest(stage, story) == "ended"
    assert (stage.reuse(branch).known, stage.reuse(branch).recorded) == (CALLS, CALLS)


def test_a_branch_in_which_nothing_changes_asks_for_nothing(stage, ended, server):
    branch = Branch(parent=ended.id, at=1, anew="changed")
    assert stage.reuse(branch).known == CALLS
    assert at_rest(stage, stage.branch(branch)) == "ended"
    assert len(server.seen) == CALLS


def test_a_branch_of_a_branch_still_tells_where_its_replies_are_from(stage, ended):
    child = stage.branch(Branch(parent=ended.id, at=9, anew="all"))
    assert at_rest(stage, child) == "ended"
    grandchild = stage.branch(Branch(parent=child.id, at=12, anew="all"))
    assert at_rest(stage, grandchild) == "ended"
    assert {reply.origin for reply in stage.store.stories.journal(grandchild.id)} == {ended.id, child.id, None}


def test_another_model_for_one_character_asks_only_what_that_changes(stage, ended, casting, server):
    other = Endpoint(url=server.url, model="other")
    recast = Casting(narrator=casting.narrator, characters={**casting.characters, "Bob": other})
    at = place(stage, ended, "r1/bob/self-belief")
    branch = Branch(parent=ended.id, at=at, anew="changed")
    reuse = stage.reuse(branch, recast)
    assert reuse.known == CALLS - 2
    story = stage.branch(branch, recast)
    assert at_rest(stage, story) == "ended"
    assert [body["model"] for body in server.seen[CALLS:]] == ["other", "other"]
    assert stage.store.stories.story(story.id).casting == recast


def test_one_reply_is_regenerated_as_a_new_take(stage, ended, server):
    path = "r1/bob/environment-belief"
    story = stage.branch(Branch(parent=ended.id, at=place(stage, ended, path), anew="this"))
    assert at_rest(stage, story) == "ended"
    assert len(server.seen) == CALLS + 1
    assert replies(stage, story)[path].take == 1
    assert replies(stage, story)[path].origin is None


def test_an_edit_stands_in_the_branch_and_what_it_changes_is_asked(stage, ended, server):
    at = place(stage, ended, "r1/ann/action")
    branch = Branch(parent=ended.id, at=at, anew="this")
    text = does("Ann locks the door.", "Nobody leaves.")
    assert stage.reuse(branch, text=text).known == BELIEFS
    begun = now()
    story = stage.branch(branch, text=text, person="0123456789ab")
    assert at_rest(stage, story) == "ended"
    told = [event.text for event in stage.store.stories.events(story.id)[at - 1 : at + 1]]
    assert told == ["Ann locks the door.", "Nobody leaves."]
    reply = replies(stage, story)["r1/ann/action"]
    assert (reply.author, reply.take, reply.usage.price, reply.usage.attempts) == ("edit", 1, None, 0)
    assert reply.came_at > begun
    assert [one.path for one in replies(stage, story).values() if one.person == "0123456789ab"] == [reply.path]
    assert len(server.seen) == 2 * CALLS - BELIEFS - 1
    assert stage.store.stories.events(ended.id)[at - 1].text != "Ann locks the door."


@pytest.mark.parametrize(
    ("at", "first", "path"),
    [
        ("r1/ann/dialogue", "r1/ann/action", "r1/ann/action"),
        ("r1/ann/update/bob", "r1/ann/update/ann", "r1/ann/updates"),
        ("r1/ann/environment", "r1/ann/update/ann", "r1/ann/updates"),
    ],
)
def test_who_branches_within_what_one_reply_tells_branches_before_all_of_it(stage, ended, server, at, first, path):
    branch = Branch(parent=ended.id, at=place(stage, ended, at), anew="this")
    story = stage.branch(branch)
    assert at_rest(stage, story) == "ended"
    assert story.branch.at == place(stage, ended, first)
    assert len(server.seen) == CALLS + 1
    again = [reply.path for reply in stage.store.stories.journal(story.id) if reply.take]
    assert again == [path]
    assert stage.store.stories.events(story.id) == stage.store.stories.events(ended.id)


def test_stories_of_the_first_version_are_branched_and_edited_reply_by_reply(stage, casting, server):
    story = stage.launch(SCRIPT.model_copy(update={"settings": Settings(prompts=1)}), casting)
    assert at_rest(stage, story) == "ended"
    recorded = len(server.seen)
    assert recorded == 2 * 8 + BELIEFS
    for path in ("r1/ann/action", "r1/ann/dialogue", "r1/ann/update/bob", "r1/ann/environment"):
        at = place(stage, story, path)
        assert told_at(stage.store.stories, Branch(parent=story.id, at=at, anew="this")).path == path
        branch = stage.branch(Branch(parent=story.id, at=at, anew="this"))
        assert at_rest(stage, branch) == "ended"
        assert branch.branch.at == at
        assert [reply.path for reply in stage.store.stories.journal(branch.id) if reply.take] == [path]
    at = place(stage, story, "r1/ann/action")
    edited = stage.branch(Branch(parent=story.id, at=at, anew="this"), text="Ann locks the door.")
    assert at_rest(stage, edited) == "ended"
    events = stage.store.stories.events(edited.id)
    assert events[at - 1].text == "Ann locks the door."
    assert [event.path for event in events] == [event.path for event in stage.store.stories.events(story.id)]


@pytest.mark.parametrize("path", ["r1/ann/action", "r1/ann/influence"])
def test_an_edit_that_can_not_be_read_is_refused_before_anything_is_stored(stage, ended, path):
    branch = Branch(parent=ended.id, at=place(stage, ended, path), anew="this")
    with pytest.raises(ReplyError):
        stage.branch(branch, text="  ")
    assert stage.store.stories.branches(ended.id) == []


@pytest.mark.parametrize("at", [99, 25])
def test_there_is_no_branch_where_there_is_no_reply(stage, ended, at):
    events = len(stage.store.stories.events(ended.id))
    assert events == 25
    with pytest.raises(StoryError, match=r"no step 99|has no reply"):
        stage.branch(Branch(parent=ended.id, at=at, anew="all"))


@pytest.fixture
def recast(stage, ended, casting, server):
    """A branch at Bob's turn in which Ann has another model, its first call made and not more."""
    other = Endpoint(url=server.url, model="other")
    changed = Casting(narrator=casting.narrator, characters={**casting.characters, "Ann": other})
    server.answers = len(server.seen)
    story = stage.branch(Branch(parent=ended.id, at=place(stage, ended, "r1/bob/action"), anew="all"), changed)
    until(lambda: len(server.seen) > server.answers)
    stage.rest(story.id)
    server.answers = None
    return story


def test_a_branch_with_another_model_can_be_paused_and_resumed(stage, recast, server):
    assert at_rest(stage, recast) == "paused"
    stage.resume(recast.id)
    assert at_rest(stage, recast) == "ended"
    paths = [reply.path for reply in stage.store.stories.journal(recast.id)]
    assert len(paths) == len(set(paths)) == CALLS


def test_a_regenerated_reply_is_another_one_where_seeds_are_honoured(stage):
    rehearsal = casting_at(Endpoint.parse("rehearsal"), SCRIPT.scene)
    story = stage.launch(SCRIPT, rehearsal)
    assert at_rest(stage, story) == "ended"
    at = place(stage, story, "r1/ann/action")
    texts = {stage.store.stories.events(story.id)[at - 1].text}
    for _ in range(3):
        branch = stage.branch(Branch(parent=story.id, at=at, anew="this"))
        assert at_rest(stage, branch) == "ended"
        texts.add(stage.store.stories.events(branch.id)[at - 1].text)
        story = branch
    assert len(texts) > 1


def test_replies_that_others_branch_off_are_not_asked_again(stage, ended):
    child = stage.branch(Branch(parent=ended.id, at=9, anew="all"))
    assert at_rest(stage, child) == "ended"
    stage.store.stories.move(ended.id, "mismatched", a_reason("the prompts have changed"))
    with pytest.raises(StoryError, match="its replies cannot change"):
        stage.resume(ended.id, "ask")
    assert stage.store.stories.story(ended.id).status == "mismatched"
