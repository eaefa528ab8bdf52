"""What forms share: how much can be written into a field, what is wrong with one, and widgets that show what is stored.

Streamlit takes no more than that, whatever a browser sends. What may be stored is often shorter: then the function that
stores it says so.
"""

import html
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

import streamlit as st
from pydantic import ValidationError

from annotations.i18n.messages import Readable, to_say, wrong_with
from annotations.i18n.translation import say, translate
from characterbox.components.streamlit_session import MOST_TEXT
from characterbox.errors import AddressError
from characterbox.llm.endpoint import Endpoint

T = TypeVar("T")

MOST_LINE = 2_000
"""Characters of a field of one line, at most: as many as the address of a page may have of it."""
MOST_LINES = 20_000
"""Characters of a field of some lines, at most."""
MOST_PASTED = MOST_TEXT
"""Characters of a field into which whole texts are pasted, at most: as many as a page may send in one field."""


Sentences = Mapping[tuple[str, str | type[ValueError]], str]
"""What is said of a fault, by its field, and by its type in pydantic or by the class of the error behind it.

"" is any field.
"""


@dataclass(frozen=True, slots=True)
class Field:
    """A field as a form draws it; its texts are to be said."""

    kind: Literal["line", "lines", "number", "toggle"]
    label: str
    placeholder: str | None = None
    help: str | None = None
    step: float = 1

    def draw(self, value: Any, **widget: Any) -> None:
        """Draw it with what stands in it at first; `widget` has its key, and how long it keeps what is written."""
        label, help = say(self.label), self.help and say(self.help)
        placeholder = self.placeholder and say(self.placeholder)
        match self.kind:
            case "line":
                st.text_input(
                    label,
                    value,
                    max_chars=MOST_LINE,
                    placeholder=placeholder,
                    help=help,
                    autocomplete="off",
                    **widget,
                )
            case "lines":
                st.text_area(label, value, height=90, max_chars=MOST_LINES, placeholder=placeholder, **widget)
            case "number":
                st.number_input(label, value=value, step=self.step, placeholder=placeholder, **widget)
            case "toggle":
                st.toggle(label, value, help=help, **widget)


class FieldFaults(Exception):
    """What is wrong with a form: one sentence for each field that can't be used."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{field}: {fault}" for field, fault in faults.items()))
        self.faults = faults


def fault(said: Readable | None) -> None:
    """What is wrong with the field above, if something is."""
    if said:
        st.html(f'<p class="cb-fault" role="alert">{html.escape(translate(said))}</p>')


UNUSABLE = to_say("A number above is not valid. Check the marked field; it may be in a collapsed section.")
"""Said where a form can't go on, as the field may be out of sight."""


class Numbers:
    """The fields of a form in which numbers are written.

    A browser would keep a number that is out of a range to itself, and the page would go on with the one of before. So
    the fields take any number, and what can't be used is told below it.
    """

    def __init__(self) -> None:
        self.fine = True
        """Whether all that was written so far can be used. What can't must not be."""

    def ask(
        self, label: str, low: float, high: float | None, value: float | Literal["min"] | None = "min", **widget: Any
    ) -> Any:
        """A number from `low` to `high`, or None where the field is empty and may be so; whole where `low` is."""
        step = float(widget.pop("step", 1))
        shown = float(value) if isinstance(value, int) else value
        number = st.number_input(label, value=shown, step=step, format="%g", **widget)
        if number is None:
            return None
        whole = isinstance(low, int)
        if number < low or (high is not None and number > high) or (whole and number != int(number)):
            self.fine = False
            fault(_range_told(low, high, whole=whole))
            return number
        return int(number) if whole else number


def _range_told(low: float, high: float | None, *, whole: bool) -> str:
    least, most = f"{low:,.12g}", "" if high is None else f"{high:,.12g}"
    if high is None:
        return (
            say("Enter a whole number of {low} or more.", low=least)
            if whole
            else say("Enter {low} or more.", low=least)
        )
    if whole:
        return say("Enter a whole number from {low} to {high}.", low=least, high=most)
    return say("Enter a number from {low} to {high}.", low=least, high=most)


def sentences_of(
    error: ValidationError, own: Sentences, whole: str = "", read: Callable[[str], str] = str
) -> dict[str, str]:
    """For each faulty field one sentence: the form's own, else pydantic's as `read` puts it.

    What is wrong with no field is filed under `whole`.

    What was written is not repeated: it may be a key.
    """
    told: dict[str, str] = {}
    for one in error.errors(include_input=False, include_url=False):
        field = str(one["loc"][0]) if one["loc"] else whole
        given = one.get("ctx", {})
        behind = given.get("error")
        message = own.get((field, type(behind) if behind else one["type"])) or own.get(("", one["type"]))
        told.setdefault(field, read(translate(wrong_with(one))) if message is None else say(message, **given))
    return told


def pick_model(label: str, key: str, known: Mapping[str, str], **widget: Any) -> str:
    """The model that is picked among those that are known, or written; nothing if none is."""
    options = widget.pop("options", [*known])
    placeholder = widget.pop("placeholder", None) or say("Choose a model, or enter URL#MODEL")
    return (
        st.selectbox(
            label,
            options,
            format_func=lambda option: known.get(option, option),
            accept_new_options=True,
            key=key,
            placeholder=placeholder,
            **widget,
        )
        or ""
    )


def pick_some(label: str, options: Iterable[T], **widget: Any) -> list[T]:
    """Those that are picked of the options. Enter takes the one that is lit, never all in which letters were found."""
    widget = {"placeholder": say("none selected"), **widget}
    return st.multiselect(label, [*options], select_all=False, filter_mode="contains", **widget)


def endpoint_or_fault(text: str, tell: Callable[[str], object] = fault) -> Endpoint | None:
    """The endpoint that was picked or written; None, with the reason told, if it can't be used."""
    try:
        return Endpoint.parse(text)
    except AddressError as error:
        tell(translate(error))
        return None


def show_stored(key: str, value: object) -> None:
    """Have the widget with a key show a value, which it is to begin with, too.

    The browser forgets what a widget had that was not there for a while, and sends what the widget begins with instead.
    A value that is set is drawn over what somebody chooses meanwhile, also where it is the one that the widget has: so
    it is set only where it differs.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
