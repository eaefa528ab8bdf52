"""The exported page in a browser, opened from a file."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.components.player import PLAYER
from characterbox.play.events import Action, CharacterUpdate, Dialogue, EnvironmentUpdate, Event
from characterbox.scenes.scene import Scene
from characterbox.values import Language
from tests.components.masked import masked_events
from tests.components.opening import Opener, place
from tests.components.sample import CHINESE_EVENTS, ENGLISH_EVENTS, LIGHTHOUSE, TEAHOUSE, player_data
from tests.play.masked_guest import EN, ROUNDS, TEXTS
from tests.play.masked_guest import scene as guests

STORIES = {"en": (LIGHTHOUSE, ENGLISH_EVENTS), "zh": (TEAHOUSE, CHINESE_EVENTS)}


def fields(page: Page, name: str) -> dict[str, str]:
    card = page.locator("li.card", has=page.locator("h3 .name", has_text=name))
    return {field: card.locator(f"[data-field={field}]").inner_text() for field in ("position", "state")}


def expected_world(scene: Scene, events: list[Event]) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    cast = {profile.name: {"position": profile.position, "state": profile.state} for profile in scene.cast}
    environment = scene.environment.model_dump()
    for event in events:
        if isinstance(event, CharacterUpdate):
            cast[event.character] = {"position": event.position, "state": event.state}
        if isinstance(event, EnvironmentUpdate):
            environment = {key: getattr(event, key) for key in environment}
    return cast, environment


@pytest.mark.parametrize("language", ["en", "zh"])
def test_cards_show_the_world_of_the_step(open_page: Opener, language: str) -> None:
    scene, events = STORIES[language]
    page = open_page(player_data(scene, events))
    for at in [len(events), 1, 6, 7, 8, 12, 13, 3]:
        page.get_by_role("slider").fill(str(at))
        cast, environment = expected_world(scene, events[:at])
        assert {name: fields(page, name) for name in scene.names} == cast
        shown = page.locator(".environment")
        assert {key: shown.locator(f"[data-field={key}]").inner_text() for key in environment} == environment
        turn = events[at - 1].turn
        assert page.locator(".on-turn h3 .name").all_inner_texts() == ([turn] if turn else [])
        assert page.locator(".step:visible").count() == at


def masked(language: Language) -> dict[str, Any]:
    data = player_data(guests(language), masked_events(language))
    data["story"] |= {"rounds": ROUNDS}
    return data


LABELS: dict[Language, dict[str, str]] = {
    "en": {
        "guest whispers": "Aldo Renn (whispers to Tomas) Are the letters still in the desk?",
        "host wonders": "Vera Lund (to Aldo Renn) Now then, who are you?",
        "steward does": "meant to go unnoticed",
        "steward hears knocking": "seen by nobody heard by Tomas",
        "first result": "Felt only by Aldo Renn The wine burns in the cut on his lip.",
        "recognition": "Aldo Renn is recognized by Vera Lund.",
    },
    "zh": {
        "guest whispers": "沈越舟 （低声对 老田） 信还在书案里么？",
        "host wonders": "柳夫人 （对 沈越舟） 好了，你到底是谁？",
        "steward does": "不想让人察觉",
        "steward hears knocking": "无人看见 听见的角色：老田",
        "first result": "只有 沈越舟 感受到 酒烧着嘴唇上的伤口。",
        "recognition": "柳夫人 认出了 沈越舟。",
    },
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_step_says_who_perceives_it(open_page: Opener, language: Language) -> None:
    page = open_page(masked(language))
    texts = ["".join(text.split()) for text in page.locator(".step").all_text_contents()]
    for text, label in LABELS[language].items():
        told = ["".join(one.split()) for one in (TEXTS[language][text], label)]
        assert any(all(one in step for one in told) for step in texts), text
    back = {"en": "VeraLund,AldoRenn,Tomas,Milacanbeseen", "zh": "其他人又能看见并听见柳夫人、沈越舟、老田、小满了"}
    assert sum(back[language] in one for one in texts) == 1


@pytest.mark.parametrize(("language", "before"), [("en", "Before the first round"), ("zh", "第一轮之前")])
def test_the_timeline_begins_before_the_first_round(open_page: Opener, language: Language, before: str) -> None:
    page = open_page(masked(language), "?at=1")
    expect(page.locator(".round:visible")).to_have_text([before])
    expect(page.locator(".status")).to_contain_text(f"{before} · ")
    expect(page.locator(".round-mark")).to_have_text(["1", "2"])
    for key, at in (("1", 9), ("2", 46), ("9", 46), ("Home", 1)):
        page.keyboard.press(key)
        assert place(page) == at, key


def test_a_card_tells_what_shows_and_from_whom_somebody_is_hidden(open_page: Opener) -> None:
    page = open_page(masked("en"), "?at=1")
    card = page.locator("li.card").nth(3)
    expect(card.locator("[data-field=unseen]")).to_have_text("Vera Lund, Aldo Renn, Tomas")
    expect(card.locator("[data-field=visible]")).to_be_hidden()
    expect(card).to_contain_text(EN["prisoner face"])
    page.keyboard.press("End")
    expect(card.locator("[data-field=unseen]")).to_be_hidden()
    expect(card.locator("[data-field=visible]")).to_have_text(EN["tears"])


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_of_who_perceives_what_sticks_out(open_page: Opener, width: int) -> None:
    page = open_page(masked("en"), width=width)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.locator(".step").evaluate_all("all => all.every((one) => one.scrollWidth <= one.clientWidth + 1)")


def test_keys_move_the_reader_and_the_address(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?tab=script&at=5")
    assert place(page) == 5
    for key, at in [
        ("ArrowRight", 6), ("ArrowLeft", 5), ("End", 31), ("ArrowRight", 31), ("Home", 1), ("ArrowLeft", 1),
        ("2", 23), ("1", 1), ("9", 1), ("Control+ArrowRight", 1), ("Alt+ArrowLeft", 1), ("Shift+End", 1), ("2", 23),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert place(page) == at, key
    expect(page).to_have_url(re.compile(r"\?tab=script&at=23$"))


def test_keys_leave_other_inputs_and_buttons_alone(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=5")
    page.evaluate("document.body.prepend(document.createElement('textarea'))")
    page.locator("textarea").focus()
    for key in ["2", " ", "Home"]:
        page.keyboard.press(key)
    assert (place(page), page.locator("textarea").input_value()) == (5, "2 ")
    page.get_by_role("button", name="Next step").focus()
    page.keyboard.press(" ")
    assert place(page) == 6
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert place(page) == 7


def test_buttons_and_marks_move_the_reader(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS))
    for name, at in [("First step", 1), ("Next step", 2), ("Last step", 31), ("Previous step", 30), ("Round 2", 23)]:
        page.get_by_role("button", name=name).click()
        assert place(page) == at
    expect(page.locator(".status")).to_have_text("Round 2 of 2 · Maud Tarrant's turn · step 23 of 31")


def test_playing_goes_on_step_by_step_and_stops_at_the_end(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=29")
    page.clock.install()
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(7000)
    assert place(page) >= 30
    page.clock.run_for(14000)
    assert place(page) == 31
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press(" ")
    assert place(page) == 1
    page.keyboard.press(" ")
    page.clock.run_for(20000)
    assert place(page) == 1


def test_the_step_shown_is_lit_and_in_view(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), "?at=2", height=700)
    for at in [8, 31, 3, 20]:
        page.get_by_role("slider").fill(str(at))
        lit = page.locator(".lit")
        assert lit.count() == 1
        step, script = lit.bounding_box(), page.locator(".script").bounding_box()
        assert step["y"] >= script["y"]
        assert step["y"] + step["height"] <= script["y"] + script["height"]


def test_each_kind_has_its_form(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS))
    kinds = {event.kind for event in ENGLISH_EVENTS}
    assert len(kinds) == 10
    assert all(page.locator(f".step.{kind}").count() for kind in kinds)
    influence = page.locator(".notes .action_influence").first
    expect(influence).to_contain_text("Maud Tarrant → Elias")
    expect(influence).to_contain_text("importance 7/10")
    update = page.locator(".notes .character_update").first
    assert update.locator("del").all_text_contents() == ["kneeling", " on the outside"]
    assert update.locator("ins").all_text_contents() == ["standing", ", but no longer alone with the task"]
    expect(page.locator(".texts .dialogue").nth(1)).to_have_text("Elias says nothing")
    expect(page.locator(".degraded")).to_contain_text("The reply named a character who is not in the scene.")
    belief = page.locator(".self_belief", has_text="Maud Tarrant").nth(1)
    assert belief.locator("ins").all_text_contents() == ["and now", "Let Elias strike the match."]
    assert belief.locator(".quiet").all_inner_texts() == ["The light burning before the coaster turns for the channel."]
    expect(page.locator(".story_ended")).to_have_text("The narrator considered the story finished.")
    expect(page.locator(".rehearsal")).to_have_text("Demo output from the built-in rehearsal (no language model).")


def test_chinese_labels_and_changes(open_page: Opener) -> None:
    page = open_page(player_data(TEAHOUSE, CHINESE_EVENTS), "?at=8")
    expect(page.locator(".status")).to_have_text("第 1 轮，共 1 轮 · 轮到 沈掌柜 · 第 8 步，共 16 步")
    expect(page.get_by_role("button", name="下一步")).to_be_enabled()
    update = page.locator(".notes .character_update").first
    assert update.locator("del").all_text_contents() == ["柜台后面，手里拨着算盘", "惦记着楼上的客人"]
    assert update.locator("ins").all_text_contents() == ["门边，手里端着灯", "已经猜到来人是谁"]


def test_models_show_only_when_asked(open_page: Opener) -> None:
    assert open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS)).get_by_text("glm-4-9b-chat").count() == 1
    story = player_data(LIGHTHOUSE, ENGLISH_EVENTS)["story"] | {"refused": {"glm-4-9b-chat": ["temperature"]}}
    hidden = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, story=story, show_models=False))
    assert hidden.get_by_text("glm-4-9b-chat").count() == hidden.get_by_text("gpt-4o").count() == 0


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ["Narrator: temperature 0.5, top-p 1", "m does not support temperature; the model default applies."]),
        ("zh", ["叙述者：温度 0.5，top-p 1", "m 不支持以下设置，采用模型默认值：温度。"]),
    ],
)
def test_settings_and_what_models_did_not_take_are_told_in_the_language_of_the_page(
    open_page: Opener, language: str, told: list[str]
) -> None:
    story = player_data(LIGHTHOUSE, ENGLISH_EVENTS)["story"] | {"refused": {"m": ["temperature"]}}
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS, story=story), f"?language={language}")
    for line in told:
        expect(page.locator(".cast > .model").get_by_text(line)).to_have_count(1)


def test_an_empty_story_says_so(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, []))
    expect(page.get_by_role("slider")).to_be_disabled()
    page.keyboard.press(" ")
    page.keyboard.press("End")
    assert page.locator(".turns").get_attribute("data-empty") == "No steps yet."
    assert fields(page, "Elias")["position"] == LIGHTHOUSE.cast[1].position


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [390, 1000, 1440])
def test_nothing_sticks_out_sideways(open_page: Opener, language: str, width: int) -> None:
    scene, events = STORIES[language]
    page = open_page(player_data(scene, events), width=width, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    script = page.locator(".script")
    assert script.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_on_a_phone_the_margin_folds_under_its_step(open_page: Opener) -> None:
    page = open_page(player_data(LIGHTHOUSE, ENGLISH_EVENTS), width=390, height=844)
    orders = page.locator(".turn").evaluate_all("""turns => turns.flatMap((turn) => {
      turn.scrollIntoView(); // it is laid out as it comes into view
      const top = (node) => node.getBoundingClientRect().top;
      const steps = [...turn.querySelectorAll('.step')].sort((one, other) => top(one) - top(other));
      return steps.map((step) => Number(step.style.order));
    })""")
    assert orders == list(range(len(ENGLISH_EVENTS)))


def test_lines_are_at_most_68_letters_or_34_characters(open_page: Opener) -> None:
    count = """node => {
      const range = document.createRange(), text = node.firstChild, lines = new Map();
      for (let i = 0; i < text.length; i++) {
        range.setStart(text, i); range.setEnd(text, i + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        lines.set(top, (lines.get(top) ?? 0) + 1);
      }
      return Math.max(...lines.values());
    }"""
    for language, most in [("en", 68), ("zh", 34)]:
        scene, _ = STORIES[language]
        text = (
            "The keeper counts the lamps along the shore, one by one. " if language == "en" else "灯火渐次亮起，"
        ) * 20
        at: dict[str, Any] = {"round": 1, "turn": scene.names[0], "character": scene.names[0]}
        page = open_page(player_data(scene, [Action(path="a", text=text, **at)]))
        longest = page.locator(".action .words").evaluate(count)
        assert most - 8 <= longest <= most + 1  # the space at the end of a line hangs


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> <!-- &lt; \u2028 \ud800 ${1} {{x}}"


def test_hostile_text_stays_text(open_page: Opener) -> None:
    data = player_data(LIGHTHOUSE, [])
    names = ["<b>Maud</b><img src=x onerror=alert(3)>", "__proto__", "</script>Pell"]
    for profile, name in zip(data["scene"]["cast"], names, strict=True):
        profile |= {"name": name, "position": HOSTILE, "state": f"{HOSTILE} was"}
    data["scene"] |= {
        "title": HOSTILE,
        "work": HOSTILE,
        "environment": dict.fromkeys(data["scene"]["environment"], HOSTILE),
    }
    data["story"] |= {"models": {names[0]: HOSTILE}, "narrator": HOSTILE, "title": HOSTILE, "reason": HOSTILE}
    data["events"] = [
        event.model_dump(mode="json")
        | {
            key: HOSTILE
            for key in ("text", "position", "state", "description", "reason", "belief")
            if hasattr(event, key)
        }
        | {key: names[0] for key in ("character", "turn", "affected", "to") if getattr(event, key, None)}
        | {"degraded": True, "reason": HOSTILE}
        for event in ENGLISH_EVENTS
    ]
    page = open_page(data)
    expect(page.locator("li.card h3 .name")).to_have_count(len(names))
    assert page.locator(".player :is(img, script, b, iframe)").count() == 0
    assert page.locator(".action .words").first.text_content() == HOSTILE
    assert page.locator("li.card h3 .name").all_text_contents() == names
    page.keyboard.press("Home")
    assert place(page) == 1


def test_the_form_of_speech_does_not_depend_on_how_names_look(open_page: Opener) -> None:
    at: dict[str, Any] = {"round": 1, "turn": "Elias", "character": "Elias"}
    page = open_page(player_data(LIGHTHOUSE, [Dialogue(path="d", text="a\nb  <i>c</i>", **at)]))
    assert page.locator(".dialogue .words").text_content() == "a\nb  <i>c</i>"


def test_differences_give_back_both_texts(browser: Browser) -> None:
    """kept + removed = before and kept + added = after, for texts of all sorts."""
    page = browser.new_page()
    broken = page.evaluate(
        """([source, texts]) => {
          const differences = new Function(source.replace("export default ", "") + "; return differences")();
          const left = (runs, out) => runs.filter(([kind]) => kind !== out).map(([, text]) => text).join("");
          const broken = [];
          for (const language of ["en", "zh"]) for (const a of texts) for (const b of texts) {
            const runs = differences(a, b, language);
            if (left(runs, "added") !== a || left(runs, "removed") !== b) broken.push([a, b, runs]);
            if (a === b && runs.some(([kind]) => kind !== "kept")) broken.push([a, b, runs]);
          }
          return broken;
        }""",
        [PLAYER.js, [*_texts()]],
    )
    page.close()
    assert broken == []


def _texts() -> Iterator[str]:
    yield from [
        "",
        " ",
        "a",
        "a a a",
        "a b a b",
        "the lamp, the lens",
        "雨打窗",
        "雨打着窗。",
        "x" * 50,
        "\n\n",
        "é e\u0301",
    ]
    for event in [*ENGLISH_EVENTS, *CHINESE_EVENTS]:
        if isinstance(event, CharacterUpdate):
            yield event.state
        if isinstance(event, EnvironmentUpdate):
            yield event.description


def test_scrubbing_a_long_story_leaves_its_steps_in_place(open_page: Opener) -> None:
    events = [
        event.model_copy(update={"round": number, "path": f"{number}/{event.path}/{copy}"})
        for number in range(1, 31)
        for copy in range(4)
        for event in ENGLISH_EVENTS[:8]
    ]
    page = open_page(player_data(LIGHTHOUSE, events))
    page.evaluate(
        """() => {
          window.built = 0;
          new MutationObserver(list => (window.built += list.flatMap(({addedNodes}) => [...addedNodes])
            .filter(node => node.classList?.contains("step")).length))
            .observe(document.querySelector(".turns"), {childList: true, subtree: true});
        }"""
    )
    page.evaluate(
        """() => {
          const range = document.querySelector(".range");
          for (let at = 1; at <= 960; at += 10) {
            range.value = at; range.dispatchEvent(new Event("input"));
          }
        }"""
    )
    assert page.evaluate("window.built") == 0
