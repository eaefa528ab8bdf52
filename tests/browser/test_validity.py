"""Reliability and validity in the browser: the figures on the page are those that numpy gives for the same ratings."""

import asyncio
import os
import re
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pingouin
import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.marking.rating import read_ratings
from annotations.rubrics.rubric import load_rubric
from characterbox.store.ratings.ratings import item_of, rating_of
from tests.browser.app import App, rests, run, runs
from tests.browser.choosing import pick
from tests.browser.menu import to_page
from tests.browser.tables import WAIT, figure_without_interval, figures, row, taken
from tests.fakes.campaigns import rate, started
from tests.fakes.databases import store_in

METRICS = ("clarity", "overall", "wit")
KEYS = load_rubric().keys
MARK = "demo output (no language model); do not report"
SINGLE_JUDGE = "&view=Single+judge"
REHEARSED = "Rehearsal judge, GPT-4 protocol"


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


def open_file_page(page: Page, app: App, view: str = "") -> None:
    page.goto(f"{app.url}/validity?ratings=From+a+file{view}")
    expect(page.get_by_text("Choose a file with the columns")).to_be_visible(timeout=WAIT)


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
    made = "95 % intervals: jackknife by scenes, with models and raters fixed."
    expect(page.get_by_text(made)).to_have_count(2)  # of the alphas, and of r
    page.get_by_text("How this is computed").first.click()
    expect(page.get_by_text("Overall is the overall score given directly by raters and judge")).to_be_visible()
    expect(page.get_by_text(MARK)).to_have_count(0)


