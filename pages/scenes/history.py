"""The versions of a scene: who made them and when, what differs between two, and the way back to one."""

import html
from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.i18n.translation import say, say_count, say_moment
from characterbox.components.figures.tables.html import dash
from characterbox.components.url_state import box_in_address
from characterbox.scenes.differences import Difference, Piece, differences
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.stage.stage import Stage
from characterbox.store.versions import Version
from characterbox.values import LANGUAGES
from pages.scenes.drafts import check_writes
from pages.scenes.text import FIELDS, ORIGINS, by_whom, note_done
from pages.shared.current_user import allowed, current_user
from pages.shared.text import quiet
from pages.story.actions import do

SAID: Mapping[str, Mapping[str, str]] = {"language": LANGUAGES, "origin": ORIGINS}
"""Fields whose values are words of the interface."""


def show_versions(stage: Stage, shown: Version[Scene] | None) -> None:
    """All versions, and the differences of the two that are chosen: at first the newest, and the one before it."""
    if shown is None:
        return
    versions = {one.version: one for one in stage.store.scenes.versions(shown.chain)}
    played = stage.store.scenes.played(shown.content.id)
    quiet(
        say_count(
            "{count:,} version. Each save creates a version; saved versions never change.",
            "{count:,} versions. Each save creates a version; saved versions never change.",
            len(versions),
        )
    )
    numbers = [*versions]
    before, after = st.columns(2)
    stories = {number: len(played.get(fingerprint(one.content), ())) for number, one in versions.items()}
    told = {number: _told(stage, one, stories[number]) for number, one in versions.items()}
    with before:
        first = _chosen("against", say("Before"), numbers, min(shown.version - 1 or 1, shown.newest), told)
    with after:
        second = _chosen("version", say("After"), numbers, shown.newest, told)
    _differences(versions[first], versions[second])
    if allowed("direct") and not shown.away:
        for number in dict.fromkeys((first, second)):
            _back(stage, versions[number])


def _chosen(name: str, label: str, numbers: Sequence[int], usual: int, told: Mapping[int, str]) -> int:
    """The version that the address has under a name, else the usual one."""
    options = [str(number) for number in numbers]
    asked, keeping = box_in_address(name, options, str(usual))
    st.selectbox(label, options, format_func=lambda option: told[int(option)], **keeping)
    return int(asked)


def _told(stage: Stage, version: Version[Scene], stories: int) -> str:
    moment, number = say_moment(version.created_at), version.version
    told = say("Version {number}, {moment}", number=number, moment=moment) + by_whom(stage.store, version.made_by)
    return told if not stories else f"{told} · {say_count('{count:,} story', '{count:,} stories', stories)}"


def _differences(before: Version[Scene], after: Version[Scene]) -> None:
    found = differences(before.content, after.content)
    if not found:
        quiet(say("These versions are identical."))
        return
    heads = [say("Version {number}", number=one.version) for one in (before, after)]
    rows = "".join(_row(one, after.content.language) for one in found)
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in (say("Field"), *heads))
    st.html(f'<table class="cb-diff"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')


def _row(one: Difference, language: str) -> str:
    named = say(FIELDS[one.field])
    label = f"{one.character}: {named}" if one.character is not None else named
    before, after = _side(one, one.before, "del"), _side(one, one.after, "ins")
    cells = f'<td lang="{language}">{before}</td><td lang="{language}">{after}</td>'
    return f'<tr><th scope="row">{html.escape(label)}</th>{cells}</tr>'


def _side(one: Difference, pieces: Sequence[Piece], mark: str) -> str:
    known = SAID.get(one.field)
    if known is not None:
        text = "".join(piece.text for piece in pieces)
        pieces = [Piece(say(known[text]), same=False)]
    texts = ((html.escape(piece.text), piece.same) for piece in pieces)
    return "".join(text if same else f"<{mark}>{text}</{mark}>" for text, same in texts) or dash(say("empty"))


def _back(stage: Stage, version: Version[Scene]) -> None:
    """The button that makes what a version says the newest one again."""
    if version.version == version.newest:
        return

    def restore() -> None:
        check_writes()
        user = current_user().id
        number = stage.store.scenes.save(version.chain, version.content, after=version.newest, made_by=user)
        note_done(say("Version {old} restored as version {number}.", number=number, old=version.version))
        st.query_params.from_dict({"scene": version.chain, "view": "Versions"})

    label = say("Restore version {number}", number=version.version)
    st.button(label, key=f"scene-back-{version.version}", icon=":material/history:", on_click=do, args=(restore,))
