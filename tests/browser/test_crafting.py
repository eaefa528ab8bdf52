"""Crafting in the browser: a source is given, each step is seen, a draft is edited, scenes are scored and compared."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.app import App, rests
from tests.browser.fields import write
from tests.browser.rating import marks
from tests.fakes.databases import store_in

NOVEL = "\n\n".join(
    f"Chapter {chapter}\n\n" + "\n\n".join(f"“Who has it?” asked Ann, {chapter}.{line}, and Bea looked away." * 4
    for line in range(12)) for chapter in range(1, 9)
)  # fmt: skip


def press(page: Page, button: str) -> None:
    rests(page)
    page.get_by_role("button", name=button).first.click()


def test_scenes_are_crafted_edited_scored_and_compared(app: App, page: Page, tmp_path: Path) -> None:
    novel = tmp_path / "novel.txt"
    novel.write_text(NOVEL, encoding="utf-8")
    page.goto(f"{app.url}/scenes")
    press(page, "Generate scenes")
    page.locator("input[type=file]").set_input_files(novel)
    expect(page.get_by_text("8 chapters")).to_be_visible()
    write(page, "Work", "The Hotel")
    expect(page.get_by_text("9 to 27 calls")).to_be_visible()
    press(page, "Generate")
    expect(page).to_have_url(re.compile(r"crafting=\w{12}"))
    crafting = page.url
    expect(page.get_by_text(re.compile(r"^Done · "))).to_be_visible()
    expect(page.get_by_text("do not report")).to_be_visible()
    page.reload()
    expect(page.get_by_text(re.compile(r"^Done · "))).to_be_visible()

    directed = page.get_by_test_id("stExpander").filter(has_text=re.compile("^.{0,40}Director: ")).first
    directed.get_by_text(re.compile("Director: ")).click()
    expect(page.get_by_text("of the wording matches passages of the source word for word").first).to_be_visible()
    rests(page)
    directed.get_by_role("button", name="Edit").click()
    draft = page.get_by_label("Draft (JSON)").first
    expect(draft).to_have_value(re.compile('"title": "'))
    text = draft.input_value()
    draft.fill(text.replace('"title": "', '"title": "Mended: ', 1))
    draft.press("Control+Enter")
    press(page, "Save draft")
    expect(page.get_by_text(re.compile("^Director: Mended: "))).to_be_visible()
    press(page, "Continue")
    expect(page.get_by_text(re.compile(r"^Done · "))).to_be_visible()

    write(page, "Endpoint", "rehearsal")
    press(page, "Score scenes")
    expect(page.get_by_role("rowheader", name="Rehearsal judge, GPT-4 protocol").first).to_be_visible()
    page.goto(f"{app.url}/leaderboard?view=Scene+generation")
    expect(page.get_by_role("rowheader", name=re.compile("three-stage · rehearsal"))).to_be_visible()
    expect(page.get_by_role("rowheader", name="Three-Stage", exact=True)).to_be_visible()
    rests(page)
    for label, told in (
        ("Table 4 (CSV)", "three-stage · rehearsal"),
        ("Table 4 (LaTeX)", "Scene crafting, as scored by"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        assert told in Path(download.value.path()).read_text(encoding="utf-8-sig")
    experts_score_in_a_campaign(app, page, crafting)
    store = store_in(app.db)
    assert {scene.passage.source for scene in store.scenes.all() if scene.passage} == {"novel.txt"}
    store.close()


def part(page: Page, name: str) -> None:
    rests(page)
    page.get_by_role("radio", name=re.compile(rf"^{name}( |$)")).click()
    rests(page)


def experts_score_in_a_campaign(app: App, page: Page, crafting: str) -> None:
    """From the crafting to a campaign with its scenes, to an expert's scores, to the table by experts."""
    page.goto(crafting)
    press(page, "Create campaign for these scenes")
    expect(page).to_have_url(re.compile(r"/campaigns\?campaign=\w{12}"))
    expect(page.get_by_text("Rated: the opening of a scene, on 4 metrics.")).to_be_visible()
    write(page, "Raters per item", "1")
    part(page, "Scenes")
    picked = page.get_by_text(re.compile(r"^\d+ of \d+ scenes found\. Selected: \d+\.$"))
    expect(picked).to_be_visible()
    count = int(picked.inner_text().rpartition(" ")[2].rstrip("."))
    part(page, "Experts")
    write(page, "Expert name", "Dora")
    press(page, "Add expert")
    expect(page.get_by_text("Dora").first).to_be_visible()
    part(page, "Plan")
    press(page, "Start campaign")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_text(re.compile("^Running"))).to_be_visible()
    page.goto(f"{app.url}/annotate?rater=Dora")
    page.locator("tbody tr").get_by_role("link").first.click()
    expect(page.locator(".cast .profile").first).to_be_visible()
    expect(page.get_by_test_id("stMain").get_by_text(re.compile("three-stage|generated"))).to_have_count(0)
    for number in range(1, count + 1):  # one of them was edited by hand, and does not count; which comes first is drawn
        expect(page.locator(".place").first).to_have_text(f"{number} of {count}")
        for digit in "4352":
            page.keyboard.press(digit)
        expect(page.locator(".mark.saved")).to_have_count(4)
        page.keyboard.press("Enter")
    for _ in range(600):
        if len(marks(app, "Dora", "submit")) == count:
            break
        page.wait_for_timeout(100)
    assert len(marks(app, "Dora", "submit")) == count
    page.goto(f"{app.url}/leaderboard?view=Scene+generation&rater=~experts")
    expect(page.get_by_role("combobox", name="Scores by")).to_have_value("the experts")
    ours = page.locator("tr", has=page.get_by_role("rowheader", name=re.compile("three-stage · rehearsal")))
    expect(ours.get_by_role("cell").first).to_have_text(re.compile(rf"^4\.00.*{count - 1} scene"))
