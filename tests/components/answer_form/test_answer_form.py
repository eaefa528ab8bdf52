"""The form on a real Streamlit page: every change of a field is told, and nothing that is written is overwritten."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.components.serving import streamlit_page

SCRIPT = """
import json
from pathlib import Path
import streamlit as st
from characterbox.components.answer_form import show_form
from characterbox.components.answer_form import fields_of
from tests.components.sample import LIGHTHOUSE, TEAHOUSE

scene = TEAHOUSE if "zh" in st.query_params else LIGHTHOUSE
path = st.query_params.get("path", "r1/elias/action")
drafts = Path("drafts.json")
kept = json.loads(drafts.read_text()) if drafts.exists() else {}

def keep(id, values):
    drafts.write_text(json.dumps(values))

def answer(id, values):
    st.session_state.answered = [id, values]

st.fragment(lambda: show_form(
    {"id": path, "language": scene.language, "submit": "Play it", "fields": fields_of(path, scene), "values": kept,
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


def test_what_is_typed_is_kept_without_leaving_the_field_and_is_there_after_a_reload(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(address)
    field = page.get_by_label("What Elias does next")
    field.press_sequentially("Elias bows ")
    expect(page.get_by_text("Draft kept")).to_be_visible()
    assert json.loads((tmp_path / "drafts.json").read_text()) == {"text": "Elias bows "}
    field.press_sequentially("low.")
    expect(page.get_by_text("Draft kept")).to_be_visible()
    expect(field).to_have_value("Elias bows low.")
    page.reload()
    expect(field).to_have_value("Elias bows low.")


def test_all_kinds_of_fields_by_keyboard_and_a_fault_stands_beside_its_field(
    page: Page, address: str, tmp_path: Path
) -> None:
    page.goto(f"{address}/?path=r1/maud-tarrant/influence")
    page.get_by_role("radio", name="Elias").focus()
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
    assert json.loads((tmp_path / "drafts.json").read_text()) == {"affected": None, "importance": 7}
    page.get_by_role("button", name="again").click()
    expect(page.get_by_test_id("stJson")).to_contain_text("r1/maud-tarrant/influence")
    expect(page.get_by_role("radio", name="7", exact=True)).to_be_checked()


def test_a_chinese_scene_asks_in_chinese(page: Page, address: str) -> None:
    page.goto(f"{address}/?zh=1&path=r1/x/environment")
    expect(page.get_by_label("周围此刻的景象")).to_be_visible()
    expect(page.get_by_label("故事到此结束")).not_to_be_checked()
    page.get_by_label("时间").fill("夜深")
    expect(page.get_by_text("草稿已保存")).to_be_visible()
