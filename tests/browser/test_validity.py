"""Reliability and validity in the browser: the figures on the page are those that numpy gives for the same ratings."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.rating import read_ratings
from annotations.rubric import load_rubric
from characterbox.store import Store
from characterbox.store.ratings import item_of, rating_of
from tests.browser.conftest import REPOSITORY, App
from tests.browser.tables import WAIT, figures, row

METRICS = ("clarity", "overall", "wit")
KEYS = load_rubric().keys
MARK = "improvised without a language model: not a result"


def scores(seed: int, metrics: int) -> np.ndarray:
    """Scores of 4 raters (three experts, then a judge) for 40 items on each metric."""
    random = np.random.default_rng(seed)
    truth = random.normal(3, 1, (1, 40, metrics))
    return np.clip(np.round(truth + random.normal(0, 0.8, (4, 40, metrics))), 1, 5)


def csv_of(given: np.ndarray) -> str:
    """The scores as a file, 10 scenes by 4 models."""
    raters = (("e1", "expert"), ("e2", "expert"), ("e3", "expert"), ("uni<i>eval", "judge"))
    lines = ["item,scene,model,metric,rater,kind,score"]
    for (rater, kind), of_rater in zip(raters, given, strict=True):
        for item, of_item in enumerate(of_rater):
            place = f"i{item},s{item // 4},m{item % 4}"
            lines += [
                f"{place},{metric},{rater},{kind},{score:g}" for metric, score in zip(METRICS, of_item, strict=True)
            ]
    return "\n".join(lines)


def alpha(rows: np.ndarray) -> float:
    """Cronbach's alpha from its formula; rows by columns."""
    k = rows.shape[1]
    return float(k / (k - 1) * (1 - rows.var(axis=0, ddof=1).sum() / rows.sum(axis=1).var(ddof=1)))


def upload(page: Page, text: str, name: str = "ratings.csv") -> None:
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})


def choose(page: Page, label: str, option: str) -> None:
    """Pick from a select box, which closes when the page scrolls: so that goes first, with the charts in place."""
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    box = page.get_by_role("combobox", name=label)
    box.scroll_into_view_if_needed()
    box.focus()
    box.press("ArrowDown")
    page.get_by_role("option", name=option, exact=True).click()


@pytest.fixture
def page(browser: Browser):  # type: ignore[no-untyped-def]
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(WAIT)
    yield page
    page.close()


def open_file_page(page: Page, app: App) -> None:
    page.goto(f"{app.url}/validity?ratings=From+a+file")
    expect(page.get_by_text("Choose a file in UTF-8")).to_be_visible(timeout=WAIT)


def test_the_figures_of_a_file_are_those_that_numpy_gives(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_file_page(page, standing_app)
    upload(page, csv_of(given))
    validity = row(page, "Validity", "uni<i>eval")
    heads = page.get_by_role("region", name="Validity").locator("thead th").all_inner_texts()
    assert heads == ["clarity", "wit", "Overall"]
    for head, cell in zip(heads, validity, strict=True):
        metric = METRICS.index(head.lower())
        estimate, low, high, n = figures(cell)
        expected = np.corrcoef(given[:3, :, metric].mean(axis=0), given[3, :, metric])[0, 1]
        assert estimate == pytest.approx(expected, abs=0.0051)
        assert low < estimate < high
        assert n == 40
    experts = given[:3, :, [0, 2]].reshape(-1, 2)
    assert figures(row(page, "Reliability", "all metrics")[0])[0] == pytest.approx(alpha(experts), abs=0.0051)
    assert figures(row(page, "Reliability", "wit", 1)[0])[0] == pytest.approx(alpha(given[:3, :, 2].T), abs=0.0051)
    made = "one-way cluster bootstrap over 10 scenes, with the 4 models as given, seed 0"
    expect(page.get_by_text(made)).to_be_visible()
    expect(page.get_by_text("Overall is the overall score as raters and judge gave it")).to_be_visible()
    expect(page.get_by_text(MARK)).to_have_count(0)


def test_the_choice_of_the_figures_is_in_the_url(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_file_page(page, standing_app)
    upload(page, csv_of(given))
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=WAIT)
    choose(page, "Metric", "wit")
    expect(page).to_have_url(re.compile("metric=wit"))
    r = np.corrcoef(given[:3, :, 2].mean(axis=0), given[3, :, 2])[0, 1]
    expect(page.locator(".js-plotly-plot").nth(1).locator(".gtitle")).to_contain_text(f"r = {r:.2f} [")
    page.reload()
    expect(page.get_by_text("Choose a file in UTF-8")).to_be_visible(timeout=WAIT)
    assert "ratings=From+a+file" in page.url


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("item,scene\n1,2", "line 1: the header has no column model, metric, rater, kind, score"),
        (
            "item,scene,model,metric,rater,kind,score\na,s,m,KA,r,expert,**good**",
            "line 2, column score: '**good**' is not a number; write a number, or nothing if the rating is missing",
        ),
    ],
)
def test_a_file_that_cannot_be_used_says_where_and_what_to_do(
    page: Page, standing_app: App, text: str, complaint: str
) -> None:
    open_file_page(page, standing_app)
    upload(page, text, "<b>bad.csv")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(f"<b>bad.csv: {complaint}", timeout=WAIT)
    expect(page.get_by_role("heading", name="Validity", exact=True)).to_have_count(0)
    upload(page, csv_of(scores(5, 3)))
    expect(page.get_by_role("heading", name="Validity", exact=True)).to_be_visible(timeout=WAIT)
    expect(alert).to_have_count(0)


