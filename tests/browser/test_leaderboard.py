"""The leaderboard in the browser: its figures, the way down to a story, its files, and its address."""

import asyncio
import csv
import json
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from annotations.leaderboard.differences import model_differences
from annotations.rubrics.rubric import load_rubric
from characterbox.judging.leaderboard import Wanted, board_of, scores_of
from characterbox.store.ratings.ratings import item_of
from tests.browser.app import App, rests, running
from tests.browser.choosing import pick
from tests.browser.line import DONE, Line
from tests.browser.tables import WAIT
from tests.browser.test_accessibility import faults
from tests.fakes.campaigns import rate, started
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, played, sweep

KEYS = load_rubric().keys
MARK = "demo output (no language model); do not report"
MODELS = ("GPT-4", "b<i>eta")


@pytest.fixture(scope="module")
def board_app(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[App]:
    """The app with stories of three models in two languages, two versions of a judge, and two experts of a part."""
    db = tmp_path_factory.mktemp("board") / "app.db"
    shutil.copyfile(request.getfixturevalue("played"), db)
    store = store_in(db)
    rehearsed = store.stories.stories()
    english, chinese = played(store, MODELS, 8), played(store, MODELS, 5, language="zh", narrator="Narr-1")
    judge(store, [*rehearsed, *english, *chinese], "GPT-4", 1)
    judge(store, english, "GPT-4 v2", 2)
    sweep(store, "pilot", english[:12])
    for number, pair in enumerate(zip(chinese[::2], chinese[1::2], strict=True)):  # of one scene, by each model
        store.votes.cast(
            [one.id for one in pair], pair[number > 0].id, rater="Ann", account=None, blind=True, reason=""
        )

    async def rated() -> None:
        for number, story in enumerate(english[:10]):
            _, _, assigned = started(store, story, "Ann", "Bo")
            for place, assignment in enumerate(one for each in assigned.values() for one in each):
                await rate(store, assignment, *(1 + (number + place + metric) % 5 for metric in range(len(KEYS))))

    with ThreadPoolExecutor(1) as beside:  # this thread has an event loop, the browser's
        beside.submit(asyncio.run, rated()).result()
    store.close()
    with running(db) as app:
        yield app


def open_board(page: Page, app: App, address: str = "") -> None:
    page.goto(f"{app.url}/leaderboard{address}")
    expect(page.get_by_role("region", name="Table 1")).to_be_visible(timeout=WAIT)
    rests(page)


def cells(page: Page, model: str) -> list[str]:
    """The cells of a model's row in table 1."""
    rows = page.get_by_role("region", name="Table 1").locator("tbody tr")
    row = rows.filter(has=page.locator("th", has_text=re.compile(f"^{re.escape(model)}")))
    return [re.sub(r"\s+", " ", text) for text in row.locator("td").all_inner_texts()]


def expected(app: App, wanted: Wanted, model: str) -> list[str]:
    """Mean, deviation and interval of each column, of the same database."""
    store = store_in(app.db)
    board = board_of(scores_of(store, wanted.sweep), wanted)
    store.close()
    found = [board.of(key)[model] for key in (*KEYS, "overall")]
    return [
        f"{one.mean:.2f}{'' if one.sd is None else f' ±{one.sd:.2f}'}"
        f" {'no interval' if one.low is None else f'[{one.low:.2f}, {one.high:.2f}]'}"
        for one in found
    ]


def shows(page: Page, app: App, wanted: Wanted, model: str) -> None:
    """Wait until the row of a model has these figures."""
    [first, *others] = expected(app, wanted, model)
    expect(page.get_by_role("region", name="Table 1")).to_contain_text(first.split(" ")[0], timeout=WAIT)
    page.wait_for_function(
        "told => [...document.querySelectorAll('.cb-board td')].some(cell => cell.innerText.includes(told))",
        arg=first.partition("[")[2],
    )
    shown = cells(page, model)[1:-1]
    assert [cell.split(" paper")[0] for cell in shown] == [first, *others]


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def test_the_table_has_the_figures_of_one_judge_and_language_the_paper_s_beside_and_the_mark(
    page: Page, board_app: App
) -> None:
    open_board(page, board_app)
    shows(page, board_app, Wanted("judge", "en", "GPT-4"), "b<i>eta")
    gpt = cells(page, "GPT-4")
    assert gpt[1].endswith("paper 3.80 ±0.49")
    assert gpt[8].endswith("paper 3.93 ±0.36")
    marked = page.get_by_role("region", name="Table 1").locator("tbody th", has_text="Demo")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("Zephyr-9B")
    expect(page.locator(".js-plotly-plot .gtitle", has_text=MARK)).to_have_count(2)
    expect(page.get_by_text("Scores of GPT-4. 3 models, 9 scenes")).to_be_visible()

    page.get_by_text("Chinese", exact=True).first.click()
    expect(page).to_have_url(re.compile("language=Chinese"))
    shows(page, board_app, Wanted("judge", "zh", "GPT-4"), "b<i>eta")
    page.go_back()
    expect(page).not_to_have_url(re.compile("language"))
    shows(page, board_app, Wanted("judge", "en", "GPT-4"), "b<i>eta")


def test_another_judge_the_experts_and_a_sweep_each_have_a_table_of_their_own(page: Page, board_app: App) -> None:
    open_board(page, board_app)
    pick(page, "Judge", "GPT-4 v2")
    expect(page).to_have_url(re.compile("judge=GPT-4\\+v2"))
    shows(page, board_app, Wanted("judge", "en", "GPT-4 v2"), "b<i>eta")
    page.get_by_text("Experts", exact=True).click()
    shows(page, board_app, Wanted("experts", "en"), "b<i>eta")
    expect(page.get_by_role("combobox", name="Judge")).to_have_count(0)
    page.get_by_text("Corrected", exact=True).click()
    shows(page, board_app, Wanted("corrected", "en", "GPT-4 v2"), "b<i>eta")
    expect(page.get_by_text("Prediction-powered means")).to_be_visible()
    page.get_by_text("Judge", exact=True).click()
    shows(page, board_app, Wanted("judge", "en", "GPT-4 v2"), "b<i>eta")
    pick(page, "Stories", "pilot")
    shows(page, board_app, Wanted("judge", "en", "GPT-4 v2", "pilot"), "b<i>eta")
    assert query(page) == {"judge": "GPT-4 v2", "sweep": "pilot"}

    page.reload()
    expect(page.get_by_role("combobox", name="Stories")).to_have_value("pilot", timeout=WAIT)
    shows(page, board_app, Wanted("judge", "en", "GPT-4 v2", "pilot"), "b<i>eta")


def test_a_judge_is_kept_through_the_experts_scores_also_where_the_next_click_comes_before_the_page_is_done(
    page: Page, board_app: App
) -> None:
    line = Line(page)
    open_board(page, board_app, "?judge=GPT-4+v2")
    line.hold(DONE)
    page.get_by_text("Experts", exact=True).click()
    shows(page, board_app, Wanted("experts", "en"), "b<i>eta")
    line.wait_held()
    line.wait_said(page.get_by_text("Corrected", exact=True).click)
    line.open()
    shows(page, board_app, Wanted("corrected", "en", "GPT-4 v2"), "b<i>eta")
    expect(page.get_by_role("combobox", name="Judge")).to_have_value("GPT-4 v2")
    page.get_by_text("Judge", exact=True).click()
    shows(page, board_app, Wanted("judge", "en", "GPT-4 v2"), "b<i>eta")
    assert query(page) == {"judge": "GPT-4 v2"}


def test_the_stories_of_one_narrator_have_a_table_of_their_own(page: Page, board_app: App) -> None:
    open_board(page, board_app)
    caution = page.get_by_text("Not all models were narrated alike")
    expect(caution).to_be_visible()
    pick(page, "Narrator", "b<i>eta")
    expect(page).to_have_url(re.compile("narrator=b"))
    expect(caution).to_have_count(0)
    shows(page, board_app, Wanted("judge", "en", "GPT-4", narrator="b<i>eta"), "b<i>eta")
    page.go_back()
    expect(caution).to_be_visible()
    shows(page, board_app, Wanted("judge", "en", "GPT-4"), "b<i>eta")


def test_a_figure_leads_to_its_scenes_a_scene_to_its_trajectories_and_one_of_them_to_the_story(
    page: Page, board_app: App
) -> None:
    open_board(page, board_app)
    page.get_by_role("region", name="Table 1").locator("tbody tr", has_text="Zephyr-9B").locator("td a").first.click()
    expect(page.get_by_role("heading", name="Zephyr-9B · Knowledge Accuracy")).to_be_visible(timeout=WAIT)
    assert query(page) == {"model": "Zephyr-9B", "metric": "KA"}
    store = store_in(board_app.db)
    story = next(one for one in store.stories.stories() if "Zephyr-9B" in str(one.casting))
    store.close()
    scenes = page.get_by_role("region", name="Scenes")
    expect(scenes.locator("tbody tr")).to_have_count(1)
    scenes.get_by_role("link").click()
    trajectories = page.get_by_role("region", name="Trajectories")
    items = [item_of(story, name).slug for name in story.script.scene.names]
    expect(trajectories.locator("tbody tr")).to_have_count(len(items), timeout=WAIT)
    trajectories.get_by_role("link", name=sorted(items)[-1]).click()
    expect(page).to_have_url(re.compile(f"/playback\\?story={story.id}&at=\\d+"))
    expect(page.get_by_role("slider")).to_be_visible(timeout=WAIT)

    page.go_back()
    expect(page.get_by_role("heading", name="Zephyr-9B · Knowledge Accuracy")).to_be_visible(timeout=WAIT)
    expect(page.get_by_role("region", name="Trajectories")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("region", name="Trajectories")).to_have_count(0, timeout=WAIT)
    page.get_by_role("link", name="Close").click()
    expect(page.get_by_role("heading", name="Zephyr-9B · Knowledge Accuracy")).to_have_count(0, timeout=WAIT)


def test_the_address_says_all_and_what_it_asks_for_in_vain_is_told(page: Page, board_app: App) -> None:
    wanted = "?language=Chinese&metric=BA&model=GPT-4&view=The+paper%27s"
    page.goto(f"{board_app.url}/leaderboard{wanted}")
    table = page.get_by_role("region", name="Paper, table 1")
    expect(table).to_contain_text("Qwen2.5-14B", timeout=WAIT)
    expect(table.locator("tbody th").first).to_have_text("GPT-4")
    page.get_by_text("Scores", exact=True).click()
    expect(page.get_by_role("heading", name="GPT-4 · Behavioral Accuracy")).to_be_visible(timeout=WAIT)
    open_board(page, board_app, "?judge=nobody&metric=XX&model=ghost&sweep=none&scores=gossip&narrator=nobody")
    unknown = ("a judge nobody", "a narrator nobody", "a metric XX", "a sweep none", "scores of gossip")
    for complaint in (*unknown, "ghost has no score"):
        expect(page.get_by_role("alert").filter(has_text=complaint)).to_be_visible()


def test_the_files_have_the_figures_of_the_table(page: Page, board_app: App) -> None:
    open_board(page, board_app)

    def downloaded(name: str) -> tuple[str, str]:
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        return download.value.suggested_filename, Path(download.value.path()).read_text(encoding="utf-8-sig")

    name, text = downloaded("Standings (JSON)")
    assert name == "leaderboard-GPT-4-judge-en.json"
    found = json.loads(text)
    one = next(one for one in found["standings"] if (one["model"], one["metric"]) == ("b<i>eta", "KA"))
    assert cells(page, "b<i>eta")[1] == f"{one['mean']:.2f} ±{one['sd']:.2f} [{one['low']:.2f}, {one['high']:.2f}]"
    assert found["note"] == f"Demo, {MARK}"
    for file, ending in (
        ("Standings (CSV)", ".csv"),
        ("Table 1 (LaTeX)", ".tex"),
        ("Underlying ratings (CSV)", ".csv"),
    ):
        name, text = downloaded(file)
        assert name.endswith(ending)
        assert "Zephyr-9B" in text
        assert "improvised" in text or MARK in text


def test_differences_of_models_are_shown_and_taken_away(page: Page, board_app: App) -> None:
    page.goto(f"{board_app.url}/leaderboard?view=Differences")
    pairs = page.get_by_role("region", name="Differences between all pairs")
    expect(pairs).to_be_visible(timeout=WAIT)
    board = board_of(scores_of(store_in(board_app.db)), Wanted("judge", "en", "GPT-4"))
    found = model_differences(board.items, KEYS)
    rows = pairs.locator("tbody tr")
    expect(rows).to_have_count(len(found.pairs))
    for row, one in zip(rows.all(), found.pairs, strict=True):
        expect(row.locator("th")).to_contain_text(f"{one.better} before {one.other}")
        expect(row).to_contain_text(f"{one.difference:.2f}")
    order = page.get_by_role("region", name="Which models differ significantly").locator("tbody tr")
    expect(order.first).to_contain_text(found.models[0])
    rests(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Differences (CSV)").click()
    told = list(csv.DictReader(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()))
    assert [float(row["difference"]) for row in told] == [one.difference for one in found.pairs]
    page.get_by_text("Corrected", exact=True).click()
    expect(page.get_by_text("There are no differences of corrected means")).to_be_visible()


def test_votes_rank_the_models_and_are_taken_away(page: Page, board_app: App) -> None:
    page.goto(f"{board_app.url}/leaderboard?view=Votes")
    expect(page.get_by_text("5 votes on 2 models in 5 scenes, 5 of them blind.")).to_be_visible(timeout=WAIT)
    rests(page)
    for label, told in (
        ("Ranking (CSV)", "b<i>eta"),
        ("Ranking (JSON)", "b<i>eta"),
        ("Ranking (LaTeX)", r"\caption{Models by votes on pairs}"),
        ("Underlying votes (CSV)", "b<i>eta"),
    ):
        with page.expect_download() as download:
            page.get_by_role("button", name=label).click()
        assert told in Path(download.value.path()).read_text(encoding="utf-8-sig")


def test_with_nothing_scored_the_page_says_what_to_do(page: Page, standing_app: App) -> None:
    page.goto(f"{standing_app.url}/leaderboard")
    expect(page.get_by_text("Nothing is scored yet.")).to_be_visible(timeout=WAIT)
    page.get_by_test_id("stMain").get_by_role("link", name="Start story").click()
    expect(page.get_by_role("heading", name="Stage")).to_be_visible(timeout=WAIT)


@pytest.mark.parametrize(
    ("width", "height", "scheme"),
    [
        (1440, 900, "light"),
        (390, 844, "dark"),
        pytest.param(1440, 900, "dark", marks=pytest.mark.soak),
        pytest.param(390, 844, "light", marks=pytest.mark.soak),
    ],
)
def test_nothing_hangs_over_the_edge_and_axe_finds_no_fault(
    browser: Browser, board_app: App, width: int, height: int, scheme: str
) -> None:
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    open_board(page, board_app, "?model=GPT-4&metric=KA&scene=The+Hotel%3A+en-3")
    expect(page.get_by_role("region", name="Trajectories")).to_be_visible(timeout=WAIT)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert faults(page) == []
    page.close()
