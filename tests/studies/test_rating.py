"""Who rates what in a study: drawn and planned before anything is played; and the campaign that it becomes."""

import pytest

from characterbox.accounts.account import COMMAND_LINE, Account
from characterbox.errors import StudyError
from characterbox.studies.folder import read_study
from characterbox.studies.progress import Started, note_started, started_in, sweep_of
from characterbox.studies.rating import campaign_of, check_accounts, planned, rated_items, start_campaign
from characterbox.sweeps.sweep import cells_of
from tests.fakes.campaigns import settings

PERSON = Account(id=None, name="Ann", role="researcher")


def items_of(folder):
    study = read_study(folder)
    return rated_items(study, study.sweep)


def test_all_that_will_be_played_is_rated_unless_fewer_are_drawn(folder):
    study = read_study(folder)
    items = items_of(folder)
    assert len(items) == sum(2 * len(scene.cast) for scene in study.sweep.scenes)
    assert {item.story_id for item in items} == {cell.id for cell in cells_of(study.sweep)}
    assert {item.model for item in items} == {"rehearsal", "rehearsal-wooden"}


def test_what_is_drawn_is_the_same_for_all_models_and_follows_from_the_seed(folder, edited):
    edited("campaign.toml", "# scenes = 5 ", "scenes = 3 ")
    edited("campaign.toml", "# characters = 1 ", "characters = 1 ")
    drawn = items_of(folder)
    assert drawn == items_of(folder)
    of_each = [{(item.scene, item.character) for item in drawn if item.model == model}
               for model in ("rehearsal", "rehearsal-wooden")]  # fmt: skip
    assert of_each[0] == of_each[1]
    assert (len(of_each[0]), len({item.scene for item in drawn})) == (3, 3)
    edited("campaign.toml", "seed = 1 ", "seed = 2 ")
    assert {item.scene for item in items_of(folder)} != {item.scene for item in drawn}


def test_more_than_there_is_is_all_there_is(folder, edited):
    everything = items_of(folder)
    edited("campaign.toml", "# scenes = 5 ", "scenes = 50 ")
    assert items_of(folder) == everything


def test_a_plan_that_cannot_be_kept_is_refused_before_anything_is_paid(folder, edited):
    edited("experts.toml", 'name = "Expert 2"\nlanguages = ["en"]', 'name = "Expert 2"\nlanguages = ["zh"]')
    study = read_study(folder)
    with pytest.raises(StudyError, match=r"campaign\.toml and experts\.toml: .*English"):
        planned(study, study.sweep)


def test_the_campaign_is_made_once_and_found_by_its_name_when_the_folder_knows_nothing(folder, store, monkeypatch):
    study = read_study(folder)
    for cell in cells_of(study.sweep):
        store.stories.create(cell.script, cell.casting, "sweep", id=cell.id)
    monkeypatch.setattr("characterbox.studies.rating.begin", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        start_campaign(study, store, study.sweep, None)
    [draft] = store.campaigns.all()
    assert (draft.status, draft.settings.name) == ("draft", "pilot")
    assert campaign_of(study, store, study.sweep, None) == draft, "broken off, and gone on with"
    assert started_in(folder) == Started(sweep="pilot", campaign=draft.id)
    assert store.accounts.named("Expert 1").role == "expert"


def test_its_id_is_noted_before_anything_is_in_it(folder, store, monkeypatch):
    study = read_study(folder)
    with monkeypatch.context() as broken:
        broken.setattr("characterbox.studies.rating.keep", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            start_campaign(study, store, study.sweep, None)
    [draft] = store.campaigns.all()
    assert store.campaigns.items(draft.id) == []
    assert campaign_of(study, store, study.sweep, started_in(folder).campaign) == draft


def test_a_campaign_that_is_gone_is_told(folder, store):
    study = read_study(folder)
    with pytest.raises(StudyError, match="the campaign abc of this study is not in the database"):
        campaign_of(study, store, study.sweep, "abc")


def other_items(items):
    """An item that is none of these."""
    alien = items[0].model_copy(update={"story_id": None, "scene": "Else: where"})
    return [alien.model_copy(update={"identity": alien.identity.model_copy(update={"owner": "elsewhere"})})]


OF_OTHERS = {
    "a command's, of other items": (COMMAND_LINE, other_items),
    "a command's, of some of the items": (COMMAND_LINE, lambda items: items[:3]),
    "a command's, of no items": (COMMAND_LINE, lambda _: []),
    "a person's empty draft": (PERSON, lambda _: []),
    "a person's, of the same items": (PERSON, lambda items: items),
}


@pytest.mark.parametrize(("maker", "chosen"), OF_OTHERS.values(), ids=[*OF_OTHERS])
def test_the_campaign_of_somebody_else_is_not_taken(folder, store, maker, chosen):
    study = read_study(folder)
    other = store.campaigns.create(settings(name="pilot"), maker)
    items = [one.model_copy(update={"story_id": None}) for one in chosen(rated_items(study, study.sweep))]
    store.campaigns.draft(other.id, other.settings, items, [], maker)
    with pytest.raises(StudyError, match=f"the name 'pilot' belongs to another campaign in the database .{other.id}"):
        campaign_of(study, store, study.sweep, None)


def test_where_people_sign_in_each_expert_needs_an_account(folder, store, signed_in):
    study = read_study(folder)
    with pytest.raises(StudyError, match=r"experts\.toml: there is no account with which Expert 1 may rate"):
        check_accounts(study, store)
    store.accounts.add(COMMAND_LINE, "Expert 1", "expert")
    store.accounts.add(COMMAND_LINE, "Expert 2", "viewer")
    with pytest.raises(StudyError, match="Expert 2 may rate"):
        check_accounts(study, store)


def test_what_was_started_is_noted_as_a_whole(folder):
    assert started_in(folder) is None
    note_started(folder, Started(sweep="pilot"))
    note_started(folder, Started(sweep="pilot", campaign="abc"))
    assert started_in(folder) == Started(sweep="pilot", campaign="abc")
    (folder / "run.toml").write_text("campaign = ", "utf-8")
    with pytest.raises(StudyError, match=r"run\.toml: .*not valid TOML.*put it back, or delete it"):
        started_in(folder)


def test_another_sweep_of_the_same_name_is_not_taken_over(folder, store, edited):
    study = read_study(folder)
    store.sweeps.put("pilot", study.sweep.model_copy(update={"rounds": 2}).model_dump(mode="json"), "command line")
    with pytest.raises(StudyError, match=r"sweep\.toml: the database has another sweep that is called 'pilot'"):
        sweep_of(study, store)
    note_started(folder, Started(sweep="pilot"))
    assert sweep_of(study, store) == study.sweep, "the study's own, which was changed since"


def test_the_same_sweep_is_gone_on_with_whatever_its_budget(folder, store, edited):
    store.sweeps.put("pilot", read_study(folder).sweep.model_dump(mode="json"), "app")
    edited("sweep.toml", "budget = 20.0", "budget = 30.0")
    assert sweep_of(read_study(folder), store).budget == 30.0
