"""Pages begin at one edge, are as wide as a table at most, and set what is read in one narrower width; a table that is
wider than the window shows that there is more of it."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from characterbox.accounts.account import LOCAL
from characterbox.crafting.request import Roles, Wish
from characterbox.crafting.running import begin
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Server
from characterbox.play.world import Script
from characterbox.scenes.library import bundled_scene
from tests.browser.app import STILL, App, rests
from tests.browser.lab import running_lab
from tests.browser.page_widths import MEASURE, measured
from tests.fakes.campaigns import settings
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.fakes.sweeps import a_sweep

WINDOWS = (1920, 1440, 1280, 390)
SERVER = "http://127.0.0.1:9/v1"

GO = "there => { history.pushState({}, '', there); dispatchEvent(new PopStateEvent('popstate')); }"
"""Goes to an address of the app as the browser's history does: the tab stays, a fifth of the work of a load."""
EDGE = f"""width => {{
    if (innerWidth !== width || !({STILL})) return false;
    const [edge, faults] = ({MEASURE})();
    return !Object.keys(faults).length && [edge];
}}"""
"""Where a page begins that has been laid out for a window of that width, as all pages are."""


class Places(NamedTuple):
    """Where an app runs, and the addresses of all that is to be seen in it."""

    app: str
    addresses: list[str]


@pytest.fixture
def places(played: Path, tmp_path: Path) -> Iterator[Places]:
    """An app in which something is to be seen at every address."""
    db = Path(shutil.copyfile(played, tmp_path / "more.db"))
    store = store_in(db)
    (story,) = (one.id for one in store.stories.stories("ended") if one.script.scene.language == "en")
    rehearsal, script = Endpoint.parse("rehearsal"), Script(scene=bundled_scene("holmes-study"), rounds=1)
    person = [script.scene.names[0]]
    store.stories.create(script, casting_at(rehearsal, script.scene), "app", id="asked", people=person)
    store.sweeps.put("small", a_sweep(name="small").model_dump(mode="json"), "app")
    store.sweeps.rest("small", "ended")
    store.servers.save(LOCAL, Server(url=SERVER, name="Own", kind="api"))
    scene = store.scenes.start(a_scene(), None)
    roles = Roles(**dict.fromkeys(("screenwriter", "director", "evaluator"), rehearsal))
    crafting = begin(store, Wish(way="generate", language="en", work="The Hotel", roles=roles, method="direct"))
    draft = store.campaigns.create(settings(name="Draft"), LOCAL).id
    (rubric, version), *_ = store.rubrics.names()
    account = store.accounts.expert_named("Ann").id
    store.close()
    with running_lab(db, tmp_path / "lab.db") as lab:
        campaign = f"campaign={lab.campaign}"
        pages = {
            "stage": ("", f"story={story}", "story=asked"),
            "playback": ("", f"story={story}", f"compare={story},asked", f"compare={story},asked&blind=yes"),
            "scenes": (
                "", "new=scene", "new=import", "crafting=new", f"crafting={crafting}", "export=yes",
                "inspect=yes", f"scene={scene}", f"scene={scene}&view=Versions", f"scene={scene}&view=Stories",
                f"scene={scene}&edit=yes", f"scene={scene}&translate=yes",
            ),
            "sweeps": ("", "new=yes", "sweep=small"),
            "models": ("", "new=api", "server=rehearsal", f"edit={SERVER}"),
            "campaigns": (
                "", "rubrics=all", "rubric=new", f"rubric={rubric}&version={version}", "datasets=all", "datasets=new",
                *(f"campaign={draft}&part={part}" for part in ("settings", "stories", "experts", "blinding", "plan")),
                *(f"{campaign}&oversight={part}" for part in ("Progress", "Disagreements", "Experts", "Blinding")),
                f"{campaign}&item={lab.item}", f"{campaign}&extend=settings",
            ),
            "annotate": ("", "rater=Ann", f"rater=Ann&{campaign}", f"rater=Ann&item={lab.given['Ann'][1].id}"),
            "validity": (
                "", "view=Experts", "view=Single+judge", "view=Judge+comparison", "view=Judge+experiments",
                "view=Planning",
            ),
            "leaderboard": ("", "view=Published+(paper)", "view=Votes", "view=Costs", "view=Scene+generation"),
            "admin": ("", "new=yes", f"account={account}", "log=1"),
        }  # fmt: skip
        yield Places(lab.app.url, [f"/{page}?{place}" for page, all_of_it in pages.items() for place in all_of_it])


def test_all_pages_begin_at_one_edge_and_have_one_width_to_read_and_one_for_tables(
    browser: Browser, places: Places
) -> None:
    page, edges = browser.new_page(), dict[int, int]()
    with page.expect_websocket() as socket:
        page.goto(places.app)
    rests(page)
    for address in places.addresses:
        with socket.value.expect_event("framereceived"):  # what is drawn until then is the page of before
            page.evaluate(GO, address)
        rests(page)
        for width in WINDOWS:
            page.set_viewport_size({"width": width, "height": 1000})
            try:
                found = page.wait_for_function(EDGE, arg=width, polling=100, timeout=60_000)
            except TimeoutError:
                pytest.fail(f"{address} at {width}: {measured(page).faults}")
            [edge] = found.json_value()
            assert edge == edges.setdefault(width, edge), f"{address} at {width}"


def test_a_table_that_is_wider_than_the_window_fades_at_its_edge_until_its_end_is_in_view(
    browser: Browser, sampled_app: App
) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{sampled_app.url}/leaderboard")
    rests(page)
    table = page.locator(".cb-scroll").first
    expect(table).to_have_css("mask-size", "100% 100%")
    table.evaluate("one => one.scrollTo(one.scrollWidth, 0)")
    expect(table).to_have_css("mask-size", re.compile(r"calc\(100% \+ 40px\) 100%"))
    page.close()


def test_a_table_that_fits_does_not_fade(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/leaderboard")
    rests(page)
    expect(page.locator(".cb-scroll").first).to_have_css("mask-image", "none")
