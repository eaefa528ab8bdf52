"""Annotate: score what one is given, blind to the model that it is by."""

from collections.abc import Mapping
from typing import Any, NoReturn

import streamlit as st

from annotations.i18n.translation import say, tongue, translate
from characterbox.campaigns.workload import RaterWorkload, begin_again, open_workload, workloads_of
from characterbox.components.rubric_panel import desk_data, item_data, list_data, show_rubric
from characterbox.errors import CampaignError, StoryError
from characterbox.stage.stage import open_stage
from characterbox.store.campaigns.campaign import OPEN
from pages.shared.current_user import allowed, chosen_rater, current_user
from pages.shared.text import plain

# The query parameters, in the order of the component's own addresses: who rates (where nobody signs in), and what.
PLACE = ("rater", "campaign", "item")


def go(place: Mapping[str, Any]) -> None:
    """Put the wanted place into the URL."""
    st.query_params.from_dict({name: place[name] for name in PLACE if isinstance(place.get(name), str)})


def chosen_desk(desks: list[RaterWorkload]) -> RaterWorkload | None:
    """The campaign that the URL names, or that its item belongs to; where there is only one, that one."""
    campaign, item = st.query_params.get("campaign"), st.query_params.get("item")
    for desk in desks:
        if desk.campaign.id == campaign or (campaign is None and item is not None and desk.has(item)):
            return desk
    return desks[0] if len(desks) == 1 else None


def show_desk(desk: RaterWorkload, *, alone: bool) -> None:
    """A campaign: the item that the URL names, or all that there is to do."""

    def go_on(place: Mapping[str, Any]) -> None:
        if place.get("again") == "yes" and allowed("rate"):
            begin_again(store, desk.campaign.id, rater)
        go(place)

    if (item := st.query_params.get("item")) is not None:
        try:
            show_rubric(item_data(store, rater, desk, desk.row(item), tongue(), local=local), go_on)
            return
        except (CampaignError, StoryError) as error:
            st.error(plain(translate(error)))
    show_rubric(list_data(store, rater, desk, tongue(), alone=alone, local=local), go_on)


def nothing_yet() -> NoReturn:
    """Where nobody signs in: that there is nothing to rate, and how it comes."""
    st.title(say("Annotate"))
    st.caption(say("No story has ended yet. Start a story. When it has ended, its characters can be rated here."))
    st.page_link("stage/page.py", label=say("Start story"), icon=":material/play_circle:")
    st.stop()


store = open_stage().store
local = current_user().id is None
started = any(one.id != OPEN and one.status != "draft" for one in store.campaigns.all())
if local and not started and not store.stories.stories("ended", limit=1):
    nothing_yet()
rater = chosen_rater(store)
desks = workloads_of(store, rater)
if local:
    desks, at_will = [desk for desk in desks if desk.campaign.id != OPEN], open_workload(store, rater)
    if (item := at_will.of_story(st.query_params.pop("story", ""))) is not None:
        st.query_params["item"] = item
    if at_will.work:
        desks.insert(0, at_will)
    elif not desks:
        nothing_yet()
if (desk := chosen_desk(desks)) is not None:
    show_desk(desk, alone=len(desks) == 1)
else:
    show_rubric(desk_data(rater, desks, tongue(), local=local), go)
