"""Lists of stories."""

import streamlit as st

from characterbox.stage.stage import Stage
from characterbox.store.stories import Status, Story
from pages.parts.look import plain, quiet
from pages.parts.ways import PageName, way

SHOWN = 50
STATUS: dict[Status, str] = {
    "running": "being played",
    "paused": "paused",
    "waiting": "waits for an endpoint",
    "cued": "waits for a person",
    "failed": "stopped by an error",
    "mismatched": "waits for a choice",
    "stopped": "stopped for good",
    "ended": "complete",
}


def recent(stage: Stage, here: PageName, limit: int = 5) -> None:
    """The newest stories, each with the way to it."""
    stories = stage.store.stories.stories(limit=limit)
    if stories:
        st.subheader("Recent stories")
        story_list(stage, stories, here)


def story_list(stage: Stage, stories: list[Story], here: PageName) -> None:
    """Stories, one a line: title, work, state, models."""
    counts = stage.store.stories.count_events()
    for story in stories:
        title, about = st.columns([2, 3], vertical_alignment="center")
        with title:
            page: PageName = "playback" if story.status in ("ended", "stopped") else "stage"
            way(plain(story.title), page, here, story=story.id)
        with about:
            quiet(_about(story, counts.get(story.id, 0)))


def _about(story: Story, events: int) -> str:
    models = sorted({endpoint.label for endpoint in story.casting.characters.values()})
    parts = [
        story.script.scene.work,
        f"{story.created_at:%d %b %Y, %H:%M} UTC",
        f"{STATUS[story.status]}, {events} events",
        *([f"a branch, from step {story.branch.at}"] if story.branch else []),
        f"characters: {', '.join(models)}",
        f"narrator: {story.casting.narrator.label}",
    ]
    return " · ".join(parts)
