"""The app, `streamlit run app.py`, in a process that starts at once (see `forked`)."""

from collections.abc import Mapping
from pathlib import Path

from streamlit.web.cli import main

from tests.fakes.forked_processes import Forked
from tests.fakes.forked_processes import start as start_forked


def start(
    port: int, folder: Path, environment: Mapping[str, str], log: Path, script: str = "app.py", *options: str
) -> Forked:
    """Start the app of a checkout, or another script in a folder, on a port, its output going to a file."""
    return start_forked(_run, (port, script, options), folder, environment, log, log)


def _run(port: int, script: str, options: tuple[str, ...]) -> None:
    main(["run", script, f"--server.port={port}", *options], prog_name="streamlit")
