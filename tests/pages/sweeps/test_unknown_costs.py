"""A sweep that has paused as it is not known what its calls cost: the page says why, and what can be done."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.errors import StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.stage.stage import Stage
from pages.sweeps import sweep as sweeps_one
from pages.sweeps.text import state_now
from tests.fakes.databases import store_in
from tests.fakes.sweeps import REHEARSAL, a_sweep

NOBODY = Endpoint.parse("http://127.0.0.1:9/v1#m")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch):
    stage = Stage(store_in(tmp_path / "page.db"), Client())
    monkeypatch.setattr(sweeps_one, "open_stage", lambda: stage)
    yield stage
    stage.close()


def draw(stage, name):
    from pages.story.actions import show_error  # noqa: PLC0415
    from pages.sweeps.sweep import acts  # noqa: PLC0415
    from pages.sweeps.text import find_sweep, state_now  # noqa: PLC0415

    show_error()
    acts(stage, find_sweep(stage, name), state_now(stage, name))


def drawn(stage, sweep, reason):
    """The acts of a sweep that has paused for this reason."""
    stage.store.sweeps.put(sweep.name, sweep.model_dump(mode="json"), "app")
    stage.store.sweeps.rest(sweep.name, "paused", reason)
    assert state_now(stage, sweep.name) == "uncounted"
    return AppTest.from_function(draw, args=(stage, sweep.name), default_timeout=60).run()


def said(app):
    return " ".join(one.proto.body for one in app.get("html"))


def labels(app):
    return [button.label for button in app.button]


@pytest.mark.slow
def test_where_tokens_are_not_told_it_goes_on_without_a_budget_only(stage):
    sweep = a_sweep(budget=1.0)
    app = drawn(stage, sweep, Reason("untold", endpoint=REHEARSAL))
    assert "The sweep paused automatically: rehearsal did not report the token usage of a call" in said(app)
    assert "The sweep can only continue without a budget" in said(app)
    assert labels(app) == ["Continue without a budget"]
    with pytest.raises(StoryError, match=r"^sweep small: rehearsal did not report .*; remove the budget$"):
        stage.sweepings.start(sweep)
    assert state_now(stage, "small") == "uncounted", "nothing was started, or forgotten"
    app.button(key="sweep-unbound").click().run()
    sweeping = stage.sweepings.of("small")
    assert sweeping.run.sweep.budget is None
    assert sweeping.future.result(timeout=120).done
    assert state_now(stage, "small") == "ended"


def test_where_a_price_is_lacking_it_can_be_given(stage):
    sweep = a_sweep(characters=(NOBODY,), budget=1.0)
    app = drawn(stage, sweep, Reason("unpriced", endpoint=NOBODY))
    assert "http://127.0.0.1:9/v1#m no longer has a price" in said(app)
    assert "Set a price for the model" in said(app)
    assert labels(app) == ["Resume", "Continue without a budget"]
    app.button(key="sweep-go-on").click().run()
    [refused] = app.error
    assert "a budget needs prices, but there is no price for" in refused.value
    assert stage.sweepings.of("small") is None
