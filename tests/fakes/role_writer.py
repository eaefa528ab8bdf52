"""A model that writes for a role as a test has it: by the heading of each task."""

import json
from collections.abc import Mapping

from tests.fakes.instructing_model import Body

SAID: Mapping[str, str] = {
    "## Task: a question": "A ferryman, as far as I know.",
    "## Task: describe": "The character ferries people over a river.",
    "## Task: address": "You ferry people over a river.",
    "## Task: the catchphrases": json.dumps({"catchphrases": ["Bridges fall!", "Land ho."]}),
    "## Task: how distinct": json.dumps({"reason": "Short sentences.", "level": 3}),
    "## Task: the rounds": json.dumps({"rounds": []}),
}


def writes(body: Body, said: Mapping[str, str] = SAID) -> str:
    """The reply to a task, also where it is asked once more."""
    asked = [str(one["content"]) for one in body["messages"]]
    return next(reply for text in reversed(asked) for heading, reply in said.items() if text.startswith(heading))
