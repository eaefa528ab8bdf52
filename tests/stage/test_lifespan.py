"""The app closes all that it opened, whatever goes wrong meanwhile."""

from types import SimpleNamespace

import pytest

import app


class Fake:
    """A stage, a starter and a process beside, that write down what they are told; one act of them may fail."""

    def __init__(self, failing):
        self.failing = failing
        self.told = []
        self.store = SimpleNamespace(stories=self.told)

    def resume_all(self):
        self._do("resume_all")

    def close(self):
        self._do("close")

    def _do(self, act):
        self.told.append(act)
        if act == self.failing:
            raise TimeoutError(act)


@pytest.mark.parametrize("failing", ["resume_all", "close"])
async def test_all_else_is_closed_though_the_stage_fails(monkeypatch, failing):
    stage, starter, aside = Fake(failing), Fake(None), Fake(None)
    monkeypatch.setattr(app.st, "get_option", lambda name: "127.0.0.1")
    monkeypatch.setattr(app, "let_watchers_go", lambda stage: None)
    monkeypatch.setattr(app, "open_stage", lambda: stage)
    monkeypatch.setattr(app, "bring_samples", lambda stories: stories.append("samples"))
    monkeypatch.setattr(app, "open_starter", lambda: starter)
    monkeypatch.setattr(app, "close_aside", aside.close)
    quiet = SimpleNamespace(collect=list, freeze=list)  # what other tests left behind is not its affair
    monkeypatch.setattr(app, "gc", quiet)
    with pytest.raises(TimeoutError, match=failing):
        async with app.lifespan(None):
            pass
    assert stage.told == ["samples", "resume_all", "close"]
    assert starter.told == aside.told == ["close"]
