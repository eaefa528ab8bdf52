"""The seats of a story: who plays whom, and people who take over or give back."""

from functools import partial

import streamlit as st

from annotations.wording import say, to_say
from characterbox.stage.stage import Stage
from characterbox.stage.view import Eyes
from characterbox.store.stories import Story
from pages.parts.acts import do
from pages.parts.look import plain, quiet
from pages.parts.models_words import model_name
from pages.parts.ways import way

NARRATOR = to_say("The narrator")


def seats(stage: Stage, story: Story) -> None:
    """Who plays whom, behind one button; each seat can be taken over, or given back."""
    with st.popover(say("Who plays whom"), key=f"seats-{story.id}"):
        quiet(say("A person who takes over is asked from the next call on. The story waits for what they write."))
        with st.container(gap="xxsmall"):
            for agent in (None, *story.script.scene.names):
                _seat(stage, story, agent)


def played_by(story: Story, agent: str | None) -> str:
    """Who plays an agent now, in words."""
    return say("a person") if agent in story.people else model_name(story.casting.endpoint(agent))


def casting_line(story: Story) -> None:
    """Who plays whom, and with which seed."""
    players = {name: played_by(story, name) for name in story.script.scene.names}
    same = set(players.values())
    each = (say("{name}: {what}", name=name, what=player) for name, player in players.items())
    quiet(
        say(
            "Characters: {cast} · narrator: {narrator} · seed {seed} · story {story}",
            cast=same.pop() if len(same) == 1 else say(", ").join(each),
            narrator=played_by(story, None),
            seed=story.script.seed,
            story=story.id,
        )
    )


def whole_story(story: Story, eyes: Eyes) -> None:
    """Says what is left out of the page, and where it can be read."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        names = say(" and ").join(name for name in story.script.scene.names if name in eyes)
        quiet(say("While a person plays, this page shows what {names} can know.", names=names), width="content")
        way(say("The whole story"), "playback", "stage", story=story.id)


def _seat(stage: Stage, story: Story, agent: str | None) -> None:
    name = say(NARRATOR) if agent is None else agent
    label, told, act = (
        (say("Give back"), say("Give back: {name}", name=name), stage.give_back)
        if agent in story.people
        else (say("Take over"), say("Take over: {name}", name=name), stage.take_over)
    )
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        quiet(say("{name}: {what}", name=name, what=played_by(story, agent)), width="content")
        move = partial(do, lambda: act(story.id, agent))
        key = "seat-narrator" if agent is None else f"seat-cast-{agent}"
        st.button(label, key=key, type="tertiary", help=plain(told), on_click=move)
