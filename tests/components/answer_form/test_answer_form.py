"""The form on a real Streamlit page: every change of a field is told, and nothing that is written is overwritten."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.components.serving import streamlit_page
from tests.fakes.waiting import until

SCRIPT = """
import json
from pathlib import Path
import streamlit as st
from characterbox.components.answer_form import show_form
from characterbox.components.answer_form.blank import Blank
from tests.components.answer_form.hall import PENELOPE, hall, influence
from characterbox.play.world import Script

path = st.query_params.get("path", "r1/odysseus/action")
script = Script(scene=hall("zh" if "zh" in st.query_params else "en"))
blank = Blank.at(path, script, [influence(PENELOPE)])
drafts = Path("drafts.json")
kept = json.loads(drafts.read_text()) if drafts.exists() else {}

def keep(id, values):
    Path("new.json").write_text(json.dumps(values))
    Path("new.json").rename(drafts)

def answer(id, values):
    st.session_state.answered = [id, values]

st.fragment(lambda: show_form(
    {"id": path, "language": blank.scene.language, "submit": "Play it", "fields": blank.fields,
     "values": kept or blank.begin,
     "kept": json.loads(drafts.read_text()) if drafts.exists() else {},
     "problem": {"field": "effect", "text": "effect: has no text"} if "answered" in st.session_state else None},
    key="form", on_draft=keep, on_answer=answer))()
if st.button("again"):
    st.json(st.session_state.get("answered", []))
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with streamlit_page(tmp_path, SCRIPT) as address:
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    errors: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []


def drafted(tmp_path: Path) -> dict[str, Any]:
    """What was told of the fields last."""
    values: dict[str, Any] = json.loads((tmp_path / "drafts.json").read_text())
    return values


def test_what_is_typed_is_kept_without_leaving_the_field_and_is_there_after_a_reload(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(address)
    field = page.get_by_label("What Odysseus does next")
    field.press_sequentially("Odysseus bows ")
    expect(page.get_by_text("Draft kept")).to_be_visible()
    assert drafted(tmp_path) == {"action": "Odysseus bows ", "to": None, "whispered": False, "unseen": False}
    field.press_sequentially("low.")
    expect(page.get_by_text("Draft kept")).to_be_visible()
    expect(field).to_have_value("Odysseus bows low.")
    page.reload()
    expect(field).to_have_value("Odysseus bows low.")


def test_whom_words_are_for_is_chosen_and_what_is_rare_is_folded_until_it_says_something(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(address)
    expect(page.get_by_role("radio", name="everybody")).to_be_checked()
    page.get_by_label("What Odysseus says with it").fill("Hush.")
    page.get_by_role("radio", name="Penelope").check()
    whispered = page.get_by_label("Said so low that nobody else hears it")
    expect(whispered).not_to_be_visible()
    page.get_by_text("More", exact=True).click()
    whispered.check()
    expect(page.get_by_text("Draft kept")).to_be_visible()
    assert drafted(tmp_path) == {"dialogue": "Hush.", "to": "Penelope", "whispered": True, "unseen": False}
    page.reload()
    expect(whispered).to_be_checked()
    expect(whispered).to_be_visible()


def test_all_kinds_of_fields_by_keyboard_and_a_fault_stands_beside_its_field(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(f"{address}/?path=r1/penelope/influence")
    page.get_by_role("radio", name="Odysseus").focus()
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="nobody")).to_be_checked()
    page.get_by_role("radio", name="7", exact=True).check()
    page.get_by_role("button", name="Play it").click()
    problem = page.get_by_role("alert").filter(has_text="effect: has no text")
    expect(problem).to_be_visible()
    expect(page.get_by_label("What it does to them")).to_be_focused()
    expect(page.get_by_role("radio", name="nobody")).to_be_checked()
    assert drafted(tmp_path) == {"affected": None, "importance": 7, "seen_by": None, "heard_by": None}
    page.get_by_role("button", name="again").click()
    expect(page.get_by_test_id("stJson")).to_contain_text("r1/penelope/influence")
    expect(page.get_by_role("radio", name="7", exact=True)).to_be_checked()


def test_who_perceives_it_is_all_or_some_or_nobody(page: Page, address: str, tmp_path: Path) -> None:
    page.goto(f"{address}/?path=r1/odysseus/influence")
    page.get_by_text("More", exact=True).click()
    seen = page.get_by_role("group", name="Who sees what Odysseus does")
    for act, value in (
        (lambda: seen.get_by_role("checkbox", name="Eurycleia").check(), ["Eurycleia"]),
        (lambda: seen.get_by_role("checkbox", name="Eurycleia").uncheck(), []),
        (lambda: seen.get_by_role("checkbox", name="Penelope").check(), ["Penelope"]),
        (lambda: seen.get_by_role("radio", name="all who are there").check(), None),
        (lambda: seen.get_by_role("radio", name="only").check(), []),
    ):
        act()
        until(lambda value=value: (tmp_path / "drafts.json").exists() and drafted(tmp_path)["seen_by"] == value)
    page.reload()
    expect(seen.get_by_role("radio", name="only")).to_be_checked()
    expect(seen.get_by_role("checkbox", name="Penelope")).not_to_be_checked()


def test_who_is_recognised_and_who_is_noticed_are_sentences_to_be_checked(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(f"{address}/?path=r1/odysseus/result")
    page.get_by_text("More", exact=True).click()
    who = page.get_by_role("group", name="Who is recognised")
    who.get_by_label("Penelope recognises the beggar: it is Odysseus").check()
    until((tmp_path / "drafts.json").exists)
    assert drafted(tmp_path)["recognised"] == [["Odysseus", "Penelope"]]
    page.goto(f"{address}/?path=r1/odysseus/updates")
    expect(page.get_by_role("group", name="Environment").get_by_label("Place", exact=True)).to_be_visible()


def test_a_chinese_scene_asks_in_chinese(page: Page, address: str) -> None:
    page.goto(f"{address}/?zh=1&path=r1/odysseus/updates")
    expect(page.get_by_label("周围此刻的景象")).to_be_visible()
    expect(page.get_by_label("故事到此结束")).not_to_be_checked()
    hidden = page.get_by_label("Penelope看不见也听不见Eurycleia")
    expect(hidden).to_be_checked()
    page.get_by_label("时间").fill("夜深")
    expect(page.get_by_text("草稿已保存")).to_be_visible()
