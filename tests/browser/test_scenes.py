"""Scenes in the browser: found, read, played, edited beside how they read, compared, brought in and taken along."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from characterbox.scenes.cards.export import as_png, card_of
from characterbox.scenes.cards.profile import read_card
from characterbox.scenes.importer import read_scene_bytes
from characterbox.scenes.library import bundled_scene
from tests.browser.app import LATE, App, rests
from tests.browser.choosing import pick
from tests.browser.menu import to_page
from tests.browser.test_accessibility import faults
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene

RAIN = bundled_scene("pride-rain")


@pytest.fixture
def page(page: Page) -> Iterator[Page]:
    """One in which no script fails."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []


def titled(page: Page, title: str) -> None:
    expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()
    rests(page)


def edit_a_copy(page: Page, app: App) -> None:
    page.goto(f"{app.url}/scenes?scene=bundled:pride-rain")
    titled(page, RAIN.title)
    page.get_by_role("button", name="Duplicate to edit").click()
    expect(page).to_have_url(re.compile("edit=yes"))
    titled(page, f"{RAIN.title} (copy)")
    expect(page.get_by_label("Title")).to_have_value(f"{RAIN.title} (copy)")


@pytest.mark.parametrize("width", [390, 1440])
def test_what_was_saved_from_the_foot_of_the_form_is_told_within_sight(page: Page, app: App, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    edit_a_copy(page, app)
    last = page.get_by_label("Description").last
    last.scroll_into_view_if_needed()
    last.fill("Somebody else.")
    rests(page)
    top = page.locator(".stMain").evaluate("node => node.scrollTop")
    assert top > 700
    page.keyboard.press("Control+Enter")
    told = page.get_by_text("Version 2 is saved.")
    expect(told).to_be_in_viewport(ratio=1)
    rests(page)
    expect(told).to_be_in_viewport(ratio=1)
    above = "node => document.elementFromPoint(node.getBoundingClientRect().x + 9, node.getBoundingClientRect().y + 9)"
    assert told.evaluate(f"node => ({above})(node) === node"), "nothing lies on it"


def no_wider_than_the_screen(page: Page) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    main = page.locator('[data-testid="stMain"]')
    assert main.evaluate("node => node.scrollWidth - node.clientWidth") <= 0


def test_a_scene_is_found_read_and_played_and_the_address_says_what_is_seen(page: Page, standing_app: App) -> None:
    page.goto(f"{standing_app.url}/scenes")
    titled(page, "Scenes")
    links = page.locator(".cb-scenes a")
    expect(links.first).to_be_visible()
    expect(page.get_by_text("60 scenes", exact=True)).to_be_visible()
    pick(page, "Language", re.compile("Chinese"))
    expect(page).to_have_url(re.compile("language=zh"))
    rests(page)
    expect(page.get_by_text("30 scenes", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("60 scenes", exact=True)).to_be_visible()
    rests(page)
    page.get_by_label("Search").fill("Netherfield letter")
    page.get_by_label("Search").press("Enter")
    expect(page).to_have_url(re.compile(r"text=Netherfield\+letter"))
    expect(page.get_by_role("link", name=RAIN.title)).to_be_visible()
    page.reload()
    page.get_by_role("link", name=RAIN.title).click()
    expect(page).to_have_url(re.compile("scene=bundled%3Apride-rain"))
    titled(page, RAIN.title)
    expect(page.locator(".cb-scene h3").first).to_have_text(re.compile(RAIN.cast[0].name))
    page.go_back()
    expect(page.get_by_label("Search")).to_have_value("Netherfield letter")
    page.go_forward()
    titled(page, RAIN.title)
    page.get_by_role("link", name="Play scene").click()
    expect(page.locator(".cb-scene h2")).to_have_text(RAIN.title)
    expect(page).to_have_url(re.compile("scene=pride-rain"))


def test_a_scene_is_found_by_its_full_title_though_a_filter_is_set_before_the_browser_hears_of_it(
    page: Page, standing_app: App
) -> None:
    title = bundled_scene("honglou-shigao").title
    page.add_init_script(LATE)
    page.goto(f"{standing_app.url}/scenes")
    titled(page, "Scenes")
    page.get_by_label("Search").fill(title)
    page.get_by_label("Search").press("Enter")
    language = page.get_by_role("combobox", name="Language")
    language.focus()
    language.press("ArrowDown")
    page.get_by_role("option", name=re.compile("Chinese")).click()
    expect(page).to_have_url(re.compile("text=.*&language=zh"))
    rests(page)
    expect(page.locator(".cb-scenes a")).to_have_text([title])
    expect(page.get_by_label("Search")).to_have_value(title)
    page.go_back()
    expect(page).not_to_have_url(re.compile("language"))
    expect(language).to_have_value("any language")
    expect(page.get_by_label("Search")).to_have_value(title)
    expect(page.locator(".cb-scenes a")).to_have_text([title])


def test_the_stage_shows_the_scene_that_is_to_be_played_whatever_was_shown_before(page: Page, app: App) -> None:
    for id in ("carol-counting", "alice-tarts", "disc-worktop"):
        page.goto(f"{app.url}/scenes") if id == "carol-counting" else to_page(page, "Watch", "Scenes")
        titled(page, "Scenes")
        page.locator(f'.cb-scenes a[href$="{id}"]').click()
        titled(page, bundled_scene(id).title)
        page.get_by_role("link", name="Play scene").click()
        expect(page.locator(".cb-scene h2")).to_have_text(bundled_scene(id).title)


def test_a_copy_is_edited_beside_how_it_reads_and_each_save_is_a_version(page: Page, app: App) -> None:
    edit_a_copy(page, app)
    title = page.get_by_label("Title")
    title.fill("The letter is read aloud")
    expect(page.locator(".cb-reading h2")).to_have_text("The letter is read aloud")
    expect(page.locator(".scene-form .state")).to_have_text("Draft kept; not saved")
    names = page.get_by_label("Name", exact=True)
    second = names.nth(1).input_value()
    names.nth(1).fill(f" {names.nth(0).input_value().upper()}!")
    fault = page.locator(".scene-form .fault", has_text="is too much like")
    expect(fault).to_be_visible()
    expect(names.nth(1)).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It is not saved yet")).to_be_visible()
    expect(names.nth(1)).to_be_focused()
    page.reload()
    expect(page.get_by_text("is here again")).to_be_visible()
    expect(title).to_have_value("The letter is read aloud")
    names.nth(1).fill(second)
    expect(page.locator(".scene-form .fault:not(:empty)")).to_have_count(0)
    page.get_by_role("button", name="Add character").click()
    expect(names).to_have_count(len(RAIN.cast) + 1)
    expect(names.last).to_be_focused()
    names.last.fill("Mr. Hurst")
    page.get_by_role("button", name="Move up: Mr. Hurst").click()
    expect(names.nth(len(RAIN.cast) - 1)).to_have_value("Mr. Hurst")
    page.get_by_role("button", name="Remove: Mr. Hurst").click()
    expect(names).to_have_count(len(RAIN.cast))
    page.get_by_role("button", name="Put back: Mr. Hurst").click()
    expect(names).to_have_count(len(RAIN.cast) + 1)
    page.get_by_role("button", name="Remove: Mr. Hurst").click()
    page.get_by_role("button", name="Add note").first.click()
    page.keyboard.type("She has seen the letter.")
    expect(page.locator(".cb-reading li", has_text="She has seen the letter.")).to_be_visible()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Version 2 is saved.")).to_be_visible()
    titled(page, "The letter is read aloud")
    page.get_by_text("Versions", exact=True).click()
    expect(page.locator(".cb-diff ins", has_text="aloud")).to_be_visible()
    expect(page.locator(".cb-diff ins", has_text="She has seen the letter.")).to_be_visible()
    page.get_by_role("button", name="Go back to version 1").click()
    expect(page.get_by_text("Version 3 says what version 1 said.")).to_be_visible()
    titled(page, f"{RAIN.title} (copy)")


def test_a_mask_follows_the_names_of_the_cast_and_what_gives_it_away_is_told(page: Page, app: App) -> None:
    chain = store_in(app.db).scenes.start(a_scene("Ann", "Bob", "Cy"), None)
    page.goto(f"{app.url}/scenes?scene={chain}&edit=yes")
    titled(page, "A watch goes missing")
    masked, other = (page.locator("fieldset.character").nth(place) for place in range(2))
    masked.get_by_text("Unknown by name, in disguise").click()
    masked.get_by_role("button", name="Add alias").click()
    page.keyboard.type("the visitor")
    called = masked.get_by_role("group", name="Used by")
    called.get_by_label("Bob").check()
    called.get_by_label("Cy").check()
    expect(masked.get_by_role("group", name="Hidden from").get_by_role("checkbox")).to_have_count(2)
    reading = page.locator(".cb-reading")
    expect(reading.get_by_text("the visitor (to Bob, Cy)")).to_be_visible()
    other.get_by_label("Name", exact=True).fill("Jane")
    expect(reading.get_by_text("the visitor (to Jane, Cy)")).to_be_visible()
    expect(called.get_by_label("Jane")).to_be_checked()
    page.get_by_role("button", name="Remove: Jane").click()
    expect(reading.get_by_text("the visitor (to Cy)")).to_be_visible()
    expect(called.get_by_label("Jane")).to_have_count(0)
    page.get_by_role("button", name="Put back: Jane").click()
    expect(reading.get_by_text("the visitor (to Jane, Cy)")).to_be_visible()
    page.get_by_label("Title").fill("Ann is expected")
    caution = page.locator(
        ".scene-form .caution", has_text="it names Ann, whom Jane and Cy should not know by that name"
    )
    expect(caution.first).to_be_visible()
    masked.get_by_label("Alias").fill("Jane")
    expect(masked.get_by_text("'Jane' is the name of somebody else; write another one")).to_be_visible()
    masked.get_by_label("Alias").fill("the visitor")
    expect(masked.get_by_text("'Jane' is the name of somebody else")).to_have_count(0)
    masked.get_by_label("Appearance").fill("A young woman in muslin.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Version 2 is saved.")).to_be_visible()
    expect(page.locator(".cb-scene").get_by_text("A young woman in muslin.")).to_be_visible()


def test_of_two_windows_the_second_that_saves_is_told_and_loses_nothing(page: Page, app: App) -> None:
    edit_a_copy(page, app)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_label("Title")).to_have_value(f"{RAIN.title} (copy)")
    page.get_by_label("Title").fill("Hers")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Version 2 is saved.")).to_be_visible()
    other.get_by_label("Title").fill("His")
    expect(other.get_by_text("Version 2 was saved meanwhile, in another window")).to_be_visible()
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other.locator(".scene-form .fault", has_text="was saved meanwhile")).to_be_visible()
    expect(other.get_by_label("Title")).to_have_value("His")
    other.get_by_role("button", name="Continue with my draft").click()
    rests(other)
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other.get_by_text("Version 3 is saved.")).to_be_visible()


