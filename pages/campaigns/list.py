"""The list of campaigns: what each is, and how far."""

import streamlit as st

from annotations.errors import AnnotationError
from annotations.i18n.translation import say, say_count, say_day
from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.lifecycle import make
from characterbox.campaigns.oversight import overseer_of
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import Stage, open_stage
from characterbox.store import Store
from characterbox.store.campaigns.campaign import OPEN, Campaign
from characterbox.store.tables.columns import now
from pages.campaigns.text import STATUS, deadline
from pages.shared.current_user import current_user
from pages.shared.examples import show_example
from pages.shared.links import go, place_link, turned_to
from pages.shared.text import lines, plain
from pages.story.actions import do, show_error

SHOWN = 8
"""Campaigns on a page of the list: as many as have their oversight kept at hand."""


def campaign_list(stage: Stage) -> None:
    """All campaigns, the newest first, and the ways to a new one, to the rubrics and to the datasets."""
    st.title(say("Campaigns"))
    show_error()
    campaigns = [campaign for campaign in stage.store.campaigns.all() if campaign.id != OPEN]
    if campaigns:
        st.caption(say("In a campaign, experts rate the items assigned to them without knowing the models."))
    else:
        st.caption(
            say("There are no campaigns yet. Create one: select stories, a rubric and experts, then check the plan.")
        )
        _example()
    with turned_to(campaigns, SHOWN, "campaigns-page") as shown:
        for number, campaign in enumerate(shown):
            with st.container(key=f"campaign-row-{number}"):
                _row(stage.store, campaign)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            say("New campaign"), key="campaign-new", type="primary", icon=":material/add:", on_click=do, args=(_new,)
        )
        place_link(say("Rubrics"), ":material/straighten:", rubrics="all")
        place_link(say("Datasets"), ":material/table:", datasets="all")


def _example() -> None:
    asked = f"character {load_rubric().version}"
    size = [say_count("{count:,} item", "{count:,} items", 12), say_count("{count:,} expert", "{count:,} experts", 3)]
    done = say_count(
        "{done:,} of {count:,} rating done ({share:.0%})", "{done:,} of {count:,} ratings done ({share:.0%})", 36,
        done=18, share=0.5,
    )  # fmt: skip
    show_example(say("Pilot"), [" · ".join([say(STATUS["running"]), asked, *size]), done])


def progress(store: Store, campaign: Campaign) -> str:
    """How many of the ratings are done."""
    try:
        all = overseer_of(store).of(campaign).board.all
    except (AnnotationError, CharacterBoxError) as error:
        return say("progress cannot be read: {error}", error=error)
    if not all.total:
        return say("no ratings")
    done = say_count(
        "{done:,} of {count:,} rating done ({share:.0%})",
        "{done:,} of {count:,} ratings done ({share:.0%})",
        all.total,
        done=all.done,
        share=all.done / all.total,
    )
    return say("{done}, {skipped:,} skipped", done=done, skipped=all.skipped) if all.skipped else done


def _row(store: Store, campaign: Campaign) -> None:
    name, about = st.columns([2, 3], vertical_alignment="center")
    with name:
        place_link(f"**{plain(campaign.settings.name)}**", campaign=campaign.id)
    items, raters = len(store.campaigns.items(campaign.id)), len(store.campaigns.raters(campaign.id))
    settings = campaign.settings
    asked = f"{settings.rubric} {settings.rubric_version}"
    size = [
        say_count("{count:,} item", "{count:,} items", items),
        say_count("{count:,} expert", "{count:,} experts", raters),
        deadline(settings.deadline),
    ]
    told = [" · ".join([say(STATUS[campaign.status]), asked, *size])]
    if campaign.status != "draft":
        told.append(progress(store, campaign))
    with about, st.container(gap=None):
        lines(told)


def _new() -> None:
    name = say("Campaign of {day}", day=say_day(now()))
    go(campaign=make(open_stage().store, current_user(), name).id)
