"""The dashboard: every figure of a table of ratings as large as hanna.csv, and a second look at each view of them."""

import time
from hashlib import sha256
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from playwright.sync_api import Page, expect

from annotations.marking.rating import COLUMNS, packed_ratings
from bench.browser import reader
from bench.concurrent_raters import served
from characterbox.components.figures.background.compute import Uploaded, take_file
from characterbox.components.figures.background.process import FigureProcess
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.downloads import figures_file

SCENES, MODELS, METRICS = 96, 11, 6
EXPERTS, JUDGES = 3, 5
"""As in hanna.csv: 50,688 ratings."""
LOOKS = 9
PATIENCE = 60_000
AT_REST = "() => new Promise(done => requestIdleCallback(() => done()))"
VIEWS = {
    "Experts": "Correlations between metrics",
    "Single judge": "Model means, corrected by experts",
    "Judge comparison": "Which judge agrees better with the experts?",
    "Planning": "Reliability of a ranking of the models",
    "Summary": "Validity",
}
"""Each view, and the heading that is drawn last of it."""


def every_figure_in() -> float:
    """Seconds from a file of ratings to the file of every figure with its interval, worked out as the app does,
    in the processes beside it; these have worked out the figures of a smaller file before."""
    process = FigureProcess()
    taken = 0.0
    for scenes in (10, SCENES):
        content = _ratings(scenes).to_csv(index=False).encode()
        source = Uploaded(sha256(content).hexdigest())
        begun = time.perf_counter()
        process.ask(take_file, source, packed_ratings(content)).result()
        process.ask(figures_file, source, Selection()).result()
        taken = time.perf_counter() - begun
    process.close()
    return taken


def second_look() -> float:
    """Seconds from the click on a view that was seen before until it stands there, in a browser: the median of some
    looks at the slowest view."""
    content = _ratings().to_csv(index=False).encode()
    with (
        TemporaryDirectory() as folder,
        served(Path(folder) / "bench.db", "off") as url,
        reader() as page,
    ):
        page.goto(f"{url}/validity?ratings=From+a+file")
        file = {"name": "ratings.csv", "mimeType": "text/csv", "buffer": content}
        page.locator("input[type=file]").set_input_files(file, timeout=PATIENCE)  # type: ignore[arg-type]
        expect(page.get_by_role("heading", name="Validity", exact=True)).to_be_visible(timeout=PATIENCE)
        for view in VIEWS:
            _look(page, view)
        looks = [{view: _look(page, view) for view in VIEWS} for _ in range(LOOKS)]
        return max(median(each[view] for each in looks) for view in VIEWS)


def _look(page: Page, view: str) -> float:
    """Seconds until the last heading of a view is there, and the browser, which draws the charts above, is at rest."""
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible(timeout=PATIENCE)
    page.evaluate(AT_REST)  # the charts of the view before
    begun = time.perf_counter()
    page.get_by_role("radio", name=view, exact=True).click()
    heading = page.get_by_role("heading", name=VIEWS[view])
    heading.first.wait_for(state="visible", timeout=PATIENCE)
    page.evaluate(AT_REST)
    return time.perf_counter() - begun


def _ratings(scenes: int = SCENES) -> pd.DataFrame:
    """Scores from 1 to 5 in which scenes, models and items differ, and experts and judges err."""
    random = np.random.default_rng(0)
    shape = (scenes, MODELS, METRICS)
    truth = 3 + random.normal(0, 0.2, shape)
    truth += random.normal(0, 0.5, (1, MODELS, 1)) + random.normal(0, 0.2, (scenes, 1, 1))
    raters = [(f"expert-{n}", "expert") for n in range(EXPERTS)] + [(f"judge-{n}", "judge") for n in range(JUDGES)]
    rows = []
    for rater, kind in raters:
        given = np.clip(np.round(truth + random.normal(0, 1, shape)), 1, 5)
        rows += [
            (f"{scene}-{model}", f"scene-{scene}", f"model-{model}", f"metric-{metric}", rater, kind, score)
            for (scene, model, metric), score in np.ndenumerate(given)
        ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