def test_many_files_are_reported_on_before_anything_is_stored_and_scenes_are_taken_along(
    page: Page, app: App, tmp_path: Path
) -> None:
    broken = {**a_scene().model_dump(mode="json"), "id": "empty", "cast": []}
    files = {
        "two.json": json.dumps({"scenes": [a_scene().model_dump(mode="json"), broken]}),
        "none.yaml": "a: [",
        "known.json": json.dumps(RAIN.model_dump(mode="json")),
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    page.goto(f"{app.url}/scenes?new=import")
    titled(page, "Import scenes")
    rests(page)
    page.locator("input[type=file]").set_input_files([tmp_path / name for name in files])
    expect(page.get_by_text("cast: it is empty; add at least one character")).to_be_visible()
    expect(page.get_by_text(re.compile("none.yaml: line 1"))).to_be_visible()
    expect(page.get_by_text("1 is known already:")).to_be_visible()
    rests(page)
    page.get_by_role("button", name="Store 1 scene").click()
    expect(page.get_by_text("1 scene is stored.")).to_be_visible()
    expect(page.locator(".cb-scenes a")).to_have_text([a_scene().title])
    rests(page)
    page.get_by_role("button", name="Export").click()
    titled(page, "Export scenes")
    rests(page)
    for label, ending in (("YAML", "yaml"), ("JSON", "json")):
        with page.expect_download() as download:
            page.get_by_role("button", name=re.compile(label)).click()
        saved = tmp_path / f"saved.{ending}"
        download.value.save_as(saved)
        assert read_scene_bytes(saved.name, saved.read_bytes()).scenes == (a_scene(),)
        rests(page)


def test_of_twelve_files_at_once_each_has_its_report_and_the_refused_leave_nothing_behind(
    page: Page, app: App, tmp_path: Path
) -> None:
    good = [a_scene("Ann", f"Bo {number}").model_copy(update={"id": f"s{number}"}) for number in range(4)]
    files = {f"{scene.id}.json": scene.model_dump_json().encode() for scene in good}
    files["s3.json"] = files["s3.json"].decode().encode("utf-16")
    files |= {
        "broken.json": b"{",
        "empty.json": b" ",
        "big5.json": "話說天下大勢".encode("big5"),
        "other.json": b'{"name": "package"}',
        "broken.yaml": b"a: [",
        "nobody.yaml": b"id: x\ncast: []\nlanguage: en",
        "broken.png": b"hello",
        "broken.charx": b"PK",
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    page.goto(f"{app.url}/scenes?new=import")
    titled(page, "Import scenes")
    rests(page)
    page.locator("input[type=file]").set_input_files([tmp_path / name for name in files])
    reports = page.locator("[class*=st-key-scene-report-]")
    told_of = [name for name in files if name != "big5.json"]
    expect(reports).to_have_count(len(told_of))
    # The encoding of one file is to be chosen before it is read.
    expect(page.get_by_text("big5.json: its encoding is not certain.")).to_be_visible()
    for number, name in enumerate(told_of):
        expect(reports.nth(number)).to_contain_text(name)
        told = "1 new scene:" if number < len(good) else "1 scene is refused:" if name == "nobody.yaml" else f"{name}: "
        expect(reports.nth(number)).to_contain_text(told)
    page.get_by_role("button", name="Store 4 scenes").click()
    expect(page.get_by_text("4 scenes are stored.")).to_be_visible()
    expect(page.locator(".cb-scenes a")).to_have_count(len(good))
    page.goto(f"{app.url}/scenes?new=import")
    titled(page, "Import scenes")
    expect(reports).to_have_count(0)


def test_a_card_and_scenes_are_dropped_at_once_and_a_scene_is_begun_with_the_card(
    page: Page, app: App, tmp_path: Path
) -> None:
    profile = RAIN.cast[0].model_copy(update={"knowledge": ("The letter is a forgery.",)})
    (tmp_path / "elizabeth.png").write_bytes(as_png(card_of(profile, "A wet morning.")))
    (tmp_path / "watch.json").write_text(a_scene().model_dump_json(), encoding="utf-8")
    page.goto(f"{app.url}/scenes?new=import")
    titled(page, "Import scenes")
    page.locator("input[type=file]").set_input_files([tmp_path / "elizabeth.png", tmp_path / "watch.json"])
    expect(page.get_by_text(f"A character card: {profile.name}")).to_be_visible()
    expect(page.get_by_text("1 note of what it knows")).to_be_visible()
    expect(page.get_by_role("button", name="Store 1 scene")).to_be_visible()
    page.get_by_role("button", name="Write a scene with these characters").click()
    expect(page.get_by_text("1 character is here from its card.")).to_be_visible()
    titled(page, "Write a scene")
    expect(page.get_by_label("Name", exact=True)).to_have_value(profile.name)
    expect(page.locator(".cb-reading li", has_text="The letter is a forgery.")).to_be_visible()
    expect(page.locator(".cb-reading", has_text="A wet morning.")).to_be_visible()


def test_a_character_is_taken_along_as_a_card(page: Page, standing_app: App, tmp_path: Path) -> None:
    page.goto(f"{standing_app.url}/scenes?scene=bundled:pride-rain")
    titled(page, RAIN.title)
    page.get_by_role("button", name="Download character card").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG (V3 and V2)").click()
    download.value.save_as(tmp_path / "card.png")
    assert read_card("card.png", (tmp_path / "card.png").read_bytes()).profile() == RAIN.cast[0]


def test_the_library_is_inspected_with_the_filters_that_are_set(page: Page, app: App) -> None:
    store = store_in(app.db)
    store.scenes.add([a_scene()])
    store.close()
    page.goto(f"{app.url}/scenes?language=en")
    titled(page, "Scenes")
    page.get_by_role("button", name="Statistics").click()
    expect(page).to_have_url(re.compile("language=en.*inspect=yes"))
    titled(page, "Statistics")
    expect(page.locator(".js-plotly-plot")).to_be_visible()
    gaps = page.locator("details.cb-found").first
    gaps.locator("summary").click()
    gaps.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile(r"\?scene="))
    titled(page, a_scene().title)
    page.go_back()
    titled(page, "Statistics")


@pytest.mark.parametrize(
    "place",
    [
        "scenes",
        "scenes?scene=bundled:honglou-shigao",
        "scenes?new=scene",
        "scenes?new=import",
        "scenes?inspect=yes",
        "scenes?export=authors",
    ],
)
def test_on_a_phone_in_chinese_and_in_the_dark(browser: Browser, standing_app: App, place: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark") as context:
        context.add_cookies([{"name": "characterbox_language", "value": "zh", "url": standing_app.url}])
        page = context.new_page()
        page.goto(f"{standing_app.url}/{place}")
        expect(page.locator("h1").first).to_be_visible()
        rests(page)
        no_wider_than_the_screen(page)
        assert faults(page) == []
