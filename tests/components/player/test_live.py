"""The player on a stage: events, tokens and status come over a real event stream from a small server."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.components.player import PLAYER
from characterbox.stage.live.visibility import EVERYTHING, Telling, as_shown, perspective_of, redact_scene
from tests.components.masked import masked_events
from tests.components.sample import ENGLISH_EVENTS, LIGHTHOUSE, player_data, words_in
from tests.play.masked_guest import EN, scene

EVENTS = as_shown(LIGHTHOUSE, ENGLISH_EVENTS)
DOCUMENT = f"""<!doctype html><style>{PLAYER.css}</style><div id="story"></div>
<script type="module">{PLAYER.js}
window.stops = [];
window.sources = [];
window.EventSource = class extends EventSource {{
  constructor(...address) {{
    super(...address);
    window.sources.push(this);
  }}
}};
window.told = [];
window.show = (data) => {{
  const setTriggerValue = (name, value) => window.told.push([name, value]);
  window.stops.push(showStory({{ data, parentElement: document.getElementById("story"), setTriggerValue }}));
}};
</script>"""


class Theatre:
    """A server whose event stream says what the test tells it to say."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []  # (after, last event id) of each connection
        self.said: deque[str | None] = deque()
        self.changed = threading.Condition()
        self.listener: object = None  # the newest connection; the ones before it are told nothing any more
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/"

    def say(self, kind: str, data: object, number: int | None = None) -> None:
        mark = "" if number is None else f"id: {number}\n"
        self._put(f"{mark}event: {kind}\ndata: {json.dumps(data)}\n\n")

    def play(self, *numbers: int) -> None:
        for number in numbers:
            self.say("event", EVENTS[number - 1], number)

    def break_off(self) -> None:
        self._put(None)

    def listen(self, listener: object) -> None:
        with self.changed:
            self.listener = listener
            self.changed.notify_all()

    def has_another(self, than: object) -> bool:
        """Whether there is a newer connection, before long; what is said now goes to that."""
        with self.changed:
            return self.changed.wait_for(lambda: self.listener is not than, timeout=120)

    def has_said_all(self) -> bool:
        """Whether all that is to be said has been sent, before long."""
        with self.changed:
            return self.changed.wait_for(lambda: not self.said, timeout=120)

    def next_for(self, listener: object) -> str | None:
        """What is said next; None when the connection is to end."""
        with self.changed:
            self.changed.wait_for(lambda: self.said or self.listener is not listener)
            if self.listener is not listener:
                return None
            self.changed.notify_all()
            return self.said.popleft()

    def _put(self, message: str | None) -> None:
        with self.changed:
            self.said.append(message)
            self.changed.notify_all()

    def close(self) -> None:
        self.break_off()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        theatre = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                url = urlsplit(self.path)
                live = url.path == "/live"
                self.send_response(200 if live or url.path == "/" else 404)
                self.send_header("Content-Type", "text/event-stream" if live else "text/html; charset=utf-8")
                self.end_headers()
                if url.path == "/":
                    self.wfile.write(DOCUMENT.encode())
                if live:
                    after = int(parse_qs(url.query)["after"][0])
                    theatre.asked.append((after, int(self.headers.get("Last-Event-ID", "0"))))
                    self.wfile.write(b"retry: 50\n\n")
                    theatre.listen(self)
                    while (message := theatre.next_for(self)) is not None:
                        self.wfile.write(message.encode())

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def theatre() -> Iterator[Theatre]:
    theatre = Theatre()
    yield theatre
    theatre.close()


@pytest.fixture
def page(browser: Browser, theatre: Theatre) -> Iterator[Page]:
    errors: list[str] = []
    page = browser.new_page(viewport={"width": 1200, "height": 700})
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(theatre.address)
    yield page
    page.close()
    assert errors == []


def show(page: Page, had: int, status: str = "running", **changes: Any) -> None:
    data = player_data(LIGHTHOUSE, ENGLISH_EVENTS[:had], mode="stage", live="/live") | changes
    data["story"] |= {"status": status}
    page.evaluate("data => window.show(data)", data)


def hung_up_itself(page: Page) -> None:
    """Wait until the page has closed all its connections for good: one that is broken off, the browser opens again."""
    page.wait_for_function("() => sources.length > 0 && sources.every(one => one.readyState === EventSource.CLOSED)")


def steps(page: Page) -> int:
    return page.locator(".turns .step:visible").count()


