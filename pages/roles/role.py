"""One role: read whole, each part with its source, verified part by part, exported, and the way to a dialogue."""

from collections.abc import Callable

import streamlit as st

from annotations.i18n.translation import say, say_count
from characterbox.roles.dialogue import scene_id
from characterbox.roles.heading import heading_of
from characterbox.roles.role import FEWEST_TURNS, LEVELS, Dialogues, Provenance, Role
from characterbox.stage.stage import Stage
from characterbox.store.stories.search import Wanted
from characterbox.values import LANGUAGES
from pages.roles.export import save_role
from pages.roles.text import Opened, opened_or_told, role_html, rounds_html, source_told, to_roles
from pages.scenes.drafts import check_writes
from pages.scenes.text import note_done, tell_done
from pages.shared.current_user import allowed, current_user
from pages.shared.form import MOST_LINES, MOST_PASTED
from pages.shared.links import go, place_link, turned_to
from pages.shared.text import caution, facts, name_tab, plain, quiet
from pages.story.actions import do, show_error
from pages.story.list import story_list

ROUNDS = 10
"""Rounds that are shown at once."""
STORIES = 5
"""Dialogues with the role that are listed."""


def show_role(stage: Stage, place: str) -> None:
    """The role that the address names, or that there is none."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    role, version = opened.role, opened.version
    name_tab(role.name)
    to_roles()
    st.title(plain(role.name))
    show_error()
    tell_done()
    _standing(opened)
    with st.container(horizontal=True, vertical_alignment="center"):
        if allowed("direct"):
            if version is None or not version.away:
                place_link(say("Talk"), ":material/forum:", role=place, talk="yes")
            if version is not None and not version.away:
                place_link(say("Have a model write"), ":material/edit_note:", role=place, view="writing")
            _changes(stage, opened)
        if version is not None and version.newest > 1:
            place_link(say("Versions"), ":material/history:", role=place, view="versions")
        save_role(role)
    reading, margin = st.columns([3, 2], gap="large")
    with reading:
        _description(stage, opened)
        _dialogues(stage, opened)
    with margin:
        facts(_facts(role))
        _catchphrases(stage, opened)
        _stories(stage, role)


def _standing(opened: Opened) -> None:
    """What one should know before one reads, or talks."""
    if opened.version is not None and opened.version.away:
        caution(say("This role is archived. It is not offered for dialogues."))
    if heading_of(opened.role).few:
        told = say(
            "Only {turns} turns of this role are known; with fewer than {fewest}, models hardly learn how it speaks.",
            turns=opened.role.turns,
            fewest=FEWEST_TURNS,
        )
        caution(told)


def _facts(role: Role) -> dict[str, str]:
    told = {
        say("Language"): say(LANGUAGES[role.language]),
        say("Work"): role.work,
        say("Author"): role.author or "",
        say("Other names"): say(", ").join(role.other_names),
        say("Turns"): f"{role.turns:,}",
        say("Distinctiveness of speech"): f"{judged.level}/{LEVELS[-1]}" if (judged := role.distinctiveness) else "",
        say("ID"): role.id,
    }
    return {name: what for name, what in told.items() if what}


def _changes(stage: Stage, opened: Opened) -> None:
    version, place = opened.version, opened.place
    if version is None:
        return
    user = current_user()
    if version.away:
        _button(say("Restore"), "unarchive", lambda: stage.store.roles.bring_back(user, place))
    else:
        _button(say("Archive"), "archive", lambda: stage.store.roles.put_away(user, place))


def _button(label: str, icon: str, act: Callable[[], None]) -> None:
    st.button(label, key=f"role-{icon}", type="tertiary", icon=f":material/{icon}:", on_click=do, args=(act,))


def _description(stage: Stage, opened: Opened) -> None:
    role, key = opened.role, f"role-{opened.place}-description"
    st.subheader(say("Description"), anchor=False)
    if role.description is None:
        quiet(say("This role has no description yet. Models are told its name and work alone."))
    else:
        st.html(role_html(role.description.text, role.language))
        quiet(source_told(role.description.provenance))
    if opened.version is None or not allowed("direct"):
        return
    with st.expander(say("Edit")):
        begin = role.description.text if role.description else ""
        st.text_area(
            say("Description, addressed to the role: “You are …”"), begin, height=240, max_chars=MOST_PASTED, key=key
        )
        st.button(say("Save"), key=f"{key}-save", type="primary", on_click=do, args=(_describe, stage, opened, key))


def _describe(stage: Stage, opened: Opened, key: str) -> None:
    """What a person writes, they have verified."""
    text = st.session_state[key]
    changed = {"text": text, "provenance": _verified_by_user()}
    save_change(stage, opened, description=changed if text.strip() else None)


def _verified_by_user() -> Provenance:
    return Provenance(source=current_user().name, verified=True)


def _catchphrases(stage: Stage, opened: Opened) -> None:
    role = opened.role
    st.subheader(say("Catchphrases"), anchor=False)
    if not role.catchphrases:
        quiet(say("none"))
    for one in role.catchphrases:
        st.html(role_html(one.text, role.language))
        quiet(source_told(one.provenance))
    if opened.version is None or not allowed("direct"):
        return
    with st.expander(say("Edit")):
        begin, key = "\n".join(one.text for one in role.catchphrases), f"role-{opened.place}-catchphrases"
        st.text_area(say("Catchphrases, one on each line"), begin, height=160, max_chars=MOST_LINES, key=key)
        st.button(say("Save"), key=f"{key}-save", type="primary", on_click=do, args=(_phrase, stage, opened, key))


def _phrase(stage: Stage, opened: Opened, key: str) -> None:
    """What stays as it was keeps its source."""
    text = st.session_state[key]
    known = {one.text: one for one in opened.role.catchphrases}
    written = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    phrases = [known.get(line) or {"text": line, "provenance": _verified_by_user()} for line in written]
    save_change(stage, opened, catchphrases=phrases)


def _dialogues(stage: Stage, opened: Opened) -> None:
    st.subheader(say("Dialogues"), anchor=False)
    if not opened.role.dialogues:
        quiet(say("This role has no dialogues. Models can only be asked without examples (zsp)."))
    for number, part in enumerate(opened.role.dialogues):
        count = say_count("{count:,} round", "{count:,} rounds", len(part.rounds))
        quiet(f"{count} · {source_told(part.provenance)}")
        if opened.version is not None and allowed("direct") and not part.provenance.verified:
            label = say("Mark as verified")
            st.button(label, key=f"role-verify-{number}", on_click=do, args=(_verify, stage, opened, number))
        with turned_to(part.rounds, ROUNDS, f"role-{opened.place}-rounds-{number}") as shown:
            st.html(rounds_html([*shown], opened.role.language))


def _verify(stage: Stage, opened: Opened, number: int) -> None:
    parts = [_verified(part) if at == number else part for at, part in enumerate(opened.role.dialogues)]
    save_change(stage, opened, dialogues=parts)


def _verified(part: Dialogues) -> Dialogues:
    return part.model_copy(update={"provenance": part.provenance.model_copy(update={"verified": True})})


def save_change(stage: Stage, opened: Opened, **change: object) -> None:
    """Save the role with a change as its next version. Raises RoleError where another was saved meanwhile."""
    check_writes()
    if opened.version is None:
        return
    role = Role.model_validate({**dict(opened.role), **change})
    stage.store.roles.save(opened.place, role, after=opened.version.version, made_by=current_user().id)
    note_done(say("Saved."))


def _stories(stage: Stage, role: Role) -> None:
    _, stories = stage.store.shelf.find(Wanted(scene=scene_id([role])), limit=STORIES)
    if stories:
        st.subheader(say("Recent dialogues"), anchor=False)
        story_list(stories, "role-dialogues")


def store_role(stage: Stage, role: Role) -> None:
    """Store a new role, and go there."""
    check_writes()
    chain = stage.store.roles.start(role, current_user().id)
    note_done(say("Role imported. Read it, and verify its parts."))
    go(role=chain)
