"""The plan of a campaign before it is carried out: in brief beside what it follows from, and as a whole."""

from collections.abc import Callable

import streamlit as st

from annotations.errors import AnnotationError
from annotations.rubric import Rubric
from annotations.wording import say, say_count, sentence, translate
from characterbox.campaigns.design import at_work, still_assigned
from characterbox.campaigns.life import Outlook, outlook_of
from characterbox.campaigns.scene_items import headings_of
from characterbox.errors import CampaignError
from characterbox.store.campaign import Assignment
from characterbox.store.tables import now
from pages.parts.campaign_edit import Edit
from pages.parts.campaign_experts import names_of
from pages.parts.campaign_look import cautions
from pages.parts.campaign_scan import new_items, scan_cautions
from pages.parts.campaign_tables import expert_table, figures, language_table, model_table, pair_table, scene_table
from pages.parts.campaign_words import name_betrays
from pages.parts.form import fault
from pages.parts.look import quiet
from pages.parts.models_look import facts

QUICK = 6_000
"""Items times experts up to which the plan is made at each change; that of more is made where it is asked for."""


def quick_outlook(edit: Edit, rubric: Rubric) -> Outlook | None:
    """The plan at this moment; None where it takes too long to be made at each change."""
    draft = edit.draft
    return whole_outlook(edit, rubric) if len(draft.items) * len(draft.raters) <= QUICK else None


def whole_outlook(edit: Edit, rubric: Rubric) -> Outlook:
    """The plan at this moment."""
    store, campaign = edit.stage.store, edit.campaign
    assigned: tuple[Assignment, ...] = ()
    try:
        draft = at_work(store, campaign, edit.draft)
        if campaign.status != "draft":
            assigned = tuple(still_assigned(store, campaign, draft, store.campaigns.assignments(campaign=campaign.id)))
    except (AnnotationError, CampaignError) as error:
        return Outlook(None, translate(error), "practice")
    return outlook_of(draft, rubric, assigned)


def refused_for(edit: Edit, outlook: Outlook | None) -> dict[str, str]:
    """Why there is no plan, by what it fails for; nothing while there is nothing to rate, or nobody to."""
    if outlook is None or outlook.refusal is None or outlook.cause is None:
        return {}
    if not (edit.draft.items and edit.draft.raters):
        return {}
    beside = (outlook.cause, "experts") if outlook.cause == "raters_per_item" else (outlook.cause,)
    return dict.fromkeys(beside, sentence(outlook.refusal))


def plan_in_brief(edit: Edit, outlook: Outlook | None) -> None:
    """The plan in a few lines."""
    st.subheader(say("The plan so far"))
    draft, settings = edit.draft, edit.draft.settings
    if outlook is None:
        ratings = len(draft.items) * settings.raters_per_item
        facts(
            {
                say("Items"): f"{len(draft.items):,}",
                say("Experts"): f"{len(draft.raters):,}",
                say("Ratings"): say("about {count:,}", count=ratings),
            }
        )
        quiet(say("A plan of this size takes some seconds. It is made where you look at it: under Plan."))
    elif outlook.plan is None:
        _no_plan(edit, outlook)
    else:
        facts(figures(outlook.plan.balance, settings.minutes))
        told = len(_cautions(edit, outlook))
        some = say_count("{count:,} caution: see Plan.", "{count:,} cautions: see Plan.", told)
        quiet(some if told else say("No cautions."))


def whole_plan(edit: Edit, outlook: Outlook, finish: Callable[[Edit, Outlook], None]) -> None:
    """All figures of the plan, and what they will not be able to tell; `finish` shows how to carry it out."""
    if outlook.plan is None:
        _no_plan(edit, outlook)
        return
    balance, minutes, names = outlook.plan.balance, edit.draft.settings.minutes, names_of(edit.stage.store)
    left, right = st.columns(2, gap="large")
    with left:
        facts(figures(balance, minutes))
        if edit.draft.settings.practice or edit.draft.settings.checks:
            quiet(say("Hours are those of the items: practice and attention checks come on top."))
    with right:
        cautions(_cautions(edit, outlook))
        finish(edit, outlook)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(say("Models"))
        st.html(model_table(balance))
        st.subheader(say("Languages"))
        st.html(language_table(balance))
        st.subheader(say("Scenes"))
        st.html(scene_table(balance, _titles(edit)))
    with right:
        st.subheader(say("Experts"))
        st.html(expert_table(balance, names, minutes))
        if balance.shared_by:
            st.subheader(say("Pairs"))
            st.html(pair_table(balance, names))


def _titles(edit: Edit) -> dict[str, str]:
    """The titles of the draft's scenes with the works that they are of, by the names that the plan has for scenes."""
    scenes = {item.scene: item for item in edit.draft.items}
    headings = headings_of(edit.stage.store, scenes.values())
    found = {name: headings.get(item.item) for name, item in scenes.items()}
    return {name: f"{heading.title} · {heading.work}" for name, heading in found.items() if heading is not None}


def _no_plan(edit: Edit, outlook: Outlook) -> None:
    if not edit.draft.items:
        quiet(say("There is no plan yet: pick what is to be rated."))
    elif not edit.draft.raters:
        quiet(say("There is no plan yet: pick experts, too."))
    else:
        fault(say("There is no plan like this. {why}", why=sentence(outlook.refusal or "")))


def _cautions(edit: Edit, outlook: Outlook) -> list[str]:
    """What weighs on the blinding and on the time, and then what the plan warns of."""
    told = [said] if (said := name_betrays(edit.draft)) is not None else []
    told += scan_cautions(edit.stage.store, edit.draft, new_items(edit))
    if (until := edit.draft.settings.deadline) is not None and until <= now():
        told.append(say("The deadline has passed already."))
    if outlook.plan is not None:
        told += outlook.plan.warnings
    return told
