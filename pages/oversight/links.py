"""Ways within the oversight of a campaign, and who may go them. The address says where one is."""

from collections.abc import Mapping, Sequence
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from annotations.i18n.translation import say
from characterbox.components.url_state import segments_in_address
from characterbox.store import Store
from pages.oversight.tables import notice
from pages.shared.current_user import allowed

PER_PAGE = 25
"""Lines of a list that are shown at once."""


def permitted() -> bool:
    """Whether the one who uses the page may see and do what is here; if not, the page says so."""
    if allowed("direct"):
        return True
    notice(
        say("Only researchers can see this page, because it shows the models. Ask an admin for the researcher role.")
    )
    return False


def place_of(campaign: str, item: str, metric: str | None = None) -> Mapping[str, str]:
    """The place of an item, or of a metric of it, from which the way back leads to where the reader is."""
    place = {**kept(), "campaign": campaign, "item": item}
    return place if metric is None else {**place, "metric": metric}


def back(campaign: str) -> None:
    """Leave an item."""
    st.query_params.from_dict({**kept(), "campaign": campaign})


def chosen_of(
    label: str, options: Sequence[str], name: str, *, label_visibility: Literal["visible", "collapsed"] = "visible"
) -> str:
    """The option that the address has under a name; the reader chooses another. Without a name it is the first."""
    option, keeping = segments_in_address(name, options, options[0])
    st.segmented_control(label, options, format_func=say, required=True, label_visibility=label_visibility, **keeping)
    return option


def page_of(lines: int, key: str) -> slice:
    """Which lines of a long list are shown; the reader turns the page."""
    pages = max(1, -(-lines // PER_PAGE))
    if pages == 1:
        return slice(0, lines)
    number = st.number_input(say("Page (of {pages:,})", pages=pages), 1, pages, 1, key=key, width=160)
    return slice((number - 1) * PER_PAGE, number * PER_PAGE)


def zone() -> ZoneInfo:
    """The time zone of the one who reads; UTC if the browser does not tell."""
    try:
        return ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo("UTC")


def names_of(store: Store) -> dict[str, str]:
    """What the accounts are called, by id."""
    return {str(account.id): account.name for account in store.accounts.all()}


def kept() -> dict[str, str]:
    """What of the address says where the way back leads to."""
    return {
        name: value for name, value in st.query_params.to_dict().items() if name in ("oversight", "among", "models")
    }
