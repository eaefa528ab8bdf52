"""Lists of stories."""

import streamlit as st

from annotations.wording import say, say_moment, to_say
from characterbox.stage.stage import Stage
from characterbox.store.stories import Status, Story
from pages.parts.look import plain, quiet
from pages.parts.models_words import model_name
from pages.parts.ways import PageName, way

SHOWN = 50
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


def recent(stage: Stage, here: PageName, limit: int = 5) -> None:
    """The newest stories, each with the way to it."""
    stories = stage.store.stories.stories(limit=limit)
    if stories:
        st.subheader(say("Recent stories"))
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
    models = sorted({model_name(endpoint) for endpoint in story.casting.characters.values()})
    parts = [
        story.script.scene.work,
        say_moment(story.created_at),
        say("{status}, {events} events", status=say(STATUS[story.status]), events=events),
        *([say("a branch, from step {at}", at=story.branch.at)] if story.branch else []),
        say("characters: {models}", models=say(", ").join(models)),
        say("narrator: {model}", model=model_name(story.casting.narrator)),
    ]
    return " · ".join(parts)
