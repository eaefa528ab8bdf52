"""Who is late, and a text to remind them, ready to be copied."""

from collections.abc import Mapping
from zoneinfo import ZoneInfo

import streamlit as st

from annotations.wording import say, to_say
from characterbox.accounts.links import HERE
from characterbox.accounts.rights import may
from characterbox.campaigns.board import Board
from characterbox.campaigns.nudges import ABSENCE, Nudge, Occasion, letter, nudges
from characterbox.store import Store
from characterbox.store.campaign import Campaign
from characterbox.store.tables import now
from pages.parts.oversight_look import data, said, table
from pages.parts.oversight_ways import zone
from pages.parts.oversight_words import CAMPAIGN_STATES, training, why_late
from pages.parts.ways import address

LETTER: Mapping[str, str] = {"en": to_say("English"), "zh": to_say("Chinese")}


def show_nudges(store: Store, campaign: Campaign, board: Board, names: Mapping[str, str]) -> None:
    """Those who are late, why, and what to write to the one who is chosen; not those who may rate no more."""
    if campaign.status != "running":
        said(say("The campaign is {status}: nobody is late.", status=say(CAMPAIGN_STATES[campaign.status])))
        return
    here = zone()
    occasion = Occasion(now(), here, f"{address() or HERE}/annotate?campaign={campaign.id}")
    there = {str(account.id) for account in store.accounts.all() if may(account, "rate")}
    found = nudges(board, campaign, there, occasion)
    if not found:
        said(
            say(
                "Nobody is late: all who have items left were here within {days} days, and keep the deadline.",
                days=ABSENCE,
            )
        )
        return
    called = {nudge.line.rater: names.get(nudge.line.rater, nudge.line.rater) for nudge in found}
    rows = [[data(called[nudge.line.rater]), data(_why(nudge, campaign, here))] for nudge in found]
    st.html(table((say("Expert"), say("Why")), rows))
    with st.container(horizontal=True):
        chosen = st.selectbox(say("Write to"), list(called), format_func=called.__getitem__, key="nudge", width=240)
        language = st.segmented_control(
            say("In"), list(LETTER), format_func=lambda one: say(LETTER[one]), default="en", key="nudge-in"
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
