"""Which stories of one scene are put side by side, and what tells each from the others."""

from collections.abc import Sequence

import streamlit as st

from annotations.i18n.translation import say, say_moment
from characterbox.errors import StoryError
from characterbox.stage.branching import told_at
from characterbox.stage.stage import Stage
from characterbox.store.stories.search import Wanted
from characterbox.store.stories.stories import Branch, Story
from characterbox.store.stories.story import OVER
from pages.models.text import model_name
from pages.shared.form import pick_some
from pages.shared.links import go_to
from pages.story.list import STATUS

MOST = 3
"""Stories that are seen side by side."""
_LISTED = 50
"""Stories of a scene that one can choose from."""


def compare_with(stage: Stage, story: Story) -> None:
    """Chooses the stories of the same scene that this one is to be compared with."""
    _, found = stage.store.shelf.find(Wanted(scene=story.script.scene.id), limit=_LISTED)
    others = {one.id: one for one in found if one.id != story.id}
    if not others:
        return

    def told(id: str) -> str:
        one = others[id]
        parts = [one.label or one.id, say(", ").join(one.models), say(STATUS[one.status]), say_moment(one.created_at)]
        return " · ".join(parts)

    with st.popover(say("Compare"), key=f"compare-{story.id}", type="tertiary"):
        blind = st.toggle(say("Blind: hide the models until you vote"), key="compare-blind")
        chosen = pick_some(
            say("Other stories of this scene"), [*others], format_func=told, max_selections=MOST - 1, key="others"
        )
        if st.button(say("Compare side by side"), type="primary", disabled=not chosen):
            go_to("playback", compare=",".join([story.id, *chosen]), **({"blind": "yes"} if blind else {}))


def names_of(stage: Stage, stories: Sequence[Story]) -> list[str]:
    """What tells each story from the others: its name, or how it came to be; its models, the time at which it was
    begun and its id where they are needed, too; and how it stands where it may go on."""
    names = [story.label or _origin(stage, story, stories) for story in stories]
    characters = [_characters(story) for story in stories]
    if len({*characters}) > 1 or not all(names):
        names = _joined(names, characters)
    narrators = [model_name(story.casting.narrator) for story in stories]
    if len({*narrators}) > 1:
        names = _joined(names, [say("narrator: {narrator}", narrator=narrator) for narrator in narrators])
    for more in ([say_moment(story.created_at) for story in stories], [story.id for story in stories]):
        if len({*names}) < len(names) and len({*more}) == len(more):
            names = _joined(names, more)
    return _joined(names, ["" if story.status in OVER else say(STATUS[story.status]) for story in stories])


def _joined(names: Sequence[str], more: Sequence[str]) -> list[str]:
    return [" · ".join(filter(None, pair)) for pair in zip(names, more, strict=True)]


def _characters(story: Story) -> str:
    return say(", ").join(sorted({model_name(endpoint) for endpoint in story.casting.characters.values()}))


def _origin(stage: Stage, story: Story, stories: Sequence[Story]) -> str:
    """How a story came to be where others are branches; nothing where none is."""
    if story.branch is not None:
        return how_made(stage, story.id, story.branch)
    return say("Original story") if any(one.branch is not None for one in stories) else ""


def how_made(stage: Stage, id: str, branch: Branch) -> str:
    """How a version came to be, and at which step it parts from the story before."""
    if branch.anew == "changed":
        return say("Other models from step {at}", at=branch.at)
    if branch.anew == "all":
        return say("Branched at step {at}", at=branch.at)
    try:
        takes = stage.store.stories.takes(id, told_at(stage.store.stories, branch).path)
    except StoryError:  # the story before is not there any more
        return say("From step {at}", at=branch.at)
    edited = any(take.author == "edit" and take.origin is None for take in takes)
    return say("Edited at step {at}", at=branch.at) if edited else say("Regenerated at step {at}", at=branch.at)
