"""The form of a judge: the paper's judges, how each judges, and that a name brings it back."""

import sqlite3
from contextlib import closing

from playwright.sync_api import Page, expect

from tests.browser.app import App, rests
from tests.browser.choosing import pick


def choose(page: Page, label: str, option: str) -> None:
    pick(page, label, option, typed=option)
    rests(page)


def judge(page: Page, rater: str) -> None:
    page.get_by_role("button", name="Judge story").click()
    expect(
        page.get_by_test_id("stMain").get_by_text(f"Rehearsal judge, {rater} protocol", exact=True).last
    ).to_be_visible()
    expect(page.get_by_text("characters judged")).to_have_count(0)


def paths(app: App, judge: str) -> set[str]:
    with closing(sqlite3.connect(app.db)) as database:
        rows = database.execute("select path from reply where path like ?", (f"judge/{judge}/%",))
        return {path.split("/")[3] for (path,) in rows}


def test_a_judge_judges_as_it_is_told_and_its_name_brings_that_back(page: Page, app: App) -> None:
    story = app.play("bundled:holmes-study", "--rounds", "1")
    page.goto(f"{app.url}/playback?story={story}&view=judges")
    rests(page)
    how = page.get_by_role("button", name="Judging protocol")
    choose(page, "Judge", "CharacterRM")
    how.click()
    expect(page.get_by_role("combobox", name="Scores")).to_have_value("Scores only, with a short prompt")
    page.keyboard.press("Escape")
    judge(page, "CharacterRM")
    assert paths(app, "characterrm") == {"scores"}
    choose(page, "Judge", "GPT-4")
    how.click()
    expect(page.get_by_role("combobox", name="Scores")).to_have_value("Critique first, then scores")
    page.keyboard.press("Escape")
    judge(page, "GPT-4")
    assert paths(app, "gpt-4") == {"critique", "scores"}
    how.click()
    choose(page, "Replies", "One reply per metric")
    page.keyboard.press("Escape")
    judge(page, "GPT-4 v2")
    page.reload()
    rests(page)
    choose(page, "Judge", "CharacterRM")
    choose(page, "Judge", "GPT-4")
    how.click()
    expect(page.get_by_role("combobox", name="Replies")).to_have_value("One reply per metric")


def test_narrator_and_scene_are_judged_beside_the_characters(page: Page, app: App) -> None:
    story = app.play("bundled:holmes-study", "--rounds", "1")
    page.goto(f"{app.url}/playback?story={story}&view=judges")
    rests(page)
    choose(page, "Judge", "ChatGLM")
    for subject in ("Narrator", "Scene"):
        choose(page, "Subject", subject)
        page.get_by_role("button", name="Judge story").click()
        expect(page.get_by_text("Rehearsal judge, ChatGLM protocol", exact=True).last).to_be_visible()
        expect(page.get_by_text("being judged")).to_have_count(0)
    expect(page.get_by_test_id("stMain").get_by_text("not a result")).to_have_count(2)
    assert paths(app, "chatglm") == {"scores"}
    with closing(sqlite3.connect(app.db)) as database:
        told = database.execute("select rubric, count(*) from rating where story_id = ? group by rubric", (story,))
        assert dict(told.fetchall()) == {"narrator": 4, "scene": 4}
