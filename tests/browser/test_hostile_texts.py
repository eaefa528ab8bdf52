"""Script, HTML and Markdown in whatever people and models write stay text, wherever somebody reads them."""

import shutil
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from characterbox.accounts.account import LOCAL
from tests.browser.app import App
from tests.browser.rating import expect_saved, open_item
from tests.fakes.campaigns import started
from tests.fakes.databases import store_in

HOSTILE = (
    "<img src=x onerror=alert(1)><script>alert(2)</script> **loud** [way](javascript:alert(3)) :material/home: $x$"
)
RUBRIC = "house"


@pytest.fixture
def spoiled(tmp_path: Path, played: Path) -> Iterator[App]:
    """The app on a database in which scene, reply, expert, rubric and campaign have hostile names."""
    db = Path(shutil.copyfile(played, tmp_path / "spoiled.db"))
    with sqlite3.connect(db) as database:
        database.execute(
            "update story set title = ?, script = json_set(script, '$.scene.title', ?)", (HOSTILE, HOSTILE)
        )
        database.execute("update story set script = json_set(script, '$.scene.environment.description', ?)", (HOSTILE,))
        database.execute("update event set content = json_set(content, '$.text', ?) where kind = 'action'", (HOSTILE,))
    store = store_in(db)
    text = files("annotations").joinpath("rubrics/character.toml").read_text(encoding="utf-8")
    text = text.replace('name = "character"', f'name = "{RUBRIC}"', 1)
    text = text.replace('"Knowledge Accuracy"', f"'{HOSTILE[:90]}'").replace(
        "You judge how well", f"{HOSTILE} You judge how"
    )
    rubric = store.rubrics.add(text.replace("\"'", "'").replace("'\"", "'"), "house.toml", LOCAL)
    story = next(one for one in store.stories.stories("ended") if one.script.scene.language == "en")
    started(store, story, HOSTILE[:70], name=HOSTILE[:110], rubric=RUBRIC, rubric_version=rubric.version)
    store.close()
    app = App(db)
    try:
        app.start()
        yield app
    finally:
        app.stop()


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """One in which no text has become a script or a picture."""
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    yield page
    assert page.evaluate("document.querySelectorAll('img[src=x]').length") == 0


def test_an_expert_reads_it_as_text(spoiled: App, page: Page) -> None:
    rater = HOSTILE[:70]
    open_item(page, spoiled, rater, campaign="open")
    expect(page.locator(".opening .title")).to_have_text(HOSTILE)
    expect(page.locator(".step .words").filter(has_text="javascript:").first).to_contain_text(HOSTILE)
    expect(page.locator(".rater bdi")).to_have_text(rater)
    page.keyboard.press("c")
    page.keyboard.type(HOSTILE)
    page.keyboard.press("Escape")
    page.keyboard.press("4")
    expect_saved(page, 1)
    page.goto(f"{spoiled.url}/annotate?rater={rater.replace(' ', '+').replace('*', '%2A')}")
    expect(page.locator(".desk-view tbody tr", has_text="javascript:")).to_have_count(1)
    page.locator(".desk-view tbody tr", has_text="javascript:").get_by_role("link").click()
    page.locator("a.primary").click()
    expect(page.locator(".metric-name").first).to_have_text(HOSTILE[:90])
    page.locator(".guide summary").click()
    expect(page.locator(".guide")).to_contain_text("<script>alert(2)</script>")


@pytest.mark.parametrize("place", ["", "rubrics=all", f"rubric={RUBRIC}&version=1.1"])
def test_a_researcher_reads_it_as_text(spoiled: App, page: Page, place: str) -> None:
    page.goto(f"{spoiled.url}/campaigns?{place}")
    expect(page.get_by_test_id("stMain")).to_contain_text("<img src=x" if "all" not in place else RUBRIC)


@pytest.mark.parametrize("oversight", ["Progress", "Disagreements", "Experts"])
def test_the_oversight_shows_it_as_text(spoiled: App, page: Page, oversight: str) -> None:
    with sqlite3.connect(spoiled.db) as database:
        [campaign] = database.execute("select id from campaign where id <> 'open'").fetchone()
    page.goto(f"{spoiled.url}/campaigns?campaign={campaign}&oversight={oversight}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.get_by_role("radio", name=oversight)).to_be_visible()
