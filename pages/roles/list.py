"""The library of roles: searched and filtered. What is looked for is in the address."""

from collections import Counter
from functools import partial
from html import escape
from typing import NamedTuple

import streamlit as st

from annotations.i18n.translation import say, say_count, tongue
from characterbox.addresses import address_of
from characterbox.components.mounts import show_linked
from characterbox.roles.heading import RoleHeading, heading_of
from characterbox.roles.library import bundled_roles
from characterbox.stage.stage import Stage
from characterbox.store.stories.search import Wanted
from characterbox.values import LANGUAGES
from pages.roles.text import BUNDLED, about_heading
from pages.scenes.text import tell_done
from pages.shared.current_user import allowed
from pages.shared.filters import filters, in_address, one_of, searched
from pages.shared.links import page_in_address, place_link
from pages.shared.text import quiet
from pages.story.list import story_list

PER_PAGE = 20
"""Roles that are shown at once."""
RECENT = 5
"""Dialogues that are listed."""


class Listed(NamedTuple):
    """A role in the list."""

    place: str
    heading: RoleHeading
    away: bool = False


def role_list(stage: Stage) -> None:
    """The search, what it finds, and the dialogues of late."""
    st.title(say("Roles"))
    tell_done()
    st.caption(say("Choose a role and talk with it, or make one of your own."))
    found = _found(stage)
    with page_in_address(len(found), PER_PAGE) as page:
        with st.container(horizontal=True, vertical_alignment="center"):
            told = say_count("{count:,} role", "{count:,} roles", len(found)) if found else say("No matching roles.")
            quiet(told, width="content")
            if allowed("direct"):
                place_link(say("Import role"), ":material/upload:", new="import")
        shown = found[page * PER_PAGE : (page + 1) * PER_PAGE]
        if shown:
            show_linked(f'<ul class="cb-roles">{"".join(map(_row, shown))}</ul>', key="roles")
    _recent(stage)


def all_roles(stage: Stage) -> list[Listed]:
    """All roles, the bundled ones first."""
    bundled = [Listed(f"{BUNDLED}{role.id}", heading_of(role)) for role in bundled_roles()]
    return [*bundled, *(Listed(one.place, one.heading, one.away) for one in stage.store.roles.headings())]


def _found(stage: Stage) -> list[Listed]:
    """The roles that are as chosen: those in the language of the interface first."""
    every = all_roles(stage)
    with filters(partial(in_address, ("language", "whose")), partial(searched, say("Search roles"))) as text:
        languages = {code: say(name) for code, name in LANGUAGES.items()}
        counts = Counter[str](one.heading.language for one in every)
        language = one_of("language", (say("Language"), say("any language")), {**counts}, languages)
        whose = {"own": say("added here"), "away": say("archived")}
        chosen = one_of("whose", (say("Library"), say("all roles")), dict.fromkeys(whose, 0), whose)
    words = text.casefold().split()
    kept = [
        one
        for one in every
        if one.away == (chosen == "away")
        and language in (None, one.heading.language)
        and not (chosen == "own" and one.place.startswith(BUNDLED))
        and one.heading.says(words)
    ]
    return sorted(kept, key=lambda one: one.heading.language != tongue())


def _row(one: Listed) -> str:
    heading = one.heading
    address = escape(address_of("roles", role=one.place))
    return (
        f'<li><p><a href="{address}" lang="{heading.language}">{escape(heading.name)}</a></p>'
        f'<p class="cb-quiet">{escape(about_heading(heading))}</p>'
        f'<p class="cb-first" lang="{heading.language}">{escape(heading.opening)}</p></li>'
    )


def _recent(stage: Stage) -> None:
    _, stories = stage.store.shelf.find(Wanted(dialogue=True), limit=RECENT)
    if stories:
        st.subheader(say("Recent dialogues"))
        story_list(stories, "dialogues")
