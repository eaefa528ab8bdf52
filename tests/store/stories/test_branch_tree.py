"""Families of stories: who branched off whom, names, and what may be deleted."""

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.item_selection import subjects
from characterbox.campaigns.workload import open_workload
from characterbox.errors import PlayedElsewhere, StoryError
from characterbox.play.events import Action
from characterbox.store.ratings.ratings import rating_of
from characterbox.store.stories.stories import Branch
from tests.fakes.campaigns import rate, settings
from tests.fakes.stories import AT, a_reply, a_story, casting_at


def branch(store, parent, at=1, anew="this"):
    story = store.stories.story(parent)
    casting = casting_at(AT, story.script.scene)
    return store.stories.create(story.script, casting, "app", branch=Branch(parent=parent, at=at, anew=anew)).id


@pytest.fixture
def family(store):
    """A story with two branches, of which one has a branch; and a stranger."""
    root = a_story(store).id
    late, early = branch(store, root, 9), branch(store, root, 2)
    grandchild = branch(store, early, 3, "all")
    a_story(store)
    return root, early, grandchild, late


def test_the_family_is_the_same_from_wherever_one_looks(store, family):
    for id in family:
        kin = store.families.family(id)
        assert [(one.id, one.depth) for one in kin] == list(zip(family, [0, 1, 2, 1], strict=True))
    assert [(one.parent, one.at, one.anew) for one in kin][2] == (family[1], 3, "all")


def test_of_a_story_that_is_not_there_there_is_none(store):
    assert store.families.family("none") == []


def test_a_story_whose_parent_is_gone_is_the_first_of_its_family(store):
    story = a_story(store)
    orphan = store.stories.create(story.script, story.casting, "app", branch=Branch(parent="gone", at=3, anew="all")).id
    [kin] = store.families.family(orphan)
    assert (kin.id, kin.depth, kin.parent) == (orphan, 0, None)


def test_a_circle_has_an_end(store):
    story = a_story(store)
    for id, parent in (("aa", "bb"), ("bb", "aa"), ("cc", "cc")):
        branch = Branch(parent=parent, at=1, anew="all")
        store.stories.create(story.script, story.casting, "app", id=id, branch=branch)
    assert sorted(kin.id for kin in store.families.family("aa")) == ["aa", "bb"]
    assert [kin.id for kin in store.families.family("cc")] == ["cc"]


def test_a_name_is_kept_and_taken_back(store, family):
    store.families.name(family[1], "  what if \n she lies " + "x" * 100)
    assert store.stories.story(family[1]).label == "what if she lies " + "x" * 63
    store.families.name(family[1], " ")
    assert store.stories.story(family[1]).label is None


async def test_what_is_deleted_is_gone_with_all_that_was_its_own(store):
    kept, gone = a_story(store).id, a_story(store).id
    for id in (kept, gone):
        with store.stories.claimed(id) as claimed:
            await claimed.answered(a_reply(author="human"))
            await claimed.record(1, Action(path="r1/ann/action", round=1, turn="Ann", character="Ann", text="-"))
        store.shelf.set_tags(id, ["good"])
        store.drafts.save(id, "r1/bob/action", "half")
    store.families.delete(LOCAL, gone)
    assert (store.audit.read(1)[0].action, store.audit.read(1)[0].subject) == ("story.deleted", gone)
    with pytest.raises(StoryError, match="there is no story"):
        store.stories.story(gone)
    assert store.stories.events(gone) == store.stories.journal(gone) == store.shelf.tags(gone) == []
    assert len(store.stories.events(kept)) == len(store.stories.journal(kept)) == len(store.shelf.tags(kept)) == 1


def test_what_others_rest_on_stays(store, family):
    root, early, grandchild, late = family
    for id in (root, early):
        with pytest.raises(StoryError, match="it has branches"):
            store.families.delete(LOCAL, id)
    for id in (grandchild, early, late, root):
        store.families.delete(LOCAL, id)
    assert store.stories.count() == 1


def test_what_was_rated_stays(store):
    story = a_story(store)
    store.ratings.add([rating_of(story, "Ann", rater="GPT-4", kind="judge", metric="KA", score=4)])
    with pytest.raises(StoryError, match="judges have rated it"):
        store.families.delete(LOCAL, story.id)


@pytest.mark.parametrize("rubric", ["character", "narrator", "scene"])
def test_what_is_picked_for_a_campaign_stays(store, rubric):
    story = a_story(store)
    store.stories.move(story.id, "ended")
    [subject, *_] = subjects([store.stories.story(story.id)], load_rubric(rubric))
    campaign = store.campaigns.create(settings(rubric=rubric), LOCAL)
    store.campaigns.draft(campaign.id, campaign.settings, [subject.campaign_item], [], LOCAL)
    with pytest.raises(StoryError, match="part of a campaign"):
        store.families.delete(LOCAL, story.id)


async def test_what_anybody_may_rate_stays_once_somebody_has_begun_to(store):
    begun, left = (a_story(store) for _ in range(2))
    for story in (begun, left):
        store.stories.move(story.id, "ended")
    rater = store.accounts.expert_named("Cai")
    mine = [work for work in open_workload(store, rater).work if begun.id in work.assignment.item]
    assert 0 < len(mine) < len(open_workload(store, rater).work)
    await rate(store, mine[0].assignment, 4)
    with pytest.raises(StoryError, match=f"“{begun.script.scene.title}” cannot be deleted: somebody has begun to rate"):
        store.families.delete(LOCAL, begun.id)
    store.families.delete(LOCAL, left.id)
    after = open_workload(store, rater).work
    assert [work.assignment for work in after] == [work.assignment for work in mine]


def test_what_is_being_played_stays(store):
    story = a_story(store)
    with store.stories.claimed(story.id), pytest.raises(PlayedElsewhere):
        store.families.delete(LOCAL, story.id)
    store.families.delete(LOCAL, story.id)
