"""Where a story comes from, and what branched off it."""

import streamlit as st
from babel.dates import format_datetime

from annotations.wording import say, to_say, tongue
from characterbox.errors import StoryError
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from pages.parts.look import plain, quiet
from pages.parts.ways import PageName, way

HOW = {
    "all": to_say("everything was asked anew from there on"),
    "this": to_say("one reply was replaced there"),
    "changed": to_say("other models play from there on"),
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
        quiet(say("A branch of"), width="content")
        label = say("{story}, step {at}", story=parent.title, at=branch.at)
        way(plain(label), "playback", here, story=parent.id, at=branch.at)
        quiet(say(HOW[branch.anew]), width="content")


def branches(stage: Stage, story: Story, here: PageName) -> None:
    """The stories that branch off this one."""
    found = stage.store.stories.branches(story.id)
    if found:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            quiet(say("Branches:"), width="content")
            for branch in found:
                _way_to(branch, here)


def _way_to(story: Story, here: PageName) -> None:
    at = 0 if story.branch is None else story.branch.at
    moment = format_datetime(story.created_at, say("dd MMM, HH:mm 'UTC'"), locale=tongue())
    label = say("from step {at}, {moment}", at=at, moment=moment)
    way(plain(label), "playback" if story.status in ("ended", "stopped") else "stage", here, story=story.id)
