"""An expert's work in a campaign, in the browser: scores, evidence, comments, skips, guesses and practice."""

import re
import signal
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, WebSocket, expect

from annotations.design.practice import load_practice
from annotations.rubrics.rubric import load_rubric
from tests.browser.app import LATE, App, rests
from tests.browser.campaigning import PASSWORD, Campaigning, begin, expect_marks, signed_in
from tests.browser.line import Line
from tests.browser.rating import (
    LAPTOP,
    METRICS,
    chosen,
    end_burst,
    expect_lit,
    expect_saved,
    expect_shown,
    items_of,
    marks,
    metric,
)

WIDE = (
    (Path(__file__).parents[2] / "annotations" / "rubrics" / "character.toml")
    .read_text(encoding="utf-8")
    .replace('name = "character"', 'name = "wide"', 1)
    .replace("high = 5", "high = 100", 1)
    .replace("score = 5", "score = 100")
)
"""The paper's metrics on a scale too long for buttons."""
SLOW_MARKS = """() => {
    const send = window.fetch;
    const slow = (...what) => new Promise((go) => setTimeout(go, 300)).then(() => send(...what));
    window.fetch = (...what) => (what[0] === "/marks" ? slow : send)(...what);
}"""
"""Has each mark take its time."""
PUSHED = """
    window.pushed = [];
    const push = history.pushState;
    history.pushState = function (state, unused, address) {
        window.pushed.push(String(address));
        return push.call(this, state, unused, address);
    };
"""
"""Keeps what has been put into the address."""


def begin_on_a_line(context: BrowserContext, app: App) -> tuple[Page, Line]:
    """The first item, and the line over which its page hears of the app."""
    page = signed_in(context, app)
    line = Line(page)
    page.reload()
    begin(page)
    rests(page)
    return page, line


