"""The running app with its samples, as a reader of a tutorial starts it, and a page in the reader's language."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from annotations.i18n.translation import TONGUES, Tongue
from tests.browser.app import App, running
from tests.docs.walk import WINDOW, Walk

LATENCY = 0.2
"""Seconds of the rehearsal for a reply: a story that is paused at once has not ended by then."""
LOCALES: dict[Tongue, str] = {"en": "en-US", "zh": "zh-CN"}


@pytest.fixture
def new_app(tmp_path: Path) -> Iterator[App]:
    """The running app on a database that was just made, with the samples."""
    with running(tmp_path / "app.db", samples=True, latency=LATENCY) as app:
        yield app


@pytest.fixture(params=TONGUES)
def begin(request: pytest.FixtureRequest, browser: Browser, new_app: App) -> Iterator[Callable[[str], Walk]]:
    """Begins a tutorial, once in each language, on the page with which the app opens."""
    with browser.new_context(viewport=WINDOW, locale=LOCALES[request.param], color_scheme="light") as context:

        def begun(tutorial: str) -> Walk:
            walk = Walk(context.new_page(), new_app, tutorial, request.param)
            walk.open()
            return walk

        yield begun
