"""Narrators compared in the browser: judged by kind of step, then seen on the leaderboard; and names of models."""

import re
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app import App, rests, running
from tests.browser.choosing import pick
from tests.browser.tables import WAIT
from tests.browser.test_accessibility import faults
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, judge_narrators, played


@pytest.fixture(scope="module")
def narrators_app(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[App]:
    """The app with stories of three narrators in two languages, each with five who play."""
    db = tmp_path_factory.mktemp("narrators") / "app.db"
    shutil.copyfile(request.getfixturevalue("played"), db)
    store = store_in(db)
    players = ["Qwen/Qwen2.5-7B-Instruct", "gpt-4-1106-preview", "phi", "glm", "org/mine"]
    for language in ("en", "zh"):
        for narrator in ("CharacterNR", "gpt-3.5-turbo-1106", "Qwen/Qwen2.5-7B-Instruct"):
            stories = played(store, players, 6, narrator=narrator, language=language)
            judge(store, stories, "GPT-4", 1)
            for rubric in ("narrator", "narrator_steps"):
                judge_narrators(store, stories, "GPT-4", rubric)
    store.close()
    with running(db) as app:
        yield app


def open_view(page: Page, app: App, address: str = "") -> None:
    page.goto(f"{app.url}/leaderboard?view=Narrators{address}")
    expect(page.get_by_role("region", name=re.compile("maxims|准则"))).to_be_visible(timeout=WAIT)
    rests(page)


def test_narrators_stand_side_by_side_by_kind_of_step_and_as_a_whole(page: Page, narrators_app: App) -> None:
    open_view(page, narrators_app)
    table = page.get_by_role("region", name="Narrators on Grice's maxims")
    expect(table.locator("tbody")).to_have_count(5)
    expect(table.locator("tbody").first.locator("th[scope=row]")).to_have_text(
        ["CharacterNR", "Qwen/Qwen2.5-7B-Instruct", "gpt-3.5-turbo-1106"]
    )
    expect(page.get_by_text("CharacterNR is significantly better than Qwen2.5-7B")).to_be_visible()
    page.get_by_role("radio", name="Results").or_(page.get_by_role("button", name="Results")).first.click()
    rests(page)
    assert "step=Results" in page.url
    assert not faults(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Narrators (CSV)").click()
    lines = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + 3 * 5 * 4
    open_view(page, narrators_app, "&asked=The+whole+story")
    expect(table.locator("tbody")).to_have_count(1)


def test_a_name_that_is_added_brings_the_published_figure_beside_ours_until_it_is_undone(
    page: Page, narrators_app: App
) -> None:
    def papers() -> int:
        page.goto(f"{narrators_app.url}/leaderboard")
        board = page.get_by_role("region", name="Table 1")
        expect(board).to_be_visible(timeout=WAIT)
        rests(page)
        row = board.locator("tbody tr").filter(has=page.locator("th", has_text="org/mine"))
        return row.locator(".cb-paper").count()

    assert papers() == 0
    page.goto(f"{narrators_app.url}/leaderboard?view=Published+%28paper%29")
    page.get_by_label("Model name", exact=True).fill("mine")
    pick(page, "Name in the paper", "GPT-4", typed="GPT-4")
    page.get_by_role("button", name="Add name").click()
    expect(page.get_by_role("region", name="Model names").get_by_text("mine")).to_be_visible()
    rests(page)
    assert not faults(page)
    assert papers() == 8
    page.goto(f"{narrators_app.url}/leaderboard?view=Published+%28paper%29")
    page.get_by_role("button", name="Undo the last change").click()
    expect(page.get_by_role("region", name="Model names").get_by_text("mine")).to_have_count(0)
    assert papers() == 0


def test_a_judge_scores_each_kind_of_step_of_a_story(page: Page, app: App) -> None:
    story = app.play("bundled:holmes-study", "--rounds", "1")
    page.goto(f"{app.url}/playback?story={story}&view=judges")
    rests(page)
    pick(page, "Judge", "ChatGLM", typed="ChatGLM")
    rests(page)
    pick(page, "Subject", "Narrator, by kind of step", typed="Narrator, by kind of step")
    rests(page)
    page.get_by_role("button", name="Judge story").click()
    expect(page.get_by_text("Rehearsal judge, ChatGLM protocol", exact=True).last).to_be_visible()
    expect(page.get_by_text("ChatGLM: judging")).to_have_count(0)
    page.goto(f"{app.url}/leaderboard?view=Narrators")
    table = page.get_by_role("region", name="Narrators on Grice's maxims")
    expect(table).to_be_visible(timeout=WAIT)
    expect(page.get_by_text("These scores are demo output (no language model); do not report.")).to_be_visible()