def test_without_ratings_the_page_says_what_to_do(page: Page, standing_app: App) -> None:
    page.goto(f"{standing_app.url}/validity")
    expect(page.get_by_text("There are no ratings yet.")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("link", name="Launch a scene")).to_be_visible()
    page.get_by_test_id("stMain").get_by_role("link", name="Annotate").click()
    expect(page).to_have_url(re.compile("/annotate"))


def rate_all(app: App) -> dict[tuple[str, str, str], int]:
    """Three experts rate every character of every story; (rater, item, metric) to score."""
    random = np.random.default_rng(2)
    store = Store(f"sqlite:///{app.db}")
    given: dict[tuple[str, str, str], int] = {}
    ratings = []
    for story in store.stories.stories():
        for name in story.script.scene.names:
            for key in KEYS:
                truth = random.normal(3, 1)
                for rater in ("Ann", "Bo", "Cy"):
                    score = int(np.clip(round(truth + random.normal(0, 0.6)), 1, 5))
                    ratings.append(rating_of(story, name, rater=rater, kind="expert", metric=key, score=score))
                    given[rater, item_of(story, name), key] = score
    store.ratings.add(ratings)
    store.close()
    return given


def judge(app: App, name: str) -> None:
    """Have all stories judged at the rehearsal."""
    store = Store(f"sqlite:///{app.db}")
    ids = [story.id for story in store.stories.stories()]
    store.close()
    for id in ids:
        command = [sys.executable, "-m", "characterbox", "judge", id, "--judge", f"{name}=rehearsal"]
        subprocess.run(
            command,
            cwd=REPOSITORY,
            env={**os.environ, "CHARACTERBOX_DB": str(app.db)},
            check=True,
            capture_output=True,
            timeout=60,
        )


def test_the_ratings_in_the_app_have_their_figures_by_language_and_the_mark(page: Page, played_app: App) -> None:
    given = rate_all(played_app)
    judge(played_app, "GPT-4")
    page.goto(f"{played_app.url}/validity")
    cells = row(page, "Reliability", "Consistency")
    rows = sorted({(rater, item) for rater, item, _ in given})
    table = np.array([[given[rater, item, key] for key in ("IM", "AD", "BC")] for rater, item in rows])
    assert figures(cells[0])[0] == pytest.approx(alpha(table), abs=0.0051)
    assert figures(cells[0])[3] == len(rows)
    assert cells[1].endswith("paper 0.94")
    assert cells[2].endswith("paper 0.94")
    ours, paper = row(page, "Validity", "GPT-4"), row(page, "Validity", "GPT-4", 1)
    assert len(ours) == 8
    assert paper == ["0.45", "0.47", "0.60", "0.45", "0.62", "0.74", "0.60", "0.69"]
    expect(page.get_by_text(f"All rated items are {MARK}.")).to_be_visible()
    expect(page.locator(".js-plotly-plot .gtitle", has_text=MARK)).to_have_count(1)  # the scatter's is its subtitle
    expect(page.locator(".js-plotly-plot .gtitle-subtitle", has_text=MARK)).to_have_count(1)

    with page.expect_download() as download:
        page.get_by_role("button", name="Ratings (CSV)").click()
    back = read_ratings(Path(download.value.path()).read_bytes())
    experts = back[back["kind"] == "expert"]
    assert {
        (rater, item, metric): score
        for rater, item, metric, score in experts[["rater", "item", "metric", "score"]].itertuples(index=False)
    } == given
    assert set(back["improvised"]) == {"story", "story and judge"}

    choose(page, "Scenes in", "Chinese")
    expect(page).to_have_url(re.compile("language=Chinese"))
    page.reload()
    expect(page.get_by_role("combobox", name="Scenes in")).to_have_value("Chinese", timeout=WAIT)
    assert figures(row(page, "Validity", "GPT-4")[-1])[3] < len(rows) / 3


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_hangs_over_the_edge_and_the_charts_have_the_page_s_ink(
    browser: Browser, standing_app: App, width: int, height: int, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    open_file_page(page, standing_app)
    upload(page, csv_of(scores(5, 3)))
    expect(page.locator(".js-plotly-plot")).to_have_count(2, timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    label = page.locator(".js-plotly-plot .annotation-text").first
    ink = page.locator("h1").evaluate("element => getComputedStyle(element).color")
    expect(label).to_have_css("fill", ink)
    page.close()
