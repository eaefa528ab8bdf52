"""The log of changes, page by page."""

import json

import pandas as pd
import streamlit as st

from annotations.wording import say
from characterbox.store import Store
from characterbox.store.audit import Entry
from pages.parts.accounts_ways import way_to

SHOWN = 50
MOST_DIGITS = 18


def log_view(store: Store, place: str) -> None:
    """The newest changes, or those before the entry with the number that the address names."""
    st.title(say("Log of changes"))
    st.caption(say("Every change of an account, a server, a campaign or a rating. It is only ever added to."))
    before = int(place) if place.isascii() and place.isdecimal() and len(place) <= MOST_DIGITS else None
    entries = store.audit.read(SHOWN + 1, before)
    if entries:
        st.dataframe(pd.DataFrame([_line(entry) for entry in entries[:SHOWN]]), hide_index=True, height="content")
    else:
        st.caption(say("Nothing was changed yet.") if before is None else say("There is nothing earlier."))
    with st.container(horizontal=True, vertical_alignment="center"):
        if before is not None:
            way_to(say("Newest"), log="newest")
        if len(entries) > SHOWN:
            way_to(say("Earlier"), log=str(entries[SHOWN - 1].id))
        way_to(say("All accounts"), icon=":material/arrow_back:")


def _line(entry: Entry) -> dict[str, str]:
    told = {name: value for name, value in entry.detail.items() if name != "name"}
    return {
        say("Time (UTC)"): f"{entry.at:%Y-%m-%d %H:%M:%S}",
        say("Who"): entry.actor_name,
        say("What"): entry.action,
        say("Whom"): str(entry.detail.get("name", entry.subject)),
        say("Details"): ", ".join(f"{name}: {_said(value)}" for name, value in told.items()),
    }


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
