"""A researcher proposes a server in the browser, and an admin puts it on the list with one click."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.accounts.account import COMMAND_LINE, Role
from characterbox.accounts.credentials import COOKIE
from tests.browser.app import App, rests, running
from tests.browser.fields import press
from tests.fakes.databases import store_in


@pytest.fixture
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The running app, in which people sign in with passwords."""
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    with running(tmp_path / "app.db") as app:
        yield app


@contextmanager
def models_page(browser: Browser, app: App, name: str, role: Role) -> Iterator[Page]:
    """The Models page of somebody new, who is signed in."""
    store = store_in(app.db)
    account = store.accounts.add(COMMAND_LINE, name, role)
    cookie = store.sessions.start(str(account.id), "password")
    store.close()
    with browser.new_context() as context:
        context.add_cookies([{"name": COOKIE, "value": cookie, "url": app.url}])
        page = context.new_page()
        page.goto(f"{app.url}/models")
        rests(page)
        yield page


def test_an_admin_accepts_with_one_click_what_a_researcher_proposes(guarded: App, browser: Browser) -> None:
    with (
        models_page(browser, guarded, "Ann", "researcher") as ann,
        models_page(browser, guarded, "Root", "admin") as root,
    ):
        expect(root.get_by_role("heading", name="Proposed servers")).to_have_count(0)
        press(ann, "Propose server")
        expect(ann.get_by_role("radio", name="vLLM, started by this app")).to_have_count(0)
        expect(ann.get_by_text("Allow a private network address")).to_have_count(0)
        for field, text in {
            "Name": "Lab",
            "Address": "https://lab.example/v1",
            "Key name": "LAB_API_KEY",
        }.items():
            box = ann.get_by_label(field, exact=True)
            box.fill(text)
            box.press("Tab")
            rests(ann)
        press(ann, "Propose server")
        expect(ann.get_by_role("button", name="Withdraw")).to_be_visible()
        expect(ann).to_have_url(re.compile(r"/models$"))
        expect(ann.get_by_role("button", name="Accept")).to_have_count(0)

        root.reload()
        section = root.locator('[class*="st-key-server-row"]').filter(has_text="proposed by Ann")
        expect(section).to_contain_text("https://lab.example/v1")
        expect(section).to_contain_text("If you accept, the key LAB_API_KEY is sent to https://lab.example.")
        press(root, "Accept")
        expect(root.get_by_role("heading", name="Proposed servers")).to_have_count(0)
        expect(root.get_by_role("button", name="Lab", exact=True)).to_be_visible()
        expect(root.get_by_role("button", name="Edit")).to_be_visible()

        ann.reload()
        expect(ann.get_by_role("button", name="Lab", exact=True)).to_be_visible()
        expect(ann.get_by_role("button", name="Withdraw")).to_have_count(0)
