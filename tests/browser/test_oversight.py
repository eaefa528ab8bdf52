"""The oversight of a campaign in the browser: progress that moves by itself, disagreements that open, a consensus."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.marking.marks import Skip
from characterbox.accounts.account import LOCAL
from characterbox.store.campaigns.verdicts import Ruling
from tests.browser.lab import HOSTILE, Lab, rated


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1440, "height": 900}, timezone_id="Europe/Berlin") as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
        yield page


def test_progress_moves_by_itself(lab: Lab, page: Page) -> None:
    lab.open(page)
    expect(page.get_by_text("2 of 6 ratings are done")).to_be_visible()
    row = page.locator(".ov-table").first.locator("tr", has_text="Cai <b>x</b>")
    expect(row).to_contain_text("never")
    expect(row).to_contain_text("0 of 2")
    expect(page.get_by_text("Times are in Europe/Berlin.")).to_be_visible()
    lab.say(*rated(lab.given["Cai <b>x</b>"][0], 2, 2), (lab.given["Cai <b>x</b>"][1], Skip(reason="known")))
    expect(page.get_by_text("3 of 6 ratings are done")).to_be_visible()
    expect(row).to_contain_text("1 of 2")
    expect(page.locator(".ov-table").last).to_contain_text("3 of 3")


def test_progress_and_disagreement_are_on_the_first_screen(lab: Lab, page: Page) -> None:
    lab.open(page)
    experts, cells = page.locator(".ov-experts li"), page.locator(".ov-cells li")
    expect(experts).to_have_count(3)
    expect(experts.last).to_contain_text("1 of 2")
    expect(experts.first).to_contain_text("Cai <b>x</b>")
    expect(
        page.get_by_role("heading", name=re.compile("^Largest disagreement: Knowledge Accuracy of .+, 1 to 5$"))
    ).to_be_visible()
    expect(cells.first.get_by_role("img")).to_have_attribute("aria-label", "Ann 1, Bob 5")
    for part in (experts, cells):
        box = part.last.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 900
    cells.first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"metric=KA"))


def test_models_are_shown_to_those_who_ask_for_them(lab: Lab, page: Page) -> None:
    lab.open(page)
    items = page.locator(".ov-table").last
    expect(items).to_contain_text("2 of 3")
    model = lab.store.campaigns.item(lab.campaign, lab.item).model
    expect(items).not_to_contain_text(model)
    page.get_by_text("Show models").click()
    expect(items.locator("tbody tr").first).to_contain_text(model)
    page.reload()
    expect(items.locator("tbody tr").first).to_contain_text(model)
    items.get_by_role("link").first.click()
    page.get_by_role("button", name="Back to the campaign").click()
    expect(items.locator("tbody tr").first).to_contain_text(model)
    page.get_by_text("Show models").click()
    expect(items).not_to_contain_text(model)


def test_the_text_of_a_reminder_in_both_languages(lab: Lab, page: Page) -> None:
    lab.open(page)
    text = page.get_by_test_id("stCode")
    expect(text).to_contain_text("Dear Cai <b>x</b>,")
    expect(text).to_contain_text(f"/annotate?campaign={lab.campaign}")
    page.get_by_role("radio", name="Chinese").click()
    expect(text).to_contain_text("您尚未开始，共有 2 项待评。")


def test_a_disagreement_opens_and_is_decided(lab: Lab, page: Page) -> None:
    lab.open(page, oversight="Disagreements")
    first = page.locator(".ov-table tbody tr").first
    expect(first).to_contain_text("Ann 1, Bob 5")
    expect(first).to_contain_text("Knowledge Accuracy")
    first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"metric=KA"))
    steps = page.locator(".ov-step")
    expect(steps.nth(0).locator("li")).to_have_text(["Ann 1", "Bob 5"])
    expect(steps.nth(1).locator("li")).to_have_text(["Ann 1"])
    expect(steps.nth(5).locator("li")).to_have_text(["Bob 5"])
    expect(page.locator(".ov-list", has_text="Ann: “").first).to_contain_text(HOSTILE)
    expect(page.get_by_text("The model is")).to_be_hidden()
    page.get_by_text("Model of this item").click()
    expect(page.get_by_text("The model is")).to_be_visible()

    page.get_by_role("button", name="Record consensus").click()
    expect(page.get_by_text("Choose the consensus score.")).to_be_visible()
    page.get_by_test_id("stForm").get_by_role("radio", name="4").click()
    page.get_by_role("button", name="Record consensus").click()
    expect(page.get_by_text("KA: enter a reason of 1 to 4000 characters")).to_be_visible()
    page.get_by_label("Reason").fill(HOSTILE)
    page.get_by_role("button", name="Record consensus").click()
    decisions = page.get_by_label("Decisions").locator("li")
    expect(decisions).to_have_count(1)
    expect(decisions).to_contain_text(f"consensus 4 (in effect), {LOCAL.name}")
    expect(decisions).to_contain_text(HOSTILE)
    (verdict,) = lab.store.verdicts.of_campaign(lab.campaign)
    assert (verdict.item, verdict.metric, verdict.score, verdict.reason) == (lab.item, "KA", 4, HOSTILE)
    assert [row.scores["KA"] for row in _rows(lab)] == [1, 5], "the ratings stay as they are"

    page.get_by_label("Reason").fill("seen again")
    page.get_by_role("button", name="Withdraw").click()
    expect(decisions).to_have_count(2)
    expect(decisions.first).to_contain_text("withdrawn")
    assert lab.store.verdicts.of_campaign(lab.campaign) == []
    page.get_by_role("button", name="Back to the campaign").click()
    expect(page.get_by_text("Ann 1, Bob 5")).to_be_visible()


def test_who_decides_second_is_told_and_loses_nothing(lab: Lab, page: Page) -> None:
    lab.open(page, item=lab.item, metric="KA")
    form = page.get_by_test_id("stForm")
    form.get_by_role("radio", name="5").click()
    form.get_by_label("Reason").fill("as Bob says")
    lab.store.verdicts.add(lab.campaign, Ruling(item=lab.item, metric="KA", score=3, reason="first"), LOCAL)
    page.get_by_role("button", name="Record consensus").click()
    expect(page.get_by_text("Somebody else has decided in the meantime")).to_be_visible()
    expect(form.get_by_label("Reason")).to_have_value("as Bob says")
    assert [one.score for one in lab.store.verdicts.history(lab.campaign, lab.item)] == [3]
    page.get_by_role("button", name="Record consensus").click()
    expect(page.get_by_text(": as Bob says")).to_be_visible()
    assert [one.score for one in lab.store.verdicts.history(lab.campaign, lab.item)] == [3, 5]


def _rows(lab: Lab) -> list:
    sheets = lab.store.marks.sheets(lab.campaign)
    return [sheets[lab.given[name][0].id] for name in ("Ann", "Bob")]


def test_figures_have_their_n_and_reasons(lab: Lab, page: Page) -> None:
    lab.open(page, oversight="Experts")
    table = page.locator(".ov-table").first
    expect(table.locator("tbody tr")).to_have_count(3)
    notes = page.locator(".ov-notes")
    expect(notes).to_contain_text("no interval: an interval needs at least 5 scenes; found 1")
    expect(notes).to_contain_text("this rater has not completed any item yet")
    page.get_by_text("What the statistics mean").click()
    expect(page.locator(".ov-folded[open] li")).to_have_count(9)
    cells = table.locator("td").all_inner_texts()
    assert all(cell.strip() and "nan" not in cell.lower() for cell in cells)
    lab.open(page, oversight="Blinding")
    expect(page.get_by_text("No blinding index can be computed")).to_be_visible()


@pytest.mark.parametrize("width", [390, 768])
def test_nothing_is_wider_than_the_screen(lab: Lab, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    places = [{}, {"oversight": "Disagreements"}, {"oversight": "Experts"}, {"item": lab.item, "metric": "KA"}]
    for place in places:
        lab.open(page, **place)
        expect(page.locator(".ov-table").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_item_that_is_not_of_the_campaign(lab: Lab, page: Page) -> None:
    lab.open(page, item=f"nowhere:{HOSTILE}")
    expect(page.get_by_text("has no item")).to_be_visible()
    page.get_by_role("button", name="Back to the campaign").click()
    expect(page.get_by_text("2 of 6 ratings are done")).to_be_visible()
