"""Which shares of intervals that hold the table in `docs/en/reference/statistics.md` names."""

import shutil
from pathlib import Path

import pytest

from bench.coverage.designs import AGAIN, STORE, Design, designs_of, outside, shares_of
from bench.coverage.table import BEFORE, table

HEAD = "scenes,models,raters,missing,figure,runs,undefined,shown,held,width,seed"
HERE = Path(__file__).parents[2]


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what was made of two designs, and the bootstrap of before."""
    (tmp_path / "docs").mkdir()
    shutil.copy(HERE / BEFORE, tmp_path / BEFORE)
    monkeypatch.chdir(tmp_path)
    rows = (
        '5,4,3,0.0,"r, items",1000,0,1000,950,0.5,20',
        "5,4,3,0.0,bias,1000,0,1000,920,0.4,20",
        "10,4,3,0.1,bias,1000,0,1000,980,0.3,20",
        "10,4,3,0.1,mae,1000,600,400,300,0.3,20",
        "10,4,3,0.1,no caution: halo,1000,0,1000,500,0.0,20",
    )
    STORE.write_text("\n".join([HEAD, *rows]) + "\n")
    return tmp_path


def test_shares_outside_are_those_of_figures_that_are_mostly_shown(stored: Path) -> None:
    beyond = outside(shares_of(STORE))
    assert list(zip(beyond["figure"], beyond["share"], strict=True)) == [("bias", 0.92), ("bias", 0.98)]
    assert designs_of(beyond) == {Design(5, 4, 3, 0.0), Design(10, 4, 3, 0.1)}


def test_table_names_what_lies_outside_with_both_seeds(stored: Path) -> None:
    assert "Of 3 shares, 2 lie outside 0.93 to 0.97; if each interval held" in table()
    assert "once more" not in table()
    AGAIN.write_text(f"{HEAD}\n")
    assert " 0 of the 2 designs that they are of were made once more" in table()
    AGAIN.write_text(f"{HEAD}\n5,4,3,0.0,bias,1000,0,1000,945,0.4,21\n10,4,3,0.1,bias,1000,0,1000,965,0.3,21\n")
    told = table()
    assert "2 of 2 lie inside then. Still outside over the runs of both seeds: bias 0.973 (10 x" in told
    assert "| bias | 2 | 0.950 | 0.920 | 0.980 | 0% | 0.40 | 0.30 |" in told
    assert "| mae | 0 | not shown |" in told
    assert "| halo | 50.0% | 50.0% |" in told