def test_events_follow_and_the_status_counts_them(page: Page, theatre: Theatre) -> None:
    show(page, 2)
    theatre.play(3, 4)
    expect(page.locator(".reaction")).to_be_visible()
    theatre.say("status", {"status": "running", "reason": None})
    expect(page.locator(".status")).to_have_text("Playing · Round 1 of 2 · Maud Tarrant's turn · step 4 of 4")
    assert page.get_by_role("progressbar").evaluate("bar => [bar.value, bar.max]") == [0, 6]
    assert theatre.asked == [(2, 0)]
    assert page.locator(".turns").get_attribute("aria-live") == "polite"


def test_text_grows_until_its_event_takes_its_place(page: Page, theatre: Theatre) -> None:
    show(page, 1)
    step = {"path": EVENTS[1]["path"], "kind": "dialogue", "character": "Maud Tarrant"}
    for piece in ["There is ", "<b>sea</b> ", "water"]:
        theatre.say("token", step | {"text": piece})
    expect(page.locator(".growing.dialogue .words")).to_have_text("There is <b>sea</b> water")
    assert steps(page) == 1
    theatre.play(2)
    expect(page.locator(".turns .dialogue")).to_contain_text("tell me what you see.")
    theatre.say("token", step | {"text": "late"})
    theatre.say("asking", {"path": EVENTS[2]["path"], "kind": "action_influence", "character": "Maud Tarrant"})
    expect(page.locator(".asking")).to_have_text("The narrator is deciding who is affected")
    assert page.locator(".growing").count() == 0
    theatre.play(3)
    expect(page.locator(".asking")).to_have_count(0)


def test_how_things_are_now_is_asked_for_until_its_first_event_comes(page: Page, theatre: Theatre) -> None:
    show(page, 5)
    theatre.say("asking", {"path": "r1/maud-tarrant/updates", "kind": "updates", "character": "Maud Tarrant"})
    expect(page.locator(".asking")).to_have_text("The narrator is updating characters and environment")
    theatre.play(6)
    expect(page.locator(".asking")).to_have_count(0)


def test_who_knows_of_a_step_is_corrected_once_the_narrator_has_said_it(page: Page, theatre: Theatre) -> None:
    guests, events = scene("en"), masked_events("en")
    at = next(number for number, event in enumerate(events) if getattr(event, "text", None) == EN["prisoner says"])
    data = player_data(guests, events[: at - 1], mode="stage", live="/live")
    data["story"] |= {"status": "running"}
    page.evaluate("data => window.show(data)", data)
    page.get_by_role("button", name="Step details", exact=True).click()
    telling = Telling(guests, EVERYTHING)
    told = [content for event in events for content in telling.hear(event)]
    marks = page.locator("tbody tr").nth(1).locator("td [role=img]")
    for number, content in told[at - 1 : at + 1]:
        theatre.say("event", content, number)
    none, whole = "cannot know", "can know"
    for name, mark in enumerate([none, none, none, whole]):
        expect(marks.nth(name)).to_have_attribute("aria-label", mark)
    theatre.say("event", told[at + 1][1], at + 2)
    expect(marks.nth(2)).to_have_attribute("aria-label", whole)
    shown = player_data(guests, events[: at + 2], mode="stage", live="/live")
    shown["story"] |= {"status": "running"}
    page.evaluate("() => { window.kept = document.querySelector('.turns').lastElementChild; }")
    page.evaluate("data => window.show(data)", shown)
    assert page.evaluate("window.kept.isConnected")  # what was told live is what a page that is loaded is given


def test_who_plays_sees_a_step_come_once_it_is_known_to_be_perceived(page: Page, theatre: Theatre) -> None:
    guests, eyes = scene("en"), perspective_of([EN["host"]])
    seen = {"scene": redact_scene(guests, eyes), "eyes": [EN["host"]], "events": []}
    data = player_data(guests, [], mode="stage", live="/live") | seen
    data["story"] |= {"status": "running", "rounds": 2}
    page.evaluate("data => window.show(data)", data)
    guest = page.locator("li.card").nth(1)
    expect(guest.locator(".name")).to_have_text(EN["alias"])
    telling = Telling(guests, eyes)
    for event in masked_events("en"):
        for number, content in telling.hear(event):
            theatre.say("event", content, number)
    expect(page.locator(".status")).to_contain_text("step 80 of 80")
    expect(guest.locator(".name")).to_have_text(EN["guest"])
    expect(page.get_by_text(f"{EN['alias']} turns out to be {EN['guest']}.")).to_be_visible()
    expect(page.locator("li.card").nth(3)).to_contain_text(EN["tears"])
    page.keyboard.press("1")
    expect(guest.locator(".name")).to_have_text(EN["alias"])
    expect(page.locator("li.card:visible")).to_have_count(3)
    script = page.locator(".turns").text_content()
    assert script is not None
    for hidden in ("guest whispers", "steward does", "prisoner says"):
        assert EN[hidden] not in script
    assert "Somebody out of sight" in script


