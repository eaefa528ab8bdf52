"""The tutorial about a sweep, walked through in both languages, against a server that speaks as vLLM does.

`make test-vllm` walks it with a real one (tests/vllm/test_sweep_tutorial.py).
"""

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.tables import WAIT
from tests.docs.walk import Walk
from tests.fakes.mock_server import mock_server

ADDRESS, MODEL = "http://127.0.0.1:8000/v1", "Qwen/Qwen2.5-7B-Instruct"
"""Those of the tutorial."""


def test_sweep(begin: Callable[[str], Walk]) -> None:
    walk = begin("sweep")
    with mock_server(models=(MODEL,)) as server:
        sweep = walk_to_the_end_of_a_sweep(walk, server.url, MODEL)
        walk_through_its_result(walk, sweep)


def walk_to_the_end_of_a_sweep(walk: Walk, address: str, model: str) -> str:
    """The tutorial up to where all is played, with a server at this address that serves this model; gives the sweep."""
    page = walk.page
    walk.stand_ins = {ADDRESS: address, MODEL: model}
    for called in ("pip install vllm", "ssh -N"):
        assert walk.block().startswith(called)
    walk.go_to("Models", "Models")
    walk.press("Add server")
    walk.press("vLLM server", "radio")
    walk.write("Name")
    walk.write("Address")
    walk.press("Add server")
    expect(walk.main.get_by_text(address, exact=True)).to_be_visible()
    walk.picture("sweep-server", height=460)
    walk.press("Test")
    walk.heading("Server activity")
    expect(walk.main.get_by_text(model, exact=True).first).to_be_visible(timeout=WAIT)

    assert walk.value() == "sweep.toml"
    sweep = walk.block("sweep.toml")
    assert [walk.value(), walk.value()] == ["#", "GPT-4"]
    walk.go_to("Measure", "Sweeps")
    walk.press("New sweep")
    walk.press("From a file", "radio")
    walk.upload("sweep.toml", sweep)
    walk.press("Show plan")
    expect(page.get_by_role("button", name=walk.shown("Start sweep"))).to_be_visible(timeout=WAIT)
    walk.picture("sweep-plan")
    walk.press("Start sweep")
    expect(page).to_have_url(re.compile(r"\?sweep=first\+look$"))
    expect(page.locator(".library .title")).to_have_count(4, timeout=WAIT)
    return sweep


def walk_through_its_result(walk: Walk, sweep: str) -> None:
    """The rest of the tutorial."""
    played = walk.shown("{played:,} of {all:,} stories played", played=4, all=4)
    done = walk.shown("{played}, {judged:,} of {all:,} judgments done", played=played, judged=4, all=4)
    expect(walk.main.get_by_text(done).first).to_be_visible(timeout=WAIT)
    walk.press("Leaderboard")
    expect(walk.page.get_by_role("rowheader").filter(has_text=MODEL).first).to_be_visible(timeout=WAIT)
    walk.picture("sweep-leaderboard")

    folder = walk.app.db.parent
    (folder / "sweep.toml").write_text(sweep, encoding="utf-8")
    walk.run()
    assert (folder / walk.value() / "ratings.csv").is_file()
    walk.end()
