"""Who plays whom: models for the narrator and the characters, and people who take over or give back."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.components.settings_text import refusals, temperatures
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.server import Server
from characterbox.scenes.scene import Scene
from characterbox.stage.live.visibility import Perspective, known_cast
from characterbox.stage.stage import Stage
from characterbox.store.stories.stories import Story
from pages.models.text import NO_MODEL, all_servers, choices, key_in_words, model_name
from pages.shared.form import endpoint_or_fault, pick_model, pick_some
from pages.shared.links import page_link
from pages.shared.text import plain, quiet
from pages.story.actions import do

SAME = "same as the characters above"
SAME_SAID = to_say("same as the characters above")


def chosen_casting(stage: Stage, scene: Scene) -> Casting | None:
    """Which model plays whom; None, with the reason shown, while an address can't be used."""
    servers = all_servers(stage)
    known = choices(servers)
    narrator = _endpoint(say("Narrator"), "narrator", known)
    everyone = _endpoint(say("Characters"), "characters", known)
    if narrator is None or everyone is None:
        return None
    characters = dict.fromkeys(scene.names, everyone)
    if st.toggle(say("Use other models for some characters"), key="mixed", persist_state="session"):
        for name in scene.names:
            endpoint = _endpoint(plain(name), f"cast-{scene.id}-{name}", known, everyone)
            if endpoint is None:
                return None
            characters[name] = endpoint
    casting = Casting(narrator=narrator, characters=characters)
    for line in keys_told((casting.narrator, *casting.characters.values()), servers):
        quiet(line)
    return casting


def chosen_people(scene: Scene, casting: Casting | None) -> list[str | None]:
    """Who is played by a person from the start; None is the narrator."""
    seats = pick_some(
        say("Played by a person"),
        ["", *scene.names],
        format_func=lambda name: name or say("the narrator"),
        key=f"people-{scene.id}",
        placeholder=say("nobody"),
        persist_state="session",
    )
    people = [seat or None for seat in seats]
    if people and casting is not None:
        narrator = say("the narrator")
        models = [say("{name} → {model}", name=one or narrator, model=casting.endpoint(one).label) for one in people]
        told = say(
            "The story waits for their replies. If a person hands a role back, a model takes over: {models}.",
            models=say(", ").join(models),
        )
        st.caption(plain(told))
    return people


def keys_told(endpoints: Iterable[Endpoint], servers: list[Server]) -> list[str]:
    """What is sent to whom, and what has no language model behind it: one sentence for each address."""
    registered = {server.url: server for server in servers}
    lines = []
    for url in dict.fromkeys(endpoint.url for endpoint in endpoints):
        server = registered.get(url) or Server.unregistered(url)
        if server.kind == "rehearsal":
            lines.append(say(NO_MODEL))
        else:
            lines.append(say("Sent to {server}: {key}.", server=server.name, key=key_in_words(server.key)))
    return lines


def _endpoint(label: str, key: str, known: dict[str, str], same: Endpoint | None = None) -> Endpoint | None:
    """The endpoint that is picked or written; None, with the reason shown, if it can't be used.

    Where there is a `same`, nothing else is needed.
    """
    options = known if same is None else {SAME: say(SAME_SAID), **known}
    text = pick_model(label, key, options, persist_state="session")
    if same is not None and text == SAME:
        return same
    return endpoint_or_fault(text, _tell)


def _tell(error: str) -> None:
    st.error(plain(error))


NARRATOR = to_say("The narrator")


def seats(stage: Stage, story: Story, eyes: Perspective) -> None:
    """Who plays whom, behind one button; each seat that the eyes know of can be taken over, or given back."""
    with st.popover(say("Casting"), key=f"seats-{story.id}", type="tertiary"):
        quiet(say("A person who takes over answers from the next call on. The story waits for their replies."))
        with st.container(gap="xxsmall"):
            _seat(stage, story, None, say(NARRATOR))
            for agent, name in known_cast(story.script.scene, eyes).items():
                _seat(stage, story, agent, name)


def played_by(story: Story, agent: str | None) -> str:
    """Who plays an agent now, in words."""
    return say("a person") if agent in story.people else model_name(story.casting.endpoint(agent))


def casting_line(stage: Stage, story: Story, eyes: Perspective) -> None:
    """Who plays whom, as far as the eyes know of them, with which temperature and seed; and what models did not take
    of that."""
    known = known_cast(story.script.scene, eyes)
    players = {name: played_by(story, agent) for agent, name in known.items()}
    same = set(players.values())
    each = (say("{name}: {what}", name=name, what=player) for name, player in players.items())
    quiet(
        say(
            "Characters: {cast} · narrator: {narrator} · {temperatures} · seed {seed} · story {story}",
            cast=same.pop() if len(same) == 1 else say(", ").join(each),
            narrator=played_by(story, None),
            temperatures=temperatures(story.script.settings),
            seed=story.script.seed,
            story=story.id,
        )
    )
    for line in refusals(stage.store.stories.refused(story.id, under="r")):
        quiet(line)


def whole_story(story: Story, eyes: Perspective) -> None:
    """Says what is left out of the page, and where it can be read."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        names = say(" and ").join(name for name in story.script.scene.names if name in eyes)
        quiet(say("While a person plays, this page shows only what {names} can know.", names=names), width="content")
        page_link(say("The whole story"), "playback", "stage", story=story.id)


def _seat(stage: Stage, story: Story, agent: str | None, name: str) -> None:
    label, told, act = (
        (say("Hand back to model"), say("Hand {name} back to the model", name=name), stage.give_back)
        if agent in story.people
        else (say("Take over"), say("Take over {name}", name=name), stage.take_over)
    )
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        quiet(say("{name}: {what}", name=name, what=played_by(story, agent)), width="content")
        move = partial(do, lambda: act(story.id, agent))
        key = "seat-narrator" if agent is None else f"seat-cast-{agent}"
        st.button(label, key=key, type="tertiary", help=plain(told), on_click=move)
