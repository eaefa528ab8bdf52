"""A campaign that has started: its settings, what can be done with it, and its ratings as files."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from annotations.design.settings import Settings, Status
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, say_day
from characterbox.campaigns.export import FORMATS, Export, Format, saved_ratings
from characterbox.campaigns.lifecycle import copy, move
from characterbox.settings import settings
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.campaigns.campaign import Campaign, stories_of
from pages.campaigns.text import STATUS, deadline, maker
from pages.oversight.view import oversight
from pages.shared.current_user import current_user
from pages.shared.downloads import given_out
from pages.shared.links import go, place_link
from pages.shared.text import facts, plain, quiet
from pages.story.actions import act, do, show_error

NAMES: dict[Format, str] = {
    "csv": "CSV",
    "parquet": "Parquet",
    "jsonl": "JSON Lines",
    "label-studio": "Label Studio",
    "label-studio-config": to_say("Label Studio (configuration)"),
}
SCORES = to_say(
    "One row per score: all current scores, including those of items not submitted yet; see the column “submitted”."
)
TOLD: dict[Format, str] = {
    "csv": SCORES,
    "parquet": SCORES,
    "jsonl": to_say(
        "One line per expert and item, with evidence, comments and every click; includes practice and checks."
    ),
    "label-studio": to_say("Tasks with annotations: the submitted and skipped items."),
    "label-studio-config": to_say("The rubric as a labeling configuration, for showing the tasks in Label Studio."),
}


@st.fragment
def files(campaign: Campaign) -> None:
    """Choose a form, and take the file along; the rest of the page stays as it is meanwhile."""
    form = st.segmented_control(
        say("Format"), FORMATS, default="csv", required=True, format_func=lambda form: say(NAMES[form]), key="file-form"
    )
    st.caption(say(TOLD[form]))
    with st.container(horizontal=True, vertical_alignment="center"):
        pseudonyms = st.checkbox(say("Replace expert names with numbers"), key="file-pseudonyms")
        tables = form in ("csv", "parquet", "label-studio")
        repeats = tables and st.checkbox(say("Hidden repeats only"), key="file-repeats")
        export = Export(form, pseudonyms=pseudonyms, repeats=repeats)
        st.download_button(
            say("Download"),
            given_out(  # asked for over the guarded web socket
                "ratings.exported",
                campaign.id,
                partial(saved_ratings, settings().db, campaign.id, export),
                form=form,
            ),
            export.file_name(campaign.id),
            export.media_type,
            on_click="ignore",
            key="file-download",
            icon=":material/download:",
        )


def show_campaign(stage: Stage, campaign: Campaign) -> None:
    """What a campaign is, what can be done with it, and how it goes."""
    st.title(plain(campaign.settings.name))
    quiet(
        say(
            "{status} · by {name}, {day}",
            status=say(STATUS[campaign.status]).capitalize(),
            name=maker(campaign),
            day=say_day(campaign.created_at),
        )
    )
    show_error()
    with st.container(horizontal=True, vertical_alignment="center"):
        _moves(campaign)
        if campaign.status != "closed":
            _button("extend", say("Extend"), campaign, lambda: go(campaign=campaign.id, extend="settings"))
        _button(
            "copy", say("Copy"), campaign, lambda: go(campaign=copy(open_stage().store, current_user(), campaign.id).id)
        )
        place_link(say("All campaigns"), ":material/arrow_back:")
    of_settings, of_files = st.columns(2)
    with of_settings, st.expander(say("Settings")):
        facts(_settings(stage, campaign))
    with of_files, st.expander(say("Files")):
        files(campaign)
    oversight(stage, campaign)


def _moves(campaign: Campaign) -> None:
    """The buttons that change whether it takes ratings."""
    match campaign.status:
        case "running":
            _button("pause", say("Pause"), campaign, partial(_move, campaign.id, "paused"))
        case "paused":
            _button("resume", say("Continue"), campaign, partial(_move, campaign.id, "running"), primary=True)
        case _:
            _button("reopen", say("Reopen"), campaign, partial(_move, campaign.id, "running"))
    if campaign.status != "closed" and st.button(say("Close"), key=f"close-{campaign.id}"):
        st.dialog(say("Close campaign"))(_closing)(campaign.id)


def _button(name: str, label: str, campaign: Campaign, what: Callable[[], None], *, primary: bool = False) -> None:
    act(label, what, key=f"do-{name}-{campaign.id}", primary=primary)


def _move(id: str, status: Status) -> None:
    move(open_stage().store, current_user(), id, status)


def _closing(id: str) -> None:
    st.write(
        say(
            "The campaign accepts no more ratings. Ratings that experts have entered but not sent are rejected. You"
            " can reopen the campaign, and existing ratings are kept."
        )
    )
    with st.container(horizontal=True):
        if st.button(say("Close campaign"), type="primary", key="close-it"):
            do(partial(_move, id, "closed"))
            st.rerun()
        if st.button(say("Cancel"), key="close-not"):
            st.rerun()


def _settings(stage: Stage, campaign: Campaign) -> dict[str, str]:
    settings = campaign.settings
    items, raters = stage.store.campaigns.items(campaign.id), stage.store.campaigns.raters(campaign.id)
    told, stories = say_count("{count:,} item", "{count:,} items", len(items)), len(stories_of(items))
    of = say_count("{count:,} story", "{count:,} stories", stories)
    return {
        say("Rubric"): f"{settings.rubric} {settings.rubric_version}",
        say("Items"): say("{items} from {stories}", items=told, stories=of) if stories else told,
        say("Experts"): f"{len(raters):,}",
        say("Raters per item"): f"{settings.raters_per_item:,}",
        say("Practice"): _training(settings),
        say("Attention checks"): say("{count:,} per expert", count=settings.checks),
        say("Hidden repeats"): _repeats(settings),
        say("Model guess"): say("after each item") if settings.asks_model else say("no"),
        say("Minutes per item"): say("{minutes:g} (expected)", minutes=settings.minutes),
        say("Deadline"): deadline(settings.deadline),
        say("Seed"): f"{settings.seed}",
    }


def _repeats(settings: Settings) -> str:
    return say("{share:.0%} of an expert's items", share=settings.repeats) if settings.repeats else say("none")


def _training(settings: Settings) -> str:
    if not settings.practice:
        return say("none")
    return say_count(
        "practice set: {share:.0%} of scores within one point of the gold score, {count:,} attempt",
        "practice set: {share:.0%} of scores within one point of the gold score, {count:,} attempts",
        settings.attempts,
        share=settings.threshold,
    )
