"""No page has a serious fault for those who read it in another way (axe-core): light and dark, wide and narrow.

A page is looked at in one way, the next one in the other; in the soak, each of them is in both.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from characterbox.llm.endpoint import Endpoint
from characterbox.play.world import Script
from characterbox.scenes.library import bundled
from characterbox.store.sweeps import Task
from characterbox.sweeps.sweep import cells_of
from tests.browser.app import STILL, App, rests, running
from tests.browser.campaigning import PASSWORD, Campaigning, begin
from tests.browser.lab import Lab
from tests.browser.page_widths import measured
from tests.browser.tables import WAIT
from tests.components.figures.ratings_sample import campaign as given
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.stories import casting_at
from tests.fakes.sweeps import a_sweep

SERIOUS = {"serious", "critical"}


def faults(page: Page) -> list[str]:
    """What axe-core finds that is serious, each with the first places, once nothing fades in or out any more.

    What is waited for is a function: the app's policy forbids the page to evaluate a text again.
    """
    page.wait_for_function(f"() => !document.querySelector('[data-stale=true]') && {STILL}")
    found = Axe().run(page).response["violations"]
    return [
        f"{fault['id']}: {fault['help']}: {[(one['target'], one['failureSummary']) for one in fault['nodes'][:3]]}"
        for fault in found
        if fault["impact"] in SERIOUS
    ]


def _played(page: Page) -> None:
    expect(page.get_by_role("slider")).to_be_visible()


def _notebook(page: Page) -> None:
    """The notebook, with a look at each of its sheets."""
    _played(page)
    page.locator(".timeline .tool").last.click()
    sheets = page.get_by_role("tab").all()
    assert len(sheets) == 5
    for sheet in sheets:
        sheet.click()
        expect(page.locator(".sheet > *").first).to_be_visible()
        assert faults(page) == [], sheet.inner_text()


def _listed(page: Page) -> None:
    expect(page.locator(".library .title").first).to_be_visible()


def _items(page: Page) -> None:
    expect(page.locator("tbody tr").first).to_be_visible()


def _titled(page: Page) -> None:
    expect(page.locator("h1").first).to_be_visible()
    rests(page)


def _written(page: Page) -> None:
    _titled(page)
    expect(page.locator(".scene-form .submit")).to_be_visible()


def _item(page: Page) -> None:
    page.locator("a.primary").click()
    expect(page.locator(".part-view")).to_be_visible()


STORY = "/playback?story=samplehongloushigao&at=30"
PAGES = {
    "stage": ("/", _titled),
    "library": ("/playback", _listed),
    "story": (STORY, _played),
    "notebook": (STORY, _notebook),
    "scenes": ("/scenes", _titled),
    "scene": ("/scenes?scene=bundled:pride-rain", _titled),
    "scene, a new one": ("/scenes?new=scene", _written),
    "scenes, brought in": ("/scenes?new=import", _titled),
    "scenes, generated": ("/scenes?crafting=new", _titled),
    "leaderboard, scene crafting": ("/leaderboard?view=Scene+generation", _titled),
    "sweeps": ("/sweeps", _titled),
    "sweeps, a new one": ("/sweeps?new=form", _titled),
    "models": ("/models", _titled),
    "campaigns": ("/campaigns", _titled),
    "annotate": ("/annotate?rater=Ann", _items),
    "item": ("/annotate?rater=Ann", _item),
    "validity": ("/validity", _titled),
    "leaderboard": ("/leaderboard", _titled),
    "accounts": ("/admin", _titled),
    "training": ("/training", _titled),
    "training, a new dataset": ("/training?new=dataset", _titled),
    "training, a new run": ("/training?new=run", _titled),
    "training, no such run": ("/training?run=nowhere", _titled),
}


def _asked(page: Page) -> None:
    _played(page)
    expect(page.locator(".answer textarea").first).to_be_visible()


def _judged(page: Page) -> None:
    """The figures of a file, with a look at each of their views."""
    _titled(page)
    file = {"name": "ratings.csv", "mimeType": "text/csv", "buffer": given().to_csv(index=False).encode()}
    page.locator("input[type=file]").set_input_files(file)  # type: ignore[arg-type]
    expect(page.locator("section table, .cb-figures table").first).to_be_visible(timeout=WAIT)
    views = page.locator(".st-key-chosen-view").get_by_role("radio")
    expect(views).to_have_count(6)
    for view in views.all():
        view.click()
        expect(view).to_have_attribute("aria-checked", "true")
        rests(page)
        assert faults(page) == [], view.inner_text()


def _compared(page: Page) -> None:
    expect(page.locator(".comparison .heads h3")).to_have_count(2)
    rests(page)


MORE_PAGES = {
    "paused": ("/?story=paused", _played),
    "asked": ("/?story=asked", _asked),
    "sweep": ("/sweeps?sweep=small", _titled),
    "compared": ("/playback?compare=paused,asked", _compared),
    "compared blind": ("/playback?compare=paused,asked&blind=yes", _compared),
    "validity of a file": ("/validity?ratings=From+a+file", _judged),
}
WAYS = [("light", "en", 1440), ("dark", "zh", 390)]
soak = pytest.mark.soak


def by_turns(names: Iterable[str]) -> list[Any]:
    """Each of the pages in both ways, one of them, by turns, in the soak alone."""
    return [
        pytest.param(name, way, marks=[] if place % 2 == number else soak, id=f"{name}-{way[0]}")
        for place, name in enumerate(names)
        for number, way in enumerate(WAYS)
    ]


@pytest.fixture(scope="module")
def staged_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One running app with a story that is paused, one in which a person is asked, and a sweep that has failed."""
    db = tmp_path_factory.mktemp("staged") / "app.db"
    store = store_in(db)
    script = Script(scene=next(scene for scene in bundled() if scene.id == "holmes-study"), rounds=1)
    casting = casting_at(Endpoint.parse("rehearsal"), script.scene)
    store.stories.create(script, casting, "app", id="asked", people=[script.scene.names[0]])
    store.stories.create(script, casting, "app", id="paused")
    store.stories.move("paused", "paused", out_of=["running"])
    sweep = a_sweep()
    store.sweeps.put(sweep.name, sweep.model_dump(mode="json"), "app")
    store.sweeps.failed(
        sweep.name, Task(next(cells_of(sweep)).id), a_reason("endpoint http://127.0.0.1:9/v1#m: connection refused")
    )
    store.sweeps.rest(sweep.name, "ended")
    store.close()
    with running(db) as app:
        yield app


