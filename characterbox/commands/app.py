"""`characterbox app`: start the app, `streamlit run app.py`, from wherever it is installed."""

import argparse
import os
import sys
from pathlib import Path

import characterbox
from characterbox.settings import settings


def app_home() -> Path:
    """The folder of `app.py`: within the package when it is installed, else the root of the checkout."""
    package = Path(characterbox.__file__).parent
    installed = package / "_app"
    return installed if installed.is_dir() else package.parent


def run(options: argparse.Namespace) -> int:
    """Serve the app on 127.0.0.1 until it is interrupted. This process becomes the server."""
    settings()
    command = [sys.executable, "-m", "streamlit", "run", str(app_home() / "app.py")]
    os.execv(sys.executable, [*command, "--server.port", str(options.port)])  # noqa: S606 - no shell is the point
