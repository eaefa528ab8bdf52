"""The oversight of a campaign: how far it is, where the experts disagree, how each of them rates, whether they are
blind."""

from collections.abc import Callable, Mapping

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from characterbox.campaigns.oversight import Oversight, overseer_of
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import Stage
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from pages.oversight.disagreements import show_disputes
from pages.oversight.item import show_item
from pages.oversight.links import chosen_of, permitted
from pages.oversight.progress import show_progress
from pages.oversight.raters import show_blinding, show_raters
from pages.oversight.tables import apply_style, notice, said

PARTS: Mapping[str, Callable[[Store, Campaign], None]] = {
    to_say("Progress"): show_progress,
    to_say("Disagreements"): show_disputes,
    to_say("Experts"): show_raters,
    to_say("Blinding"): show_blinding,
}


def oversight(stage: Stage, campaign: Campaign) -> None:
    """Show the oversight of a campaign that has started, or the item of it that the address names."""
    if not permitted():
        return
    apply_style()
    if campaign.status == "draft":
        said(say("The campaign has not started, so there is nothing to monitor yet."))
        return
    try:
        if (item := st.query_params.get("item")) is not None:
            show_item(stage.store, campaign, item)
            return
        parts = [part for part in PARTS if part != "Blinding" or campaign.settings.asks_model]
        chosen = chosen_of(say("Oversight"), parts, "oversight", label_visibility="collapsed")
        _improvised(overseer_of(stage.store).of(campaign))
        PARTS[chosen](stage.store, campaign)
    except (AnnotationError, CharacterBoxError) as error:
        notice(translate(error))


def _improvised(known: Oversight) -> None:
    """The sentence that must stand by figures of what no language model played."""
    if known.improvised:
        notice(
            say("All items are demo output (no language model); do not report.")
            if len(known.improvised) == len(known.items)
            else say(
                "{improvised:,} of the {items:,} items are demo output (no language model); do not report.",
                improvised=len(known.improvised),
                items=len(known.items),
            )
        )
