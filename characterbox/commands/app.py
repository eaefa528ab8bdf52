"""`characterbox app`: start the app, `streamlit run app.py`, from wherever it is installed."""

import argparse
import runpy
import sys
from pathlib import Path

import characterbox
from characterbox.commands.exits import check_free
from characterbox.settings import settings
from characterbox.store.engine import open_engine


def app_home() -> Path:
    """The folder of `app.py`: within the package when it is installed, else the root of the checkout."""
    package = Path(characterbox.__file__).parent
    installed = package / "_app"
    return installed if installed.is_dir() else package.parent


def run(options: argparse.Namespace) -> int:
    """Serve the app on 127.0.0.1 until it is interrupted, when port and database can be used."""
    check_free(options.port)
    open_engine(settings().db).dispose()
    sys.argv = ["streamlit", "run", str(app_home() / "app.py"), "--server.port", str(options.port)]
    runpy.run_module("streamlit", run_name="__main__")
    return 0