def look(browser: Browser, url: str, shown: Callable[[Page], None], way: tuple[str, str, int]) -> None:
    """Open a page in one of the ways, and fail on what is serious, wider than the window, or off edge and widths."""
    scheme, tongue, width = way
    context = browser.new_context(
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
    )
    try:
        context.add_cookies([{"name": "characterbox_language", "value": tongue, "url": url}])
        page = context.new_page()
        page.goto(url)
        shown(page)
        assert faults(page) == []
        assert measured(page).faults == {}
    finally:
        context.close()


@pytest.mark.parametrize(("name", "way"), by_turns(PAGES))
def test_no_page_has_a_serious_fault(sampled_app: App, browser: Browser, name: str, way: tuple[str, str, int]) -> None:
    address, shown = PAGES[name]
    look(browser, sampled_app.url + address, shown, way)


@pytest.mark.parametrize(("name", "way"), by_turns(MORE_PAGES))
def test_no_state_of_a_page_has_a_serious_fault(
    staged_app: App, browser: Browser, name: str, way: tuple[str, str, int]
) -> None:
    address, shown = MORE_PAGES[name]
    look(browser, staged_app.url + address, shown, way)


@pytest.mark.parametrize("way", [pytest.param(WAYS[0], marks=soak), WAYS[1]])
def test_nothing_serious_from_the_sign_in_to_an_item(
    campaigning: Campaigning, browser: Browser, way: tuple[str, str, int]
) -> None:
    scheme, tongue, width = way
    context = browser.new_context(
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport={"width": width, "height": 900},
    )
    with context:
        context.add_cookies([{"name": "characterbox_language", "value": tongue, "url": campaigning.app.url}])
        page = context.new_page()
        page.goto(f"{campaigning.app.url}/annotate")
        expect(page.locator("input[type=password]")).to_be_visible()
        assert faults(page) == []
        page.locator("input").first.fill("Cai")
        page.locator("input[type=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator(".list-view")).to_be_visible()
        assert faults(page) == []
        begin(page)
        assert faults(page) == []


@pytest.mark.parametrize("way", [WAYS[0], pytest.param(WAYS[1], marks=soak)])
def test_nothing_serious_in_the_oversight_of_a_campaign(lab: Lab, browser: Browser, way: tuple[str, str, int]) -> None:
    url = lab.app.url + f"/campaigns?campaign={lab.campaign}"
    look(browser, url, _titled, way)
    for part in ("Disagreements", "Experts", "Blinding"):
        look(browser, f"{url}&oversight={part}", _titled, way)
    look(browser, f"{url}&item={lab.item}", _titled, way)
