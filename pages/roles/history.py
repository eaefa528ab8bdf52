"""The versions of a role."""

from collections.abc import Mapping

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from characterbox.roles.differences import role_differences
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES
from pages.roles.text import opened_or_told
from pages.scenes.text import tell_done
from pages.scenes.versions import History, show_versions
from pages.shared.links import place_link
from pages.shared.text import name_tab, plain
from pages.story.actions import show_error

FIELDS: Mapping[str, str] = {
    "name": to_say("Name"),
    "language": to_say("Language"),
    "work": to_say("Work"),
    "author": to_say("Author"),
    "other_names": to_say("Other names"),
    "category": to_say("Category"),
    "work_category": to_say("Category of the work"),
    "catchphrases": to_say("Catchphrases"),
    "sources": to_say("Sources"),
    "dialogues": to_say("Dialogues"),
    "turns": to_say("Turns"),
    "description": to_say("Description"),
    "distinctiveness": to_say("Distinctiveness of speech"),
}


def show_history(stage: Stage, place: str) -> None:
    """The versions of the role that the address names; none of a bundled one."""
    if (opened := opened_or_told(stage, place)) is None:
        return
    name_tab(opened.role.name)
    place_link(say("Back to the role"), ":material/arrow_back:", role=place)
    st.title(plain(opened.role.name))
    show_error()
    tell_done()
    if opened.version is None:
        return
    history = History(
        stage.store.roles,
        role_differences,
        fields=FIELDS,
        language=lambda role: role.language,
        place=lambda chain: {"role": chain, "view": "versions"},
        values={"language": LANGUAGES},
    )
    show_versions(stage, history, opened.version, lambda _: "")
