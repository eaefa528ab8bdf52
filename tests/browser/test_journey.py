"""The whole journey in Chromium: from a scene to a validity figure, on a new database."""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from characterbox.scenes.library import bundled_scene
from tests.browser.app import App, rests
from tests.browser.choosing import pick
from tests.browser.rating import METRICS, items_of, open_item
from tests.browser.tables import figure_without_interval, row
from tests.fakes.mock_server import MockServer, mock_server
from tests.fakes.waiting import until

DIMENSIONS = {"Character Fidelity": ("KA", "BA"), "Human-Likeness": ("EE", "PT"), "Consistency": ("IM", "AD", "BC")}
JUDGES = ("GPT-4", "CharacterRM")
RATERS = ("Ann", "Bob", "蔡")
DESK: ViewportSize = {"width": 1440, "height": 900}
JUDGED = "select id, item, metric, rater, kind, score from rating order by id"
MARKED = """
    select mark.id, item, metric, name as rater, 'expert' as kind, score
    from mark join assignment on assignment.id = mark.assignment join account on account.id = assignment.rater
    where mark.kind = 'score' order by mark.id
"""


@dataclass(frozen=True)
class Figures:
    """What the page is to show."""

    alphas: dict[str, float]
    correlations: dict[str, list[float | None]]
    """Per judge: one for each metric, then overall; None where one side gave all items the same score."""
    n: int
    rows: int


@pytest.fixture
def server() -> Iterator[MockServer]:
    """It answers a call when it is told to."""
    with mock_server(answers=0) as server:
        yield server


def test_from_a_scene_to_a_validity_figure(server: MockServer, app: App, browser: Browser) -> None:
    with browser.new_context(viewport=DESK) as context:
        page = context.new_page()
        english = launch(page, app, "English", "disc-ridge", f"{server.url}#m")
        watch_a_turn_unfold(page, server)
        reload_in_the_middle(page, app, server, english)
        chinese = launch(page, app, "中文", "disc-shanji")
        for story in (english, chinese):
            until(lambda story=story: status(app, story) == "ended")
            play_back(page, app, story)
            for judge in JUDGES:
                judge_story(page, judge)
    contexts = [browser.new_context(viewport=DESK) for _ in RATERS]
    for rater, own in zip(RATERS, contexts, strict=True):
        rate_one_by_keyboard(own.new_page(), app, rater, f"{english}:dana-whitlock")
        rate_the_others(own, app, rater, done=f"{english}:dana-whitlock")
    read_the_figures(contexts[0].new_page(), app, computed_apart(app))
    for own in contexts:
        own.close()


def launch(page: Page, app: App, language: str, scene: str, model: str | None = None) -> str:
    """Launch a bundled scene from the Stage page, played by a model or the rehearsal, and give the story's id."""
    page.goto(f"{app.url}/?language={'zh' if language == '中文' else 'en'}&scene={scene}")
    if model is not None:
        for seat in ("Narrator", "Characters"):
            pick(page, seat, model, typed=model)
    rounds = page.get_by_label("Rounds")
    rounds.fill("2" if language == "English" else "1")
    rounds.press("Tab")
    page.get_by_role("button", name="Start story").click()
    page.wait_for_url(re.compile(r"story=[0-9a-f]{12}"))
    return page.url.split("story=")[1].split("&")[0]


def watch_a_turn_unfold(page: Page, server: MockServer) -> None:
    """The steps of a turn come one after another, each as soon as it is answered: first what all believe, then what is
    done and said in one reply."""
    beliefs = 2 * len(bundled_scene("disc-ridge").cast)
    for answered, shown in enumerate((0, 2, 3, 4, 5), beliefs):
        server.answers = answered
        until(lambda shown=shown: steps(page) == beliefs + shown)
    expect(page.locator(".step").first).to_be_visible()


def reload_in_the_middle(page: Page, app: App, server: MockServer, story: str) -> None:
    """A reload loses nothing, and the story goes on meanwhile."""
    before = steps(page)
    page.reload()
    expect(page.locator(".step").first).to_be_visible()
    until(lambda: steps(page) == before)
    assert status(app, story) == "running"
    server.answers = None
    until(lambda: steps(page) > before)


def play_back(page: Page, app: App, story: str) -> None:
    """Step by step by keyboard and slider: what is shown is what is stored."""
    page.goto(f"{app.url}/playback?story={story}")
    slider = page.get_by_role("slider")
    expect(slider).to_be_visible()
    events = stored_events(app, story)
    assert int(slider.get_attribute("max") or 0) == len(events)
    page.locator("body").press("Home")
    page.locator("body").press("ArrowRight")
    page.locator("body").press("ArrowRight")
    expect(page).to_have_url(re.compile(r"at=\d+"))
    page.locator("body").press("End")
    expect(slider).to_have_value(str(len(events)))
    last = next(event for event in reversed(events) if event["kind"] == "environment_update")
    expect(page.locator(".environment [data-field=location]")).to_have_text(last["location"])
    reaction = next((number, event) for number, event in enumerate(events, 1) if event["kind"] == "reaction")
    slider.fill(str(reaction[0]))
    expect(page.get_by_text(reaction[1]["text"], exact=True).first).to_be_visible()


def judge_story(page: Page, judge: str) -> None:
    if "view=judges" not in page.url:
        page.get_by_role("button", name="Judge", exact=True).click()
    pick(page, "Judge", judge, typed=judge)
    rests(page)
    endpoint = page.get_by_label("Endpoint")
    endpoint.fill(f"rehearsal#{judge.lower()}")
    endpoint.press("Tab")
    rests(page)
    expect(endpoint).to_have_value(f"rehearsal#{judge.lower()}")
    page.get_by_role("button", name="Judge story").click()
    head = page.get_by_test_id("stMain").get_by_text(f"Rehearsal judge, {judge} protocol", exact=True)
    expect(head.last).to_be_visible()
    expect(page.get_by_text("characters judged")).to_have_count(0)


