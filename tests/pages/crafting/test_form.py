"""The form of a crafting: what takes seconds is done once, however often the page is drawn."""

import pickle
import re

import pytest
import streamlit as st
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from annotations.i18n.translation import speaking
from characterbox.crafting.request import Wish
from characterbox.errors import NotItsFault
from characterbox.llm.endpoint import Endpoint
from characterbox.processes import limited
from characterbox.processes.limited import Outcomes, limited_processes
from pages.crafting.text import FIELDS, refusal
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in

NOVEL = "\n\n".join(
    f"Chapter {n}\n\n“Who has it?” asked Ann, and Bea looked away. It was {n} o'clock." for n in range(9)
)


def draw():
    import streamlit as st  # noqa: PLC0415

    from annotations.i18n.translation import speaking  # noqa: PLC0415
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.crafting.form import new_crafting  # noqa: PLC0415

    with speaking(st.session_state.get("spoken", "en")):
        new_crafting(open_stage())


@pytest.fixture
def counted(monkeypatch):
    """The names of what was done, as often as it was."""
    done = []
    monkeypatch.setattr(limited, "_OUTCOMES", Outcomes())
    processes = limited_processes()
    told = processes.told

    def count(call):
        _, function, *_ = pickle.loads(call)
        done.append(function.__name__)
        return told(call)

    monkeypatch.setattr(processes, "told", count)
    return done


@pytest.fixture
def page(tmp_path):
    st.cache_data.clear()
    with app_stage(database_in(tmp_path / "page.db")):
        app = AppTest.from_function(draw, default_timeout=60).run()
        for role in ("screenwriter", "director", "evaluator"):
            app.session_state[f"craft-{role}"] = "rehearsal"
        app.text_input(key="craft-work").set_value("The Hotel")
        yield app


def told(app):
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


@pytest.mark.process
def test_a_pasted_text_is_read_and_divided_once(page, counted):
    page.text_area(key="craft-pasted").set_value(NOVEL).run()
    assert "9 chapters" in told(page)
    for author in ("Somebody", "Nobody"):
        page.text_input(key="craft-author").set_value(author).run()
    assert counted == ["pasted_source", "pieces_of"]
    page.number_input(key="craft-count").set_value(2).run()
    page.text_area(key="craft-pasted").set_value(NOVEL + "\n\nThe end.").run()
    assert counted == ["pasted_source", "pieces_of", "pieces_of", "pasted_source", "pieces_of"]


@pytest.mark.process
def test_a_text_that_cannot_be_read_is_refused_once(page, counted):
    page.text_area(key="craft-pasted").set_value("* * *").run()
    page.text_input(key="craft-author").set_value("Somebody").run()
    assert "there is no text in it" in told(page)
    assert counted == ["pasted_source"]


@pytest.mark.process
def test_why_a_text_cannot_be_read_is_told_in_the_language_of_each_reader(page):
    page.file_uploader(key="craft-source").set_value(("novel.txt", b"* * *", "text/plain")).run()
    assert "there is no text in it" in told(page)
    page.session_state["spoken"] = "zh"
    page.run()
    assert "there is no text in it" not in told(page)
    assert re.search("[\u4e00-\u9fff]", told(page))


@pytest.mark.process
def test_a_file_is_read_once_and_again_if_another_has_its_name(page, counted):
    for text in (NOVEL, NOVEL, NOVEL + "\n\nThe end."):
        page.file_uploader(key="craft-source").set_value(("novel.txt", text.encode(), "text/plain")).run()
        page.text_input(key="craft-author").set_value(f"Somebody {len(counted)}").run()
        assert "novel.txt: " in told(page)
    assert counted == ["read_source_bytes", "pieces_of"] * 2


@pytest.mark.process
def test_a_file_whose_turn_did_not_come_is_read_the_next_time(page, monkeypatch):
    def busy(*_):
        raise NotItsFault("other files are being read, and this one waited too long; try again")

    with monkeypatch.context() as patch:
        patch.setattr(limited_processes(), "told", busy)
        page.file_uploader(key="craft-source").set_value(("novel.txt", NOVEL.encode(), "text/plain")).run()
        assert "try again" in told(page)
    page.run()
    assert "try again" not in told(page)
    assert "novel.txt: " in told(page)


@pytest.mark.process
@pytest.mark.parametrize(
    ("work", "sentence"),
    [
        ("A" * 201, "Work: 201 characters are more than 200; shorten it."),
        ("A" * 1500, "Work: 1,500 characters are more than 200; shorten it."),
    ],
)
def test_what_is_wrong_with_the_wish_is_told_in_the_words_of_the_form(page, work, sentence):
    page.text_area(key="craft-pasted").set_value(NOVEL)
    page.text_input(key="craft-work").set_value(work).run()
    assert sentence in told(page)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"work": ""}, "Work: there is nothing in it that can be read; write something there."),
        ({"author": " "}, "Author of the work: there is nothing in it that can be read; write something there."),
        ({"pieces": [{"passage": {"source": "a", "start": 0, "end": 1}, "text": ""}]}, "Source text: there is nothing"),
        ({"count": 0}, "Scenes: what is there cannot be used; give something else."),
        ({"threshold": 9}, "Mean score from which on a scene is accepted: what is there cannot be used"),
        ({"fewest": 5}, "5 to 4 characters are none"),
        ({"seed": None}, "Seed: what is there cannot be used"),
    ],
)
def test_no_field_of_a_wish_is_refused_in_the_words_of_a_library(fields, sentence):
    roles = dict.fromkeys(("screenwriter", "director", "evaluator"), Endpoint.parse("rehearsal"))
    wish = {"way": "generate", "language": "en", "work": "Emma", "roles": roles, **fields}
    with pytest.raises(ValidationError) as refused:
        Wish.model_validate(wish)
    assert refusal(refused.value).startswith(sentence)
    assert "should" not in refusal(refused.value)


def test_a_wish_is_refused_in_the_language_of_the_reader():
    roles = dict.fromkeys(("screenwriter", "director", "evaluator"), Endpoint.parse("rehearsal"))
    with pytest.raises(ValidationError) as refused:
        Wish.model_validate({"way": "generate", "language": "en", "work": "Emma", "roles": roles, "fewest": 5})
    with speaking("zh"):
        assert refusal(refused.value) == "角色数不能从 5 到 4"


def test_each_field_of_a_wish_that_a_person_fills_in_has_its_name():
    assert {*FIELDS} == {*Wish.model_fields} - {"way", "language", "method", "roles", "further"}


@pytest.mark.parametrize("label", ["Temperature", "Scenes", "Minimum mean score to accept a scene"])
def test_a_number_out_of_its_range_makes_no_plan(page, label):
    page.text_input(key="craft-work").set_value("Emma")
    page.number_input[[one.label for one in page.number_input].index(label)].set_value(-9).run()
    assert not page.exception
    told = "".join(one.proto.body for one in page.get("html"))
    assert told.count('class="cb-fault"') == 2, "below the field, and where the form can't go on"
    assert "Complete the form to see the passages and the number of calls." in told
