"""Datasets: what a dry run has taken is kept under a name, whole and for good."""

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from annotations.errors import RatingError
from annotations.exchange.intake import TAKEN, dry_run
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import COMMAND_LINE
from characterbox.store.engine import open_engine

HEADER = "item,scene,model,metric,rater,kind,score,language,reason\n"
ROWS = "1,s,m,KA,王 '=x\U0001f642,expert,4,zh,\n1,s,m,BA,GPT-4,judge,,,no reply\n2,s,m,KA,Ann,expert,5,,\n"


def tried(rows):
    return dry_run((HEADER + rows).encode(), load_rubric())


@pytest.mark.slow
def test_what_was_taken_comes_back_in_its_order(store):
    trial = tried(ROWS + "3,s,m,KA,Ann,expert,9,,\n")
    dataset = store.datasets.add("  Published\t ratings ", trial, COMMAND_LINE)
    frame = store.datasets.frame(dataset.id)
    assert tuple(frame.columns) == TAKEN
    rows = frame.astype(object).where(frame.notna(), None).values.tolist()
    assert rows == [
        ["1", "s", "m", "zh", "KA", "王 '=x\U0001f642", "expert", 4.0, None, None],
        ["1", "s", "m", None, "BA", "GPT-4", "judge", None, "no reply", None],
        ["2", "s", "m", None, "KA", "Ann", "expert", 5.0, None, None],
    ]
    assert store.datasets.all() == [dataset]
    assert (dataset.name, dataset.ratings, dataset.rubric) == ("Published ratings", 3, "character")
    assert (dataset.rubric_version, dataset.added_by) == (load_rubric().version, COMMAND_LINE.name)


def test_it_is_told_in_the_log(store):
    dataset = store.datasets.add("a", tried(ROWS + "3,s,m,KA,Ann,expert,9,,\n"), COMMAND_LINE)
    (entry,) = store.audit.read(9)
    assert (entry.action, entry.subject, entry.actor_name) == ("dataset.add", dataset.id, COMMAND_LINE.name)
    assert entry.detail == {
        "name": "a", "rubric": "character", "rubric_version": load_rubric().version, "ratings": 3, "left_out": 1
    }  # fmt: skip


def test_datasets_are_told_apart_and_the_newest_is_first(store):
    first = store.datasets.add("a", tried(ROWS), COMMAND_LINE)
    second = store.datasets.add("b", tried("9,s,m,KA,Eve,judge,1,,\n"), COMMAND_LINE)
    assert store.datasets.all() == [second, first]
    assert store.datasets.frame(second.id)["rater"].tolist() == ["Eve"]
    assert len(store.datasets.frame(first.id)) == 3
    assert store.ratings.frame().empty


def test_a_name_is_given_once_and_then_nothing_is_stored(store):
    store.datasets.add("a", tried(ROWS), COMMAND_LINE)
    with pytest.raises(RatingError, match="dataset 'a': there is one of this name already"):
        store.datasets.add(" a ", tried(ROWS), COMMAND_LINE)
    assert len(store.datasets.all()) == 1
    assert len(store.audit.read(9)) == 1


def test_a_name_that_cannot_be_used_is_refused(store):
    for name in ["", " \t", "...", "a\x1bb", "a\u202eb", "a" * 121]:
        with pytest.raises(RatingError, match="the name of a dataset needs a letter or digit"):
            store.datasets.add(name, tried(ROWS), COMMAND_LINE)
    assert store.datasets.all() == []


def test_nothing_taken_is_nothing_to_store(store):
    with pytest.raises(RatingError, match="no row can be imported"):
        store.datasets.add("a", tried("1,s,m,ZZ,Ann,expert,4,,\n"), COMMAND_LINE)
    assert store.datasets.all() == []


def test_an_unknown_dataset_is_told(store):
    with pytest.raises(RatingError, match="dataset 'none': there is none"):
        store.datasets.frame("none")


def test_the_database_refuses_to_change_them(url, store):
    dataset = store.datasets.add("a", tried(ROWS), COMMAND_LINE)
    changes = [
        "UPDATE dataset SET rubric = 'x'",
        "DELETE FROM dataset",
        "UPDATE dataset_content SET ratings = ''",
        "DELETE FROM dataset_content",
    ]
    engine = open_engine(url)
    if engine.dialect.name == "sqlite":
        changes.append("INSERT OR REPLACE INTO dataset_content SELECT * FROM dataset_content")
        others = "name, rubric, rubric_version, ratings, added_by, added_at"
        changes.append(f"INSERT OR REPLACE INTO dataset (id, {others}) SELECT 'another', {others} FROM dataset")
    for change in changes:
        with pytest.raises(DBAPIError, match="datasets are only added to"), engine.begin() as connection:
            connection.execute(text(change))
    engine.dispose()
    assert store.datasets.all() == [dataset]
    assert store.datasets.frame(dataset.id)["score"].tolist()[0::2] == [4.0, 5.0]
