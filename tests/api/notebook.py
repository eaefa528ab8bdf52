"""The example notebook, run: `python -m tests.api.notebook` writes its outputs anew."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FILE = Path(__file__).parents[2] / "docs" / "notebooks" / "from-scene-to-figures.ipynb"


def executed(folder: Path) -> NotebookNode:
    """The notebook with the outputs of its cells, run in a folder by a kernel of its own. Raises CellExecutionError."""
    notebook = nbformat.read(FILE, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(FILE.parent), FILE)
