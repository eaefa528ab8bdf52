"""The player on a real Streamlit page."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from characterbox.components.player import Wish, wish_of
from tests.components.serving import streamlit_page

SCRIPT = """
import streamlit as st
from characterbox.components.player import show_story
from tests.components.sample import ENGLISH_EVENTS, LIGHTHOUSE, player_data

asked = st.query_params.get("at")
st.session_state.runs = st.session_state.get("runs", 0) + 1
st.text(f"run {st.session_state.runs}")
st.button("again")
data = player_data(LIGHTHOUSE, ENGLISH_EVENTS, at=int(asked) if asked else None, tools="tools" in st.query_params)
wish = show_story(data, key="player")
st.text(f"{wish.tool} at {wish.at}" if wish else "no wish")
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with streamlit_page(tmp_path, SCRIPT) as address:
        yield address


def test_a_rerun_keeps_the_place_of_the_reader(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}/?at=5")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_value("5")
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("6")
    expect(page).to_have_url(f"{address}/?at=6")
    page.get_by_role("button", name="again").click()
    expect(page.get_by_text("run 2")).to_be_visible()
    expect(slider).to_have_value("6")
    assert page.locator(".player").count() == 1
    assert page.get_by_role("button", name="Branch from here").count() == 0
    page.reload()
    expect(slider).to_have_value("6")
    page.close()


def test_the_page_is_told_once_which_tool_is_pressed_and_at_which_step(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}/?at=5&tools=1")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_value("5")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Regenerate").click()
    expect(page.get_by_text("regenerate at 6")).to_be_visible()
    expect(slider).to_have_value("6")
    page.get_by_role("button", name="again").click()
    expect(page.get_by_text("no wish")).to_be_visible()
    slider.press("End")
    for name in ("Branch from here", "Regenerate", "Edit", "Change model from here"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()  # the story's end has no reply behind it
    page.close()


@pytest.mark.parametrize(
    "told", [None, "edit", {}, {"tool": "edit"}, {"tool": "delete", "at": 3}, {"tool": "edit", "at": "3"},
             {"tool": "edit", "at": 0}, {"tool": ["edit"], "at": 1}],
)  # fmt: skip
def test_what_is_no_wish_is_none(told: object) -> None:
    assert wish_of(told) is None


def test_a_wish() -> None:
    assert wish_of({"tool": "edit", "at": 3}) == Wish("edit", 3)
