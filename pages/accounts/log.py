"""The log of changes, page by page; and failed sign-ins: whose names were tried, and from where."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial

import pandas as pd
import streamlit as st

from annotations.i18n.translation import say
from characterbox.accounts.account import Account
from characterbox.accounts.login_throttle import account_of_device, address_of, key_of_name
from characterbox.accounts.permissions import require
from characterbox.settings import settings
from characterbox.store import Store
from characterbox.store.accounts.audit_file import Form, saved_log
from characterbox.store.accounts.audit_log import ACTIONS, Entry, Wanted
from characterbox.store.accounts.failed_sign_ins import Failures
from pages.shared.downloads import file_button, given_out
from pages.shared.examples import show_example
from pages.shared.filters import filters
from pages.shared.links import place_link
from pages.shared.text import quiet

ADDED = ACTIONS["account.add"]


def failures_view(store: Store) -> None:
    """How often signing in has failed: for each account, and from each address."""
    st.title(say("Failed sign-ins"))
    st.caption(
        say(
            "Failed attempts in the last 24 hours, counted from the last successful sign-in. Names without an"
            " account are not listed, because people sometimes type their password there by mistake."
        )
    )
    counted, accounts = store.throttles.failures(), store.accounts.all()
    tables = (
        (say("Accounts"), account_failures(accounts, counted)),
        (say("Addresses"), _lines(say("Address"), counted, lambda one: address_of(one.key))),
    )
    for title, lines in tables:
        st.subheader(title, anchor=False)
        if lines:
            st.dataframe(pd.DataFrame(lines), hide_index=True, height="content")
        else:
            quiet(say("None"))
    place_link(say("All accounts"), ":material/arrow_back:")


def account_failures(accounts: Sequence[Account], counted: Sequence[Failures]) -> list[dict[str, object]]:
    """A line for each account that failed: in browsers that know it, and in others."""
    of_name = {key_of_name(account.name): account.name for account in accounts}
    of_id = {str(account.id): account.name for account in accounts}
    strangers = _lines(say("Name"), counted, lambda one: of_name.get(one.key))
    known = _lines(say("Name"), counted, lambda one: of_id.get(account_of_device(one.key) or ""))
    place = say("Browser")
    return [
        *({**line, place: say("browsers new to the account")} for line in strangers),
        *({**line, place: say("a browser known to the account")} for line in known),
    ]


def _lines(head: str, counted: Sequence[Failures], named: Callable[[Failures], str | None]) -> list[dict[str, object]]:
    """A line for each count that has a name here."""
    return [
        {head: name, say("Failed attempts"): one.count, say("Last (UTC)"): f"{one.last:%Y-%m-%d %H:%M:%S}"}
        for one in counted
        if (name := named(one)) is not None
    ]


SHOWN = 50
MOST_DIGITS = 18
FIELDS = ("log-who", "log-what", "log-from", "log-to")
FORMS: tuple[Form, ...] = ("csv", "jsonl")


def log_view(store: Store, account: Account, place: str) -> None:
    """The newest entries that are wanted, or those before the entry with the number that the address names.

    Raises NotAllowed for those who do not administer.
    """
    require(account, "administer")
    st.title(say("Audit log"))
    st.caption(say("Lists sign-ins, changes, deletions and exported files. Entries are never changed."))
    # What the fields above the list ask for
    with filters(lambda: sum(st.session_state.get(key) is not None for key in FIELDS)):
        name = st.selectbox(
            say("User"),
            store.audit.names(),
            index=None,
            placeholder=say("anyone"),
            key="log-who",
            persist_state="session",
        )
        action = st.selectbox(
            say("Activity"),
            list(ACTIONS),
            index=None,
            format_func=lambda action: say(ACTIONS[action]),
            placeholder=say("any activity"),
            key="log-what",
            persist_state="session",
        )
        first = st.date_input(say("From (UTC)"), None, key="log-from", persist_state="session")
        last = st.date_input(say("To (UTC)"), None, key="log-to", persist_state="session")
    wanted = Wanted(name, action, _midnight(first), None if last is None else _midnight(last + timedelta(days=1)))
    before = int(place) if place.isascii() and place.isdecimal() and len(place) <= MOST_DIGITS else None
    entries = store.audit.read(SHOWN + 1, before, wanted)
    if entries:
        st.dataframe(pd.DataFrame([_line(entry) for entry in entries[:SHOWN]]), hide_index=True, height="content")
    else:
        st.caption(say("No entries.") if before is None else say("No earlier entries."))
        if before is None and wanted == Wanted():
            show_example(say(ADDED), [f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"])
    with st.container(horizontal=True, vertical_alignment="center"):
        if before is not None:
            place_link(say("Newest"), log="newest")
        if len(entries) > SHOWN:
            place_link(say("Earlier"), log=str(entries[SHOWN - 1].id))
        place_link(say("All accounts"), ":material/arrow_back:")
        for ending in FORMS:
            made = given_out("log.exported", "", partial(saved_log, settings().db, wanted, ending), form=ending)
            file_button(ending.upper(), f"log.{ending}", made, f"log-{ending}")


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)


def _line(entry: Entry) -> dict[str, str]:
    told = {name: value for name, value in entry.detail.items() if name != "name"}
    return {
        say("Time (UTC)"): f"{entry.at:%Y-%m-%d %H:%M:%S}",
        say("User"): say(entry.actor_name) if entry.actor is None else entry.actor_name,
        say("Network address"): entry.address or "",
        say("Activity"): say(ACTIONS[entry.action]) if entry.action in ACTIONS else entry.action,
        say("Target"): str(entry.detail.get("name", entry.subject)),
        say("Details"): ", ".join(f"{name}: {_said(value)}" for name, value in told.items()),
    }


def _said(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
