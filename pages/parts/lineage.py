"""Where a story comes from, and what branched off it."""

import streamlit as st

from characterbox.errors import StoryError
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.look import plain, quiet
from pages.parts.ways import PageName, way

HOW = {
    "all": "everything was asked anew from there on",
    "this": "one reply was replaced there",
    "changed": "other models play from there on",
}


def origin(stage: Stage, story: Story, here: PageName) -> None:
    """The story and the step that a branch comes from."""
    branch = story.branch
    if branch is None:
        return
    try:
        parent = stage.store.stories.story(branch.parent)
    except StoryError as error:
        quiet(str(error))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        quiet("A branch of", width="content")
        way(plain(f"{parent.title}, step {branch.at}"), "playback", here, story=parent.id, at=branch.at)
        quiet(HOW[branch.anew], width="content")


def branches(stage: Stage, story: Story, here: PageName) -> None:
    """The stories that branch off this one."""
    found = stage.store.stories.branches(story.id)
    if found:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            quiet("Branches:", width="content")
            for branch in found:
                _way_to(branch, here)


def _way_to(story: Story, here: PageName) -> None:
    at = 0 if story.branch is None else story.branch.at
    label = f"from step {at}, {story.created_at:%d %b, %H:%M} UTC"
    way(plain(label), "playback" if story.status in ("ended", "stopped") else "stage", here, story=story.id)
