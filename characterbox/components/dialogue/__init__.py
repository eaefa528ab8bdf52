"""A dialogue with a role on a page: what was said, what is being said, and where a person writes what they say.

What the browser is given is one JSON object::

    {"id": the story's, "language": "en" | "zh", "live": the address of the story's event stream or None,
     "status": a Status, "count": how many events there are,
     "turns": [{"path", "at": its number among the events, "name", "text", "mine": whether the person said it,
                "problem": why it could not be read, or None,
                "takes": {"at", "of", "previous": id or None, "next": id or None} or None: its place among the replies
                that were asked for at this place, and the stories that the others are in}, ...],
     "examples": [{"before", "answer"}, ...]: the rounds that the last reply was given with,
     "other": who speaks when the person does not, "asked": whether the person is to speak now,
     "tools": whether replies can be asked for anew, edited and branched off,
     "problem": why what was sent was refused, or None, "words": {...}}

It tells what the person said as the trigger `said`, `{"id", "text", "after"}`: the text is empty at the end of the
dialogue, and `after` is the number of turns that were there, so that nothing is said twice. It tells a pressed tool as
`tool`, `{"tool", "at"}`; the story of another take as `take`; and that the story has moved on as `moved`. What is
written and not sent yet is kept in the browser.
"""

from collections.abc import Callable, Mapping
from typing import Any

from annotations.i18n.translation import say
from characterbox.components.player import Wish, wish_of
from characterbox.components.web import Component

_DIALOGUE = Component(
    "dialogue",
    ("player/nodes.js", "player/live.js", "dialogue/dialogue.js"),
    ("theme.css", "dialogue/dialogue.css"),
)
MOST_SAID = 20_000
"""Characters of what a person says at a time, at most."""


def show_dialogue(
    data: Mapping[str, Any], key: str, *, on_said: Callable[[str, int], None], on_take: Callable[[str], None]
) -> Wish | None:
    """Show a dialogue on the Streamlit page that is running. A rerun with the same key keeps what is written.

    Gives the tool that was pressed just now, if one was. What was said is heard before the page is drawn again.
    """
    id = data["id"]

    def said(told: object) -> None:
        match told:
            case {"id": one, "text": str(text), "after": int(after)} if one == id and len(text) <= MOST_SAID:
                on_said(text, after)

    def take(told: object) -> None:
        if isinstance(told, str):
            on_take(told)

    told = _DIALOGUE.mount(
        key,
        {**data, "most": MOST_SAID, "words": _words()},
        said=said,
        take=take,
        tool=lambda _: None,
        moved=lambda _: None,
    )
    return wish_of(told.tool)


def _words() -> dict[str, Any]:
    return {
        "dialogue": say("Dialogue"),
        "placeholder": say("Say something"),
        "send": say("Send"),
        "end": say("End dialogue"),
        "thinking": say("{name} is thinking"),
        "silent": say("says nothing"),
        "unread": say("This reply could not be read."),
        "previous": say("Previous reply"),
        "next": say("Next reply"),
        "take": say("{at} of {of}"),
        "regenerate": say("Regenerate"),
        "edit": say("Edit"),
        "branch": say("Branch from here"),
        "examples": say("Examples shown to the model"),
        "lost": say("The connection is interrupted. It is being restored."),
    }
