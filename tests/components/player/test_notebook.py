"""The notebook of a saved story: what stands behind each step, and how it follows the reader."""

import base64
import json
import zlib
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from characterbox.play.events import Action, EnvironmentBelief, Event, SelfBelief
from characterbox.stage.live.visibility import as_shown, perspective_of, redact_scene
from tests.components.masked import masked_events
from tests.components.opening import Opener, place
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE, player_data
from tests.fakes.scenes import a_scene
from tests.play.masked_guest import EN, scene

TAKE = {
    "again": False, "text": "She <b>waits</b>.", "author": "model", "improvised": False, "model": "http://gpu:8000/v1#qwen",
    "attempts": 2,
    "troubles": ["HTTP 429"], "refused": ["temperature"], "latency": 1.25,
    "promptTokens": 1404, "completionTokens": 60, "cachedTokens": 1280,
    "price": 0.000123, "finish": "stop", "origin": None,
    "messages": [{"role": "system", "content": [0]}, {"role": "user", "content": [1, 2]}],
}  # fmt: skip
MEMORY = {"text": 3, "round": 1, "relevance": 0.5, "recency": 0.9, "importance": None, "score": 0.7,
          "recalled": True, "left_out": False}  # fmt: skip
BETTER = {**MEMORY, "text": 4, "importance": 1.0, "score": 0.8, "recalled": False}
TEXTS = ["The contract.", "The record.", "What does she do?", "The lamp went out.", "He lied about the key."]


def journal(path: str, **changes: Any) -> dict[str, str]:
    return packed({path: {"takes": [TAKE | changes], "memory": [MEMORY, BETTER], "measured": None}})


def packed(steps: dict[str, Any], **shared: str) -> dict[str, str]:
    content = {"texts": TEXTS, "steps": steps, "shared": shared}
    return {"packed": base64.b64encode(zlib.compress(json.dumps(content).encode())).decode()}


def open_sheet(page: Page, name: str) -> None:
    if not page.locator(".notebook").is_visible():
        page.get_by_role("button", name="Step details", exact=True).click()
    page.get_by_role("tab", name=name).click()


def test_the_reply_behind_a_step_is_told_with_all_that_it_took(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=journal(ENGLISH_EVENTS[0].path)), "?at=1")
    open_sheet(page, "Reply")
    sheet = page.get_by_role("tabpanel")
    expect(sheet.locator(".raw")).to_have_text("She <b>waits</b>.")
    for told in (
        "a model",
        "http://gpu:8000/v1#qwen",
        "HTTP 429",
        "Not supported by the model",
        "1.25 s",
        "1,404 in (1,280 cached), 60 out",
        "$0.000123",
    ):
        expect(sheet).to_contain_text(told)
    sheet.get_by_text("Prompt").click()
    expect(sheet.locator(".prompt")).to_have_text(["The contract.", "The record.\n\nWhat does she do?"])
    page.get_by_role("button", name="Next step").click()
    expect(sheet).to_have_text("This step has no reply.")
    page.get_by_role("button", name="Previous step").click()
    expect(sheet.locator(".raw")).to_have_text("She <b>waits</b>.")


def test_the_memory_says_by_what_it_was_recalled(open_page: Opener) -> None:
    path = ENGLISH_EVENTS[0].path
    unmeasured = {**BETTER, "relevance": None}
    for measured, memories, told, relevance in (
        (None, [MEMORY, BETTER], "Relevance measured by wording.", ["relevance 0.50", "relevance 0.50"]),
        ("bge-m3", [MEMORY, unmeasured], "with the embedding model bge-m3", ["relevance unknown", "relevance 0.50"]),
    ):
        behind = packed({path: {"takes": [TAKE], "memory": memories, "measured": measured}})
        page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=behind), "?at=1")
        open_sheet(page, "Memory")
        sheet = page.get_by_role("tabpanel")
        expect(sheet).to_contain_text(told)
        expect(sheet.locator(".part").filter(has_text="relevance")).to_have_text(relevance)


def test_the_reply_behind_words_is_that_of_the_action_with_which_they_came(open_page: Opener) -> None:
    action, words = (event.path for event in ENGLISH_EVENTS[:2])
    behind = packed({action: {"takes": [TAKE], "memory": []}}, **{words: action})
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=behind), "?at=2")
    open_sheet(page, "Reply")
    expect(page.get_by_role("tabpanel").locator(".raw")).to_have_text("She <b>waits</b>.")


def test_an_improvised_reply_says_that_the_rehearsal_wrote_it(open_page: Opener) -> None:
    improvised = journal(ENGLISH_EVENTS[0].path, improvised=True, model="rehearsal")
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=improvised), "?at=1")
    open_sheet(page, "Reply")
    written = page.get_by_role("tabpanel").locator("dt", has_text="Written by").locator("+ dd")
    expect(written).to_have_text("built-in rehearsal (no language model)")


