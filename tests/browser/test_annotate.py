"""Rating in the browser: by several people, with keys and mouse, through reloads, outages and crashes."""

import re
import sqlite3

import pytest
from playwright.sync_api import Browser, Request, WebSocket, expect

from tests.browser.app import App
from tests.browser.rating import (
    LAPTOP,
    METRICS,
    address,
    chosen,
    end_burst,
    expect_lit,
    expect_saved,
    expect_shown,
    items_of,
    marks,
    metric,
    open_item,
)


def test_an_empty_page_says_what_to_do(app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{app.url}/annotate")
        expect(page.get_by_text("No story has ended yet.")).to_be_visible()
        page.get_by_role("link", name="Start story").click()
        expect(page).to_have_url(re.compile(r"/(stage)?$"))


def test_three_raters_rate_one_part(standing_app: App, browser: Browser) -> None:
    contexts = [browser.new_context(viewport=LAPTOP) for _ in range(3)]
    ann, bob, cai = (context.new_page() for context in contexts)

    ann.goto(f"{standing_app.url}/annotate")
    ann.get_by_label("Your name").fill("  Ann  <b>Lee</b> ")
    ann.get_by_role("button", name="Start rating").click()
    expect(ann.locator(".rater bdi")).to_have_text("Ann <b>Lee</b>")
    ann.get_by_role("link", name="Start rating").click()
    expect(ann.locator(".part-view")).to_be_visible()
    expect(ann.locator(".part-view .profile .name")).to_have_text("Sherlock Holmes")
    open_item(bob, standing_app, "Bob")
    open_item(cai, standing_app, "蔡")

    for score in "3451234":
        ann.keyboard.press(score)
    for key, score in zip(METRICS, "2222221", strict=True):
        metric(bob, key).get_by_text(score, exact=True).first.click()
    cai.keyboard.press("5")
    metric(cai, "BC").locator(".scale button").nth(0).click()
    for page, count in ((ann, 7), (bob, 7), (cai, 2)):
        expect_saved(page, count)
        page.reload()
        expect_saved(page, count)
    assert chosen(ann) == dict(zip(METRICS, "3451234", strict=True))
    assert chosen(bob) == dict(zip(METRICS, "2222221", strict=True))
    assert chosen(cai) == {"KA": "5", "BC": "1"}
    assert marks(standing_app, "Bob") == [(key, 2) for key in METRICS[:6]] + [("BC", 1)]

    elsewhere = contexts[2].new_page()
    elsewhere.goto(address(standing_app, rater="Bob"))
    expect(elsewhere.locator("tbody tr").first.locator(".scored")).to_have_text("7 of 7")
    expect(elsewhere.locator("tbody tr").last.locator(".scored")).to_have_text("0 of 7")
    for context in contexts:
        context.close()


def test_a_crash_after_an_acknowledged_click_loses_nothing(played_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = open_item(context.new_page(), played_app, "Dora")
        page.keyboard.press("4")
        expect_saved(page, 1)
        played_app.kill()
        assert marks(played_app, "Dora") == [("KA", 4)]
        played_app.start()
        page.reload()
        expect_saved(page, 1)
        expect_shown(page, {"KA": "4"})


def test_scores_wait_out_an_outage_in_order(played_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = open_item(context.new_page(), played_app, "Eve")
        played_app.kill()
        page.keyboard.press("2")
        page.keyboard.press("3")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("5")
        expect(metric(page, "KA").locator(".mark")).to_have_text("not saved yet")
        expect(page.locator(".rubric .unsent")).to_have_text("3 marks are not saved yet: they will be sent again")
        expect_shown(page, {"KA": "5", "BA": "3"})
        played_app.start()
        expect_saved(page, 2)
        expect(page.locator(".rubric .unsent")).to_be_hidden()
        assert marks(played_app, "Eve") == [("KA", 2), ("BA", 3), ("KA", 5)]


def test_a_score_outlives_the_window_and_is_sent_when_the_network_is_back(standing_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = open_item(context.new_page(), standing_app, "Finn")
        context.route("**/marks", lambda route: route.abort())
        page.keyboard.press("1")
        expect(page.locator(".mark.waiting")).to_have_count(1)
        page.close()
        page = open_item(context.new_page(), standing_app, "Finn")
        expect(page.locator(".mark.waiting")).to_have_count(1)
        expect_shown(page, {"KA": "1"})
        context.unroute("**/marks")
        page.evaluate("dispatchEvent(new Event('online'))")
        expect_saved(page, 1)
        assert marks(standing_app, "Finn") == [("KA", 1)]


def test_what_the_server_refuses_is_taken_back_and_told(played_app: App, browser: Browser) -> None:
    with browser.new_context() as context:
        page = open_item(context.new_page(), played_app, "Gus")
        page.keyboard.press("3")
        expect_saved(page, 1)
        with sqlite3.connect(played_app.db) as database:
            database.execute("update campaign set status = 'closed'")
        page.keyboard.press("k")
        page.keyboard.press("4")
        expect(metric(page, "KA").locator(".mark")).to_contain_text("the campaign is closed")
        expect_shown(page, {"KA": "3"})
        assert marks(played_app, "Gus") == [("KA", 3)]


def test_keys_touch_the_lit_metric_alone(standing_app: App, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page = open_item(context.new_page(), standing_app, "Hal")
        expect_lit(page, ["KA"])
        for key in ("Control+1", "Alt+2", "Shift+3", "Meta+4", "6", "0", "9"):
            page.keyboard.press(key)
        page.evaluate("document.body.append(Object.assign(document.createElement('input'), {id: 'aside'}))")
        page.locator("#aside").focus()
        page.keyboard.type("12345jkun")
        expect_shown(page, {}, ["KA"])
        page.locator("#aside").evaluate("node => node.remove()")

        page.keyboard.press("j")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("k")
        expect_lit(page, ["BA"])
        page.keyboard.press("4")
        expect_shown(page, {"BA": "4"}, ["EE"])
        page.keyboard.press("ArrowUp")
        page.keyboard.press("2")
        page.keyboard.press("u")
        expect_shown(page, {"BA": "4"}, ["BA"])
        page.keyboard.press("u")
        expect_shown(page, {})
        expect(page.locator(".mark.saving")).to_have_count(0)
        assert marks(standing_app, "Hal") == [("BA", 4), ("BA", 2), ("BA", 4), ("BA", None)]


def test_after_the_last_metric_no_key_scores(standing_app: App, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page = open_item(context.new_page(), standing_app, "Ida")
        for score in "33333335":
            page.keyboard.press(score)
        expect(page.locator(".progress")).to_have_text("All 7 scored")
        expect_shown(page, dict.fromkeys(METRICS, "3"), [])


def test_keys_after_the_way_on_do_not_score_what_is_left(standing_app: App, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page = open_item(context.new_page(), standing_app, "Ira")
        page.keyboard.press("j")
        page.keyboard.press("n")
        page.keyboard.press("5")  # for what is to come, or for nothing: never for what is left
        expect(page.locator(".profile .name")).to_have_text("Dr. John Watson")
        end_burst(page)
        page.keyboard.press("u")
        page.keyboard.press("4")
        expect_saved(page, 1)
        expect_shown(page, {"KA": "4"})
        page.keyboard.press("p")
        expect(page.locator(".profile .name")).to_have_text("Sherlock Holmes")
        expect_shown(page, {})


def test_the_address_holds_the_place(standing_app: App, browser: Browser) -> None:
    with browser.new_context(viewport=LAPTOP) as context:
        page = open_item(context.new_page(), standing_app, "Jo")
        page.keyboard.press("n")
        expect(page.locator(".profile .name")).to_have_text("Dr. John Watson")
        mine = {item.partition(":")[2]: name for item, name in items_of(standing_app, "Jo").items()}
        expect(page).to_have_url(re.compile(mine["dr-john-watson"]))
        expect_lit(page, ["KA"])
        page.go_back()
        expect(page.locator(".profile .name")).to_have_text("Sherlock Holmes")
        place = page.url
        page.get_by_role("link", name="中文").click()
        expect(page.locator(".metric-name").first).to_have_text("知识准确性")
        assert page.url == place, "the one switch of the page, in the header, keeps the item"
        page.reload()
        expect(page.locator(".metric-name").first).to_have_text("知识准确性")
        expect(page.locator(".guide summary")).to_have_text("评分说明")
        page.keyboard.press("n")
        expect(page.locator(".profile .name")).to_have_text("Dr. John Watson")
        expect(page.locator(".metric-name").first).to_have_text("知识准确性")
        page.get_by_role("link", name="English", exact=True).click()
        expect(page.locator(".metric-name").first).to_have_text("Knowledge Accuracy")
        expect(page.locator(".profile .name")).to_have_text("Dr. John Watson")
        page.goto(address(standing_app, rater="Jo", item=mine["唐僧"]))
        expect(page.locator(".scene .title, .title").first).to_have_attribute("lang", "zh-CN")
        expect(page.locator(".metric-name").first).to_have_text("Knowledge Accuracy")
        page.goto(address(standing_app, rater="Jo", item="nobody"))
        expect(page.get_by_text("you have no item of this name")).to_be_visible()
        expect(page.locator(".list-view")).to_be_visible()
        expect(page.locator("tbody a").first).to_have_attribute("href", re.compile(re.escape(mine["sherlock-holmes"])))


def test_no_model_name_reaches_the_browser(standing_app: App, browser: Browser) -> None:
    seen: list[str] = []
    with browser.new_context() as context:
        page = context.new_page()
        requests: list[Request] = []

        def listen(socket: WebSocket) -> None:
            socket.on("framereceived", lambda frame: seen.append(_text(frame)))

        def note(request: Request) -> None:
            requests.append(request)

        page.on("websocket", listen)
        page.on("requestfinished", note)
        open_item(page, standing_app, "Kim")
        page.keyboard.press("4")
        expect_saved(page, 1)
        page.keyboard.press("n")
        expect(page.locator(".profile .name")).to_have_text("Dr. John Watson")
        page.get_by_role("link", name="All items").click()
        expect(page.locator(".list-view")).to_be_visible()
        for request in requests:
            response = request.response()
            if response is not None and response.ok and request.resource_type in ("document", "fetch", "xhr"):
                seen.append(response.text())
    everything = "\n".join(seen)
    assert "A consulting detective" in everything
    for name in ("Zephyr-9B", "Narr-1", *items_of(standing_app, "Kim")):
        assert name not in everything


def _text(frame: str | bytes) -> str:
    return frame if isinstance(frame, str) else frame.decode("utf-8", "ignore")


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_page_fits_its_window(standing_app: App, browser: Browser, size: tuple[int, int]) -> None:
    width, height = size
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = open_item(context.new_page(), standing_app, "Lou")
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator(".frame").evaluate("node => node.scrollWidth <= node.clientWidth")
        if width < 1000:
            return
        reading = page.locator(".reading")
        reading.hover()
        page.mouse.wheel(0, 20_000)
        expect(page.locator(".step").last).to_be_in_viewport()
        for key in METRICS:
            expect(metric(page, key).locator(".scale")).to_be_in_viewport(ratio=1)
        expect(page.locator(".hints")).to_be_in_viewport(ratio=1)