def test_a_step_that_is_asked_again_begins_anew(page: Page, theatre: Theatre) -> None:
    show(page, 1)
    step = {"path": EVENTS[1]["path"], "kind": "dialogue", "character": "Maud Tarrant"}
    theatre.say("asking", step)
    theatre.say("token", step | {"text": "Half a rep"})
    expect(page.locator(".growing .words")).to_have_text("Half a rep")
    theatre.say("asking", step)
    expect(page.locator(".asking")).to_have_text("Maud Tarrant is deciding what to say")
    theatre.say("token", step | {"text": "There is"})
    expect(page.locator(".growing .words")).to_have_text("There is")
    expect(page.locator(".asking")).to_have_count(0)


def test_a_paused_story_is_quiet_and_goes_on(page: Page, theatre: Theatre) -> None:
    show(page, 2)
    for _ in range(2):
        theatre.say("status", {"status": "paused", "reason": None, "people": []})
    expect(page.locator(".status")).to_have_text("Paused · Round 1 of 2 · Maud Tarrant's turn · step 2 of 2")
    theatre.break_off()
    theatre.say("status", {"status": "running", "reason": None})
    expect(page.locator(".status")).to_contain_text("Playing")
    expect(page.locator(".status")).not_to_contain_text("lost")
    theatre.play(3)
    expect(page.locator(".action_influence")).to_be_visible()
    # it rested, the stream was lost and came back, and it went on
    assert [name for name, _ in page.evaluate("told")] == ["moved"] * 3


def test_the_page_around_learns_who_plays_now_and_what_it_knows_is_not_told(page: Page, theatre: Theatre) -> None:
    show(page, 2)
    theatre.say("status", {"status": "running", "reason": None, "people": []})
    theatre.say("status", {"status": "running", "reason": None, "people": ["Elias"]})
    theatre.play(3)
    expect(page.locator(".action_influence")).to_be_visible()
    assert [name for name, _ in page.evaluate("told")] == ["moved"]


def test_a_page_that_is_given_less_than_it_has_heard_asks_how_it_stands_now(page: Page, theatre: Theatre) -> None:
    cued = {"status": "cued", "reason": None, "people": []}
    show(page, 2, "cued")
    theatre.say("status", cued)
    theatre.play(3)
    expect(page.locator(".action_influence")).to_be_visible()
    first = theatre.listener
    show(page, 3, "running")  # read before the story was cued again, of which nothing new is told
    assert theatre.has_another(first)
    expect(page.locator(".status")).to_contain_text("Playing")
    theatre.say("status", cued)
    expect(page.locator(".status")).not_to_contain_text("Playing")
    assert [name for name, _ in page.evaluate("told")] == ["moved"]
    show(page, 3, "cued")
    theatre.play(4)
    expect(page.locator(".reaction")).to_be_visible()
    assert theatre.asked == [(2, 0), (3, 0)]