def rate_one_by_keyboard(page: Page, app: App, rater: str, item: str) -> None:
    """Seven digits and Enter; a reload in between loses nothing."""
    open_item(page, app, rater, "Dana Whitlock")
    for metric in range(len(METRICS)):
        page.keyboard.press(str(score(rater, item, metric)))
    expect(page.locator(".mark.saved")).to_have_count(len(METRICS))
    page.reload()
    expect(page.locator(".mark.saved")).to_have_count(len(METRICS))
    page.keyboard.press("Enter")
    expect(page.locator(".profile .name")).not_to_have_text("Dana Whitlock")


def rate_the_others(context: BrowserContext, app: App, rater: str, done: str) -> None:
    """The same clicks as the panel sends, for all other trajectories."""
    own = items_of(app, rater)
    for item in sorted(judged_items(app) - {done}):
        scores = [
            {"kind": "score", "metric": metric, "score": score(rater, item, number)}
            for number, metric in enumerate(METRICS)
        ]
        for mark in [*scores, {"kind": "submit"}]:
            answer = context.request.post(
                f"{app.url}/marks",
                data=json.dumps({"item": own[item], "rater": "", "click": str(uuid4()), "mark": mark}),
                headers={"Content-Type": "application/json", "Origin": app.url, "Sec-Fetch-Site": "same-origin"},
            )
            assert answer.ok, answer.text()


def score(rater: str, item: str, metric: int) -> int:
    """Scores that raters agree on, though not quite."""
    quality = sum(map(ord, item)) % 4
    return min(5, max(1, 1 + quality + (metric % 2) + (1 if rater == "Bob" and metric == 3 else 0)))


def computed_apart(app: App) -> Figures:
    """Each dimension's alpha, each judge's r per metric and overall, and n: from the stored rows, with numpy alone."""
    with sqlite3.connect(app.db) as database:
        rows = pd.concat([pd.read_sql(query, database) for query in (JUDGED, MARKED)])
    last = rows.groupby(["item", "metric", "rater", "kind"], as_index=False).last()
    experts = last[last["kind"] == "expert"]
    wide = experts.pivot(index=["item", "rater"], columns="metric", values="score")
    means = experts.groupby(["item", "metric"])["score"].mean().unstack()[list(METRICS)]
    alphas = {name: alpha(wide[list(metrics)].to_numpy(float)) for name, metrics in DIMENSIONS.items()}
    correlations: dict[str, list[float | None]] = {}
    for judge in JUDGES:
        judged = last[last["rater"] == judge].pivot(index="item", columns="metric", values="score").loc[means.index]
        pairs = [*((judged[metric], means[metric]) for metric in METRICS), (judged.mean(axis=1), means.mean(axis=1))]
        correlations[judge] = [pearson(mine, theirs) for mine, theirs in pairs]
    return Figures(alphas, correlations, n=len(means), rows=len(wide))


def alpha(table: "np.ndarray[Any, np.dtype[np.float64]]") -> float:
    items = table.shape[1]
    return float(items / (items - 1) * (1 - table.var(axis=0, ddof=1).sum() / table.sum(axis=1).var(ddof=1)))


def pearson(mine: "pd.Series[float]", theirs: "pd.Series[float]") -> float | None:
    constant = np.isclose(np.ptp(mine), 0) or np.isclose(np.ptp(theirs), 0)
    return None if constant else float(np.corrcoef(mine, theirs)[0, 1])


def read_the_figures(page: Page, app: App, expected: Figures) -> None:
    """Every alpha and every r on the page, with its n, is the one computed apart, or said to be undefined. Two scenes
    are too few for an interval, which is told.

    Much of the rehearsal's scores is chance: on a metric it may give all items the same one.
    """
    page.goto(f"{app.url}/validity")
    expect(page.get_by_role("region", name="Reliability")).to_be_visible()
    for dimension, alpha_apart in expected.alphas.items():
        estimate, n = figure_without_interval(row(page, "Reliability", dimension)[0])
        assert (estimate, n) == (pytest.approx(alpha_apart, abs=0.0051), expected.rows)
    every = [r for correlations in expected.correlations.values() for r in correlations]
    assert sum(r is not None for r in every) > len(every) / 2
    for judge, correlations in expected.correlations.items():
        cells = row(page, "Validity", f"Rehearsal judge, {judge} protocol")
        assert len(cells) == len(correlations)
        for cell, r in zip(cells, correlations, strict=True):
            if r is None:
                assert cell.startswith("–")
                continue
            estimate, n = figure_without_interval(cell)
            assert (estimate, n) == (pytest.approx(r, abs=0.0051), expected.n)
    if None in every:
        expect(page.get_by_text(f"all {expected.n} items the same score").first).to_be_visible()
    expect(page.get_by_text("not a result").first).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()


def steps(page: Page) -> int:
    """How many steps of the story have reached the page."""
    return int(page.get_by_role("slider").get_attribute("max") or 0)


def status(app: App, story: str) -> str:
    with sqlite3.connect(app.db) as database:
        return str(database.execute("select status from story where id = ?", (story,)).fetchone()[0])


def stored_events(app: App, story: str) -> list[dict[str, Any]]:
    with sqlite3.connect(app.db) as database:
        rows = database.execute("select kind, content from event where story_id = ? order by seq", (story,)).fetchall()
    return [{"kind": kind, **json.loads(content)} for kind, content in rows]


def judged_items(app: App) -> set[str]:
    with sqlite3.connect(app.db) as database:
        return {row[0] for row in database.execute("select distinct item from rating where kind = 'judge'")}
