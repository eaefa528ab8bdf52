"""Two published collections of ratings; tests that need one are skipped where it is not at hand."""

import os
from pathlib import Path

import pandas as pd
import pytest

from annotations.rating import read_ratings

SHARED = Path(os.environ.get("CHARACTERBOX_SHARED", Path(__file__).parents[2] / "../shared"))


def shared_ratings(name: str) -> pd.DataFrame:
    file = SHARED / "data" / "ratings" / name
    if not file.exists():
        pytest.skip(f"{file} is not there")
    return read_ratings(file)


@pytest.fixture(scope="session")
def topical_chat() -> pd.DataFrame:
    return shared_ratings("topical-chat.csv")


@pytest.fixture(scope="session")
def hanna() -> pd.DataFrame:
    return shared_ratings("hanna.csv")
