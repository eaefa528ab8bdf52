"""Who rates."""

import streamlit as st

from annotations.wording import say
from characterbox.accounts.account import MAX_NAME, Account
from characterbox.errors import AccountError
from characterbox.store import Store
from pages.parts.look import READING, plain
from pages.parts.who import who


def chosen_rater(store: Store) -> Account:
    """The account that is signed in; where nobody signs in, that of the name in the URL, which is asked for."""
    account = who()
    if account.id is not None:
        return account
    try:
        return store.accounts.expert_named(st.query_params.get("rater", ""))
    except AccountError as error:
        # Ask who is rating, and go on with the name in the URL
        fault = str(error) if "rater" in st.query_params else None
        st.title(say("Annotate"))
        st.caption(say("Write your name to start: your scores are kept under it, and you find them again with it."))
        with st.form("rater", border=False, width=READING):
            given = st.text_input(say("Your name"), max_chars=MAX_NAME, key="rater-name")
            if st.form_submit_button(say("Start rating"), type="primary", key="rater-start"):
                st.query_params["rater"] = given
                st.rerun()
            if fault:
                st.error(plain(fault))
        st.stop()
