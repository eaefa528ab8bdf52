"""The running app, on databases that are empty, or hold stories or a campaign."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.app import App, play, running
from tests.browser.campaigning import Campaigning, prepare
from tests.browser.house import House
from tests.browser.lab import Lab, running_lab
from tests.fakes.mock_server import MockServer, mock_server


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page in a context of its own."""
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        yield context.new_page()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    """The running app on a fresh, empty database."""
    with running(tmp_path / "app.db") as app:
        yield app


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with two stories that have ended: first an English one, then a Chinese one, of one round each."""
    db = tmp_path_factory.mktemp("played") / "played.db"
    play(
        db,
        "bundled:holmes-study",
        "--rounds",
        "1",
        "--character",
        "rehearsal#Zephyr-9B",
        "--narrator",
        "rehearsal#Narr-1",
    )
    play(db, "bundled:xiyou-shiqiao", "--rounds", "1")
    return db


@pytest.fixture
def played_app(tmp_path: Path, played: Path) -> Iterator[App]:
    """The running app on a copy of `played`, for a test that ends it or changes its stories."""
    with running(Path(shutil.copyfile(played, tmp_path / "app.db"))) as app:
        yield app


@pytest.fixture(scope="module")
def standing_app(tmp_path_factory: pytest.TempPathFactory, played: Path) -> Iterator[App]:
    """One running app on a copy of `played` for all tests of a module that leave it as it is."""
    with running(Path(shutil.copyfile(played, tmp_path_factory.mktemp("standing") / "app.db"))) as app:
        yield app


@pytest.fixture(scope="module")
def sampled_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One running app on a database that was just made, with the samples."""
    with running(tmp_path_factory.mktemp("sampled") / "app.db", samples=True) as app:
        yield app


@pytest.fixture
def campaigning(
    tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Campaigning]:
    """Cai and Dora rate the English story of `played`; the settings can be changed by the test's mark."""
    db = Path(shutil.copyfile(played, tmp_path / "app.db"))
    monkeypatch.setenv("CHARACTERBOX_AUTH", "local")
    campaign = prepare(db, **getattr(request, "param", {}))
    with running(db) as app:
        yield Campaigning(app, campaign)


@pytest.fixture
def lab(played: Path, tmp_path: Path) -> Iterator[Lab]:
    """The running app with a campaign in which three experts rate, and two disagree."""
    with running_lab(played, tmp_path / "oversight.db") as lab:
        yield lab


@pytest.fixture(scope="module")
def standing_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, MockServer]]:
    """One app, and one model server, for all tests of a module."""
    with mock_server() as server, running(tmp_path_factory.mktemp("house") / "house.db") as app:
        yield app, server


@pytest.fixture
def house(standing_house: tuple[App, MockServer], browser: Browser) -> Iterator[House]:
    """A page of the app, whose model server has been asked nothing yet."""
    app, server = standing_house
    server.seen.clear()
    server.answers = server.always = None
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        yield House(app, server, context.new_page())
