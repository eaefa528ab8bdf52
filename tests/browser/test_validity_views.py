"""The page Reliability and validity beyond its tables: what is selected, the charts, and what can be taken away."""

import csv
import io
import re
import zipfile
from urllib.parse import parse_qs, quote_plus, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from annotations.resampling.jackknife import Interval
from annotations.validity.pearson import fisher_interval
from tests.browser.app import App, rests
from tests.browser.choosing import pick
from tests.browser.tables import WAIT, figures, row, taken
from tests.browser.test_validity import MARK, csv_of, judge, rate_all, scores, upload
from tests.fakes.databases import store_in

NOTE = f"D{MARK[1:]}"
"""The mark in a chart."""


def open_with(page: Page, app: App, given: np.ndarray, **place: str) -> None:
    """The page of a file with these scores at a place in it."""
    open_file(page, app, csv_of(given), **place)


def open_file(page: Page, app: App, text: str, **place: str) -> None:
    """The page of a file at a place in it."""
    rest = "".join(f"&{name}={value}" for name, value in place.items())
    page.goto(f"{app.url}/validity?ratings=From+a+file{rest}")
    expect(page.get_by_text("Choose a file with the columns")).to_be_visible(timeout=WAIT)
    upload(page, text)
    rests(page)


def plot(page: Page, heading: str) -> Locator:
    """The first chart below a heading."""
    expect(page.get_by_role("heading", name=heading)).to_be_visible(timeout=WAIT)
    below = (
        f"xpath=//*[self::h2 or self::h3][contains(., '{heading}')]/following::*[contains(@class, 'js-plotly-plot')]"
    )
    return page.locator(below).first


