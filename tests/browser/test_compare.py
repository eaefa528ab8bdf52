"""Stories of one scene side by side: aligned, blind until one has voted, and the vote stored as pairwise ratings."""

import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app import App, play, rests, running
from tests.browser.choosing import pick
from tests.fakes.databases import store_in

SCENE = "bundled:treasure-watch"
MODELS = ("Zephyr-9B", "Moth-70B")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A database with two stories of one scene with different models, of one round and of two, and their ids."""
    db = tmp_path_factory.mktemp("pair") / "pair.db"
    ids = [
        play(db, SCENE, "--rounds", str(rounds), "--seed", str(rounds), "--character", f"rehearsal#{model}")
        for rounds, model in enumerate(MODELS, 1)
    ]
    return db, ids


@pytest.fixture
def stories(pair: tuple[Path, list[str]]) -> list[str]:
    return pair[1]


@pytest.fixture
def app(pair: tuple[Path, list[str]], tmp_path: Path) -> Iterator[App]:
    """The running app on a copy of the two stories, for a test that votes on them or changes them."""
    with running(Path(shutil.copyfile(pair[0], tmp_path / "app.db"))) as app:
        yield app


@pytest.fixture(scope="module")
def pair_app(pair: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One running app on a copy of the two stories for all tests that leave it as it is."""
    with running(Path(shutil.copyfile(pair[0], tmp_path_factory.mktemp("compare") / "app.db"))) as app:
        yield app


def votes(app: App) -> list[tuple[str, str, str | None, str, int, str]]:
    with sqlite3.connect(app.db) as database:
        return database.execute("select one, other, better, rater, blind, reason from vote order by id").fetchall()


def heads(page: Page) -> list[str]:
    expect(page.locator(".comparison .heads h3")).to_have_count(2)
    return page.locator(".comparison .heads h3").all_inner_texts()


def test_two_stories_are_chosen_read_side_by_side_and_voted_on_blind(
    app: App, stories: list[str], browser: Browser
) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        page.goto(f"{app.url}/playback?story={stories[0]}")
        rests(page)
        page.get_by_role("button", name="Compare").click()
        rests(page)
        pick(page, "Other stories of this scene", re.compile(MODELS[1]))
        page.keyboard.press("Tab")
        page.get_by_text("Blind: hide the models until you vote").click()
        rests(page)
        page.get_by_role("button", name="Compare side by side").click()
        assert heads(page) == ["Story A", "Story B"]
        expect(page).to_have_url(re.compile("blind=yes"))
        for model in MODELS:
            expect(page.get_by_text(model)).to_have_count(0)
        expect(page.get_by_role("heading", name="Scores")).to_have_count(0)
        page.reload()
        assert heads(page) == ["Story A", "Story B"]
        _aligned(page)
        page.get_by_role("button", name="Vote").click()
        expect(page.get_by_text("Choose a story or a tie, and enter your name.")).to_be_visible()
        assert votes(app) == []
        page.get_by_role("radiogroup").get_by_text("Story B").click()
        page.get_by_label("Your name").fill("Ann")
        page.get_by_label("Reason (optional)").fill("=It <b>moves</b>")
        page.get_by_role("button", name="Vote").click()
        expect(page.get_by_text("You have voted on 1 pair of stories.")).to_be_visible()
        expect(page.locator(".comparison .heads h3").first).to_have_text(re.compile("|".join(MODELS)))
        expect(page.get_by_role("heading", name="Scores")).to_be_visible()
        [(one, other, better, rater, blind, reason)] = votes(app)
        assert {one, other} == set(stories)
        assert better in stories
        assert (rater, blind, reason) == ("Ann", 1, "=It <b>moves</b>")
        shown = page.locator(".comparison .heads h3").all_inner_texts()
        assert shown[1] == MODELS[stories.index(better)]
        rests(page)
        page.get_by_role("radiogroup").get_by_text("tie").click()
        page.get_by_role("button", name="Vote").click()
        expect(page.get_by_text("You have voted on 2 pairs of stories.")).to_be_visible()
        assert [(blind, better) for *_, better, _, blind, _ in votes(app)][-1] == (0, None), "the models were in sight"


