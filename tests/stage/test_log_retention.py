"""The log of changes is kept for as long as is set, day after day, while the app runs."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

import app
from characterbox.accounts.account import LOCAL
from characterbox.errors import StoreError
from characterbox.settings import settings


class Clock:
    """A clock that moves on when the app waits, for so many days; then the app is ended."""

    def __init__(self, days):
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self._left = days

    async def sleep(self, seconds):
        if self._left == 0:
            raise asyncio.CancelledError
        self._left -= 1
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def run(store, monkeypatch):
    """Has the app run for so many days, from the last of the run before."""
    clock = Clock(0)
    monkeypatch.setattr("characterbox.store.accounts.audit_log.now", lambda: clock.now)
    # of the app alone: a server of an earlier test may still wait in another thread
    monkeypatch.setattr(app, "asyncio", SimpleNamespace(sleep=clock.sleep, to_thread=asyncio.to_thread))
    store.audit.add(LOCAL, "story.deleted", "ab12", {})

    def run(days):
        clock._left = days
        try:
            asyncio.run(app.keep_pruned(SimpleNamespace(store=store)))
        except asyncio.CancelledError:
            return [entry.action for entry in store.audit.read(9)]
        return "ended by itself"

    yield run
    settings.cache_clear()


@pytest.fixture
def thirty_days(monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_AUDIT_DAYS", "30")
    settings.cache_clear()


def test_an_entry_goes_on_the_first_day_on_which_it_is_older(thirty_days, run):
    assert run(30) == ["story.deleted"]
    assert run(1) == ["log.pruned"]
    assert run(29) == ["log.pruned"]


def test_a_day_on_which_it_can_not_be_done_is_told_of_and_the_next_is_a_new_try(
    thirty_days, run, store, monkeypatch, caplog
):
    prune, days = store.audit.prune, []

    def failing(kept):
        days.append(kept)
        if len(days) == 32:
            raise StoreError("the database is locked")
        return prune(kept)

    monkeypatch.setattr(store.audit, "prune", failing)
    assert run(31) == ["story.deleted"]
    assert "old entries of the log could not be deleted: the database is locked; it is tried again tomorrow" in (
        caplog.messages
    )
    assert run(1) == ["log.pruned"]
    assert set(days) == {30}


def test_where_nothing_is_set_all_is_kept(run, monkeypatch):
    monkeypatch.delenv("CHARACTERBOX_AUDIT_DAYS", raising=False)
    settings.cache_clear()
    assert run(1000) == "ended by itself"
