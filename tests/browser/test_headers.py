"""What the app's headers forbid, no page of it needs; and no page of another site shows the app in a frame."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.accounts.permissions import PAGES
from tests.browser.app import App, rests
from tests.browser.tables import WAIT
from tests.components.figures.ratings_sample import campaign

REFUSED = """() => {
    window.refused = [];
    addEventListener("securitypolicyviolation", it => window.refused.push(
        `${it.violatedDirective} ${it.blockedURI} ${it.sourceFile}`));
}"""


def test_no_page_asks_for_what_is_forbidden(page: Page, standing_app: App) -> None:
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if "Content Security Policy" in told.text else None)
    page.add_init_script(f"({REFUSED})()")
    file = {"name": "ratings.csv", "mimeType": "text/csv", "buffer": campaign().to_csv(index=False).encode()}
    for address in (
        "",
        *(page for page in PAGES if page != "stage"),
        "scenes?new=scene",
        "validity?ratings=From+a+file",
    ):
        page.goto(f"{standing_app.url}/{address}")
        rests(page)
        if address == "playback":
            page.locator(".library .title").first.click()
            expect(page.locator(".player")).to_be_visible()
            rests(page)
        if "file" in address:
            page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
            expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=WAIT)
            rests(page)
        assert page.evaluate("window.refused") == [], address
        assert faults == [], address


def test_streamlits_hosts_are_not_told_to_be_trusted(standing_app: App, page: Page) -> None:
    told = page.request.get(f"{standing_app.url}/_stcore/host-config").json()
    assert told["allowedOrigins"] == []


@pytest.fixture
def other_site(standing_app: App) -> Iterator[str]:
    """The address of a page elsewhere that shows the app in a frame."""

    class Framing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<iframe src="{standing_app.url}/"></iframe>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Framing) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_no_other_site_frames_the_app(browser: Browser, other_site: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        with page.expect_event("console", lambda told: "frame-ancestors" in told.text):
            page.goto(other_site)
        expect(page.frame_locator("iframe").locator("[data-testid=stApp]")).to_have_count(0)
