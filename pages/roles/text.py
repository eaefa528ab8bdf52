"""How roles are set and named on the Roles page. All text of roles is data."""

from html import escape
from typing import NamedTuple

import streamlit as st

from annotations.i18n.translation import say, say_count, translate
from characterbox.errors import RoleError
from characterbox.roles.heading import RoleHeading
from characterbox.roles.library import bundled_role
from characterbox.roles.role import Provenance, Role, Round
from characterbox.stage.stage import Stage
from characterbox.store.versions import Version
from pages.shared.links import place_link
from pages.shared.text import plain

BUNDLED = "bundled:"
"""What the place of a bundled role begins with; those of others are chains."""
STYLE = """
<style>
.cb-roles { list-style: none; margin: 0 !important; padding: 0 !important; max-width: var(--cb-reading); }
.cb-roles li { margin: 0; padding: .7rem 0 .75rem; overflow-wrap: anywhere;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-roles p { margin: 0; }
.cb-roles a { color: inherit; text-underline-offset: .2em;
  text-decoration-color: color-mix(in srgb, currentColor 30%, transparent); }
.cb-roles a, .cb-roles .cb-first, .cb-role { font-family: "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC",
  serif; }
.cb-roles a { font-size: 1.0625rem; }
.cb-roles .cb-first { font-size: .9375rem; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical;
  overflow: hidden; }
.cb-role { line-height: 1.6; max-width: var(--cb-story); overflow-wrap: anywhere; }
.cb-role p { margin: 0 0 .5rem; white-space: pre-line; }
.cb-role ol { list-style: none; margin: 0 !important; padding: 0 !important; }
.cb-role li { margin: 0 0 1.1rem; padding: 0 0 0 .9rem;
  border-left: 1px solid color-mix(in srgb, currentColor 22%, transparent); }
.cb-role li p { margin: 0 0 .15rem; }
.cb-role b { font-variant-caps: small-caps; font-weight: 600; letter-spacing: .02em; }
.cb-role .cb-told { font-style: italic; opacity: .8; }
</style>
"""


class Opened(NamedTuple):
    """A role that is shown."""

    place: str
    role: Role
    version: Version[Role] | None
    """None for a bundled one."""


def opened_or_told(stage: Stage, place: str) -> Opened | None:
    """The role at a place; None, with the reason shown, if there is none."""
    try:
        if place.startswith(BUNDLED):
            return Opened(place, bundled_role(place.removeprefix(BUNDLED)), None)
        version = stage.store.roles.find(place)
        return Opened(place, version.content, version)
    except RoleError as error:
        st.title(say("Roles"))
        st.error(plain(translate(error)))
        to_roles()
        return None


def to_roles() -> None:
    """The way back to the list."""
    place_link(say("All roles"), ":material/arrow_back:")


def about_heading(heading: RoleHeading) -> str:
    """What a list says of a role."""
    rounds = say_count("{count:,} round of dialogue", "{count:,} rounds of dialogue", heading.rounds)
    verified = say("verified") if heading.verified else say("not verified")
    work = heading.work if heading.author is None else f"{heading.work}, {heading.author}"
    return " · ".join([work, rounds, verified])


def source_told(provenance: Provenance) -> str:
    """Where a part comes from, and whether a person has checked it."""
    parts = [say("Source: {source}", source=provenance.source)]
    if provenance.model is not None:
        parts.append(say("written by {model}", model=provenance.model))
    parts.append(say("verified") if provenance.verified else say("not verified"))
    return " · ".join(parts)


def role_html(text: str, language: str) -> str:
    """A text of a role as it reads."""
    return f'<div class="cb-role" lang="{language}"><p>{escape(text)}</p></div>'


def rounds_html(rounds: list[Round], language: str) -> str:
    """Rounds as they read."""
    return f'<div class="cb-role" lang="{language}"><ol>{"".join(map(_round, rounds))}</ol></div>'


def _round(one: Round) -> str:
    told = (
        f'<p class="cb-told">{escape(turn.text)}</p>'
        if turn.speaker is None
        else f"<p><b>{escape(turn.speaker)}</b>&ensp;{escape(turn.text)}</p>"
        for turn in one.turns
    )
    return f"<li>{''.join(told)}</li>"
