"""The versions of what users write: who made them and when, what differs between two, and the way back to one."""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

from annotations.i18n.translation import say, say_count, say_moment
from characterbox.components.figures.tables.html import dash
from characterbox.components.url_state import box_in_address
from characterbox.scenes.differences import Difference, Piece
from characterbox.stage.stage import Stage
from characterbox.store.versions import Version, VersionStore
from characterbox.values import Language
from pages.scenes.drafts import check_writes
from pages.scenes.text import by_whom, note_done
from pages.shared.current_user import allowed, current_user
from pages.shared.text import quiet
from pages.story.actions import do

STYLE = """
<style>
.cb-diff { width: 100%; table-layout: fixed; border-collapse: collapse; }
.cb-diff th, .cb-diff td { text-align: left; vertical-align: top; border: 0; padding: .4rem 1rem .6rem 0;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); overflow-wrap: anywhere; font-weight: 400; }
.cb-diff tbody th { width: 9rem; font-size: .875rem; }
.cb-diff thead th { font-size: .875rem; opacity: .72; border-top: 0; }
.cb-diff thead th:first-child { width: 9rem; }
.cb-diff td { font: .9375rem/1.6 "Source Serif 4", Georgia, "Songti SC", "Noto Serif CJK SC", serif;
  white-space: pre-line; }
.cb-diff del { opacity: .72; }
.cb-diff ins { text-decoration: underline; text-decoration-color: light-dark(#9a3b26, #e08a72);
  text-decoration-thickness: 2px; text-underline-offset: .15em; }
@media (max-width: 640px) { .cb-diff tr { display: grid; grid-template-columns: 1fr 1fr; }
  .cb-diff tbody th { grid-column: 1 / -1; width: auto; padding-bottom: 0; } .cb-diff td { border-top: 0; }
  .cb-diff thead th:first-child { display: none; } }
</style>
"""
C = TypeVar("C")


@dataclass(frozen=True)
class History(Generic[C]):
    """The versions of one kind of thing, and how they are told."""

    store: VersionStore[C]
    differences: Callable[[C, C], Sequence[Difference]]
    fields: Mapping[str, str]
    """What each field that can differ is called."""
    language: Callable[[C], Language]
    """That of its texts."""
    place: Callable[[str], Mapping[str, str]]
    """The address of this view, by the chain."""
    values: Mapping[str, Mapping[str, str]]
    """Of fields whose values are words of the interface, those words."""


def show_versions(stage: Stage, history: History[C], shown: Version[C], more: Callable[[Version[C]], str]) -> None:
    """All versions, and the differences of the two that are chosen: at first the newest, and the one before it.

    `more` is told of a version besides who made it and when.
    """
    st.html(STYLE)
    versions = {one.version: one for one in history.store.versions(shown.chain)}
    quiet(
        say_count(
            "{count:,} version. Each save creates a version; saved versions never change.",
            "{count:,} versions. Each save creates a version; saved versions never change.",
            len(versions),
        )
    )
    numbers = [*versions]
    told = {number: f"{_told(stage, one)}{more(one)}" for number, one in versions.items()}
    before, after = st.columns(2)
    with before:
        first = _chosen("against", say("Before"), numbers, min(shown.version - 1 or 1, shown.newest), told)
    with after:
        second = _chosen("version", say("After"), numbers, shown.newest, told)
    _differences(history, versions[first], versions[second])
    if allowed("direct") and not shown.away:
        for number in dict.fromkeys((first, second)):
            _back(history, versions[number])


def _chosen(name: str, label: str, numbers: Sequence[int], usual: int, told: Mapping[int, str]) -> int:
    """The version that the address has under a name, else the usual one."""
    options = [str(number) for number in numbers]
    asked, keeping = box_in_address(name, options, str(usual))
    st.selectbox(label, options, format_func=lambda option: told[int(option)], **keeping)
    return int(asked)


def _told(stage: Stage, version: Version[C]) -> str:
    moment, number = say_moment(version.created_at), version.version
    told = say("Version {number}, {moment}", number=number, moment=moment)
    return told + by_whom(stage.store, version.made_by)


def _differences(history: History[C], before: Version[C], after: Version[C]) -> None:
    found = history.differences(before.content, after.content)
    if not found:
        quiet(say("These versions are identical."))
        return
    heads = [say("Version {number}", number=one.version) for one in (before, after)]
    language = history.language(after.content)
    rows = "".join(_row(history, one, language) for one in found)
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in (say("Field"), *heads))
    st.html(f'<table class="cb-diff"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>')


def _row(history: History[C], one: Difference, language: str) -> str:
    named, known = say(history.fields[one.field]), history.values.get(one.field)
    label = f"{one.character}: {named}" if one.character is not None else named
    before, after = _side(one.before, "del", known), _side(one.after, "ins", known)
    cells = f'<td lang="{language}">{before}</td><td lang="{language}">{after}</td>'
    return f'<tr><th scope="row">{html.escape(label)}</th>{cells}</tr>'


def _side(pieces: Sequence[Piece], mark: str, known: Mapping[str, str] | None) -> str:
    if known is not None:
        text = "".join(piece.text for piece in pieces)
        pieces = [Piece(say(known[text]), same=False)]
    texts = ((html.escape(piece.text), piece.same) for piece in pieces)
    return "".join(text if same else f"<{mark}>{text}</{mark}>" for text, same in texts) or dash(say("empty"))


def _back(history: History[C], version: Version[C]) -> None:
    """The button that makes what a version says the newest one again."""
    if version.version == version.newest:
        return

    def restore() -> None:
        check_writes()
        user = current_user().id
        number = history.store.save(version.chain, version.content, after=version.newest, made_by=user)
        note_done(say("Version {old} restored as version {number}.", number=number, old=version.version))
        st.query_params.from_dict(dict(history.place(version.chain)))

    label = say("Restore version {number}", number=version.version)
    st.button(label, key=f"back-{version.version}", icon=":material/history:", on_click=do, args=(restore,))
