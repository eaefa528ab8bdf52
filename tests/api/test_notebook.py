"""The example notebook does what it shows."""

import nbformat
import pytest

from tests.api.notebook import FILE, executed

pytestmark = pytest.mark.process


def outputs(notebook):
    """What each code cell shows."""
    return [
        [output.get("text") or output.get("data") for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_it_runs_to_its_end_and_shows_what_stands_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_DB", str(tmp_path / "unused.db"))
    assert outputs(executed(tmp_path)) == outputs(nbformat.read(FILE, as_version=4))
