"""The oversight of a campaign: how far it is, where the experts disagree, how each of them rates, whether they are
blind."""

from collections.abc import Callable, Mapping

import streamlit as st

from annotations.errors import AnnotationError
from characterbox.campaigns.oversight import Oversight, overseer_of
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.stage.stage import Stage
from characterbox.store import Store
from characterbox.store.campaign import Campaign
from pages.parts.oversight_blinding import show_blinding
from pages.parts.oversight_disputes import show_disputes
from pages.parts.oversight_item import show_item
from pages.parts.oversight_look import apply_style, notice, said
from pages.parts.oversight_progress import show_progress
from pages.parts.oversight_raters import show_raters
from pages.parts.oversight_ways import permitted

PARTS: Mapping[str, Callable[[Store, Campaign], None]] = {
    "Progress": show_progress,
    "Disagreements": show_disputes,
    "Experts": show_raters,
    "Blinding": show_blinding,
}


def oversight(stage: Stage, campaign: Campaign) -> None:
    """Show the oversight of a campaign that has started, or the item of it that the address names."""
    if not permitted():
        return
    apply_style()
    if campaign.status == "draft":
        said("The campaign has not started: there is nothing to oversee yet.")
        return
    try:
        if (item := st.query_params.get("item")) is not None:
            show_item(stage.store, campaign, item)
            return
        parts = [part for part in PARTS if part != "Blinding" or campaign.settings.asks_model]
        chosen = st.segmented_control(
            "Oversight",
            parts,
            default="Progress",
            required=True,
            key="oversight",
            bind="query-params",
            label_visibility="collapsed",
        )
        _improvised(overseer_of(stage.store).of(campaign))
        PARTS[chosen or "Progress"](stage.store, campaign)
    except (AnnotationError, CharacterBoxError) as error:
        notice(str(error))


def _improvised(known: Oversight) -> None:
    """The sentence that must stand by figures of what no language model played."""
    items = list(known.items.values())
    improvised = sum(item.story_id in known.improvised for item in items)
    if improvised and known.rubric.subject != "scene":
        share = "All" if improvised == len(items) else f"{improvised:,} of the {len(items):,}"
        notice(f"{share} items are {NOT_A_RESULT}.")
