"""The form in which a person writes what a model would have replied.

What the browser is given is one JSON object::

    {"id": names what is answered, "language": "en" | "zh", "submit": the label of the button,
     "fields": [{"name", "label", "hint", "kind", "options": [{"label", "value"}, ...],
                 "part": the title of those with which it stands, "" for none, "folded": whether these are folded away},
                ...],
     "values": {name: value} to begin with, "kept": the values that are stored, or None where nothing stores them,
     "problem": {"field": name or None, "text"} or None}

The kinds are `text` and, where a few words are usual, `line`; `choice` and `scale`: one of the options; `toggle`;
`checks`: a list of options; `some`: the same, or null, which is the first option.

It tells each change of a field as the state `draft`, and the press of the button as the trigger `answer`; both are
`{"id", "values"}`. What is in the fields is never replaced while the same thing is answered.
"""

from collections.abc import Mapping
from typing import Any

from characterbox.components.web import Component, Told, form_heard

_ANSWER = Component(
    "answer",
    ("player/nodes.js", "form.js", "answer_form/answer.js"),
    ("theme.css", "form.css", "answer_form/answer.css"),
)


def show_form(data: Mapping[str, Any], key: str, *, on_draft: Told, on_answer: Told) -> None:
    """Show the form on the Streamlit page that is running; `key` names this place of the page across reruns."""
    _ANSWER.mount(key, data, draft=form_heard(on_draft), answer=form_heard(on_answer))