def test_seven_digits_and_enter_rate_an_item(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        first = page.url
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_have_text("7 metrics still need a score")
        for score in "3451234":
            page.keyboard.press(score)
        page.keyboard.press("Enter")
        expect(page).not_to_have_url(first)
        expect(page.locator(".place").first).to_have_text("2 of 4")
        expect_shown(page, {}, ["KA"])
        expect_marks(page, app, "submit", 1)
        assert [score for _, score in marks(app, "Cai")] == [3, 4, 5, 1, 2, 3, 4]
        page.keyboard.press("p")
        expect(page.locator(".note")).to_have_text("Submitted. You can still change it.")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("2")
        expect_saved(page, 7)
        page.get_by_role("link", name="All items").click()
        expect(page.locator(".progress-line .progress")).to_contain_text("1 of 4 rated")
        expect(page.locator(".progress-line .progress")).to_contain_text("left at your pace")
        assert [score for _, score in marks(app, "Cai")][-1] == 2
        assert marks(app, "Cai", "time"), "how long the item took"


@pytest.mark.parametrize(
    "campaigning", [{"rubric": "neeko", "rubric_version": load_rubric("neeko").version}], indirect=True
)
def test_a_score_rests_on_places_in_the_text(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        page.keyboard.press("6")
        expect(page.locator(".step.at")).to_have_count(1)
        expect_lit(page, ["CB"])  # it stays lit until the score rests on something
        page.keyboard.press("Space")
        expect(page.locator(".step.pinned .pin")).to_have_text("CB")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
        expect_lit(page, ["CU"])
        page.keyboard.press("5")
        page.keyboard.press("Escape")
        page.locator(".step.own .pin").first.click()
        expect(metric(page, "CU").locator(".places")).to_have_text("1 piece of evidence")
        page.keyboard.press("u")
        expect(metric(page, "CU").locator(".places")).not_to_have_text("1 piece of evidence")
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_contain_text("still need")
        page.reload()
        expect(metric(page, "CB").locator(".places")).to_have_text("2 pieces of evidence")
        expect_marks(page, app, "evidence", 4)
        assert not marks(app, "Cai", "submit")

        for _ in METRICS:
            page.keyboard.press("5")
            page.keyboard.press("Space")
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        expect(page.locator(".place").first).to_have_text("2 of 4")
        page.keyboard.press("p")
        expect(page.locator(".note")).to_have_text("Submitted. You can still change it.")
        metric(page, "CU").locator(".metric-name").click()
        page.locator(".step.for-lit .pin").click()
        expect(page.locator(".note")).to_contain_text("You can change it, but not withdraw it")
        expect(metric(page, "CU").locator(".places")).to_have_text("1 piece of evidence")


@pytest.mark.parametrize("campaigning", [{"rubric_text": WIDE}], indirect=True)
def test_on_a_long_scale_digits_write_the_lit_score(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        page.keyboard.type("75")
        page.keyboard.press("Enter")
        expect_lit(page, ["BA"])
        page.keyboard.type("8")
        page.keyboard.press("Enter")
        expect_saved(page, 2)
        page.keyboard.type("101")
        page.keyboard.press("Enter")
        expect_lit(page, ["EE"])  # what is off the scale is not taken
        assert marks(app, "Cai") == [("KA", 75), ("BA", 8)]


def test_keys_that_follow_a_page_that_comes_late_score_nothing(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        for score in "3451234":
            page.keyboard.press(score)
        page.keyboard.press("Enter")
        expect(page.locator(".place").first).to_have_text("2 of 4")
        expect_marks(page, app, "submit", 1)
        app.signal(signal.SIGSTOP)
        page.keyboard.press("p")
        expect(page.locator(".note")).to_contain_text("The next page cannot be loaded")
        page.keyboard.press("1")
        expect_shown(page, {"KA": "1"})
        app.signal(signal.SIGCONT)
        for _ in range(40):
            page.keyboard.press("2")
            page.wait_for_timeout(100)
            if page.locator(".place").first.inner_text() == "1 of 4":
                break
        expect(page.locator(".mark.saving")).to_have_count(0)
        rests(page)
        expect(page.locator(".place").first).to_have_text("1 of 4")
        assert "".join(chosen(page).values()) == "3451234", "the page came unasked: its scores stay"
        page.reload()
        expect(page.locator(".place").first).to_have_text("1 of 4")
        assert "".join(chosen(page).values()) == "3451234"


def test_the_list_after_the_last_item_knows_all_that_was_said(campaigning: Campaigning, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        context.add_init_script(LATE)
        page = begin(signed_in(context, campaigning.app))
        for number in range(1, 4):
            expect(page.locator(".place").first).to_have_text(f"{number} of 4")
            expect_shown(page, {}, [METRICS[0]])
            for _ in METRICS:
                page.keyboard.press("3")
            expect_saved(page, len(METRICS))
            if number == 3:
                page.evaluate(SLOW_MARKS)
            page.keyboard.press("Enter")
        expect(page.locator(".place").first).to_have_text("4 of 4")
        end_burst(page)
        for _ in METRICS:
            page.keyboard.press("3")
        page.keyboard.press("Enter")
        expect(page.locator(".all-done")).to_be_visible()


def test_a_reload_finds_the_item_that_is_shown_though_the_page_comes_late(
    campaigning: Campaigning, browser: Browser
) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        context.add_init_script(PUSHED)
        page, line = begin_on_a_line(context, campaigning.app)
        line.hold()
        places = []
        for number in range(1, 3):
            with page.expect_response("**/items/*") as ahead:  # the item after it, so that it can be there at once, too
                if number == 1:
                    line.wait_said(lambda: page.keyboard.press("n"))  # the second item is asked for
                else:
                    page.keyboard.press("n")
            ahead.value.finished()
            expect(page.locator(".place").first).to_have_text(f"{number + 1} of 4")
            places.append(page.evaluate("location.search").rpartition("=")[2])
        line.wait_held()
        line.let_go()  # the page comes to the second item, and asks for the third
        page.wait_for_function("item => window.pushed.filter(one => one.endsWith(item)).length > 1", arg=places[0])
        page.wait_for_function("item => location.search.endsWith(item)", arg=places[1])
        line.open()
        page.reload()
        expect(page.locator(".place").first).to_have_text("3 of 4")


def test_a_reload_finds_the_item_that_one_went_back_to_though_the_one_that_was_left_comes_late(
    campaigning: Campaigning, browser: Browser
) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page, line = begin_on_a_line(context, campaigning.app)
        first = page.url
        line.hold()
        line.wait_said(lambda: page.keyboard.press("n"))
        expect(page.locator(".place").first).to_have_text("2 of 4")
        line.wait_held()
        line.wait_said(page.go_back)
        line.open()
        rests(page)
        expect(page.locator(".place").first).to_have_text("1 of 4")
        expect(page).to_have_url(first)
        page.reload()
        expect(page.locator(".place").first).to_have_text("1 of 4")


def test_comment_flag_and_skip(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        page.keyboard.press("c")
        page.keyboard.type("1 of 5 <img src=x onerror=alert(1)> 好")
        page.keyboard.press("Escape")
        page.get_by_label("I don't know this work").check()
        expect(page.locator(".unsent")).to_be_hidden()
        page.reload()
        expect(page.get_by_label("I don't know this work")).to_be_checked()
        page.get_by_role("button", name="Comment").click()
        expect(page.locator("textarea")).to_have_value("1 of 5 <img src=x onerror=alert(1)> 好")
        page.keyboard.press("Escape")
        expect_shown(page, {})  # what is typed scores nothing
        page.keyboard.press("s")
        page.keyboard.type("I have never read it")
        page.keyboard.press("Enter")
        expect(page.locator(".place").first).to_have_text("2 of 4")
        page.get_by_role("link", name="All items").click()
        progress = page.locator(".progress-line .progress")
        expect(progress).to_have_text("0 of 4 rated, 1 skipped")
        page.get_by_role("link", name="Item 1").click()
        expect(page.locator(".skipped")).to_have_text("Skipped: I have never read it")
        page.get_by_role("button", name="Undo skip").click()
        expect(page.locator(".skipped")).to_be_hidden()
        page.keyboard.press("4")
        expect_saved(page, 1)
        expect_marks(page, app, "skip", 2)


@pytest.mark.parametrize("campaigning", [{"asks_model": True}], indirect=True)
def test_the_model_is_guessed_after_the_item_is_submitted(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        expect(page.locator(".guess")).to_have_count(0)
        for score in "3333333":
            page.keyboard.press(score)
        page.keyboard.press("Enter")
        expect(page.locator(".guess")).to_be_visible()
        for _ in range(2):
            page.get_by_role("button", name="cannot tell").click()
        expect(page.get_by_role("button", name="cannot tell")).to_have_attribute("aria-pressed", "true")
        expect_marks(page, app, "guess", 1)
        page.keyboard.press("Enter")
        expect(page.locator(".place").first).to_have_text("2 of 4")
        expect(page.locator(".guess")).to_have_count(0)
        end_burst(page)
        for key in ("3", "3", "3", "3", "3", "3", "3", "Enter"):
            page.keyboard.press(key)
        expect(page.locator(".guess")).to_be_visible()
        end_burst(page)
        page.keyboard.press("Enter")
        expect(page.locator(".place").first).to_have_text("3 of 4")
        assert len(marks(app, "Cai", "guess")) == 1, "Enter goes on, and answers nothing"
        end_burst(page)
        for key in ("3", "3", "3", "3", "3", "3", "3", "ArrowUp", "4", "Enter", "2", "Enter"):
            page.keyboard.press(key)
        expect(page.locator(".guess")).to_be_visible()
        assert set(chosen(page).values()) == {"3", "4"}, "no key after Enter scores, or leaves the question behind"
        end_burst(page)
        page.keyboard.press("1")
        expect(page.get_by_role("button", name="Zephyr-9B")).to_have_attribute("aria-pressed", "true")
        expect_marks(page, app, "guess", 2)


@pytest.mark.parametrize("campaigning", [{"asks_model": True}], indirect=True)
def test_the_model_is_asked_for_though_the_page_comes_late(campaigning: Campaigning, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page, line = begin_on_a_line(context, campaigning.app)
        line.hold()
        line.wait_said(lambda: page.keyboard.press("n"))  # the page is asked for the second item, and reads it
        expect(page.locator(".place").first).to_have_text("2 of 4")
        line.wait_held()
        end_burst(page)
        for key in "3333333":
            page.keyboard.press(key)
        page.keyboard.press("Enter")  # submitted before the page has come
        line.open()
        expect(page.locator(".guess")).to_be_visible()
        expect(page.locator(".place").first).to_have_text("2 of 4")


@pytest.mark.parametrize("campaigning", [{"practice": True, "attempts": 2}], indirect=True)
def test_an_expert_learns_fails_tries_again_and_qualifies(campaigning: Campaigning, browser: Browser) -> None:
    app, rubric = campaigning.app, load_rubric()
    gold = {item.key: [one.score for one in item.gold] for item in load_practice(rubric).items_in("en")}
    with browser.new_context(viewport=LAPTOP) as context:
        page = signed_in(context, app)
        expect(page.locator(".intro")).to_contain_text("Start with the practice set")
        begin(page)
        keys = [*items_of(app, "Cai", "practice")]
        for number in range(len(keys)):
            expect(page.locator(".place").first).to_have_text(f"{number + 1} of {len(keys)}")
            for _ in METRICS:
                page.keyboard.press("3")
            page.keyboard.press("Enter")
            expect(page.locator(".verdict")).to_be_visible()
            expect(page.locator(".lesson")).to_have_count(len(METRICS))
            expect(metric(page, "KA").locator(".scale button").first).to_be_disabled()
            page.keyboard.press("Enter")
        expect(page.locator(".training.failed")).to_contain_text("80 % is required")
        expect(page.locator(".all-done, .intro")).to_have_count(0)
        page.get_by_role("button", name="Try again").click()
        begin(page)
        for number, scores in enumerate(gold.values(), 1):
            expect(page.locator(".place").first).to_have_text(f"{number} of {len(keys)}")
            for score in scores:
                page.keyboard.press(f"{score:g}")
            page.keyboard.press("Enter")
            expect(page.locator(".verdict")).to_have_text("7 of 7 equal to the gold score, 7 within one point")
            page.keyboard.press("Enter")
        expect(page.locator(".training.passed")).to_be_visible()
        begin(page)
        expect(page.locator(".place").first).to_have_text("1 of 4")
        expect(page.locator(".profile .name")).to_have_text(re.compile("Holmes|Watson|Lestrade|Ashdown"))


def test_no_message_names_a_model_or_an_item(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    seen: list[str] = []
    with browser.new_context(viewport=LAPTOP) as context:
        page = context.new_page()

        def listen(socket: WebSocket) -> None:
            socket.on("framereceived", lambda frame: seen.append(_text(frame)))

        def read(route: Route) -> None:
            response = route.fetch(max_redirects=0)
            seen.append(route.request.url + (route.request.post_data or "") + response.text() + str(response.headers))
            route.fulfill(response=response)

        page.on("websocket", listen)
        for path in ("annotate**", "sign-in**", "marks", "items/**", "_stcore/*"):
            page.route(f"**/{path}", read)
        page.goto(f"{app.url}/annotate")
        page.get_by_label("Your name").fill("Cai")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".list-view")).to_be_visible()
        begin(page)
        for number in range(1, 5):
            expect(page.locator(".place").first).to_have_text(f"{number} of 4")
            for score in "3451234":
                page.keyboard.press(score)
            page.keyboard.press("Enter")
        expect(page.locator(".all-done")).to_be_visible()
        page.unroute_all(behavior="ignoreErrors")
    everything = "\n".join(seen)
    assert "A consulting detective" in everything
    named = list(items_of(app, "Cai"))
    stories = [item.partition(":")[0] for item in named]
    for name in ("Zephyr-9B", "Narr-1", *named, *stories):
        assert name not in everything


def _text(frame: str | bytes) -> str:
    return frame if isinstance(frame, str) else frame.decode("utf-8", "ignore")
