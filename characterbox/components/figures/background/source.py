"""Which ratings a page shows, and what is computed of them in the process beside the app."""

import hashlib
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import cache
from typing import TypeVar, TypeVarTuple

import streamlit as st
from sqlalchemy import Engine

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from annotations.marking.rating import packed_ratings
from characterbox.components.figures.background import compute
from characterbox.components.figures.background.compute import (
    Figures,
    Gone,
    Imported,
    Overview,
    Points,
    Source,
    Stored,
    Uploaded,
)
from characterbox.components.figures.background.process import open_figure_process
from characterbox.components.figures.background.selection import Selection
from characterbox.processes.limited import run_limited_once
from characterbox.settings import settings
from characterbox.store.engine import open_engine
from characterbox.store.ratings.ratings import Newest, newest

T = TypeVar("T")

SOON, POLL = 0.3, 0.25
"""Seconds until progress is shown, and then from one look to the next."""
BEGUN = 0.1
"""What is shown as done: how far a thing is that is worked out elsewhere is not known here."""


def awaited(future: "Future[T]", told: str) -> T:
    """What comes, or is raised, with progress and a word of what is done until then; the page reads `told` as Markdown,
    so that no name belongs in it.

    Each look lets Streamlit end this run of the page, should the reader click elsewhere or leave; what has not begun by
    then is not begun any more.
    """
    place = st.empty()
    try:
        if not wait([future], SOON).done:
            while not wait([future], POLL).done:
                place.progress(BEGUN, told)
            place.empty()
        return future.result()
    finally:
        future.cancel()


Ts = TypeVarTuple("Ts")

READING = to_say("Reading the ratings")


@dataclass(frozen=True)
class Ratings:
    """The ratings that a page shows: they stay the same while it does. What takes long is waited for on the page.

    The methods raise AnnotationError if the ratings cannot be used, and CharacterBoxError if nothing can be worked out.
    """

    source: Source
    content: bytes = b""
    """Of a file, what is in it."""

    def overview(self) -> Overview:
        """Which ratings there are."""
        return self._worked_out(say(READING), compute.overview)

    def are_there(self) -> bool:
        """Whether there are any; where nothing was ever rated here, nobody waits for the answer."""
        never = isinstance(self.source, Stored) and self.source.newest == Newest(0, 0)
        return not never and self.overview().count > 0

    def figures(self, selection: Selection) -> Figures:
        """The statistics of the selected ratings."""
        told = say("Computing reliability and validity of {n:,} ratings", n=self.overview().count)
        return self._worked_out(told, compute.figures_of, selection)

    def points(self, selection: Selection, judge: str, metric: str) -> Points:
        """What a judge and the experts gave on one metric."""
        return self._worked_out(say("Loading the scores"), compute.points_of, selection, judge, metric)

    def place(self, item: str) -> dict[str, str] | None:
        """Where in Playback the trajectory of an item begins; None where there is none."""
        return self._worked_out(say("Finding the story"), compute.place_of, item)

    @property
    def stored(self) -> bool:
        """Whether they are those in the app, whose stories can be opened."""
        return isinstance(self.source, Stored)

    def in_depth(self, told: str, how: Callable[[Source, Selection, *Ts], T], selection: Selection, *args: *Ts) -> T:
        """What one of the functions of `judge_details` works out; `told` says it while it is waited for."""
        return self._worked_out(told, how, selection, *args)

    def file(self, of: Callable[[Source, *Ts], bytes], *args: *Ts) -> bytes:
        """A file to download, one of those in `compute`. Not on the page: the browser waits for it."""
        process = open_figure_process()
        try:
            return process.ask(of, self.source, *args).result()
        except Gone:
            if not isinstance(self.source, Uploaded):
                raise
            process.ask(compute.take_file, self.source, self._read()).result()
            return process.ask(of, self.source, *args).result()

    def _read(self) -> bytes:
        return run_limited_once(packed_ratings, self.content)

    def _worked_out(self, told: str, how: Callable[[Source, *Ts], T], *args: *Ts) -> T:
        try:
            return awaited(open_figure_process().recall(how, self.source, *args), told)
        except Gone:
            self._bring_back()
            return awaited(open_figure_process().recall(how, self.source, *args), told)

    def _bring_back(self) -> None:
        """Have the ratings at hand there again; if there are newer ones by now, the whole page is drawn anew."""
        if isinstance(self.source, Uploaded):
            with st.spinner(say(READING)):
                ratings = self._read()
            awaited(open_figure_process().ask(compute.take_file, self.source, ratings), say(READING))
        elif isinstance(self.source, Stored) and newest(_engine()) != self.source.newest:
            st.rerun()
        else:
            awaited(open_figure_process().ask(compute.overview, self.source), say(READING))


@cache
def _engine() -> Engine:
    return open_engine(settings().db)


def stored_ratings() -> Ratings:
    """The ratings in the app, as they are now."""
    return Ratings(Stored(settings().db, newest(_engine())))


def imported_ratings(dataset: str) -> Ratings:
    """The ratings of a dataset, by its id."""
    return Ratings(Imported(settings().db, dataset))


def uploaded_ratings(content: bytes) -> Ratings:
    """The ratings in a file."""
    return Ratings(Uploaded(hashlib.sha256(content).hexdigest()), content)
