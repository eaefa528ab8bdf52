"""The library with the samples: found, opened, branched, named, tagged, deleted, taken along and brought in."""

import json
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.app import App, rests
from tests.browser.choosing import pick

SAMPLES = [
    "A wet afternoon and a borrowed book at Netherfield",
    "The captain asks for the galley key",
    "潇湘馆的诗稿传到了外头",
    "风雪酒店，墙上一张新告示",
]


def titles(page: Page, expected: list[str]) -> None:
    expect(page.locator(".library .title")).to_have_text(expected)


def test_a_first_visit_finds_four_samples_and_watches_one(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/playback")
    titles(page, SAMPLES)
    expect(page.locator(".library svg")).to_have_count(4)
    page.get_by_role("link", name=SAMPLES[1]).click()
    expect(page).to_have_url(re.compile("story=sampletreasurewatch"))
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("max", "94")
    expect(page.get_by_text("Sample story written by hand for CharacterBox (no language model).")).to_be_visible()
    rests(page)
    page.locator("body").press("2")
    expect(page.locator(".status")).to_contain_text("Round 2 of 3")
    page.get_by_role("button", name="Step details").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("a person (playing)")
    page.get_by_role("tab", name="Memory").click()
    expect(page.locator(".memories > li").first).to_contain_text("relevance")
    page.get_by_role("button", name="All stories").click()
    titles(page, SAMPLES)


def test_what_is_looked_for_is_in_the_address_and_survives_reload_and_return(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/playback?text=borrowed&language=en")
    titles(page, SAMPLES[:1])
    page.reload()
    titles(page, SAMPLES[:1])
    page.get_by_label("Search").fill("no such story")
    page.get_by_label("Search").press("Enter")
    expect(page.get_by_text("No matching stories.")).to_be_visible()
    page.get_by_label("Search").fill("")
    page.get_by_label("Search").press("Enter")
    titles(page, SAMPLES[:2])
    pick(page, "Language", re.compile("中文"))
    titles(page, SAMPLES[2:])
    expect(page).to_have_url(re.compile(r"language=zh"))
    page.get_by_role("link", name="中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    titles(page, SAMPLES[2:])
    expect(page).to_have_url(re.compile(r"language=zh"))
    page.get_by_role("link", name=SAMPLES[3]).click()
    expect(page.get_by_role("slider", name="时间轴")).to_be_visible()
    page.get_by_role("button", name="全部故事").click()
    titles(page, SAMPLES[2:])


def test_a_story_opens_in_another_tab_by_its_link(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/playback")
    titles(page, SAMPLES)
    with page.context.expect_page() as opened:
        page.get_by_role("link", name=SAMPLES[0]).click(modifiers=["ControlOrMeta"])
    expect(opened.value.get_by_role("slider", name="Timeline")).to_have_attribute("max", "97")


def test_a_sample_is_branched_named_tagged_found_and_deleted(page: Page, sampled_app: App) -> None:
    page.goto(f"{sampled_app.url}/playback?story=samplepriderain&at=80")
    expect(page.get_by_role("slider", name="Timeline")).to_have_value("80")
    page.get_by_role("button", name="Branch from here").click()
    dialog = page.get_by_role("dialog")
    for player in ("Narrator", "Elizabeth Bennet", "Mr. Darcy", "Caroline Bingley"):
        expect(dialog.get_by_role("combobox", name=player)).to_have_value("Built-in rehearsal")
    expect(dialog.get_by_text(re.compile("replies are reused; the rest are regenerated"))).to_be_visible()
    dialog.get_by_role("button", name="Start new story").click()
    expect(page).to_have_url(re.compile(r"story=[0-9a-f]{12}"))
    page.get_by_role("link", name="Playback").click()
    expect(page.get_by_role("heading", name="Branches")).to_be_visible()
    expect(page.get_by_role("button", name="Original story")).to_be_visible()
    rests(page)
    edit = page.get_by_role("button", name="Name or delete")
    edit.last.click()
    page.get_by_label("Name (to distinguish branches)").fill("What if she lies")
    page.get_by_label("Name (to distinguish branches)").press("Enter")
    expect(page.get_by_text("What if she lies", exact=True)).to_be_visible()
    rests(page)
    tags = page.get_by_role("combobox", name="Tags (for search)")
    tags.fill("for the paper")
    tags.press("Enter")
    expect(page.get_by_text("for the paper").first).to_be_visible()
    until_tagged(sampled_app, "for the paper")
    page.goto(f"{sampled_app.url}/playback?tag=for+the+paper")
    titles(page, SAMPLES[:1])
    expect(page.locator(".library .label")).to_have_text("What if she lies")
    page.get_by_role("link", name=SAMPLES[0]).click()
    expect(page.get_by_role("heading", name="Branches")).to_be_visible()
    rests(page)
    edit.first.click()
    page.get_by_role("button", name="Delete story").click()
    expect(page.get_by_text("it has branches; delete them first")).to_be_visible()
    page.keyboard.press("Escape")
    rests(page)
    edit.last.click()
    page.get_by_role("button", name="Delete story").click()
    titles(page, SAMPLES)


def until_tagged(app: App, tag: str) -> None:
    for _ in range(600):
        with closing(sqlite3.connect(app.db)) as database:
            if database.execute("select 1 from tag where tag = ?", [tag]).fetchone():
                return
        time.sleep(0.1)
    raise AssertionError(f"no story has the tag {tag}")


def test_a_story_is_taken_along_in_every_form_and_brought_in_elsewhere(
    page: Page, sampled_app: App, tmp_path: Path, app: App
) -> None:
    page.goto(f"{sampled_app.url}/playback?story=samplehongloushigao")
    expect(page.locator(".player")).to_be_visible()
    rests(page)  # else it is moved while its list is open
    page.get_by_role("button", name="Share", exact=True).click()
    saved = {}
    for label in ("HTML", "text", "Markdown", "JSON"):
        rests(page)
        with page.expect_download() as download:
            page.get_by_role("button", name=re.compile(rf"\({label}\)")).click()
        saved[label] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[label])
    assert saved["HTML"].stat().st_size < 1_000_000
    assert "第 1 轮" in saved["text"].read_text(encoding="utf-8")
    assert saved["Markdown"].read_text(encoding="utf-8").startswith("# 潇湘馆的诗稿传到了外头")
    page.goto(f"{app.url}/playback")
    page.get_by_role("button", name="Import story").click()
    broken = tmp_path / "broken.json"
    broken.write_text(saved["JSON"].read_text(encoding="utf-8")[:5000], encoding="utf-8")
    page.locator("input[type=file]").set_input_files(broken)
    expect(page.get_by_text(re.compile("not a CharacterBox story file"))).to_be_visible()
    rests(page)
    page.locator("input[type=file]").set_input_files(saved["JSON"])
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute("max", "94")
    story = json.loads(saved["JSON"].read_text(encoding="utf-8"))
    expect(page.locator(".title")).to_have_text(story["story"]["title"])


def test_the_first_minute_takes_two_clicks_to_a_story_and_two_more_to_rating_it(page: Page, app: App) -> None:
    page.goto(app.url)
    page.get_by_role("button", name="Start story").click()
    expect(page.locator(".player .step").first).to_be_visible()
    page.get_by_role("link", name="Annotate", exact=True).click()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_role("button", name="Start rating").click()
    expect(page.locator(".part-view")).to_be_visible()


def test_no_story_has_a_score_where_nobody_has_rated(page: Page, app: App) -> None:
    app.play("bundled:treasure-watch", "--rounds", "1")
    page.goto(f"{app.url}/playback?score=%E2%89%A5+2")
    expect(page.get_by_text("No matching stories.")).to_be_visible()
