"""The settings of a campaign: the form, and the values that are read from its fields."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from pydantic import ValidationError

from annotations.design.settings import Settings
from annotations.errors import RatingError
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.item_selection import offers_of
from characterbox.campaigns.plan import Draft
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import stories_of
from pages.campaigns.editing import Edit
from pages.campaigns.text import SUBJECTS, cautions, name_betrays, rubric_title
from pages.models.form import NEEDED
from pages.shared.form import MOST_LINE, FieldFaults, fault, show_stored
from pages.shared.text import quiet

_SENTENCES = {
    "name": to_say("Enter a name of at most 120 characters."),
    "raters_per_item": to_say("Enter a whole number from 1 to 50."),
    "seed": to_say("Enter a whole number from 0 to 2,147,483,647."),
    "repeats": to_say("Choose none, or 5 to 10 %."),
    "threshold": to_say("Enter a whole number from 50 to 100."),
    "attempts": to_say("Enter a whole number from 1 to 5."),
    "checks": to_say("Enter a whole number from 0 to 10."),
    "minutes": to_say("Enter a number above 0, up to 120."),
}
_NUMBERS = ("raters_per_item", "seed", "threshold", "attempts", "checks", "minutes")
_PERCENT = ("repeats", "threshold")


def written_of(settings: Settings) -> dict[str, Any]:
    """What stands in the fields: shares in percent, the deadline without its zone, which is UTC."""
    shown = settings.model_dump()
    shown |= {field: round(shown[field] * 100) for field in _PERCENT}
    until = settings.deadline
    return {
        **shown,
        "rubric": (settings.rubric, settings.rubric_version),
        "deadline": until and until.astimezone(UTC).replace(tzinfo=None),
    }


def read_field(settings: Settings, field: str, written: Any) -> Settings:
    """The settings with another value in one field. Raises FieldFaults, to be said, if it can't be used."""
    if field in _NUMBERS and written is None:
        raise FieldFaults({field: NEEDED})
    try:
        return Settings.model_validate(settings.model_dump() | _changes(field, written))
    except ValidationError:
        raise FieldFaults({field: _SENTENCES[field]}) from None


def _changes(field: str, written: Any) -> dict[str, Any]:
    if field == "rubric":
        name, version = written
        return {"rubric": name, "rubric_version": version}
    if field == "deadline":
        return {field: written and written.replace(tzinfo=UTC)}
    return {field: written / 100 if field in _PERCENT else written}


REPEATS = (0, 5, 6, 7, 8, 9, 10)
"""Percent of an expert's items that can come back unannounced."""
Option = TypeVar("Option")
Draw = Callable[[dict[str, Any]], Any]
"""Draws a field, given what it begins with, where it keeps what is written, and what to do when that changes."""


def settings_form(edit: Edit, refused: Mapping[str, str]) -> None:
    """All settings; `refused` has, by field, why there is no plan."""
    form = Form(edit, refused)
    form.field("name", lambda keep: st.text_input(say("Name"), max_chars=MOST_LINE, autocomplete="off", **keep))
    quiet(say("Experts see this name."))
    if (said := name_betrays(edit.draft)) is not None:
        cautions([said])
    _rubric(form)
    first, second = st.columns(2)
    with first:
        form.number("raters_per_item", say("Raters per item"))
    with second:
        form.number("minutes", say("Expected minutes per item"), step=0.5)
    form.field("deadline", lambda keep: st.datetime_input(say("Deadline (UTC), optional"), **keep))
    st.subheader(say("Practice and checks"))
    form.field("practice", lambda keep: st.toggle(say("Experts must pass the practice set first"), **keep))
    if edit.draft.settings.practice:
        first, second = st.columns(2)
        with first:
            form.number("threshold", say("Minimum share of scores within one point of the gold score (%)"))
        with second:
            form.number("attempts", say("Attempts"))
        quiet(
            say(
                "Every attempt has the same items, and the gold scores are shown after each item: 1 attempt"
                " is the strictest test."
            )
        )
    first, second = st.columns(2)
    with first:
        form.number("checks", say("Attention checks per expert"))
    with second:
        form.field("repeats", _repeats)
    form.field("asks_model", lambda keep: st.toggle(say("After each item, ask which model it was"), **keep))
    st.subheader(say("Randomization"))
    form.number("seed", say("Seed"))
    quiet(say("The seed decides who rates which items and in which order. The same seed gives the same plan."))