def test_who_comes_back_under_the_same_name_does_not_vote_blind_again(
    app: App, stories: list[str], browser: Browser
) -> None:
    for _ in range(2):
        page = browser.new_page()
        page.goto(f"{app.url}/playback?compare={','.join(stories)}&blind=yes")
        assert heads(page) == ["Story A", "Story B"]
        page.get_by_role("radiogroup").get_by_text("Story B").click()
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Vote").click()
        expect(page.get_by_text("You have voted on ")).to_be_visible()
        page.close()
    assert [blind for *_, blind, _ in votes(app)] == [1, 0]


def test_stories_that_nothing_else_tells_apart_are_named_by_their_ids(
    app: App, stories: list[str], browser: Browser
) -> None:
    twin = app.play(SCENE, "--rounds", "1", "--character", f"rehearsal#{MODELS[0]}")
    with sqlite3.connect(app.db) as database:
        begun = "update story set created_at = (select created_at from story where id = ?) where id = ?"
        database.execute(begun, (stories[0], twin))
    page = browser.new_page()
    page.goto(f"{app.url}/playback?compare={stories[0]},+{twin}")
    assert heads(page) == [f"{MODELS[0]} · {stories[0]}", f"{MODELS[0]} · {twin}"]
    others = [app.play(SCENE, "--rounds", "1") for _ in range(2)]
    page.goto(f"{app.url}/playback?compare={','.join([stories[0], twin, *others])}")
    expect(page.get_by_text("Only two or three stories of the same scene can be compared")).to_be_visible()
    page.close()


def test_a_name_with_marks_stays_text_where_one_votes(app: App, stories: list[str], browser: Browser) -> None:
    store = store_in(app.db)
    store.families.name(stories[0], "**bold** ![x](http://127.0.0.1:9/x.png)")
    store.close()
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{app.url}/playback?compare={','.join(stories)}")
    expect(page.get_by_role("radiogroup")).to_contain_text("**bold** ![x]")
    assert not any("x.png" in url for url in asked)
    page.close()


def test_a_story_that_was_voted_on_stays_and_its_page_says_why(app: App, stories: list[str], browser: Browser) -> None:
    store = store_in(app.db)
    store.votes.cast(stories, None, rater="Ann", account=None, blind=False, reason="")
    store.close()
    page = browser.new_page()
    page.goto(f"{app.url}/playback?story={stories[0]}")
    rests(page)
    page.get_by_role("button", name="Name or delete").click()
    page.get_by_role("button", name="Delete story").click()
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("slider")).to_be_visible()
    page.close()


def _aligned(page: Page) -> None:
    """Each turn stands in one row; where a story has ended, its column says so."""
    rows = page.locator(".comparison .row:not(.heads)")
    expect(page.locator(".comparison .round")).to_have_text(["Before the first round", "Round 1", "Round 2"])
    assert rows.count() == 1 + 2 * (3 + 1)  # taking stock before the first round, three turns and taking stock
    for number in range(rows.count()):
        assert rows.nth(number).locator(".cell").count() == 2
    expect(rows.last.locator(".aside", has_text="—")).to_have_count(1)


def test_what_cannot_be_compared_is_said_to_be_so(pair_app: App, stories: list[str], page: Page) -> None:
    for wrong in ("none,nobody", "STORY", "STORY,STORY", "STORY,samplepriderain", ",", "../x"):
        page.goto(f"{pair_app.url}/playback?compare={wrong.replace('STORY', stories[0])}")
        expect(page.get_by_role("alert"), wrong).to_be_visible()
        expect(page.get_by_role("button", name="All stories"), wrong).to_be_visible()


def test_nothing_sticks_out(pair_app: App, stories: list[str], page: Page) -> None:
    page.goto(f"{pair_app.url}/playback?compare={','.join(stories)}")
    assert set(heads(page)) == set(MODELS)
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.wait_for_function("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
