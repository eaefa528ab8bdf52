"""How far a campaign is: its experts, its items, and who is late, with a text to remind them."""

from collections.abc import Mapping
from datetime import tzinfo
from zoneinfo import ZoneInfo

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.accounts.credentials import HERE
from characterbox.accounts.permissions import may
from characterbox.campaigns.blinded_item import headings_of
from characterbox.campaigns.oversight import Oversight, allow_attempt, overseer_of
from characterbox.campaigns.pace import ABSENCE, Nudge, Occasion, letter, nudges
from characterbox.campaigns.rater_statistics import Board, Count, ItemLine, RaterLine
from characterbox.components.figures.tables.html import Notes, data
from characterbox.errors import CharacterBoxError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign, CampaignItem
from characterbox.store.stories.stories import Heading
from characterbox.store.tables.columns import now
from pages.oversight import text as oversight_text
from pages.oversight.links import names_of, page_of, permitted, place_of, zone
from pages.oversight.overview import Viewer, disputed, overview
from pages.oversight.tables import bar, notes, notice, said, table
from pages.oversight.text import CAMPAIGN_STATES, item_address, training, why_late
from pages.shared.current_user import current_user
from pages.shared.links import address
from pages.shared.text import plain


def show_items(store: Store, campaign: Campaign, known: Oversight) -> None:
    """The items page by page; each opens. Their models are shown where they are asked for: who decides on an item can
    do it blind (see `pages.oversight.item`)."""
    lines = sorted(known.board.items, key=lambda line: (line.count.done - line.count.total, line.item.item))
    shown = lines[page_of(len(lines), "oversight-items")]
    headings = headings_of(store, [line.item for line in shown])
    models = st.toggle(say("Show models"), key="models", bind="query-params")
    titles = [title_of(line.item, headings.get(line.item.item), known) for line in shown]
    rows = [_item_line(line, title, campaign.id, models=models) for line, title in zip(shown, titles, strict=True)]
    model = [say("Model")] if models else []
    st.html(table([say("Item"), *model, say("Done"), say("In progress"), say("Skipped"), say("Not started")], rows))
    said(
        say(
            "Items with the most missing ratings come first. Done: the number of experts who have submitted all scores."
        )
    )


def title_of(item: CampaignItem, heading: Heading | None, known: Oversight) -> str:
    """What an item is called: who is judged, in which scene, and in which of its stories if there are several."""
    scene = item.scene if heading is None else heading.title
    title = scene if item.character is None else say("{character}, {scene}", character=item.character, scene=scene)
    if (copy := known.copies.get(item.item)) is None:
        return title
    return say("{title} · story {number} of {count}", title=title, number=copy[0], count=copy[1])


def _item_line(line: ItemLine, title: str, campaign: str, *, models: bool) -> list[str]:
    count = line.count
    where = item_address(place_of(campaign, line.item.item))
    return [
        f'<a href="{where}" target="_self">{data(title)}</a>',
        *([data(line.item.model)] if models else []),
        say("{done:,} of {total:,}", done=count.done, total=count.total) + bar(count.done, count.total),
        f"{count.begun:,}",
        f"{count.skipped:,}",
        f"{count.open:,}",
    ]


LETTER: Mapping[str, str] = {"en": to_say("English"), "zh": to_say("Chinese")}


def show_nudges(store: Store, campaign: Campaign, board: Board, names: Mapping[str, str]) -> None:
    """Those who are late, why, and what to write to the one who is chosen; not those who may rate no more."""
    if campaign.status != "running":
        said(say("The campaign is {status}: no reminders are needed.", status=say(CAMPAIGN_STATES[campaign.status])))
        return
    here = zone()
    occasion = Occasion(now(), here, f"{address() or HERE}/annotate?campaign={campaign.id}")
    there = {str(account.id) for account in store.accounts.all() if may(account, "rate")}
    found = nudges(board, campaign, there, occasion)
    if not found:
        said(
            say(
                "No reminders are needed: all experts with open items were active within the last {days} days"
                " and are on schedule.",
                days=ABSENCE,
            )
        )
        return
    called = {nudge.line.rater: names.get(nudge.line.rater, nudge.line.rater) for nudge in found}
    rows = [[data(called[nudge.line.rater]), data(_why(nudge, campaign, here))] for nudge in found]
    st.html(table((say("Expert"), say("Why")), rows))
    with st.container(horizontal=True):
        chosen = st.selectbox(say("Recipient"), list(called), format_func=called.__getitem__, key="nudge", width=240)
        language = st.segmented_control(
            say("Language"), list(LETTER), format_func=lambda one: say(LETTER[one]), default="en", key="nudge-in"
        )
    nudge = next(nudge for nudge in found if nudge.line.rater == chosen)
    text = letter(nudge, called[chosen], campaign, occasion, "zh" if language == "zh" else "en")
    st.code(text, language=None, wrap_lines=True)


def _why(nudge: Nudge, campaign: Campaign, zone: ZoneInfo) -> str:
    why = why_late(nudge.late, zone, campaign.settings.deadline)
    known = nudge.line.training
    if known is None or known.state == "passed":
        return why
    state, attempt = training(known)
    return say("{why}; {state}, {attempt}", why=why, state=state, attempt=attempt)


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
    items = {cell.item: known.items[cell.item] for cell in disputed(known)}
    headings = headings_of(store, items.values())
    titles = {id: title_of(item, headings.get(id), known) for id, item in items.items()}
    st.html(overview(known, campaign, Viewer(now(), here, names), titles))
    st.subheader(say("Experts"), anchor=False)
    st.html(_experts(board, names, here))
    said(
        say(
            "Times are in {zone}. Time per item and time left count reading time, not idle time; brackets show"
            " the quartiles.",
            zone=here.key,
        )
    )
    _attempts(store, campaign, board, names)
    st.subheader(say("Reminders"), anchor=False)
    show_nudges(store, campaign, board, names)
    st.subheader(say("Items"), anchor=False)
    show_items(store, campaign, known)


def _experts(board: Board, names: Mapping[str, str], here: tzinfo) -> str:
    remarks = Notes()
    heads = (
        say("Expert"),
        say("Done"),
        say("In progress"),
        say("Skipped"),
        say("Remaining"),
        say("Practice"),
        say("Last active"),
        say("Time per item"),
        say("Time left"),
        say("Idle time"),
    )
    lines = sorted(board.raters, key=lambda line: names.get(line.rater, line.rater).casefold())
    rows = [_line(line, names.get(line.rater, line.rater), remarks, here) for line in lines]
    return table(heads, rows) + notes(remarks)


def _line(line: RaterLine, name: str, remarks: Notes, here: tzinfo) -> list[str]:
    count: Count = line.count
    return [
        data(name),
        say("{done:,} of {total:,}", done=count.done, total=count.total) + bar(count.done + count.skipped, count.total),
        f"{count.begun:,}",
        f"{count.skipped:,}",
        f"{count.left:,}",
        _training(line),
        say("never") if line.seen is None else oversight_text.moment(line.seen, here),
        oversight_text.reading_time(line.pace, remarks),
        oversight_text.time_to_go(line.time_left, remarks),
        oversight_text.duration(line.idle),
    ]


def _training(line: RaterLine) -> str:
    state, why = oversight_text.training(line.training)
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
        allow_attempt(store, store.campaigns.campaign(campaign), rater, current_user())
    except (AnnotationError, CharacterBoxError) as error:
        st.session_state[_refused(campaign)] = translate(error)


def _refused(campaign: str) -> str:
    return f"attempt-refused-{campaign}"