def rubric_of(store: Store, draft: Draft) -> Rubric | None:
    """The rubric of a draft; None if there is none of this name and version any more."""
    try:
        return store.rubrics.rubric(draft.settings.rubric, draft.settings.rubric_version)
    except RatingError:
        return None


class Form:
    """Fields whose values are those that are stored, unless what was written can't be used."""

    def __init__(self, edit: Edit, refused: Mapping[str, str]) -> None:
        self.edit = edit
        self._refused = refused
        self._shown = written_of(edit.draft.settings)

    def field(self, field: str, draw: Draw) -> None:
        """A field, and what is wrong with it."""
        key = f"campaign-{self.edit.campaign.id}-{field}"
        faults: dict[str, str] = st.session_state.setdefault(f"{key}-fault", {})
        if key not in st.session_state or field not in faults:
            show_stored(key, self._shown[field])
            faults.clear()
        with st.container():  # so that nothing else moves to another place when a fault comes or goes
            draw({"value": self._shown[field], "key": key, "on_change": self._write, "args": (field, key, faults)})
            told = faults.get(field)
            fault(self._refused.get(field) if told is None else say("{why} Not saved yet.", why=say(told)))

    def number(self, field: str, label: str, step: float = 1) -> None:
        """A field for a number."""
        self.field(field, lambda keep: st.number_input(label, step=step, **keep))

    def _write(self, field: str, key: str, faults: dict[str, str]) -> None:
        written = st.session_state[key]
        faults.clear()

        def make(draft: Draft) -> Draft:
            changed = replace(draft, settings=read_field(draft.settings, field, written))
            return _with_rubric(self.edit.stage.store, draft, changed)

        try:
            self.edit.change(make)
        except FieldFaults as found:
            faults |= found.faults


def _with_rubric(store: Store, before: Draft, after: Draft) -> Draft:
    """The draft with what its stories have to rate under its rubric, where that is another kind of thing now.

    Raises CampaignError if scenes of the library are picked, which only a rubric for scenes can rate.
    """
    old, new = rubric_of(store, before), rubric_of(store, after)
    if new is None or (old is not None and old.subject == new.subject):
        return after
    if scenes := sum(item.story_id is None for item in before.items):
        raise CampaignError(
            say_count(
                "{count:,} scene of the library is selected, but this rubric does not rate scenes: deselect it first",
                "{count:,} scenes of the library are selected, but this rubric does not rate scenes: deselect"
                " them first",
                scenes,
            )
        )
    return replace(after, items=offers_of(store).items(stories_of(before.items), new))


def _rubric(form: Form) -> None:
    store = form.edit.stage.store
    present = (form.edit.draft.settings.rubric, form.edit.draft.settings.rubric_version)
    known = {name: rubric_title(store.rubrics.rubric(*name)) for name in _readable(store)}
    missing = {} if present in known else {present: say("{rubric} (no longer available)", rubric=" ".join(present))}
    options = known | missing
    form.field("rubric", partial(_select, say("Rubric"), list(options), options.__getitem__))
    if missing:
        fault(say("This version of the rubric is no longer available. Choose another one."))
    elif (rubric := rubric_of(store, form.edit.draft)) is not None:
        quiet(
            say_count(
                "Rated: {subject}, on {count} metric.",
                "Rated: {subject}, on {count} metrics.",
                len(rubric.metrics),
                subject=say(SUBJECTS[rubric.subject]),
            )
        )


def _readable(store: Store) -> list[tuple[str, str]]:
    def reads(name: tuple[str, str]) -> bool:
        try:
            store.rubrics.rubric(*name)
        except RatingError:
            return False
        return True

    return list(filter(reads, store.rubrics.names()))


def _repeats(keep: dict[str, Any]) -> None:
    def said(percent: int) -> str:
        return say("{percent} % of an expert's items", percent=percent) if percent else say("none")

    _select(say("Hidden repeats"), REPEATS, said, keep)


def _select(label: str, options: Sequence[Option], said: Callable[[Option], str], keep: dict[str, Any]) -> None:
    """A box to select in, as a field."""
    first, keeping = options.index(keep["value"]), {name: what for name, what in keep.items() if name != "value"}
    st.selectbox(label, options, first, format_func=said, **keeping)
