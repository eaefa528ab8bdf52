"""The files to download are those of the selected ratings, also where these are gone from the app's process."""

from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from zipfile import ZipFile

import pandas as pd
import pytest

from annotations.i18n.translation import speaking
from annotations.marking.rating import read_ratings
from annotations.report.all_figures import every_figure
from annotations.report.report import statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.background.compute import (
    KEPT,
    Gone,
    Source,
    Stored,
    Uploaded,
    figures_of,
    overview,
)
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.files.downloads import (
    bundle,
    bundle_file,
    dropped_csv,
    dropped_file,
    figures_csv,
    figures_file,
    methods_of,
    ratings_csv,
    ratings_file,
    tables_file,
)
from characterbox.components.figures.files.methods import methods
from characterbox.components.figures.tables.reliability_validity import latex_tables
from characterbox.store import Store
from characterbox.store.ratings.ratings import Newest, rating_of
from tests.components.figures.ratings_sample import EVERYTHING, KEYS, campaign, sent
from tests.fakes.pingouin_estimates import take_from_pingouin_in
from tests.fakes.stories import a_story

RUBRIC = load_rubric()
ENGLISH = Selection("en", ("m0", "m1"), "independent items")
FILES = (ratings_file, figures_file, dropped_file, tables_file, bundle_file)
EACH = [
    *(pytest.param(file, marks=pytest.mark.process) for file in (figures_file, bundle_file)),
    *(ratings_file, dropped_file, tables_file, methods_of),
]
"""All figures are worked out in two processes."""
File = Callable[[Source, Selection], bytes]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """As it is read; one score is off the scale."""
    frame = campaign(scenes=5)
    frame.loc[frame.index[0], "score"] = 9
    return read_ratings(frame.to_csv(index=False))


@pytest.mark.process
def test_the_files_are_those_of_the_selected_ratings(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    take_from_pingouin_in(monkeypatch)
    source, part = sent(frame), ENGLISH.of(frame)
    report = statistics(part, RUBRIC, (1, 5), ENGLISH.drawn)
    figures = every_figure(part, report)
    assert len(part) == len(frame) / 2
    assert report.dropped
    assert ratings_file(source, ENGLISH) == ratings_csv(part)
    assert figures_file(source, ENGLISH) == figures_csv(figures, report, part, ENGLISH)
    assert dropped_file(source, ENGLISH) == dropped_csv(report.dropped)
    assert tables_file(source, ENGLISH).decode() == latex_tables(part, report, ENGLISH)
    assert bundle_file(source, ENGLISH) == bundle(frame, report, figures, ENGLISH)
    digest = sha256(ratings_file(source, ENGLISH)).hexdigest()
    assert methods_of(source, ENGLISH) == methods(frame, report, ENGLISH, digest)


@pytest.mark.process
def test_what_stands_in_the_bundle_is_what_stands_in_the_files(frame: pd.DataFrame) -> None:
    source = sent(frame)
    with ZipFile(BytesIO(bundle_file(source, ENGLISH))) as packed:
        assert packed.read("ratings.csv") == ratings_file(source, ENGLISH)
        assert packed.read("figures.csv") == figures_file(source, ENGLISH)
        assert packed.read("tables.tex") == tables_file(source, ENGLISH)
        assert packed.read("methods.md").decode() == methods_of(source, ENGLISH)


@pytest.mark.slow
@pytest.mark.parametrize("file", EACH)
def test_a_file_is_in_english_whatever_the_page_speaks(frame: pd.DataFrame, file: File) -> None:
    source = sent(frame)
    with speaking("zh"):
        figures_of(source, ENGLISH)
        told = file(source, ENGLISH)
    assert told == file(source, ENGLISH)


@pytest.mark.slow
def test_all_ratings_are_a_selection_too(frame: pd.DataFrame) -> None:
    frame = frame.drop(columns="language")
    source = sent(frame)
    assert ratings_file(source, EVERYTHING) == ratings_csv(frame)
    assert dropped_file(source, EVERYTHING) == dropped_csv(statistics(frame, RUBRIC, (1, 5)).dropped)


@pytest.mark.parametrize("file", [*FILES, methods_of])
def test_of_a_file_that_is_gone_there_is_nothing(file: File) -> None:
    with pytest.raises(Gone, match="from this file are no longer loaded"):
        file(Uploaded("never sent"), EVERYTHING)


@pytest.mark.process
def test_ratings_in_the_app_that_are_gone_are_read_again_for_a_file_but_not_for_the_page(
    store: Store, url: str
) -> None:
    story = a_story(store)
    store.ratings.add([rating_of(story, "Ann", rater="J", metric=key, score=3) for key in KEYS])
    source = Stored(url, Newest(0, 7))
    with pytest.raises(Gone, match="in the app"):
        methods_of(source, EVERYTHING)
    for file in FILES:
        for _ in range(KEPT):
            sent(campaign(("en",), scenes=1))
        assert file(source, EVERYTHING)
    store.ratings.add([rating_of(story, "Bob", rater="J", metric=key, score=4) for key in KEYS])
    assert ratings_file(source, EVERYTHING).count(b",J,judge,") == 7, "they are at hand"
    assert overview(Stored(source.url, Newest(0, 14))).count == 14
