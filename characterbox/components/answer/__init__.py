"""The form in which a person writes what a model would have replied: for a part that they play, or a reply they edit.

What the browser is given is one JSON object::

    {"id": names what is answered, "language": "en" | "zh", "submit": the label of the button,
     "fields": [{"name", "label", "hint", "kind": "text" | "choice" | "scale" | "toggle",
                 "options": [{"label", "value"}, ...]}, ...],
     "values": {name: value} to begin with, "kept": the values that are stored, or None where nothing stores them,
     "problem": {"field": name or None, "text"} or None}

It tells each change of a field as the state `draft`, and the press of the button as the trigger `answer`; both are
`{"id", "values"}`. What is in the fields is never replaced while the same thing is answered.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Told = Callable[[str, dict[str, Any]], None]
"""Takes the id of what is answered, and the values of its fields, as a browser says them."""


@cache
def answer_js() -> str:
    """The form as one ECMAScript module."""
    return files(__name__).joinpath("answer.js").read_text(encoding="utf-8")


@cache
def answer_css() -> str:
    """The style sheet of the form."""
    return files(__name__).joinpath("answer.css").read_text(encoding="utf-8")


def show_form(data: Mapping[str, Any], key: str, *, on_draft: Told, on_answer: Told) -> None:
    """Show the form on the Streamlit page that is running; `key` names this place of the page across reruns."""
    from characterbox.components.answer.mount import mount  # noqa: PLC0415 - the fields are made without Streamlit

    mount(data, key, _heard(on_draft), _heard(on_answer))


def _heard(told: Told) -> Callable[[object], None]:
    """Passes on what a browser says if it has the right shape."""

    def hear(said: object) -> None:
        match said:
            case {"id": str(id), "values": dict(values)}:
                told(id, values)

    return hear
