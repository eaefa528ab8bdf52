"""A campaign before it starts, and what it is to be extended by, with the plan beside it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_day
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.lifecycle import Outlook, begin, extend
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.campaigns.campaign import Campaign
from pages.campaigns.blinding_scan import blinding
from pages.campaigns.editing import Edit, edit_draft, edit_extension, forget_extension
from pages.campaigns.experts import expert_picker
from pages.campaigns.items import story_picker
from pages.campaigns.plan import plan_in_brief, quick_outlook, refused_for, whole_outlook, whole_plan
from pages.campaigns.settings_form import Form, rubric_of, settings_form
from pages.campaigns.text import maker
from pages.shared.current_user import current_user
from pages.shared.form import show_stored
from pages.shared.links import go, place_link
from pages.shared.text import plain, quiet
from pages.story.actions import do, refusal, show_error

PARTS = {
    "settings": to_say("Settings"),
    "stories": to_say("Stories"),
    "experts": to_say("Experts"),
    "blinding": to_say("Blinding"),
    "plan": to_say("Plan"),
}


@dataclass(frozen=True)
class Frame:
    """What tells a draft from an extension."""

    place: str
    """The name in the address that has the part."""
    settings: Callable[[Edit, Mapping[str, str]], None]
    finish: Callable[[Edit, Outlook], None]
    """Shows the button that carries the plan out."""


def show_draft(stage: Stage, campaign: Campaign) -> None:
    """A draft: its parts, the plan, and the button that starts it."""
    edit = edit_draft(stage, campaign)
    st.title(plain(campaign.settings.name))
    quiet(
        say(
            "Draft by {name}, {day}. Changes are saved automatically.",
            name=maker(campaign),
            day=say_day(campaign.created_at),
        )
    )
    show_parts(edit, Frame("part", settings_form, _start))
    place_link(say("All campaigns"), ":material/arrow_back:")


def show_parts(edit: Edit, frame: Frame) -> None:
    """The part that the address names, with the plan in brief beside it."""
    show_error()
    rubric = rubric_of(edit.stage.store, edit.draft)
    part = _part(edit, frame, rubric)
    if part == "plan" and rubric is not None:
        whole_plan(edit, whole_outlook(edit, rubric), frame.finish)
        return
    wide, margin = st.columns([3, 2], gap="large")
    outlook_now = quick_outlook(edit, rubric) if rubric is not None else None
    refused = refused_for(edit, outlook_now)
    with wide:
        if part == "settings" or rubric is None:
            frame.settings(edit, refused)
        else:
            _show(part, edit, rubric, refused)
    if rubric is not None:
        with margin:
            plan_in_brief(edit, outlook_now)


def _show(part: str, edit: Edit, rubric: Rubric, refused: Mapping[str, str]) -> None:
    if part == "stories":
        story_picker(edit, rubric, refused.get("stories"))
    elif part == "experts":
        expert_picker(edit, refused.get("experts"))
    else:
        blinding(edit, rubric)


def _part(edit: Edit, frame: Frame, rubric: Rubric | None) -> str:
    """The ways to the parts, and the one that the address names."""
    wanted = st.query_params.get(frame.place, "")
    part = wanted if wanted in PARTS else "settings"
    key = f"{frame.place}-{edit.campaign.id}"
    show_stored(key, part)
    counts = {"stories": len(edit.draft.items), "experts": len(edit.draft.raters)}

    scenes = rubric is not None and rubric.subject == "scene"

    def said(name: str) -> str:
        title = say("Scenes") if scenes and name == "stories" else say(PARTS[name])
        return f"{title} ({counts[name]:,})" if counts.get(name) else title

    def turn() -> None:
        go(**{"campaign": edit.campaign.id, frame.place: st.session_state[key]})

    st.segmented_control(
        say("Section of the campaign"),
        list(PARTS),
        required=True,
        default=part,
        format_func=said,
        key=key,
        on_change=turn,
        label_visibility="collapsed",
    )
    return part


def _start(edit: Edit, outlook: Outlook) -> None:
    if st.button(say("Start campaign"), type="primary", disabled=outlook.plan is None, key="start"):
        st.dialog(say("Start campaign"))(_starting)(edit.campaign)


def _starting(campaign: Campaign) -> None:
    st.write(
        say(
            "Experts see the campaign at once. After the start, its rubric, items, settings and assignments can"
            " no longer be edited. It can be paused, extended, closed and copied, but not turned back into a"
            " draft."
        )
    )
    with st.container(horizontal=True):
        if st.button(say("Start"), type="primary", key="start-it"):
            do(lambda: begin(open_stage().store, current_user(), campaign.id))
            go(campaign=campaign.id)
            st.rerun()
        if st.button(say("Cancel"), key="start-not-yet"):
            st.rerun()


def show_extension(stage: Stage, campaign: Campaign) -> None:
    """The parts of an extension, its plan, and the button that carries it out."""
    st.title(plain(say("Extend {name}", name=campaign.settings.name)))
    quiet(
        say(
            "Add stories, experts, raters per item, or time. Existing assignments do not change. Your changes are"
            " saved as a draft; experts do not see them until you extend the campaign."
        )
    )
    edit = edit_extension(stage, campaign)
    show_parts(edit, Frame("extend", _settings, _finish))
    with st.container(horizontal=True):
        place_link(say("Back to the campaign"), ":material/arrow_back:", campaign=campaign.id)
        st.button(say("Discard extension"), key="extension-drop", type="tertiary", on_click=_drop, args=(campaign,))


def _settings(edit: Edit, refused: Mapping[str, str]) -> None:
    form = Form(edit, refused)
    form.number("raters_per_item", say("Raters per item"))
    quiet(
        say(
            "Items with too few raters get more. A rater whose account may no longer rate, or who has failed"
            " the last attempt at the practice set, counts only for items that are already completed."
        )
    )
    form.field("deadline", lambda keep: st.datetime_input(say("Deadline (UTC), optional"), **keep))


def _finish(edit: Edit, outlook: Outlook) -> None:
    if st.button(say("Extend campaign"), type="primary", disabled=outlook.plan is None, key="extension"):
        st.dialog(say("Extend campaign"))(_extending)(edit)


def _extending(edit: Edit) -> None:
    st.write(say("New items are added to the experts' lists at once. This cannot be undone."))
    with st.container(horizontal=True):
        if st.button(say("Extend"), type="primary", key="extension-now"):
            do(lambda: extend(open_stage().store, current_user(), edit.campaign, edit.draft))
            if refusal() is None:
                forget_extension(edit.campaign)
                go(campaign=edit.campaign.id)
            st.rerun()
        if st.button(say("Cancel"), key="extension-not-yet"):
            st.rerun()


def _drop(campaign: Campaign) -> None:
    forget_extension(campaign)
    go(campaign=campaign.id)
