"""A dialogue with a role, as it is spoken: turns, what is being said, other takes, and a field to speak in."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.components.dialogue import show_dialogue
from characterbox.components.player import Wish
from characterbox.errors import CharacterBoxError, StoryError
from characterbox.play.conversation import said_in, shown_examples
from characterbox.play.events import Dialogue, Event
from characterbox.prompts import words
from characterbox.roles.role import Turn
from characterbox.stage.live.visibility import EVERYTHING, reason_to_tell
from characterbox.stage.stage import Stage
from characterbox.store.stories.branch_tree import Kin
from characterbox.store.stories.stories import Branch, Story
from characterbox.store.stories.story import OVER
from pages.roles.takes import takes_of
from pages.roles.text import to_roles
from pages.shared.current_user import allowed, current_user
from pages.shared.downloads import share
from pages.shared.links import go, go_to, page_link
from pages.shared.text import name_tab, plain
from pages.story.actions import act, do, show_error
from pages.story.branch_tree import family, name_or_delete, origin
from pages.story.casting import casting_line
from pages.story.header import counts, why_it_rests
from pages.story.side_by_side import compare_with
from pages.story.versions import use_tool


def show_dialogue_of(stage: Stage, id: str) -> None:
    """The dialogue that the address names, or that there is none."""
    try:
        story = stage.store.stories.story(id)
    except StoryError as error:
        st.title(say("Roles"))
        st.error(plain(translate(error)))
        to_roles()
        return
    if story.script.conversation is None:
        go_to("stage", story=id)
    name_tab(story.label or story.title)
    _line(stage, story)
    st.title(plain(story.title))
    origin(stage, story, "roles")
    show_error()
    why_it_rests(stage, story)
    kin = stage.store.families.family(id)
    wish = show_dialogue(
        dialogue_data(stage, story, kin, directs=allowed("direct")),
        f"dialogue-{id}",
        on_said=lambda text, after: _say(stage, id, text, after),
        on_take=lambda other: go(dialogue=other),
    )
    if allowed("direct"):
        _use(stage, story, wish)
        if story.status in ("paused", "waiting", "failed"):
            act(say("Continue"), lambda: stage.resume(id), key="dialogue-continue")
    casting_line(stage, story, EVERYTHING)
    with st.container(horizontal=True, vertical_alignment="center"):
        counts(stage, story)
        name_or_delete(stage, story, kin)
    family(stage, story, kin, "roles")


def _line(stage: Stage, story: Story) -> None:
    """All that can be done with a dialogue besides talking."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        to_roles()
        compare_with(stage, story)
        share(stage, story)
        page_link(say("Step details"), "playback", "roles", story=story.id)
        if story.status == "ended":
            page_link(say("Annotate"), "annotate", "roles", story=story.id)


def dialogue_data(stage: Stage, story: Story, kin: Sequence[Kin], *, directs: bool) -> dict[str, Any]:
    """All that the component shows of a dialogue."""
    events = stage.store.stories.events(story.id)
    takes = takes_of(kin, story.id)
    asked = directs and story.status == "cued" and bool(story.people)
    speaks = next((name for name in story.script.scene.names if name not in story.people), None)
    return {
        "id": story.id,
        "language": story.script.scene.language,
        "live": None if story.status in OVER else f"/stories/{story.id}/live",
        "status": story.status,
        "count": len(events),
        "turns": [
            {**_turn(story, event), "at": at, "takes": takes.get(at)}
            for at, event in enumerate(events, 1)
            if isinstance(event, Dialogue)
        ],
        "examples": _examples(story, events),
        "other": speaks if story.status == "running" else None,
        "asked": asked,
        "tools": directs and story.status != "running",
        "problem": st.session_state.get(f"dialogue-problem-{story.id}"),
    }


def _turn(story: Story, event: Dialogue) -> dict[str, Any]:
    problem = reason_to_tell(event.reason) if event.degraded else None
    mine = event.character in story.people
    return {"path": event.path, "name": event.character, "text": event.text, "mine": mine, "problem": problem}


def _examples(story: Story, events: Sequence[Event]) -> list[dict[str, str]]:
    """The rounds that the last reply was given with."""
    conversation = story.script.conversation
    spoken = [event for event in events if isinstance(event, Dialogue)]
    if conversation is None or not spoken or (role := conversation.role(spoken[-1].character)) is None:
        return []
    shown = shown_examples(conversation, said_in(spoken[:-1]), role)
    return [{"before": "\n".join(map(_told, one.round.before)), "answer": one.round.answer} for one in shown]


def _told(turn: Turn) -> str:
    return turn.text if turn.speaker is None else say("{name}: {what}", name=turn.speaker, what=turn.text)


def _say(stage: Stage, id: str, text: str, after: int) -> None:
    """Record what the person says after so many turns, unless it is recorded; a refusal is told beside the field, where
    it still stands."""
    st.session_state.pop(f"dialogue-problem-{id}", None)
    try:
        if not allowed("direct"):
            raise StoryError("story {id}: only researchers and admins can speak in it", id=id)
        if len(said_in(stage.store.stories.events(id))) != after:
            return
        asked = stage.questions(id)
        if not asked:
            raise StoryError("story {id}: nobody is asked at this moment; wait for the reply", id=id)
        stage.answer(id, asked[0].path, text or words(asked[0].language).silence, person=current_user().id)
    except CharacterBoxError as error:
        st.session_state[f"dialogue-problem-{id}"] = translate(error)


def _use(stage: Stage, story: Story, wish: Wish | None) -> None:
    """Another take of a reply is asked for at once; the other tools ask first."""
    if wish is not None and wish.tool == "regenerate":
        do(lambda: go(dialogue=stage.branch(Branch(parent=story.id, at=wish.at, anew="this")).id))
        st.rerun()
    use_tool(stage, story, wish)
