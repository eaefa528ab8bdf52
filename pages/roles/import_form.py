"""Importing a role: a script and one of its speakers, a character card, a file of roles, or a character of a scene."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Literal, cast

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, tongue, translate
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.errors import RoleError, SceneError, SearchError, StoryError, TooHeavy
from characterbox.processes.limited import run_limited_once
from characterbox.rolebench.script_files import read_script
from characterbox.roles.making import role_of_card, role_of_script
from characterbox.roles.role import FEWEST_TURNS, Role
from characterbox.roles.role_files import read_roles
from characterbox.roles.script_marks import REASONS
from characterbox.roles.scripts import FORMATS, Script
from characterbox.scenes.cards.profile import CardFile
from characterbox.scenes.import_files import CARD_ENDINGS, read_any
from characterbox.scenes.repairs import language_by_letters
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES, Language
from pages.roles.characters import role_from_scene, role_from_story
from pages.roles.role import store_role
from pages.roles.text import role_html, rounds_html, to_roles
from pages.scenes.drafts import check_writes
from pages.scenes.text import note_done, told_list
from pages.shared.current_user import current_user
from pages.shared.form import MOST_LINE, pick_some
from pages.shared.links import go
from pages.shared.text import caution, plain, quiet
from pages.story.actions import act, do, show_error

Origin = Literal["file", "scene", "story"]
ORIGINS: Mapping[Origin, str] = {
    "file": to_say("File"),
    "scene": to_say("Scene"),
    "story": to_say("Story"),
}
"""Where a role can come from."""
SCRIPTS = (".txt", ".md", ".fountain", ".docx", ".pdf", ".epub")
LARGEST = 50
"""Megabytes of a file."""
PREVIEW = 5
"""Rounds that are shown before a role is stored."""


def import_form(stage: Stage) -> None:
    """Choose a file, or a character of a scene or story, see what becomes of it, and only then store it."""
    st.title(say("Import role"))
    show_error()
    source: Origin = st.segmented_control(
        say("Source"), [*ORIGINS], format_func=lambda one: say(ORIGINS[one]), required=True, default="file",
        key="role-source",
    )  # fmt: skip
    try:
        if source == "file":
            _of_file(stage)
        else:
            role = (role_from_scene if source == "scene" else role_from_story)(stage)
            if role is None:
                quiet(say("Choose a character to see the role that becomes of it."))
            else:
                _offer(stage, role)
    except (RoleError, SceneError, SearchError, StoryError, TooHeavy) as error:
        st.error(plain(translate(error)))
    to_roles()


def _of_file(stage: Stage) -> None:
    told = say(
        "A script (Fountain, screenplay, “NAME: line”, or Chinese with ：; text, Markdown, Word, PDF or e-book), a"
        " character card, or roles exported here (JSON). Nothing is saved until you see the preview and confirm."
    )
    st.caption(told)
    endings = [*SCRIPTS, ".json", *CARD_ENDINGS]
    file = st.file_uploader(say("File"), type=endings, max_upload_size=LARGEST, key="role-file")
    if file is not None and (raw := read_as_chosen(file)) is not None:
        _preview(stage, file.name, raw)


def _preview(stage: Stage, name: str, raw: bytes) -> None:
    if PurePath(name).suffix.lower() in SCRIPTS:
        _script(stage, run_limited_once(read_script, name, raw))
        return
    card = _card(name, raw)
    if card is not None:
        _of_card(stage, card)
        return
    roles = run_limited_once(read_roles, name, raw)
    quiet(say_count("{count:,} role:", "{count:,} roles:", len(roles)))
    told_list([f"{role.name} ({role.work}, {say(LANGUAGES[role.language])})" for role in roles])
    label = say_count("Import {count:,} role", "Import {count:,} roles", len(roles))
    st.button(label, key="roles-store", type="primary", on_click=do, args=(_store_all, stage, roles))


def _card(name: str, raw: bytes) -> CardFile | None:
    """The character card in a file; None if it is JSON of another kind."""
    try:
        found = run_limited_once(read_any, name, raw)
    except SceneError:
        if PurePath(name).suffix.lower() != ".json":
            raise
        return None
    return found if isinstance(found, CardFile) else None


def _of_card(stage: Stage, card: CardFile) -> None:
    quiet(say("Character card: {name}", name=card.character))
    language, work, _ = _about(card.description)
    if work.strip():
        _offer(stage, role_of_card(card, language, work.strip()))
    else:
        quiet(say("Enter the work that the role belongs to."))


def _script(stage: Stage, script: Script) -> None:
    """What is in a script, and the role that is made of one of its speakers."""
    speakers = script.speakers()
    turns = say_count("{count:,} turn", "{count:,} turns", len(script.turns))
    quiet(f"{say(FORMATS[script.format])} · {turns}")
    if script.left_out:
        rows = [f"{say(REASONS[why])}: {len(lines):,}" for why, lines in script.left_out.items()]
        with st.expander(say("Lines left out")):
            told_list(rows)
    chosen = pick_some(
        say("Speaker, first its name as the role, then other names of the same one"),
        [name for name, _ in speakers.most_common()],
        format_func=lambda name: f"{name} ({speakers[name]:,})",
        key="role-speakers",
    )
    sample = "\n".join(one.turn.text for one in script.turns[:50])
    language, work, author = _about(sample)
    if chosen and work.strip():
        _offer(stage, role_of_script(script, chosen, language, work.strip(), author.strip()))
    else:
        quiet(say("Choose a speaker, and enter the work that the role belongs to."))


def _about(sample: str) -> tuple[Language, str, str]:
    """The language of a role, its work and the author; the language is first that of a sample."""
    codes = [*LANGUAGES]
    found = _language_of(sample)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        language = st.selectbox(
            say("Language"), codes, index=codes.index(found), format_func=_language_names().__getitem__, width=160,
            key="role-language",
        )  # fmt: skip
        work = st.text_input(say("Work"), max_chars=300, key="role-work", width=300)
        author = st.text_input(say("Author (optional)"), max_chars=MOST_LINE, key="role-author", width=240)
    return cast("Language", language), work, author


def _language_names() -> Mapping[str, str]:
    return {code: say(name) for code, name in LANGUAGES.items()}


def _language_of(sample: str) -> Language:
    return language_by_letters(sample)[0] or tongue()


def _offer(stage: Stage, role: Role) -> None:
    """The role as it will be, and the button that stores it."""
    if role.turns < FEWEST_TURNS:
        told = say(
            "Only {turns} turns of this role are known; with fewer than {fewest}, models hardly learn how it speaks.",
            turns=role.turns,
            fewest=FEWEST_TURNS,
        )
        caution(told)
    act(say("Import role"), lambda: store_role(stage, role), key="role-store", primary=True)
    if role.description is not None:
        st.html(role_html(role.description.text, role.language))
    rounds = [*role.rounds]
    if rounds:
        quiet(say("{count:,} rounds, of which these are the first:", count=len(rounds)))
        st.html(rounds_html(rounds[:PREVIEW], role.language))


def _store_all(stage: Stage, roles: tuple[Role, ...]) -> None:
    check_writes()
    count = stage.store.roles.add(roles, current_user().id)
    note_done(say_count("{count:,} role imported.", "{count:,} roles imported.", count))
    st.session_state.pop("role-file", None)
    go(whose="own")
