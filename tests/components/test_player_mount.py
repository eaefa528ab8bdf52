"""The player on a real Streamlit page."""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

REPOSITORY = Path(__file__).parents[2]
SCRIPT = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})
import streamlit as st
from characterbox.components.player import show_story
from tests.components.sample import ENGLISH_EVENTS, LIGHTHOUSE, player_data

asked = st.query_params.get("at")
st.session_state.runs = st.session_state.get("runs", 0) + 1
st.text(f"run {{st.session_state.runs}}")
st.button("again")
show_story(player_data(LIGHTHOUSE, ENGLISH_EVENTS, at=int(asked) if asked else None), key="player")
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "page.py").write_text(SCRIPT, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    options += ["--browser.gatherUsageStats=false", "--server.fileWatcherType=none"]
    command = [sys.executable, "-m", "streamlit", "run", "page.py", *options]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        address = f"http://127.0.0.1:{port}"
        _wait_for(f"{address}/_stcore/health")
        yield address
        server.terminate()


def _wait_for(url: str) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(url, timeout=1).close()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(f"{url} did not answer within 30 seconds")


def test_a_rerun_keeps_the_place_of_the_reader(browser: Browser, address: str) -> None:
    page = browser.new_page()
    page.goto(f"{address}/?at=5")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_value("5", timeout=20_000)
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_value("6")
    expect(page).to_have_url(f"{address}/?at=6")
    page.get_by_role("button", name="again").click()
    expect(page.get_by_text("run 2")).to_be_visible()
    expect(slider).to_have_value("6")
    assert page.locator(".player").count() == 1
    page.reload()
    expect(slider).to_have_value("6", timeout=20_000)
    page.close()
