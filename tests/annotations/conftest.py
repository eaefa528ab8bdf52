"""Ratings that several tests share: a sample with its figures, and two published collections; tests that need one of
these are skipped where it is not at hand."""

import pandas as pd
import pytest

from annotations.marking.rating import read_ratings
from annotations.report.figure import Figure
from tests.annotations.figures_sample import KEYS, figures_of, ratings
from tests.fakes.real_data import real


def shared_ratings(name: str) -> pd.DataFrame:
    return read_ratings(real("ratings", name))


@pytest.fixture(scope="session")
def topical_chat() -> pd.DataFrame:
    return shared_ratings("topical-chat.csv")


@pytest.fixture(scope="session")
def hanna() -> pd.DataFrame:
    return shared_ratings("hanna.csv")


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    """All metrics of the rubric, scored by three experts and two judges."""
    return ratings(KEYS, 9)


@pytest.fixture(scope="session")
def figures(frame: pd.DataFrame) -> tuple[Figure, ...]:
    """Every figure of these ratings."""
    return figures_of(frame)
