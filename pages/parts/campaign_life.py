"""A campaign that has started: what it is set to, and what can be done with it."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from annotations.campaign import Settings, Status
from characterbox.campaigns.life import copy, move
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.campaign import Campaign
from pages.parts.acts import do
from pages.parts.campaign_files import files
from pages.parts.campaign_ways import act, go, told_refusal, way_to
from pages.parts.campaign_words import STATUS, count, deadline
from pages.parts.look import plain, quiet
from pages.parts.models_look import facts
from pages.parts.oversight import oversight
from pages.parts.who import who


def show_campaign(stage: Stage, campaign: Campaign) -> None:
    """What a campaign is, what can be done with it, and how it goes."""
    st.title(plain(campaign.settings.name))
    quiet(f"{STATUS[campaign.status].capitalize()} · by {campaign.created_by}, {campaign.created_at:%d %b %Y}")
    told_refusal()
    with st.container(horizontal=True, vertical_alignment="center"):
        _moves(campaign)
        if campaign.status != "closed":
            _button("Extend", campaign, lambda: go(campaign=campaign.id, extend="settings"))
        _button("Copy", campaign, lambda: go(campaign=copy(open_stage().store, who(), campaign.id).id))
        way_to("All campaigns", icon=":material/arrow_back:")
    with st.expander("Settings"):
        facts(_settings(stage, campaign))
    with st.expander("Files"):
        files(stage, campaign)
    oversight(stage, campaign)


def _moves(campaign: Campaign) -> None:
    """The buttons that change whether it takes ratings."""
    match campaign.status:
        case "running":
            _button("Pause", campaign, partial(_move, campaign.id, "paused"))
        case "paused":
            _button("Go on", campaign, partial(_move, campaign.id, "running"), primary=True)
        case _:
            _button("Reopen", campaign, partial(_move, campaign.id, "running"))
    if campaign.status != "closed" and st.button("Close", key=f"close-{campaign.id}"):
        _closing(campaign.id)


def _button(label: str, campaign: Campaign, what: Callable[[], None], *, primary: bool = False) -> None:
    act(label, what, key=f"{label}-{campaign.id}", primary=primary)


def _move(id: str, status: Status) -> None:
    move(open_stage().store, who(), id, status)


@st.dialog("Close the campaign")
def _closing(id: str) -> None:
    st.write(
        "It takes no more ratings: what experts have written and not sent yet is refused. It can be reopened, and what"
        " was rated stays."
    )
    with st.container(horizontal=True):
        if st.button("Close it", type="primary"):
            do(partial(_move, id, "closed"))
            st.rerun()
        if st.button("Leave it open"):
            st.rerun()


def _settings(stage: Stage, campaign: Campaign) -> dict[str, str]:
    settings = campaign.settings
    items, raters = stage.store.campaigns.items(campaign.id), stage.store.campaigns.raters(campaign.id)
    stories = len({item.story_id for item in items})
    return {
        "Rubric": f"{settings.rubric} {settings.rubric_version}",
        "Items": f"{count(len(items), 'item')} of {count(stories, 'story', 'stories')}",
        "Experts": f"{len(raters):,}",
        "Raters per item": f"{settings.raters_per_item:,}",
        "Training": _training(settings),
        "Attention checks": f"{settings.checks:,} for each expert",
        "Hidden repeats": f"{settings.repeats:.0%} of an expert's items" if settings.repeats else "none",
        "Asked for the model": "after each item" if settings.asks_model else "no",
        "Minutes per item": f"{settings.minutes:g}, as expected",
        "Deadline": deadline(settings.deadline),
        "Seed": f"{settings.seed}",
    }


def _training(settings: Settings) -> str:
    if not settings.practice:
        return "none"
    return f"practice set, {settings.threshold:.0%} within one point, {count(settings.attempts, 'attempt')}"
