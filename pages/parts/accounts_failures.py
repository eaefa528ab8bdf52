"""Failed sign-ins: whose names were tried, and from where."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from annotations.wording import say
from characterbox.accounts.account import Account
from characterbox.accounts.slowing import account_of_device, address_of, key_of_name
from characterbox.store import Store
from characterbox.store.throttles import Failures
from pages.parts.look import quiet
from pages.parts.ways import way_to


def failures_view(store: Store) -> None:
    """How often signing in has failed: for each account, and from each address."""
    st.title(say("Failed sign-ins"))
    st.caption(
        say(
            "Failures of the last 24 hours, since it last went well. Names that belong to no account are not listed:"
            " people write passwords there by mistake."
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
    way_to(say("All accounts"), ":material/arrow_back:")


def account_failures(accounts: Sequence[Account], counted: Sequence[Failures]) -> list[dict[str, object]]:
    """A line for each account that failed: in browsers that know it, and in others."""
    of_name = {key_of_name(account.name): account.name for account in accounts}
    of_id = {str(account.id): account.name for account in accounts}
    strangers = _lines(say("Name"), counted, lambda one: of_name.get(one.key))
    known = _lines(say("Name"), counted, lambda one: of_id.get(account_of_device(one.key) or ""))
    place = say("Where")
    return [
        *({**line, place: say("browsers in which nobody had signed in with it")} for line in strangers),
        *({**line, place: say("a browser that knows the account")} for line in known),
    ]


def _lines(head: str, counted: Sequence[Failures], named: Callable[[Failures], str | None]) -> list[dict[str, object]]:
    """A line for each count that has a name here."""
    return [
        {head: name, say("Failures"): one.count, say("Last (UTC)"): f"{one.last:%Y-%m-%d %H:%M:%S}"}
        for one in counted
        if (name := named(one)) is not None
    ]
