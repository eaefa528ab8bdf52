"""The start of a dialogue: with whom the role talks, which model speaks for it, and how it is asked."""

from collections.abc import Mapping

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.errors import CharacterBoxError, RoleError
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.conversation import of_roles, with_person
from characterbox.play.world import Script
from characterbox.roles.prompting import STRATEGIES, Strategy
from characterbox.roles.role import Role
from characterbox.scenes.scene import MOST_NAME
from characterbox.stage.stage import Stage
from pages.models.text import all_servers, choices
from pages.roles.list import all_roles
from pages.roles.text import opened_or_told
from pages.shared.current_user import current_user
from pages.shared.form import MOST_LINES, Numbers, endpoint_or_fault, fault, pick_model
from pages.shared.links import go, place_link
from pages.shared.text import name_tab, plain, quiet
from pages.story.actions import show_error
from pages.story.casting import keys_told
from pages.story.start import start_button

STRATEGY: Mapping[Strategy, str] = {
    "fsd": to_say("few-shot dialogue (fsd): examples of its speech as earlier turns"),
    "fsp": to_say("few-shot prompt (fsp): examples of its speech in the prompt"),
    "zsp": to_say("zero-shot (zsp): description and catchphrases alone"),
}
PERSON = ""
"""Stands for a person among those whom the role can talk with."""
WIDTH = 480


def talk_form(stage: Stage, place: str) -> None:
    """The form of a dialogue with the role that the address names."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    role = opened.role
    name_tab(role.name)
    st.title(say("Talk with {name}", name=plain(role.name)))
    show_error()
    known = choices(all_servers(stage))
    model = _model(say("Model"), "role-model", known)
    strategy: Strategy = st.radio(
        say("Prompting"),
        STRATEGIES if [*role.rounds] else ["zsp"],
        index=len(STRATEGIES) - 1 if [*role.rounds] else 0,
        format_func=lambda one: say(STRATEGY[one]),
        key="role-strategy",
    )
    others = {one.place: one.heading.name for one in all_roles(stage) if one.place != place and not one.away}
    with_whom = st.selectbox(
        say("Talks with"), [PERSON, *others], format_func=lambda one: plain(others.get(one) or say("you")),
        key="role-with", width=WIDTH,
    )  # fmt: skip
    if with_whom == PERSON:
        _with_person(stage, role, strategy, model)
    elif (other := opened_or_told(stage, with_whom)) is not None:
        _with_role(stage, (other.role, role), strategy, model, known)
    place_link(say("Back to the role"), ":material/arrow_back:", role=place)


def _model(label: str, key: str, known: dict[str, str]) -> Endpoint | None:
    text = pick_model(label, key, known, persist_state="session", width=WIDTH)
    return endpoint_or_fault(text) if text else None


def _with_person(stage: Stage, role: Role, strategy: Strategy, model: Endpoint | None) -> None:
    begin = current_user().name if current_user().id is not None else say("Guest")
    person = " ".join(st.text_input(say("Your name in the dialogue"), begin, max_chars=MOST_NAME, width=WIDTH).split())
    persona = st.text_area(
        say("Who you are, as the role knows it (optional)"), max_chars=MOST_LINES, height=90, key="role-persona"
    )
    try:
        script = with_person(role, person, persona.strip() or None, strategy)
    except RoleError as error:
        fault(translate(error))
        return
    casting = None if model is None else Casting(narrator=model, characters=dict.fromkeys(script.scene.names, model))
    _start(stage, script, casting, (person,))


def _with_role(
    stage: Stage, roles: tuple[Role, Role], strategy: Strategy, model: Endpoint | None, known: dict[str, str]
) -> None:
    """A dialogue of two roles, the other one of which begins."""
    first, second = roles
    other = _model(say("Model of {name}", name=plain(first.name)), "role-other-model", known)
    numbers = Numbers()
    rounds = numbers.ask(say("Rounds"), 1, 20, 5, key="role-rounds", width=160)
    if not numbers.fine:
        return
    try:
        script = of_roles(roles, rounds, strategy)
    except RoleError as error:
        fault(translate(error))
        return
    casting = None
    if model is not None and other is not None:
        casting = Casting(narrator=model, characters={first.name: other, second.name: model})
    _start(stage, script, casting, ())


def _start(stage: Stage, script: Script, casting: Casting | None, people: tuple[str, ...]) -> None:
    if casting is not None:
        endpoints = (casting.narrator, *casting.characters.values())
        for line in keys_told(endpoints, all_servers(stage)):
            quiet(line)
    try:
        with st.container(width=WIDTH):
            story = start_button(stage, say("Start dialogue"), script, casting, people)
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return
    if story is not None:
        go(dialogue=story.id)
        st.rerun()