def test_a_page_that_nobody_sees_hangs_up_and_catches_up(page: Page, theatre: Theatre) -> None:
    hide = """hidden => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    show(page, 2)
    theatre.play(3)
    expect(page.locator(".action_influence")).to_be_visible()
    page.evaluate(hide, True)
    hung_up_itself(page)
    theatre.play(4)
    assert theatre.has_said_all()
    assert steps(page) == 3
    hung_up = theatre.listener
    page.evaluate(hide, False)
    assert theatre.has_another(hung_up)
    theatre.play(4, 5)
    expect(page.locator(".interaction_result")).to_be_visible()
    assert theatre.asked == [(2, 0), (3, 0)]


def test_those_who_are_asked_together_share_a_line(page: Page, theatre: Theatre) -> None:
    show(page, 18)
    for name in ["Maud Tarrant", "Elias"]:
        theatre.say("asking", {"path": f"r1/{name}/x", "kind": "self_belief", "character": name})
    expect(page.locator(".asking")).to_have_text(["Updating self-belief: Maud Tarrant, Elias"])


def test_a_broken_connection_doubles_and_loses_nothing(page: Page, theatre: Theatre) -> None:
    show(page, 2)
    theatre.play(3, 4)
    theatre.say("token", {"path": "x", "kind": "action", "character": "Elias", "text": "half a sent"})
    expect(page.locator(".growing")).to_be_visible()
    theatre.break_off()
    theatre.play(3, 4, 5, 6)
    expect(page.locator(".character_update")).to_be_visible()
    assert steps(page) == 6
    assert page.locator(".growing").count() == 0
    assert theatre.asked == [(2, 0), (2, 4)]


def test_while_the_connection_is_lost_the_page_is_asked_for_again(page: Page, theatre: Theatre) -> None:
    show(page, 2)
    page.route("**/live**", lambda route: route.abort())  # each of the many tries fails
    theatre.break_off()
    expect(page.locator(".status")).to_contain_text("Connection lost")
    page.wait_for_function("() => window.told.some(([name]) => name === 'moved')")


def test_a_rerun_neither_reconnects_nor_goes_back(page: Page, theatre: Theatre) -> None:
    show(page, 2)
    theatre.play(3, 4, 5)
    expect(page.locator(".interaction_result")).to_be_visible()
    first = page.locator(".turns .step").first.element_handle()
    show(page, 3)
    show(page, 7)
    assert steps(page) == 7
    assert page.evaluate("node => node.isConnected", first)
    assert theatre.asked == [(2, 0)]
    assert page.locator(".player").count() == 1


def test_the_end_closes_the_connection(page: Page, theatre: Theatre) -> None:
    show(page, 30)
    theatre.play(31)
    theatre.say("status", {"status": "ended", "reason": None})
    expect(page.locator(".status")).to_contain_text("Ended")
    assert page.get_by_role("progressbar").evaluate("bar => bar.value / bar.max") == 1
    hung_up_itself(page)
    theatre.break_off()
    assert len(theatre.asked) == 1


def test_a_failure_says_why(page: Page, theatre: Theatre) -> None:
    show(page, 5)
    theatre.say("status", {"status": "failed", "reason": "the endpoint is gone"})
    expect(page.locator(".status")).to_contain_text("Stopped by an error: the endpoint is gone")


def test_a_new_take_replaces_what_followed_the_old_one(page: Page, theatre: Theatre) -> None:
    show(page, 8)
    theatre.say("event", EVENTS[1] | {"text": "Never mind the oil."}, 2)
    expect(page.locator(".turns .dialogue")).to_have_text("Maud Tarrant Never mind the oil.")
    assert steps(page) == 2
    assert page.locator(".tick").count() == 2


def test_a_reader_who_scrolls_up_is_left_in_peace(page: Page, theatre: Theatre) -> None:
    show(page, 15)
    script = page.locator(".script")
    back = page.get_by_role("button", name="Jump to latest")
    expect(back).to_be_hidden()
    script.evaluate("node => (node.scrollTop = 100)")
    expect(back).to_be_visible()
    theatre.play(16, 17, 18)
    expect(page.locator(".turns .step:visible")).to_have_count(18)
    assert script.evaluate("node => node.scrollTop") == 100
    back.click()
    expect(back).to_be_hidden()
    page.wait_for_function(AT_THE_END, arg=script.element_handle())
    theatre.play(19)
    expect(page.locator(".self_belief")).to_be_visible()
    page.wait_for_function(AT_THE_END, arg=script.element_handle())


TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolves when the page has been drawn anew, and has heard of it: of how it has scrolled, and of new sizes."""
LEAVES_THE_END = """node => ({ stands: new Promise((done) => node.addEventListener("scrollend", () => {
    if (node.scrollHeight - node.scrollTop - node.clientHeight > 1) done(node.scrollTop);
})) })"""
"""Where it is scrolled to next, other than to its end, once it glides no more."""
AT_THE_END = "node => node.scrollHeight - node.scrollTop - node.clientHeight <= 1"


def test_a_little_scroll_up_is_enough_while_text_comes(page: Page, theatre: Theatre) -> None:
    show(page, 15)
    script = page.locator(".script")
    expect(page.get_by_role("button", name="Jump to latest")).to_be_hidden()
    page.wait_for_function(AT_THE_END, arg=script.element_handle())
    left_for = script.evaluate_handle(LEAVES_THE_END)
    script.hover()
    page.mouse.wheel(0, -20)
    expect(page.get_by_role("button", name="Jump to latest")).to_be_visible()
    left_for.evaluate("glide => glide.stands")
    seen = "() => Math.round([...document.querySelectorAll('.turns .step')][14].getBoundingClientRect().top)"
    left = page.evaluate(seen)
    theatre.play(16, 17, 18)
    expect(page.locator(".turns .step:visible")).to_have_count(18)
    assert page.evaluate(seen) == left  # the environment's card may be lower now, and all above what is read with it
    page.mouse.wheel(0, 5000)
    expect(page.get_by_role("button", name="Jump to latest")).to_be_hidden()
    theatre.play(19)
    expect(page.locator(".self_belief")).to_be_visible()
    page.wait_for_function(AT_THE_END, arg=script.element_handle())


