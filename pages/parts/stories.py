"""Lists of stories, each with the way to it."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from annotations.wording import say, say_count, say_moment, to_say
from characterbox.components.library import show_stories
from characterbox.llm.endpoint import HANDWRITTEN
from characterbox.stage.stage import Stage
from characterbox.store.shelf import Shelved, Wanted
from characterbox.store.stories import Status
from characterbox.store.story import OVER
from pages.parts.ways import PageName, address_of

STATUS: dict[Status, str] = {
    "running": to_say("being played"),
    "paused": to_say("paused"),
    "waiting": to_say("waits for an endpoint"),
    "cued": to_say("waits for a person"),
    "failed": to_say("stopped by an error"),
    "mismatched": to_say("waits for a choice"),
    "stopped": to_say("stopped for good"),
    "ended": to_say("complete"),
}


def recent(stage: Stage, limit: int = 5) -> None:
    """The newest stories."""
    _, stories = stage.store.shelf.find(Wanted(), limit=limit)
    if stories:
        st.subheader(say("Recent stories"))
        story_list(stories, "recent")


def story_list(stories: Sequence[Shelved], key: str) -> None:
    """Stories, one a line: title, work, state, models, tags. A press on one opens it."""
    show_stories([_told(story) for story in stories], key)


def page_of(story: Shelved) -> PageName:
    """Where a story is seen: those that are over are played back."""
    return "playback" if story.status in OVER else "stage"


def _told(story: Shelved) -> Mapping[str, Any]:
    return {
        "id": story.id,
        "title": story.title,
        "language": story.language,
        "label": story.label,
        "about": _about(story),
        "tags": story.tags,
        "page": address_of(page_of(story), story=story.id),
        "cast": story.cast,
        "influences": story.influences,
    }


def _about(story: Shelved) -> list[str]:
    events = say_count("{count:,} event", "{count:,} events", story.events)
    models = say(", ").join(say("written by hand") if model == HANDWRITTEN else model for model in story.models)
    made = [say(STATUS[story.status]), events, *([say("a branch")] if story.branch_of else []), models]
    return [f"{story.work} · {say_moment(story.created_at)}", " · ".join(made)]