def test_no_price_is_said_to_be_unknown_and_not_zero(open_page: Opener) -> None:
    behind = journal(ENGLISH_EVENTS[0].path, price=None, promptTokens=None)
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=behind), "?at=1")
    open_sheet(page, "Reply")
    expect(page.get_by_role("tabpanel")).to_contain_text("price unknown for this model")
    expect(page.get_by_role("tabpanel")).to_contain_text("not reported by the endpoint")


def test_memories_that_are_not_known_are_said_to_be_so(open_page: Opener) -> None:
    behind = packed({ENGLISH_EVENTS[0].path: {"takes": [TAKE], "memory": None}})
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=behind), "?at=1")
    open_sheet(page, "Memory")
    expect(page.get_by_role("tabpanel")).to_contain_text("The memories used here are unknown")


def test_memories_come_with_their_use_the_most_useful_first(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, journal=journal(ENGLISH_EVENTS[0].path)), "?at=1")
    open_sheet(page, "Memory")
    items = page.locator(".memories > li")
    expect(items.locator(".words")).to_have_text(["He lied about the key.", "The lamp went out."])
    expect(items.nth(0)).to_contain_text("in the recent record")
    expect(items.nth(1)).to_contain_text("recalled")
    expect(items.nth(1)).to_contain_text("relevance 0.50")
    expect(items.nth(1)).to_contain_text("importance unknown")


def test_a_story_without_its_journal_has_the_sheets_that_its_events_fill(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS))
    page.get_by_role("button", name="Step details", exact=True).click()
    expect(page.get_by_role("tab")).to_have_text(["Knowledge", "Beliefs", "Influence"])


def test_only_who_can_know_of_a_step_is_said_to(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=1")
    open_sheet(page, "Knowledge")
    rows = page.locator("tbody tr")
    for at, event in enumerate(ENGLISH_EVENTS[:-1], 1):
        page.get_by_role("slider").fill(str(at))
        turn = [one for one in ENGLISH_EVENTS[:at] if (one.round, one.turn) == (event.round, event.turn)]
        expect(rows).to_have_count(len(turn))
        marks = rows.last.locator("td [role=img]").evaluate_all("marks => marks.map((mark) => mark.ariaLabel)")
        assert dict(zip(LIGHTHOUSE.names, marks, strict=True)) == who_knows(event), (at, event.kind)


def who_knows(event: Event) -> dict[str, str]:
    """What is said of each character's knowledge of an event."""
    own, affected = getattr(event, "character", None), getattr(event, "affected", None)
    match event.kind:
        case "action_influence" if affected is not None or event.degraded:
            knows, others = affected, "cannot know"
        case "self_belief" | "environment_belief":
            knows, others = own, "cannot know"
        case "character_update":
            knows, others = own, "can know part"
        case _:
            return dict.fromkeys(LIGHTHOUSE.names, "can know")
    return {name: "can know" if name == knows else others for name in LIGHTHOUSE.names}


def marks_of(page: Page) -> list[str]:
    """What is said of each character's knowledge of the last step of the turn."""
    return page.locator("tbody tr").last.locator("td [role=img]").evaluate_all("all => all.map((one) => one.ariaLabel)")


def test_who_can_know_of_a_whisper_and_of_what_one_alone_feels(open_page: Opener) -> None:
    events = masked_events("en")
    page = open_page(player_data(scene("en"), events))
    open_sheet(page, "Knowledge")
    whole, part, none = "can know", "can know part", "cannot know"
    for text, marks in {
        EN["guest whispers"]: [none, whole, whole, none],
        EN["prisoner says"]: [none, none, whole, whole],
        EN["first result"]: [part, whole, part, none],
        EN["steward does"]: [none, none, whole, none],
    }.items():
        at = next(number for number, event in enumerate(events, 1) if getattr(event, "text", None) == text)
        page.get_by_role("slider").fill(str(at))
        assert marks_of(page) == marks, text
    page.get_by_role("slider").fill("1")
    expect(page.locator(".sheet caption")).to_have_text("Before the first round · Belief update")


def test_who_plays_has_no_sheet_of_what_others_know(open_page: Opener) -> None:
    eyes = perspective_of([EN["host"]])
    seen = {"scene": redact_scene(scene("en"), eyes), "events": as_shown(scene("en"), masked_events("en"), eyes)}
    page = open_page(player_data(scene("en"), [], eyes=[EN["host"]]) | seen, "?at=20")
    page.get_by_role("button", name="Step details", exact=True).click()
    expect(page.get_by_role("tab")).to_have_text(["Beliefs", "Influence"])
    page.get_by_role("tab", name="Beliefs").click()
    expect(page.get_by_label("Character").locator("option")).to_have_text([EN["host"], EN["alias"], EN["steward"]])
    page.get_by_role("slider").fill("55")
    expect(page.get_by_label("Character").locator("option")).to_have_text([EN["host"], EN["guest"], EN["steward"]])


BROKEN = """sheet => {
    const told = [...sheet.querySelectorAll("th")].flatMap((head) => {
        const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT), texts = [];
        while (walker.nextNode()) texts.push(walker.currentNode);
        return texts.flatMap((text) => [...text.data.matchAll(/\\S+/g)].map((word) => [text, word]));
    });
    return told.filter(([text, word]) => {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        return new Set([...range.getClientRects()].map((box) => box.top)).size > 1;
    }).map(([_, word]) => word[0]);
}"""
"""The words of the headings that stand on two lines."""


@pytest.mark.parametrize("width", [390, 1440])
def test_names_over_who_knows_what_are_not_broken_unless_they_are_longer_than_a_column_may_be(
    open_page: Opener, width: int
) -> None:
    names = ("Rosencrantz", "Guildenstern", "Lady Catherine de Bourgh", "Wolkenkratzer" * 9)
    cast = tuple(a_scene(*names).cast)
    scene = LIGHTHOUSE.model_copy(update={"cast": cast})
    events = [Action(path=f"r1/{name}/action", round=1, turn=names[0], character=name, text="Bows.") for name in names]
    page = open_page(player_data(scene, events), "?at=4")
    page.set_viewport_size({"width": width, "height": 900})
    open_sheet(page, "Knowledge")
    sheet = page.get_by_role("tabpanel")
    expect(sheet.get_by_role("columnheader")).to_have_count(1 + len(names))
    assert {*sheet.evaluate(BROKEN)} <= {names[3], f"{names[3]}:"}
    assert sheet.evaluate("sheet => sheet.querySelector('table').offsetWidth") < 800


def test_beliefs_stand_round_by_round_up_to_the_step_that_is_shown(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS))
    open_sheet(page, "Beliefs")
    believed = [event for event in ENGLISH_EVENTS if isinstance(event, SelfBelief | EnvironmentBelief)]
    for name in LIGHTHOUSE.names:
        page.get_by_label("Character").select_option(name)
        rounds = list(dict.fromkeys(f"Round {event.round}" for event in reversed(believed) if event.character == name))
        expect(page.locator(".sheet h3")).to_have_text(rounds)
    page.get_by_role("slider").fill("1")
    expect(page.get_by_role("tabpanel")).to_contain_text("No beliefs yet")


