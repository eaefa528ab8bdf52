"""The app, `streamlit run app.py`, in a process that starts at once (see `forked`)."""

from collections.abc import Mapping
from pathlib import Path

from streamlit.web.cli import main

from tests.fakes.forked import Forked
from tests.fakes.forked import start as start_forked


def start(port: int, folder: Path, environment: Mapping[str, str], log: Path) -> Forked:
    """Start the app of a checkout on a port, its output going to a file."""
    return start_forked(_run, (port,), folder, environment, log, log)


def _run(port: int) -> None:
    main(["run", "app.py", f"--server.port={port}"], prog_name="streamlit")