def test_the_other_views_say_what_lies_deeper(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_file_page(page, standing_app)
    upload(page, csv_of(given))
    row(page, "Validity", "uni<i>eval")
    page.get_by_role("radio", name="Experts", exact=True).click()
    found = [figures(cell) for cell in row(page, "Agreement between experts", "wit")[:2]]
    table = [(item, rater, score) for rater, of in enumerate(given[:3, :, 2]) for item, score in enumerate(of)]
    long = pd.DataFrame(table, columns=["item", "rater", "score"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pingouin.intraclass_corr(long, "item", "rater", "score").set_index("Type")["ICC"]
    assert [one[0] for one in found] == pytest.approx([theirs["ICC(A,1)"], theirs["ICC(A,k)"]], abs=0.0051)
    assert [one[3] for one in found] == [40, 40]
    expect(page).to_have_url(re.compile("view=Experts"))

    page.get_by_role("radio", name="Single judge", exact=True).click()
    bias = figures(row(page, "Agreement of uni<i>eval with the experts, in points", "wit")[1])
    assert bias[0] == pytest.approx((given[3, :, 2] - given[:3, :, 2].mean(axis=0)).mean(), abs=0.0051)
    assert bias[1] < bias[0] < bias[2]
    models = row(page, "Model means, corrected by experts", "m2")
    assert "n = 10 items" in models[1]
    told = re.compile(
        "overall: the hypothesis that uni<i>eval is worse .* is rejected for [0-3] of 3 experts"
        ".*(may replace|no conclusion)"
    )
    expect(page.get_by_text(told)).to_be_visible()

    page.get_by_role("radio", name="Judge comparison", exact=True).click()
    expect(page.get_by_text("A comparison needs at least two judges.")).to_be_visible(timeout=WAIT)
    page.get_by_role("radio", name="Planning", exact=True).click()
    assert "%" in row(page, "Variance components", "wit")[0]


def test_the_choice_of_the_figures_is_in_the_url(page: Page, standing_app: App) -> None:
    given = scores(5, 3)
    open_file_page(page, standing_app, SINGLE_JUDGE)
    upload(page, csv_of(given))
    expect(page.locator(".js-plotly-plot")).to_have_count(4, timeout=WAIT)
    pick(page, "Metric", "wit")
    expect(page).to_have_url(re.compile("metric=wit"))
    r = np.corrcoef(given[:3, :, 2].mean(axis=0), given[3, :, 2])[0, 1]
    expect(page.locator(".js-plotly-plot").nth(1).locator(".gtitle")).to_contain_text(f"r = {r:.2f} [")
    page.reload()
    expect(page.get_by_text("Choose a file with the columns")).to_be_visible(timeout=WAIT)
    assert "ratings=From+a+file" in page.url


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("item,scene\n1,2", "line 1: the header has no column model, metric, rater, kind, score"),
        (
            "item,scene,model,metric,rater,kind,score\na,s,m,KA,r,expert,**good**",
            "line 2, column score: '**good**' is not a number; enter a number, or leave it empty if the rating is"
            " missing",
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
    expect(page.get_by_role("link", name="Start story")).to_be_visible()
    page.get_by_test_id("stMain").get_by_role("link", name="Annotate").click()
    expect(page).to_have_url(re.compile("/annotate"))


def rate_all(app: App) -> dict[tuple[str, str, str], int]:
    """Three experts rate every character of every story; (rater, item, metric) to score."""
    random = np.random.default_rng(2)
    store = store_in(app.db)
    given: dict[tuple[str, str, str], int] = {}

    async def all_of_it() -> None:
        for story in store.stories.stories():
            _, _, assigned = started(store, story, "Ann", "Bo", "Cy")
            items = [item_of(story, name).label for name in story.script.scene.names]
            truth = random.normal(3, 1, (len(items), len(KEYS)))
            for rater, assignments in assigned.items():
                said = np.clip(np.round(truth + random.normal(0, 0.6, truth.shape)), 1, 5).astype(int).tolist()
                for item, assignment, marks in zip(items, assignments, said, strict=True):
                    await rate(store, assignment, *marks)
                    given.update({(rater, item, key): score for key, score in zip(KEYS, marks, strict=True)})

    with ThreadPoolExecutor(1) as beside:  # this thread has an event loop, the browser's
        beside.submit(asyncio.run, all_of_it()).result()
    store.close()
    return given


def judge(app: App, name: str) -> None:
    """Have all stories judged at the rehearsal."""
    store = store_in(app.db)
    ids = [story.id for story in store.stories.stories()]
    store.close()
    for id in ids:
        run(app.db, "judge", id, "--judge", f"{name}=rehearsal")


def test_the_ratings_in_the_app_have_their_figures_by_language_and_the_mark(page: Page, played_app: App) -> None:
    given = rate_all(played_app)
    judge(played_app, "GPT-4")
    page.goto(f"{played_app.url}/validity")
    cells = row(page, "Reliability", "Consistency")
    rows = sorted({(rater, item) for rater, item, _ in given})
    table = np.array([[given[rater, item, key] for key in ("IM", "AD", "BC")] for rater, item in rows])
    assert figure_without_interval(cells[0]) == (pytest.approx(alpha(table), abs=0.0051), len(rows))
    assert cells[1].endswith("paper 0.94")
    assert cells[2].endswith("paper 0.94")
    ours, paper = row(page, "Validity", REHEARSED), row(page, "Validity", "GPT-4", 1)
    assert len(ours) == 8
    assert paper == ["0.45", "0.47", "0.60", "0.45", "0.62", "0.74", "0.60", "0.69"]
    expect(page.get_by_text(f"All rated items are {MARK}.")).to_be_visible()
    expect(page.locator(".js-plotly-plot .gtitle", has_text=MARK)).to_have_count(2)

    back = read_ratings(taken(page, "Ratings (CSV)"))
    experts = back[back["kind"] == "expert"]
    assert {
        (rater, item, metric): score
        for rater, item, metric, score in experts[["rater", "item", "metric", "score"]].itertuples(index=False)
    } == given
    assert set(back["improvised"]) == {"story", "story and judge"}

    pick(page, "Scene language", "Chinese")
    expect(page).to_have_url(re.compile("language=Chinese"))
    page.reload()
    expect(page.get_by_role("combobox", name="Scene language")).to_have_value("Chinese", timeout=WAIT)
    assert figure_without_interval(row(page, "Validity", REHEARSED)[-1])[1] < len(rows) / 3

    page.get_by_role("radio", name="Single judge", exact=True).click()
    scatter = page.locator(".js-plotly-plot").nth(1)
    expect(scatter.locator(".gtitle-subtitle", has_text=MARK)).to_have_count(1, timeout=WAIT)


def test_a_choice_is_of_the_ratings_on_the_page_and_draws_it_anew_only_if_they_are_gone(
    page: Page, played_app: App
) -> None:
    rate_all(played_app)
    judge(played_app, "GPT-4")
    page.goto(f"{played_app.url}/validity?{SINGLE_JUDGE}")
    scatter = page.locator(".js-plotly-plot").nth(1).locator(".gtitle")
    expect(scatter).to_be_visible(timeout=WAIT)
    store = store_in(played_app.db)
    (*_, story) = store.stories.stories()

    def judged_by(name: str) -> None:
        ratings = [rating_of(story, of, rater=name, metric=KEYS[0], score=3) for of in story.script.scene.names]
        store.ratings.add(ratings)

    def chosen(metric: str) -> None:
        pick(page, "Metric", metric)
        name = load_rubric().metric(metric).name.en
        expect(page.locator("h3", has_text=f"against the experts' mean: {name}")).to_be_visible(timeout=WAIT)
        expect(scatter).to_be_visible(timeout=WAIT)

    try:
        chosen("KA")
        judged_by("Judge 2")
        chosen("BA")
        expect(page.get_by_text("1 judge.")).to_be_visible()
        end_beside(played_app)
        chosen("EE")
        expect(page.get_by_text("2 judges.")).to_be_visible(timeout=WAIT)
        rests(page)
        end_beside(played_app)
        chosen("PT")
    finally:
        store.close()


@pytest.mark.parametrize(
    ("scheme", "width", "height"),
    [
        ("light", 1440, 900),
        ("dark", 390, 844),
        pytest.param("dark", 1440, 900, marks=pytest.mark.soak),
        pytest.param("light", 390, 844, marks=pytest.mark.soak),
    ],
)
def test_nothing_hangs_over_the_edge_and_the_charts_have_the_page_s_ink(
    browser: Browser, standing_app: App, scheme: str, width: int, height: int
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


def beside(app: App) -> int | None:
    """The process in which the app has its figures worked out, if it has one."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        if b"characterbox.components.figures.background.worker" in words and parent == app.pid:
            return int(process.name)
    return None


def end_beside(app: App) -> None:
    """Kill the process that works out the figures of an app, and wait until it is gone."""
    pid = beside(app)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while runs(pid):
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.02)


def kill_until_told(page: Page, app: App) -> set[int]:
    """Kill the process that works out the figures until the page tells of it; gives all that were killed.

    One that dies while it works for a page that nobody looks at any more is no loss to this one, which has another.
    """
    told = (
        "Statistics cannot be computed from these ratings: the process that computes the statistics has stopped"
        " (status -9"
    )
    alert = page.get_by_role("alert").filter(has_text=told)
    killed: set[int] = set()
    deadline = time.monotonic() + WAIT / 1000
    while not alert.is_visible():
        assert time.monotonic() < deadline, "it is not told"
        if (pid := beside(app)) is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            killed.add(pid)
        time.sleep(0.02)
    return killed


@contextmanager
def standing_still(page: Page, app: App, seed: int) -> Iterator[int]:
    """The page as it waits for the figures of another file, from a process that stands still; gives this process."""
    open_file_page(page, app)
    upload(page, csv_of(scores(5, 3)))
    expect(page.get_by_role("region", name="Validity")).to_be_visible(timeout=WAIT)
    rests(page)  # what comes below that table is worked out after it
    pid = beside(app)
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        upload(page, csv_of(scores(seed, 3)))
        expect(page.get_by_role("progressbar")).to_be_visible(timeout=WAIT)
        expect(page.get_by_text("Reading the ratings")).to_be_visible()
        yield pid
    finally:
        if beside(app) == pid:
            os.kill(pid, signal.SIGCONT)


def test_while_the_figures_are_worked_out_all_else_can_be_used(page: Page, standing_app: App) -> None:
    with standing_still(page, standing_app, seed=71):
        to_page(page, "Models", "Models")
        expect(page.get_by_role("heading", name="Models", exact=True)).to_be_visible(timeout=WAIT)
        open_file_page(page, standing_app)
    upload(page, csv_of(scores(73, 3)))
    expect(page.get_by_role("region", name="Validity")).to_be_visible(timeout=WAIT)


def test_a_process_that_was_killed_is_told_of_and_started_anew(page: Page, standing_app: App) -> None:
    with standing_still(page, standing_app, seed=72) as pid:
        killed = kill_until_told(page, standing_app)
        assert pid in killed
    upload(page, csv_of(scores(6, 3)))
    expect(page.get_by_role("region", name="Validity")).to_be_visible(timeout=WAIT)
    assert beside(standing_app) not in {None, *killed}


def test_a_choice_is_drawn_though_the_process_has_forgotten_the_file(page: Page, standing_app: App) -> None:
    given = scores(8, 3)
    open_file_page(page, standing_app, SINGLE_JUDGE)
    upload(page, csv_of(given))
    expect(page.locator(".js-plotly-plot")).to_have_count(4, timeout=WAIT)
    end_beside(standing_app)
    pick(page, "Metric", "wit")
    r = np.corrcoef(given[:3, :, 2].mean(axis=0), given[3, :, 2])[0, 1]
    expect(page.locator(".js-plotly-plot").nth(1).locator(".gtitle")).to_contain_text(f"r = {r:.2f} [", timeout=WAIT)
    assert len(read_ratings(taken(page, "Ratings (CSV)"))) == given.size


@pytest.mark.parametrize("end", [App.kill, App.stop])
def test_the_process_ends_with_the_app(page: Page, app: App, end: Callable[[App], None]) -> None:
    open_file_page(page, app)
    upload(page, csv_of(scores(5, 3)))
    expect(page.get_by_role("region", name="Validity")).to_be_visible(timeout=WAIT)
    pid = beside(app)
    assert pid is not None
    end(app)
    deadline = time.monotonic() + 60
    while runs(pid):
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.05)
