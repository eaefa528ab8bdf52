"""The sample study, and how samples are removed."""

import pandas as pd
import pytest
from sqlalchemy.exc import DBAPIError

from annotations.exchange.intake import dry_run
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.workload import open_workload
from characterbox.errors import NotAllowed
from characterbox.samples import bring_samples, remove_samples, samples, samples_left
from characterbox.samples.study import STUDY, TITLE
from characterbox.store.ratings.ratings import rating_of
from tests.fakes.real_data import real

pytestmark = pytest.mark.slow


def test_the_study_is_a_dataset_of_hanna_without_scores_off_the_scale(store):
    bring_samples(store)
    [dataset] = store.datasets.all()
    assert (dataset.id, dataset.rubric, dataset.ratings) == (STUDY, "hanna", 50_342)
    frame = store.datasets.frame(STUDY)
    assert frame["score"].between(1, 5).all()
    assert frame.groupby("kind")["rater"].nunique().to_dict() == {"expert": 3, "judge": 5}
    assert frame["item"].nunique() == 1056


def test_the_study_is_that_of_the_published_file(store):
    """All of its scores that are on the scale."""
    published = pd.read_csv(real("ratings", "hanna.csv"), dtype={"item": str, "scene": str})
    bring_samples(store)
    ours = store.datasets.frame(STUDY)[[*published.columns]].reset_index(drop=True)
    on_scale = published[published["score"].between(1, 5)].reset_index(drop=True)
    pd.testing.assert_frame_equal(ours, on_scale, check_dtype=False)


def test_all_go_at_once_and_stay_away(store):
    bring_samples(store)
    assert {*samples_left(store)} == {*(sample.id for sample in samples()), STUDY}
    assert remove_samples(store, LOCAL) == []
    assert samples_left(store) == []
    bring_samples(store)
    assert (store.stories.count(), store.datasets.all()) == (0, [])
    told = [entry.action for entry in store.audit.read(20)]
    assert told.count("story.deleted") == len(samples())
    assert "dataset.remove" in told


def test_they_go_also_once_somebody_has_looked_at_what_there_is_to_rate(store):
    bring_samples(store)
    assert open_workload(store, store.accounts.expert_named("Cai")).work
    assert remove_samples(store, LOCAL) == []
    assert not open_workload(store, store.accounts.expert_named("Cai")).work


def test_a_sample_on_which_something_rests_stays_and_says_why(store):
    bring_samples(store)
    story = store.stories.story(samples()[0].id)
    name = story.script.scene.names[0]
    store.ratings.add([rating_of(story, name, rater="GPT-4", metric="KA", score=4)])
    [error] = remove_samples(store, LOCAL)
    assert "ratings must be kept" in str(error)
    assert samples_left(store) == [samples()[0].id]


def test_only_those_who_direct_remove_samples(store):
    bring_samples(store)
    with pytest.raises(NotAllowed):
        remove_samples(store, LOCAL.model_copy(update={"role": "viewer"}))
    assert len(samples_left(store)) == len(samples()) + 1


def test_a_database_with_a_dataset_is_left_alone(store):
    own = a_dataset(store)
    bring_samples(store)
    assert (store.datasets.all(), store.stories.count()) == ([own], 0)


def test_no_other_dataset_can_be_removed(store):
    bring_samples(store)
    own = a_dataset(store)
    with pytest.raises(DBAPIError, match="only added to"):
        store.datasets.remove_sample(own.id, LOCAL)
    assert {one.name for one in store.datasets.all()} == {"own", TITLE}


def a_dataset(store):
    rows = b"item,scene,model,metric,rater,kind,score\na,s,m,KA,x,expert,3\n"
    return store.datasets.add("own", dry_run(rows, load_rubric()), LOCAL)
