"""The desk of those who rate whatever there is: its rubric stays what it was, whatever is bundled later."""

from annotations.rubrics.rubric import bundled_text, load_rubric
from characterbox.campaigns.workload import open_workload
from characterbox.store import Store
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

RUBRIC = load_rubric()


def end_a_story(store, *names):
    store.stories.move(a_story(store, a_scene(*names)).id, "ended")


def test_the_rubric_of_the_open_campaign_is_kept_when_there_is_something_to_rate(store, url, monkeypatch):
    cai = store.accounts.expert_named("Cai")
    assert open_workload(store, cai).rubric == RUBRIC
    assert store.campaigns.all() == []
    end_a_story(store, "Ann", "Bob")
    assert len(open_workload(store, cai).work) == 2
    assert store.rubrics.text(RUBRIC.name, RUBRIC.version) == bundled_text(RUBRIC.name)

    newer = RUBRIC.model_copy(update={"version": "99.0", "metrics": RUBRIC.metrics[:1]})
    for module in ("campaigns.workload", "store.ratings.rubrics"):
        monkeypatch.setattr(f"characterbox.{module}.load_rubric", lambda name=RUBRIC.name: newer)
    end_a_story(store, "Eve")
    restarted = Store(url)
    desk = open_workload(restarted, cai)
    restarted.close()
    assert (len(desk.work), desk.rubric, desk.campaign.settings.rubric_version) == (3, RUBRIC, RUBRIC.version)
