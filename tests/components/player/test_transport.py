"""The buttons of a story that is not over, beside those that play back: one set, which stays where it is."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.components.player import PLAYER
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE, player_data

ON = ["continue", "call", "turn", "round", "stop"]
STORIES = {"en": (LIGHTHOUSE, ENGLISH_EVENTS), "zh": (TEAHOUSE, CHINESE_EVENTS)}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_content(
        f"<!doctype html><style>{PLAYER.css}</style><div id=story></div><script type=module>{PLAYER.js}\n"
        "window.told = [];"
        "const setTriggerValue = (...said) => window.told.push(said);"
        "window.show = (data) => showStory({ data, parentElement: document.getElementById('story'), setTriggerValue });"
        "</script>"
    )
    yield page
    page.close()


def show(page: Page, status: str, acts: list[str], language: str = "en", **changes: Any) -> None:
    scene, events = STORIES[language]
    told = {"acts": acts, "resting": changes.pop("resting", False)}
    data = player_data(scene, events[:14], mode="stage", transport=told, explained=True) | changes
    data["story"] |= {"status": status}
    page.evaluate("data => window.show(data)", data)


def acts(page: Page) -> list[str]:
    return page.get_by_role("group", name="Story controls").get_by_role("button").all_inner_texts()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def told(page: Page) -> list[Any]:
    return list(page.evaluate("window.told.splice(0).filter(([name]) => name === 'act').map(([_, act]) => act)"))


def test_each_status_has_its_buttons(page: Page) -> None:
    show(page, "running", ["pause", "stop"])
    assert acts(page) == ["Pause", "Step", "Stop"]
    expect(page.get_by_role("button", name="Step", exact=True)).to_be_disabled()
    show(page, "running", ["pause", "stop"], resting=True)
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_disabled()
    expect(page.locator(".status")).to_contain_text("Pausing: waiting for pending replies · ")
    show(page, "paused", ON)
    assert acts(page) == ["Continue", "Step", "Stop"]
    show(page, "waiting", ["pause", *ON])
    assert acts(page) == ["Continue", "Pause", "Step", "Stop"]
    show(page, "cued", ["stop"])
    assert acts(page) == ["Stop"]
    show(page, "stopped", [])
    expect(page.get_by_role("group", name="Story controls")).to_have_count(0)


def test_what_is_pressed_is_told_once_until_the_page_answers(page: Page) -> None:
    show(page, "paused", ON)
    press(page, "Continue")
    press(page, "Continue")
    assert told(page) == ["continue"]
    show(page, "running", ["pause", "stop"])
    press(page, "Pause")
    assert told(page) == ["pause"]
    for size, act in (("One call", "call"), ("One turn", "turn"), ("One round", "round")):
        show(page, "paused", ON)
        press(page, "Step")
        press(page, size)
        assert told(page) == [act]
        expect(page.get_by_role("button", name=size)).to_have_count(0)


def test_a_story_is_stopped_by_two_buttons_and_by_the_keyboard_alone(page: Page) -> None:
    show(page, "paused", ON)
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stop story")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(page.get_by_text("ends the story permanently")).to_be_visible()
    expect(stop).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Stop story")).to_have_count(0)
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert told(page) == ["stop"]
    show(page, "paused", ON)
    press(page, "Step")
    page.get_by_role("slider").focus()
    expect(page.get_by_role("button", name="One turn")).to_have_count(0)


def test_playing_back_ends_at_now_where_the_story_itself_goes_on(page: Page) -> None:
    show(page, "paused", ON)
    play = page.get_by_role("button", name="Play from here")
    expect(play).to_be_disabled()
    page.keyboard.press(" ")
    expect(page.get_by_role("slider")).to_have_value("14")
    page.keyboard.press("ArrowLeft")
    expect(play).to_be_enabled()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause playback")).to_be_visible()
    page.keyboard.press("End")
    assert told(page) == []
    show(page, "stopped", [])
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()


@pytest.mark.parametrize("language", STORIES)
@pytest.mark.parametrize("width", [390, 1000, 1440])
def test_nothing_moves_when_a_story_begins_pauses_and_goes_on(page: Page, width: int, language: str) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    seen = set()
    for status, acts, tools, line in (
        ("running", ["pause", "stop"], False, ""),
        ("running", ["pause", "stop"], False, "1,204 calls · 97,208 tokens in, 3,052 out · $0.12"),
        ("paused", ON, True, ""),
        ("running", ["pause", "stop"], False, "1,206 calls · 97,908 tokens in, 3,092 out · $0.12"),
        ("paused", ON, True, ""),
    ):
        show(page, status, acts, language, tools=tools)
        page.evaluate("line => { document.querySelector('.costs').textContent = line; }", line)
        boxes = [page.locator(part).bounding_box() for part in (".script", ".timeline", ".range")]
        seen.add(str(boxes))
        expect(page.locator(".branching")).to_be_visible(visible=tools)
    assert len(seen) == 1


def test_a_story_that_was_stopped_leaves_nobody_acting(page: Page) -> None:
    show(page, "paused", ON)
    expect(page.get_by_text("acting now").locator("visible=true")).to_have_count(1)
    show(page, "stopped", [])
    expect(page.get_by_text("acting now").locator("visible=true")).to_have_count(0)
    assert page.locator(".on-turn").count() == 0
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".on-turn")).to_have_count(1)
