"""Datasets on their page: written from a form, looked at example by example, and what is told of damaged ones."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.accounts.account import COMMAND_LINE, LOCAL, Account
from characterbox.stage.jobs.dataset_jobs import DatasetWriting
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.datasets.recipe import DatasetRecipe

pytestmark = pytest.mark.process

VERA = Account(id="0123456789ac", name="Vera", role="viewer")


def draw():
    from pathlib import Path  # noqa: PLC0415 - the script is run by itself

    import pages.training  # noqa: PLC0415

    exec(compile((Path(pages.training.__path__[0]) / "page.py").read_text("utf-8"), "page.py", "exec"))


def page_at(**place):
    app = AppTest.from_function(draw, default_timeout=60)
    app.query_params.update(place)
    return app.run()


def bodies(app):
    assert not app.exception
    return "\n".join(one.proto.body for one in app.get("html"))


@pytest.fixture
def written(stage, ended):
    """A dataset of a narrator, of one story."""
    ended()
    recipe = DatasetRecipe(kind="narrator", improvised=True)
    stage.jobs.start(DatasetWriting.by(LOCAL, "first", recipe)).future.result(60)
    return DatasetCollection.of_user().folder("first")


def test_it_is_written_from_the_form(stage, ended, visiting):
    visiting(stage.store.accounts.add(COMMAND_LINE, "Rita", "researcher"))
    ended()
    app = page_at(new="dataset")
    assert app.button(key="training-dataset-write").disabled, "it has no name yet"
    app.text_input(key="training-dataset-name").set_value("a/b").run()
    assert "Use letters, digits, - and _ for the name." in bodies(app)
    app.text_input(key="training-dataset-name").set_value("small").run()
    app.toggle(key="training-dataset-improvised").set_value(True).run()
    app.button(key="training-dataset-write").click().run()
    report = stage.jobs.last(DatasetWriting, "small").future.result(60)
    assert DatasetCollection.of_user().report("small") == report
    app.run()
    assert "There is already a training dataset with this name." in bodies(app)


def test_a_reflective_one_says_how_parts_are_rewritten(stage):
    app = page_at(new="dataset")
    app.radio(key="training-dataset-kind").set_value("reflective").run()
    assert "choose “Rewritten parts”" in bodies(app)
    app.radio(key="training-dataset-kind").set_value("judge").run()
    assert "choose “Rewritten parts”" not in bodies(app)


def test_whoever_may_not_direct_has_none_written(stage, ended, visiting):
    ended()
    app = page_at(new="dataset")
    app.text_input(key="training-dataset-name").set_value("small").run()
    visiting(VERA)
    app.button(key="training-dataset-write").click().run()
    assert stage.jobs.last(DatasetWriting, "small") is None
    assert ["researcher role" in one.value for one in app.error] == [True]


def test_its_examples_are_shown_one_by_one(stage, written):
    app = page_at(dataset="first")
    report = DatasetCollection.of_user().report("first")
    assert f"<td>{report.splits['train'].examples:,}</td>" in bodies(app)
    first, source = DatasetCollection.of_user().example("first", "train", 0)
    assert source["path"] in bodies(app)
    assert first[-1]["role"] in bodies(app)
    app.number_input(key="training-example-train").set_value(2).run()
    _, other = DatasetCollection.of_user().example("first", "train", 1)
    assert other["path"] in bodies(app)


def test_one_of_a_kind_is_told_as_one(stage, written):
    file = written / "dataset.json"
    told = json.loads(file.read_text("utf-8"))
    told["not_chosen"] = {"score": 1}
    told["over_cutoff"] = 1
    file.write_text(json.dumps(told), "utf-8")
    shown = bodies(page_at(dataset="first"))
    assert "1 story left out: " in shown
    assert "1 example may be longer than " in shown


@pytest.mark.parametrize("content", ["", "{", "[]", "\x00"])
def test_a_damaged_one_is_told_and_hides_nothing(stage, written, content):
    (written / "dataset.json").write_text(content, "utf-8")
    app = page_at(dataset="first")
    assert not app.exception
    assert ["it is damaged" in one.value for one in app.error] == [True]
    listed = bodies(page_at())
    assert "it is damaged" in listed
    assert page_at(new="run").text_input(key="training-name")


@pytest.mark.parametrize("name", ["nowhere", "../first", ".", "a b", "é"])
def test_a_name_of_none_leads_back(stage, written, name):
    app = page_at(dataset=name)
    assert not app.exception
    assert [one.value for one in app.title] == ["Training"]
    assert len(app.error) == 1
    app.button(key="way-").click().run()
    assert [one.value for one in app.subheader] == ["Training datasets"]