def test_an_address_holds_what_is_selected_and_how_intervals_are_made(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_with(page, standing_app, given, intervals="Assume+independent+items", models="m1")
    kept = np.arange(40) % 4 == 1
    expert, judged = given[:3, kept, 2].mean(axis=0), given[3, kept, 2]
    r = float(np.corrcoef(expert, judged)[0, 1])
    fisher = fisher_interval(r, 10)
    assert isinstance(fisher, Interval)
    assert figures(row(page, "Validity", "uni<i>eval")[1]) == pytest.approx(
        (r, fisher.low, fisher.high, 10), abs=0.0051
    )
    page.get_by_role("button", name="Intervals and missing scores (1 changed)").click()
    expect(page.get_by_role("combobox", name="95 % intervals")).to_have_value("Assume independent items")
    told = page.get_by_test_id("stPopoverBody").get_by_text("otherwise by leaving out each item once (jackknife)")
    expect(told).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Experts", exact=True).click()
    assert figures(row(page, "Each expert", "e2")[0])[3] == 30
    expect(page.get_by_role("region", name="Reliability by language and model")).to_be_visible()
    expect(plot(page, "Correlations between metrics").locator(".main-svg").first).to_be_visible(timeout=WAIT)
    rests(page)
    page.get_by_role("button", name="Clear all").press("Enter")
    expect(page.get_by_role("region", name="Each expert").get_by_text("n = 120 ratings").first).to_be_visible()
    rests(page)
    assert figures(row(page, "Reliability by language and model", "m1")[0])[3] == 30


def test_the_charts_say_in_words_what_they_show(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_with(page, standing_app, given, view="Single+judge")
    differences = given[3, :, 2] - given[:3, :, 2].mean(axis=0)
    expect(page.get_by_role("combobox", name="Metric")).to_have_value("Overall")
    pick(page, "Metric", "wit")
    rests(page)
    labels = plot(page, "Judge and experts by item").locator(".annotation-text")
    expect(labels.filter(has_text="bias")).to_contain_text(f"{differences.mean():.2f}")
    expect(page.get_by_text("multitrait-multimethod matrix")).to_be_visible()
    page.get_by_text("How this is computed").first.click()
    expect(page.get_by_text("Text length is not available as a baseline")).to_be_visible()
    expect(
        page.get_by_text("Precision of r (overall), with scenes treated as random: with the current 10 scenes")
    ).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(4)
    page.get_by_role("radio", name="Experts", exact=True).click()
    r = np.corrcoef(given[:3, :, 0].ravel(), given[:3, :, 2].ravel())[0, 1]
    written = f"{r:.2f}".replace("0.", ".")
    expect(plot(page, "Correlations between metrics")).to_contain_text(written, timeout=WAIT)
    expect(page.get_by_role("combobox", name="Metric")).to_have_value("wit")
    expect(page).to_have_url(re.compile("metric=wit"))


def test_a_file_without_a_judge_says_so(page: Page, standing_app: App) -> None:
    experts = [line for line in csv_of(scores(5, 3)).splitlines() if ",judge," not in line]
    open_file(page, standing_app, "\n".join(experts), view="Single+judge")
    expect(page.get_by_text("These ratings include no judge.")).to_be_visible(timeout=WAIT)


def test_models_that_differ_have_curves_and_others_a_reason(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    better = np.arange(40) % 4 == 1
    given[:, better, 2] = np.clip(given[:, better, 2] + 2, 1, 5)
    open_with(page, standing_app, given, view="Planning", metric="wit")
    curves = plot(page, "Reliability of the model ranking: wit")
    expect(curves).to_contain_text("3 experts x 10 scenes", timeout=WAIT)
    expect(curves).to_contain_text("wit, n = 120 ratings")
    pick(page, "Metric", "Overall")
    expect(page.get_by_text("Not enough data for a chart: the 4 models do not differ on overall")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(0)


def test_names_are_not_markdown_and_a_judge_called_experts_is_one_of_the_judges(page: Page, standing_app: App) -> None:
    name = ":red[w]*i*t"
    given = scores(5, 3)
    better = np.arange(40) % 4 == 1
    given[:, better, 2] = np.clip(given[:, better, 2] + 2, 1, 5)
    text = csv_of(given).replace(",wit,", f",{name},").replace("uni<i>eval", "Experts")
    open_file(page, standing_app, text, view="Planning", metric=quote_plus(name))
    expect(plot(page, f"Reliability of the model ranking: {name}")).to_be_visible()
    page.get_by_role("radio", name="Experts", exact=True).click()
    expect(page.get_by_role("combobox", name="Metric").first).to_be_visible()
    assert figures(row(page, "Reliability by language and model", "All ratings")[0])[3] == 120
    pick(page, "Scores by", "Judge Experts")
    expect(page.get_by_text("Agreement between raters does not apply to a single judge.")).to_be_visible()
    rests(page)
    assert figures(row(page, "Reliability by language and model", "All ratings")[0])[3] == 40


def test_what_the_rehearsal_gave_is_marked_in_every_view(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    better = np.arange(40) % 4 == 1
    given[:, better] = np.clip(given[:, better] + 2, 1, 5)
    head, *lines = csv_of(given).splitlines()
    text = "\n".join([f"{head},improvised", *(f"{line},{'story and judge' * (',judge,' in line)}" for line in lines)])
    open_file(page, standing_app, text, view="Single+judge")
    for table in ("Validity of", "Agreement of", "Ceiling of", "Model means, corrected by experts"):
        region = page.get_by_role("region", name=table)
        expect(region).to_contain_text("Demo", timeout=WAIT)
    said = page.get_by_text(f"Ratings of Rehearsal judge, uni<i>eval protocol are, at least in part, {MARK}.")
    expect(said).to_have_count(1)
    expect(plot(page, "May the judge replace an expert?")).to_contain_text(NOTE, timeout=WAIT)
    for view in ("Experts", "Planning"):
        page.get_by_role("radio", name=view, exact=True).click()
        expect(page.get_by_text(f"All rated items are {MARK}.").first).to_be_visible()
        chart = plot(
            page, {"Experts": "Correlations between metrics", "Planning": "Reliability of the model ranking"}[view]
        )
        expect(chart).to_contain_text(NOTE, timeout=WAIT)


def test_a_point_opens_its_trajectory(page: Page, played_app: App) -> None:
    rate_all(played_app)
    judge(played_app, "GPT-4")
    page.goto(f"{played_app.url}/validity?view=Single+judge")
    points = page.locator(".js-plotly-plot").nth(1).locator(".scatterlayer .point")
    expect(points.first).to_be_visible(timeout=WAIT)
    rests(page)
    points.first.scroll_into_view_if_needed()
    box = points.first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"/playback\?"), timeout=WAIT)
    place = parse_qs(urlsplit(page.url).query)
    store = store_in(played_app.db)
    try:
        story = store.stories.story(place["story"][0])
        first = store.stories.events(story.id)[int(place["at"][0]) - 1]
    finally:
        store.close()
    assert len(first.path.split("/")) > 1
    expect(page.get_by_role("slider")).to_have_value(place["at"][0], timeout=WAIT)
    page.go_back()
    expect(page).to_have_url(re.compile("/validity"))
    expect(points.first).to_be_visible(timeout=WAIT)


def test_everything_can_be_taken_away(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_with(page, standing_app, given)
    r = np.corrcoef(given[:3, :, 2].mean(axis=0), given[3, :, 2])[0, 1]
    rows = list(csv.DictReader(io.StringIO(taken(page, "All statistics (CSV)").decode("utf-8-sig"), newline="")))
    found = next(row for row in rows if (row["statistic"], row["metric"]) == ("Pearson's r, items", "wit"))
    assert float(found["estimate"]) == pytest.approx(r)
    assert (found["judge"], found["n"], found["interval"]) == ("uni<i>eval", "40", "jackknife by scenes")
    assert rb"\begin{table*}" in taken(page, "Tables (LaTeX)")
    with zipfile.ZipFile(io.BytesIO(taken(page, "Bundle to recompute all statistics"))) as bundle:
        assert bundle.testzip() is None
        assert {"README.md", "ratings.csv", "figures.csv", "recompute.py", "SHA256SUMS"} <= set(bundle.namelist())
        methods = bundle.read("methods.md").decode()
    page.get_by_text("Show the methods paragraph").click()
    told = page.get_by_test_id("stCode")
    expect(told).to_contain_text("Each scene is left out once (jackknife; Tukey, 1958)")
    assert re.sub(r"\s+", "", methods) in re.sub(r"\s+", "", told.inner_text())


def test_what_an_address_asks_for_in_vain_is_told(page: Page, standing_app: App) -> None:
    open_with(
        page,
        standing_app,
        scores(5, 3),
        models="gone",
        intervals="magic",
        judge="<i>nobody</i>",
        metric="style",
        view="all",
    )
    for told in ("view all", "model gone", "interval method magic", "judge <i>nobody</i>", "metric style"):
        expect(page.get_by_text(f"The link asks for the {told}, which is not available here.")).to_be_visible()
    page.get_by_role("button", name="Intervals and missing scores").click()
    expect(page.get_by_role("combobox", name="95 % intervals")).to_have_value("Resample scenes (jackknife)")
