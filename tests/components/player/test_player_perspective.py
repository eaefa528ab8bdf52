"""The player for those who play: what they cannot perceive is not there; who plays, and how things stand, is."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.components.player import PLAYER
from characterbox.play.events import Action, ActionInfluence, Event
from characterbox.stage.live.visibility import as_shown, perspective_of, redact_scene
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE, player_data
from tests.fakes.scenes import a_scene

STORIES = {"en": (LIGHTHOUSE, ENGLISH_EVENTS), "zh": (TEAHOUSE, CHINESE_EVENTS)}
STATUSES = {
    "running": ("Playing", "演出中"),
    "paused": ("Paused", "已暂停"),
    "waiting": ("Waiting for an endpoint: it is down", "等待模型接口恢复：it is down"),
    "cued": ("Waiting for a person", "等待真人作答"),
    "failed": ("Stopped by an error: it is down", "因错误中止：it is down"),
    "mismatched": ("Waiting for a decision: it is down", "等待决定：it is down"),
    "stopped": ("Stopped permanently", "已终止"),
    "ended": ("Ended", "已结束"),
}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.set_content(
        f"<!doctype html><style>{PLAYER.css}</style><div id=story></div><script type=module>{PLAYER.js}\n"
        "window.show = (data) => showStory({ data, parentElement: document.getElementById('story') });</script>"
    )
    yield page
    page.close()


@pytest.mark.parametrize(("status", "words"), STATUSES.items())
@pytest.mark.parametrize("language", STORIES)
def test_every_status_has_its_words(page: Page, language: str, status: str, words: tuple[str, str]) -> None:
    scene, events = STORIES[language]
    data = player_data(scene, events[:3], mode="stage")
    data["story"] |= {"status": status, "reason": "it is down"}
    page.evaluate("data => window.show(data)", data)
    expect(page.locator(".status")).to_contain_text(words[language == "zh"] + " · ")


@pytest.mark.parametrize("language", STORIES)
def test_states_and_beliefs_of_others_leave_no_trace(page: Page, language: str) -> None:
    scene, events = STORIES[language]
    own, other = scene.names[:2]
    eyes = perspective_of([own])
    data = player_data(scene, events, eyes=[own], mode="stage")
    data |= {"scene": redact_scene(scene, eyes), "events": as_shown(scene, events, eyes)}
    page.evaluate("data => window.show(data)", data)
    card = page.locator("li.card", has=page.locator("h3 .name", has_text=other))
    expect(card.locator("[data-field=position]")).to_be_visible()
    expect(card.locator("[data-field=state]")).to_be_hidden()
    expect(card.get_by_text({"en": "State", "zh": "状态"}[language], exact=True)).to_be_hidden()
    mine = page.locator("li.card", has=page.locator("h3 .name", has_text=own))
    expect(mine.locator("[data-field=state]")).to_be_visible()
    for kind in ("self_belief", "environment_belief"):
        count = sum(event.kind == kind and getattr(event, "character", None) == own for event in events)
        assert page.locator(f".step.{kind}").count() == count
    dots = page.locator(".veiled p:visible").first
    expect(dots).to_have_attribute("aria-label", {"en": f"An event that {own} cannot perceive",
                                                  "zh": f"{own} 无法察觉的事件"}[language])  # fmt: skip


def test_somebody_out_of_sight_who_touches_the_one_who_plays_is_not_named(page: Page) -> None:
    scene = a_scene("Hamlet", "Polonius")
    unseen = scene.cast[1].model_copy(update={"unseen_by": ("Hamlet",)})
    scene, eyes = scene.model_copy(update={"cast": (scene.cast[0], unseen)}), perspective_of(["Hamlet"])
    turn = {"round": 1, "turn": "Polonius", "character": "Polonius"}
    events: list[Event] = [
        Action.model_validate({"path": "r1/polonius/action", **turn, "text": "Polonius stirs."}),
        ActionInfluence.model_validate(
            {"path": "r1/polonius/influence", **turn, "affected": "Hamlet", "text": "A draught.", "importance": 2}
        ),
    ]
    data = player_data(scene, events, eyes=["Hamlet"], mode="stage")
    data |= {"scene": redact_scene(scene, eyes), "events": as_shown(scene, events, eyes)}
    page.evaluate("data => window.show(data)", data)
    expect(page.locator(".turn h4")).to_have_text("Somebody out of sight")
    expect(page.locator(".step.action_influence p").first).to_have_text("Somebody out of sight → Hamlet")
    assert "olonius" not in page.content().replace(PLAYER.js, "")


def test_who_is_played_by_a_person(page: Page) -> None:
    data = player_data(LIGHTHOUSE, ENGLISH_EVENTS)
    data["story"] |= {"people": [None, "Elias"]}
    page.evaluate("data => window.show(data)", data)
    assert page.get_by_text("played by a person").count() == 2
    expect(page.locator(".cast > .model")).to_have_text("Narrator: played by a person")
    expect(page.get_by_text("qwen2.5-7b-instruct")).to_be_visible()
    expect(page.get_by_text("glm-4-9b-chat")).to_have_count(0)
