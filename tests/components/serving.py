"""A Streamlit page of its own process, for tests of components on a real page."""

import os
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes import warm_app
from tests.fakes.ports import free_port

REPOSITORY = Path(__file__).parents[2]
START = f"import sys\nsys.path.insert(0, {str(REPOSITORY)!r})\n"


@contextmanager
def streamlit_page(folder: Path, script: str) -> Iterator[str]:
    """The page that the script makes, in a folder that it may write to; gives its address."""
    (folder / "page.py").write_text(START + script, encoding="utf-8")
    port = free_port()
    options = ("--server.headless=true", "--server.address=127.0.0.1")
    options += ("--browser.gatherUsageStats=false", "--server.fileWatcherType=none")
    server = warm_app.start(port, folder, os.environ, folder / "page.log", "page.py", *options)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        server.kill()


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
        else:
            return
    raise TimeoutError(f"{url} did not answer within 60 seconds")
