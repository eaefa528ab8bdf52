"""What people are writing as answers: nothing of it is lost when the story goes on without it."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from annotations.wording import say
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from characterbox.store.story import OVER

Written = dict[tuple[str, str], str | None]
"""What is being written in this session, by story and path; None where the answer was sent."""


def note_unsent(story: str, path: str, values: Mapping[str, Any]) -> None:
    """Remember what is being written, unless it was sent already."""
    text = "\n\n".join(text for text in values.values() if isinstance(text, str) and text.strip())
    if text and not was_sent(story, path):
        _written()[story, path] = text


def was_sent(story: str, path: str) -> bool:
    """Whether the answer was sent from this session."""
    return _written().get((story, path), "") is None


def forget_unsent(story: str, path: str, *, sent: bool = False) -> None:
    """It was taken back, put away, or sent."""
    _written().pop((story, path), None)
    if sent:
        _written()[story, path] = None


def tell_unsent(stage: Stage, story: Story) -> None:
    """Show what was being written as answers that somebody else has given meanwhile, until it is put away.

    Also where nobody will answer any more, as the story is over.
    """
    texts = _texts(story.id)
    if not texts:
        return
    past = {event.path for event in stage.store.stories.events(story.id)}
    for path, text in texts.items():
        if path in past:
            _tell(story.id, path, text, say("This was answered meanwhile, in another window or by somebody else."))
        elif story.status in OVER:
            _tell(story.id, path, text, say("The story was ended meanwhile."))


def tell_unsent_of_gone(id: str) -> None:
    """The same for a story that is not there any more."""
    for path, text in _texts(id).items():
        _tell(id, path, text, say("The story was deleted meanwhile."))


def _tell(id: str, path: str, text: str, why: str) -> None:
    st.warning(say("{why} What you wrote was not sent:", why=why))
    st.code(text, None, wrap_lines=True)
    st.button(say("Put it away"), key=f"away-{path}", on_click=forget_unsent, args=(id, path))


def _texts(id: str) -> dict[str, str]:
    return {path: text for (story, path), text in _written().items() if story == id and text is not None}


def _written() -> Written:
    written: Written = st.session_state.setdefault("unsent", {})
    return written
