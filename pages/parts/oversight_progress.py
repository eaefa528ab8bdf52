"""How far a campaign is: its experts, its items, and who is late. It keeps itself up to date."""

from collections import Counter
from collections.abc import Mapping
from datetime import tzinfo

import streamlit as st

from annotations.errors import AnnotationError
from annotations.wording import say, say_count, translate
from characterbox.campaigns.board import Board, Count, RaterLine
from characterbox.campaigns.oversight import allow_attempt, overseer_of
from characterbox.components.figures.html_table import Notes
from characterbox.errors import CharacterBoxError
from characterbox.store import Store
from characterbox.store.campaign import Campaign
from pages.parts import oversight_words as words
from pages.parts.look import plain
from pages.parts.oversight_items import show_items
from pages.parts.oversight_look import bar, data, notes, notice, said, table
from pages.parts.oversight_nudges import show_nudges
from pages.parts.oversight_ways import names_of, permitted, zone
from pages.parts.who import who

EVERY = 5.0
"""Seconds until the figures are looked at again."""


def show_progress(store: Store, campaign: Campaign) -> None:
    """The progress of a campaign, kept up to date as long as it runs."""
    st.fragment(_progress, run_every=EVERY if campaign.status == "running" else None)(store, campaign.id)


def _progress(store: Store, id: str) -> None:
    """Asks anew who looks, and how the campaign stands: much can have changed since the page was opened."""
    if not permitted():
        return
    try:
        campaign = store.campaigns.campaign(id)
        known = overseer_of(store).of(campaign)
    except (AnnotationError, CharacterBoxError) as error:
        notice(translate(error))
        return
    board, names, here = known.board, names_of(store), zone()
    st.html(_summary(board, campaign))
    st.subheader(say("Experts"), anchor=False)
    st.html(_experts(board, names, here))
    said(
        say(
            "Times are in {zone}. Pace and time left count reading, not idling; brackets hold the quartiles.",
            zone=here.key,
        )
    )
    _attempts(store, campaign, board, names)
    st.subheader(say("Reminders"), anchor=False)
    show_nudges(store, campaign, board, names)
    st.subheader(say("Items"), anchor=False)
    show_items(store, campaign, known)


def _summary(board: Board, campaign: Campaign) -> str:
    full = sum(line.count.total > 0 and line.count.done == line.count.total for line in board.items)
    many = Counter(line.count.done for line in board.items)
    spread = (say("{items:,} with {ratings:,}", items=many[done], ratings=done) for done in sorted(many))
    summary = say_count(
        "The campaign is {status}. {done:,} of {total:,} ratings are done; {full:,} of {count:,} item have all of"
        " theirs. Items by ratings done: {spread}.",
        "The campaign is {status}. {done:,} of {total:,} ratings are done; {full:,} of {count:,} items have all of"
        " theirs. Items by ratings done: {spread}.",
        len(board.items),
        status=say(words.CAMPAIGN_STATES[campaign.status]),
        done=board.all.done,
        total=board.all.total,
        full=full,
        spread=say(", ").join(spread),
    )
    return f'<p class="ov-said">{data(summary)}</p>'


def _experts(board: Board, names: Mapping[str, str], here: tzinfo) -> str:
    remarks = Notes()
    heads = (
        say("Expert"),
        say("Done"),
        say("Begun"),
        say("Skipped"),
        say("Left"),
        say("Practice"),
        say("Last seen"),
        say("Per item"),
        say("Time left"),
        say("Idle"),
    )
    lines = sorted(board.raters, key=lambda line: names.get(line.rater, line.rater).casefold())
    rows = [_line(line, names.get(line.rater, line.rater), remarks, here) for line in lines]
    return table(heads, rows) + notes(remarks.as_html())


def _line(line: RaterLine, name: str, remarks: Notes, here: tzinfo) -> list[str]:
    count: Count = line.count
    return [
        data(name),
        say("{done:,} of {total:,}", done=count.done, total=count.total) + bar(count.done + count.skipped, count.total),
        f"{count.begun:,}",
        f"{count.skipped:,}",
        f"{count.left:,}",
        _training(line),
        say("never") if line.seen is None else words.moment(line.seen, here),
        words.reading_time(line.pace, remarks),
        words.time_to_go(line.time_left, remarks),
        words.duration(line.idle),
    ]


def _training(line: RaterLine) -> str:
    state, why = words.training(line.training)
    return f"{data(state)}<small>{data(why)}</small>"


def _attempts(store: Store, campaign: Campaign, board: Board, names: Mapping[str, str]) -> None:
    """Those who have failed the practice set, each with a button that allows another attempt."""
    failed = [line for line in board.raters if line.training is not None and line.training.state == "failed"]
    for line in failed:
        name = names.get(line.rater, line.rater)
        st.button(
            say("Allow {name} another attempt at the practice set", name=plain(name)),
            key=f"attempt-{line.rater}",
            disabled=campaign.status != "running",
            on_click=_allow,
            args=(store, campaign.id, line.rater),
        )
    if (why := st.session_state.get(_refused(campaign.id))) is not None:
        notice(why)


def _allow(store: Store, campaign: str, rater: str) -> None:
    """Why it is refused stays to be read until something else is pressed here."""
    st.session_state.pop(_refused(campaign), None)
    if not permitted():
        return
    try:
        allow_attempt(store, store.campaigns.campaign(campaign), rater, who())
    except (AnnotationError, CharacterBoxError) as error:
        st.session_state[_refused(campaign)] = translate(error)


def _refused(campaign: str) -> str:
    return f"attempt-refused-{campaign}"
