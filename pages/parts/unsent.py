"""What a person is writing as an answer: it is not lost when the story goes on without it."""

from typing import Any

import streamlit as st

from annotations.wording import say
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story

_KEY = "unsent"
"""The story, the path and the values of what is being written in this session."""


def note_unsent(story: Story, path: str, values: dict[str, Any]) -> None:
    """Remember what is being written."""
    st.session_state[_KEY] = story.id, path, values


def forget_unsent() -> None:
    """It was sent, or taken back."""
    st.session_state.pop(_KEY, None)


def tell_unsent(stage: Stage, story: Story) -> None:
    """Show what was being written as an answer that somebody else has given meanwhile, until it is put away."""
    id, path, values = st.session_state.get(_KEY, ("", "", {}))
    if id != story.id or all(event.path != path for event in stage.store.stories.events(id)):
        return
    st.warning(say("This was answered meanwhile, in another window or by somebody else. What you wrote was not sent:"))
    st.code("\n\n".join(text for text in values.values() if isinstance(text, str) and text), None, wrap_lines=True)
    st.button(say("Put it away"), key="unsent-away", on_click=forget_unsent)