def test_text_that_is_taken_back_leaves_nobody_behind(page: Page, theatre: Theatre) -> None:
    show(page, 15)
    step = {"path": "r1/ada/action", "kind": "action", "character": "Ada"}
    theatre.say("token", {**step, "text": "Long. " * 400})
    expect(page.locator(".growing")).to_be_visible()
    theatre.say("asking", step)
    expect(page.locator(".growing")).to_have_count(0)
    page.evaluate(TWO_FRAMES)  # what it is now as high as, it has been told
    theatre.play(16, 17, 18)
    expect(page.locator(".turns .step:visible")).to_have_count(18)
    expect(page.get_by_role("button", name="Jump to latest")).to_be_hidden()
    page.wait_for_function(AT_THE_END, arg=page.locator(".script").element_handle())


def test_loading_the_page_anew_keeps_the_place_and_the_notebook(page: Page, theatre: Theatre) -> None:
    show(page, 10)
    page.get_by_role("slider").fill("4")
    page.get_by_role("button", name="Step details", exact=True).click()
    page.get_by_role("tab", name="Beliefs").click()
    page.reload()
    show(page, 12, words=words_in("zh"))
    assert page.get_by_role("slider").input_value() == "4"
    expect(page.get_by_role("tab", selected=True)).to_have_text(words_in("zh")["sheets"]["beliefs"])
    page.get_by_role("button", name="跳到最新一步").click()
    page.reload()
    show(page, 13)
    assert page.get_by_role("slider").input_value() == "13"


def test_who_takes_a_seat_keeps_the_notebook_open(page: Page, theatre: Theatre) -> None:
    show(page, 10)
    page.get_by_role("button", name="Step details", exact=True).click()
    story = player_data(LIGHTHOUSE, [])["story"]
    show(page, 10, story={**story, "people": [LIGHTHOUSE.names[0]]})
    expect(page.get_by_role("tabpanel")).to_be_visible()


def test_a_reader_who_looks_back_stays_there(page: Page, theatre: Theatre) -> None:
    show(page, 10)
    page.get_by_role("slider").fill("4")
    theatre.play(11, 12)
    expect(page.get_by_role("slider")).to_have_attribute("max", "12")
    assert steps(page) == 4
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    assert page.get_by_role("slider").input_value() == "3"
    page.get_by_role("button", name="Jump to latest").click()
    assert steps(page) == 12


def test_a_reader_who_scrolled_while_looking_back_is_not_moved(page: Page, theatre: Theatre) -> None:
    show(page, 15)
    page.get_by_role("slider").fill("12")
    script = page.locator(".script")
    script.evaluate("node => (node.scrollTop = 40)")
    theatre.play(16, 17)
    expect(page.get_by_role("slider")).to_have_attribute("max", "17")
    assert script.evaluate("node => node.scrollTop") == 40


def test_what_it_has_cost_stands_there_while_it_is_played(page: Page, theatre: Theatre) -> None:
    show(page, 3)
    theatre.say("costs", {"line": "3 calls · $0.01"})
    expect(page.locator(".costs")).to_have_text("3 calls · $0.01")
    theatre.say("status", {"status": "paused", "reason": None, "people": []})
    expect(page.locator(".costs")).to_have_text("")
    theatre.say("costs", {"line": "4 calls · $0.02"})
    theatre.say("status", {"status": "running", "reason": None, "people": []})
    expect(page.locator(".costs")).to_have_text("4 calls · $0.02")


def test_another_language_keeps_the_place_and_stopping_stops(page: Page, theatre: Theatre) -> None:
    show(page, 10)
    page.get_by_role("slider").fill("4")
    show(page, 10, words=words_in("zh"))
    assert page.get_by_role("slider").input_value() == "4"
    assert page.get_by_role("button", name="跳到最新一步").is_visible()
    show(page, 10, words=words_in("zh"))
    page.evaluate("window.stops.at(-2)()")
    theatre.break_off()
    theatre.play(11)
    expect(page.get_by_role("slider")).to_have_attribute("max", "11")
    connections = len(theatre.asked)
    page.evaluate("window.stops.at(-1)()")
    hung_up_itself(page)
    theatre.break_off()
    assert len(theatre.asked) == connections