def test_beliefs_begin_before_the_first_round(open_page: Opener) -> None:
    page = open_page(player_data(scene("en"), masked_events("en")))
    open_sheet(page, "Beliefs")
    expect(page.locator(".sheet h3")).to_have_text(["Round 2", "Round 1", "Before the first round"])


def test_influences_are_counted_up_to_the_step_that_is_shown(open_page: Opener) -> None:
    page = open_page(player_data(TEAHOUSE, CHINESE_EVENTS), "?language=en&at=16")
    open_sheet(page, "Influence")
    felt = [event for event in CHINESE_EVENTS if event.kind == "action_influence" and event.affected]
    pairs = {(event.character, event.affected) for event in felt}
    expect(page.locator(".pairs > li")).to_have_count(len(pairs))
    expect(page.locator(".influences .move")).to_have_count(len(pairs))
    page.get_by_role("slider").fill("1")
    expect(page.get_by_role("tabpanel")).to_contain_text("No influence between characters yet.")


def test_the_notebook_works_by_keyboard_and_leaves_the_keys_of_the_story_alone(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=3")
    page.get_by_role("button", name="Step details", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Beliefs")).to_be_focused()
    assert place(page) == 3
    page.keyboard.press("Escape")
    expect(page.locator(".notebook")).to_be_hidden()
    expect(page.get_by_role("button", name="Step details", exact=True)).to_be_focused()
    page.keyboard.press("ArrowRight")
    assert place(page) == 4


@pytest.mark.parametrize("width", [390, 1440])
def test_the_notebook_lets_the_step_be_seen_and_nothing_stick_out(open_page: Opener, width: int) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=7", width=width)
    page.get_by_role("button", name="Step details", exact=True).click()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    if width == 1440:
        expect(page.locator(".step.lit")).to_be_in_viewport()


def test_the_page_speaks_the_other_language_and_keeps_the_place(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=3")
    page.get_by_role("button", name="中文").click()
    expect(page.get_by_role("button", name="播放")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    assert place(page) == 3
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
