"""Accounts: who may come in, and as what; and the log of what was changed."""

import streamlit as st

from annotations.i18n.translation import say, translate
from characterbox.errors import AccountError
from characterbox.stage.stage import open_stage
from pages.accounts.list import account_list, invite_form, show_account
from pages.accounts.log import failures_view, log_view
from pages.shared.current_user import current_user
from pages.shared.links import place_link
from pages.shared.text import plain

store = open_stage().store
place = st.query_params
try:
    if "new" in place:
        invite_form(store)
    elif "account" in place:
        show_account(store, store.accounts.find(place["account"]))
    elif "failures" in place:
        failures_view(store)
    elif "log" in place:
        log_view(store, current_user(), place["log"])
    else:
        account_list(store)
except AccountError as error:
    st.error(plain(translate(error)))
    place_link(say("All accounts"))
