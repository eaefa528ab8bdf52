"""A batch whose budget is spent: how much more it may spend."""

from collections.abc import Callable

import streamlit as st

from annotations.i18n.translation import say
from pages.shared.form import fault
from pages.shared.text import quiet
from pages.sweeps.text import money


def ask_for_more(budget: float, spent: float, key: str, go_on: Callable[[float | None, bool], None]) -> None:
    """A field for the new budget in US dollars, and beside it what `go_on` draws: the button that takes it.

    `go_on` is told the budget, None for no limit, and whether it is enough.
    """
    quiet(say("The budget of {budget} is spent. Increase it to continue.", budget=money(budget)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.number_input(
            say("New budget (US dollars)"),
            0.0,
            None,
            2 * max(spent, budget),
            1.0,
            placeholder=say("no limit"),
            key=key,
            width=240,
        )
        enough = wanted is None or wanted > spent
        go_on(wanted, enough)
    if not enough:
        fault(say("{spent} has already been spent. Enter a larger budget.", spent=money(spent)))
