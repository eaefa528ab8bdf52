"""What an expert marked is kept, in the browser: over pauses, sign-outs, other devices, other people and a kill."""

import sqlite3

from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from tests.browser.app import App, rests
from tests.browser.campaigning import PASSWORD, Campaigning, begin, expect_marks, signed_in
from tests.browser.line import Line
from tests.browser.rating import (
    LAPTOP,
    METRICS,
    comes_to,
    expect_saved,
    expect_shown,
    marks,
    metric,
)

TABLET: ViewportSize = {"width": 1024, "height": 768}


def test_who_comes_back_to_the_window_goes_on_writing(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        line = Line(page)
        page.reload()
        expect(page.locator(".part-view")).to_be_visible()
        rests(page)
        page.keyboard.press("3")
        expect_saved(page, 1)
        page.locator(".round summary").first.click()
        page.keyboard.press("s")
        page.keyboard.type("I have ")
        line.wait_said(lambda: page.evaluate("dispatchEvent(new Event('focus'))"))
        rests(page)
        page.keyboard.type("2 unread chapters")
        expect(page.get_by_label("Why are you skipping this item?")).to_have_value("I have 2 unread chapters")
        expect_shown(page, {"KA": "3"})
        expect(page.locator(".round .step").first).to_be_hidden()


def test_two_windows_of_one_expert_lose_nothing(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        one = begin(signed_in(context, app))
        other = context.new_page()
        other.goto(one.url)
        expect(other.locator(".part-view")).to_be_visible()
        context.route("**/marks", lambda route: route.abort())
        for score in "123":
            one.keyboard.press(score)
        for _ in range(3):
            other.keyboard.press("ArrowDown")
        for score in "451":
            other.keyboard.press(score)
        expect(one.locator(".rubric .unsent")).to_have_text("6 changes are not saved yet; they will be sent again")
        context.unroute("**/marks")
        for page in (one, other):
            page.evaluate("dispatchEvent(new Event('online'))")
        expect_marks(one, app, "score", 6)
        assert sorted(marks(app, "Cai")) == sorted(zip(METRICS[:6], (1, 2, 3, 4, 5, 1), strict=True))
        for page in (one, other):
            expect(page.locator(".rubric .unsent")).to_be_hidden()


def test_what_one_expert_marked_waits_while_another_is_signed_in(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        context.route("**/marks", lambda route: route.abort())
        page.keyboard.press("3")
        page.keyboard.press("4")
        expect(page.locator(".mark.waiting")).to_have_count(2)
        other = context.new_page()
        other.goto(f"{app.url}/account")
        other.get_by_role("button", name="Sign out").click()
        signed_in(context, app, "Dora")
        context.unroute("**/marks")
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator(".sign-in")).to_contain_text("Cai, you have been signed out.")
        assert marks(app, "Cai") == marks(app, "Dora") == []
        page.locator(".sign-in input:visible").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect_saved(page, 2)
        assert [score for _, score in marks(app, "Cai")] == [3, 4]


def test_a_pause_keeps_what_is_marked_and_a_close_tells_what_it_does_not_take(
    campaigning: Campaigning, browser: Browser
) -> None:
    app = campaigning.app

    def move(status: str) -> None:
        with sqlite3.connect(app.db) as database:
            database.execute("update campaign set status = ? where id = ?", (status, campaigning.campaign))

    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        page.keyboard.press("3")
        expect_saved(page, 1)
        move("paused")
        page.keyboard.press("4")
        expect(page.locator(".mark.waiting")).to_have_count(1)
        told = "1 change is kept in this browser until the campaign resumes."
        expect(page.locator(".rubric .unsent")).to_have_text(told)
        move("running")
        expect_saved(page, 2)
        context.route("**/marks", lambda route: route.abort())
        page.keyboard.press("5")
        expect(page.locator(".mark.waiting")).to_have_count(1)
        move("closed")
        page.get_by_role("link", name="All items").click()
        expect(page.locator(".list-view")).to_be_visible()
        context.unroute("**/marks")
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator(".list-view p.fault")).to_contain_text("1 change was not saved")
        page.reload()
        expect(page.locator(".list-view p.fault")).to_contain_text("the campaign is closed")
        page.get_by_role("button", name="OK").click()
        expect(page.locator(".list-view p.fault")).to_be_hidden()
        assert [score for _, score in marks(app, "Cai")] == [3, 4]


def test_a_comment_is_kept_while_it_is_written(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        page.keyboard.press("c")
        page.keyboard.type("a long thought")
        expect_marks(page, app, "comment", 1)
        page.keyboard.type(", and more")
        page.reload()
        expect(page.locator(".part-view")).to_be_visible()
        page.get_by_role("button", name="Comment").click()
        expect(page.locator("textarea")).to_have_value("a long thought, and more")


def test_half_done_work_is_there_on_another_device_and_after_a_kill(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as laptop, browser.new_context(viewport=TABLET, has_touch=True) as tablet:
        page = begin(signed_in(laptop, app))
        page.keyboard.press("3")
        page.keyboard.press("4")
        expect_saved(page, 2)
        app.kill()
        assert [score for _, score in marks(app, "Cai")] == [3, 4]
        page.keyboard.press("5")
        expect(page.locator(".mark.waiting")).to_have_count(1)
        app.start()
        expect_saved(page, 3)
        page.reload()
        expect_saved(page, 3)
        other = begin(signed_in(tablet, app))
        expect_shown(other, {"KA": "3", "BA": "4", "EE": "5"})
        for key in METRICS[3:]:
            metric(other, key).locator(".scale button").nth(1).tap()
            expect(metric(other, key).locator(".scale")).to_be_in_viewport(ratio=1)
        expect_saved(other, 7)


def expect_signed_out(page: Page, app: App) -> None:
    """That the app comes to see that the session of a page's browser has ended."""
    for _ in range(600):
        if page.context.request.get(f"{app.url}/annotate", max_redirects=0).status != 200:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the session goes on")


def test_who_is_signed_out_signs_in_beside_the_form(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        page.keyboard.press("3")
        expect_saved(page, 1)
        with sqlite3.connect(app.db) as database:
            database.execute("update session set ended_at = created_at")
        expect_signed_out(page, app)
        page.keyboard.press("4")
        expect(page.locator(".sign-in")).to_contain_text("Cai, you have been signed out.")
        page.keyboard.press("5")
        expect_shown(page, {"KA": "3", "BA": "4", "EE": "5"})  # the form stays, and takes more
        page.locator(".sign-in input:visible").fill("not the password")
        page.locator(".sign-in button").click()
        expect(page.locator(".sign-in .fault")).not_to_have_text("")
        page.locator(".sign-in input:visible").fill(PASSWORD)
        under_way: list[Route] = []

        def hold(route: Route) -> None:
            under_way.append(route)

        page.route("**/marks", hold, times=1)
        comes_to(page, lambda: len(under_way), 1)  # a mark is sent again, and refused only after the new sign-in
        with page.expect_response("**/sign-in"):
            page.keyboard.press("Enter")
        with page.expect_navigation():  # the page was signed out, too
            under_way[0].fulfill(status=401, json={"error": "signed out"})
        expect_saved(page, 3)
        expect(page.locator(".sign-in")).to_be_hidden()
        assert [score for _, score in marks(app, "Cai")] == [3, 4, 5]
        page.keyboard.press("n")
        expect(page.locator(".place").first).to_have_text("2 of 4")


def test_rounds_fold_and_a_closed_campaign_takes_nothing(campaigning: Campaigning, browser: Browser) -> None:
    app = campaigning.app
    with browser.new_context(viewport=LAPTOP) as context:
        page = begin(signed_in(context, app))
        expect(page.locator(".round .step").first).to_be_visible()
        page.locator(".round summary").first.click()
        expect(page.locator(".round .step").first).to_be_hidden()
        page.keyboard.press("3")
        expect_saved(page, 1)
        with sqlite3.connect(app.db) as database:
            database.execute("update campaign set status = 'closed'")
        page.keyboard.press("4")
        expect(metric(page, "BA").locator(".mark")).to_contain_text("the campaign is closed")
        expect_shown(page, {"KA": "3"})
        page.reload()
        told = "The campaign is closed: scores can no longer change."
        expect(page.locator(".rubric").get_by_text(told)).to_be_visible()
        expect(metric(page, "KA").locator(".scale button").first).to_be_disabled()
        page.keyboard.press("5")
        expect_shown(page, {"KA": "3"})
