"""The scan of blinding: which items give their model away, with the words marked; each can be left out."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.i18n.translation import say, say_count, translate
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.blinded_item import headings_of
from characterbox.campaigns.blinding_scan import Scanned, scanner_of, why_unreadable
from characterbox.campaigns.item_selection import offers_of, without
from characterbox.campaigns.plan import Draft
from characterbox.llm.endpoint import models_in
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignItem, stories_of
from pages.campaigns.editing import Edit
from pages.campaigns.text import found_words
from pages.shared.form import fault
from pages.shared.text import quiet

SLICE, POLL = 0.4, 0.6
"""Seconds of work, and from the start of one piece of work to the next: others use the app meanwhile."""
SHOWN = 25
"""Items that are listed on one page."""


def blinding(edit: Edit, rubric: Rubric) -> None:
    """Scan what is picked, and tell what was found."""
    items = new_items(edit)
    if not items:
        quiet(say("Select stories first; then you can scan the texts that the experts will read."))
        return
    quiet(
        say("The scan finds text in which a model says what it is, who made it, or what it or another model is called.")
    )
    flag = f"scan-{edit.campaign.id}"
    if st.session_state.get(flag):
        st.fragment(_progress, run_every=POLL)(edit, rubric, flag)
    known = scanner_of(edit.stage.store).known(items, models_of(edit.draft))
    if (left := len(items) - len(known)) and not st.session_state.get(flag):
        scan = say_count("Scan {count:,} item", "Scan {count:,} items", left)
        st.button(scan, key="scan-start", type="primary", on_click=_turn, args=(flag, True))
    _told(edit, rubric, [(item, known[item.item]) for item in items if item.item in known], left)
    _left_out(edit, rubric)


def new_items(edit: Edit) -> list[CampaignItem]:
    """The items that can still be left out."""
    return [item for item in edit.draft.items if item.item not in edit.fixed]


def models_of(draft: Draft) -> frozenset[str]:
    """The models whose names tell something."""
    return frozenset(model for item in draft.items for model in models_in(item.model))


def scan_cautions(store: Store, draft: Draft, items: Sequence[CampaignItem]) -> list[str]:
    """What the scan leaves to be said of a plan."""
    known = scanner_of(store).known(items, models_of(draft))
    told = []
    if left := len(items) - len(known):
        told.append(
            say_count(
                "{count:,} item has not been scanned for model names: see Blinding.",
                "{count:,} items have not been scanned for model names: see Blinding.",
                left,
            )
        )
    if telling := sum(not scanned.clean for scanned in known.values()):
        told.append(
            say_count(
                "{count:,} item may reveal its model: see Blinding.",
                "{count:,} items may reveal their model: see Blinding.",
                telling,
            )
        )
    return told


def _progress(edit: Edit, rubric: Rubric, flag: str) -> None:
    items, models = new_items(edit), models_of(edit.draft)
    scanner = scanner_of(edit.stage.store)
    if st.session_state.get(flag):
        scanner.work(items, rubric, models, SLICE)
    done = len(scanner.known(items, models))
    if done == len(items) or not st.session_state.get(flag):
        st.session_state[flag] = False
        st.rerun()
    told = say_count("{done:,} of {count:,} item scanned", "{done:,} of {count:,} items scanned", len(items), done=done)
    st.progress(done / len(items), told)
    st.button(say("Stop scan"), key="scan-stop", on_click=_turn, args=(flag, False))


def _turn(flag: str, on: bool) -> None:
    st.session_state[flag] = on


def _told(edit: Edit, rubric: Rubric, scanned: Sequence[tuple[CampaignItem, Scanned]], left: int) -> None:
    telling = [(item, found) for item, found in scanned if not found.clean]
    if scanned:
        quiet(
            say_count(
                "{count:,} item scanned, {telling:,} to review.",
                "{count:,} items scanned, {telling:,} to review.",
                len(scanned),
                telling=len(telling),
            )
        )
    if not telling:
        if not left:
            quiet(say("Nothing found that reveals a model."))
        return
    with st.container(horizontal=True):
        names = [item.item for item, _ in telling]
        all = say("Exclude all {count:,}", count=len(telling))
        st.button(all, key="scan-leave-out", on_click=_leave_out, args=(edit, names))
    headings = headings_of(edit.stage.store, [item for item, _ in telling[:SHOWN]])
    for number, (item, found) in enumerate(telling[:SHOWN]):
        title = headings[item.item].title if item.item in headings else item.scene
        with st.container(key=f"campaign-row-{number}"):
            _finding(edit, rubric, item, found, title)
    if len(telling) > SHOWN:
        quiet(
            say(
                "The first {shown} are shown; {count:,} more appear once these are excluded.",
                shown=SHOWN,
                count=len(telling) - SHOWN,
            )
        )


def _finding(edit: Edit, rubric: Rubric, item: CampaignItem, found: Scanned, title: str) -> None:
    text, action = st.columns([4, 1])
    with text:
        quiet(" · ".join(filter(None, [title, item.character, item.model])))
        if found.unreadable and (error := why_unreadable(edit.stage.store, item, rubric)):
            fault(translate(error))
        st.html("".join(map(found_words, found.findings)) or "<p></p>")
        if found.count > len(found.findings):
            more = found.count - len(found.findings)
            quiet(say_count("and {count:,} more place in this item", "and {count:,} more places in this item", more))
    with action:
        st.button(say("Exclude"), key=f"out-{item.item}", on_click=_leave_out, args=(edit, [item.item]))


def _leave_out(edit: Edit, names: Sequence[str]) -> None:
    edit.set_items(lambda draft: without(draft.items, names))


def _left_out(edit: Edit, rubric: Rubric) -> None:
    """What of the picked stories is left out, to be taken in again."""
    picked = {item.item for item in edit.draft.items}
    every = offers_of(edit.stage.store).items(stories_of(new_items(edit)), rubric)
    missing = [item for item in every if item.item not in picked]
    if rubric.subject == "scene":
        quiet(say("An excluded scene of the library can be selected again under Scenes."))
    if not missing:
        return
    st.subheader(say("Excluded"))
    for item in missing[:SHOWN]:
        with st.container(horizontal=True, vertical_alignment="center"):
            quiet(" · ".join(filter(None, [item.scene, item.character, item.model])), width="content")
            again = partial(_take_in, edit, item)
            st.button(say("Include again"), key=f"in-{item.item}", type="tertiary", on_click=again)
    if len(missing) > SHOWN:
        quiet(
            say_count(
                "and {count:,} more item of the selected stories",
                "and {count:,} more items of the selected stories",
                len(missing) - SHOWN,
            )
        )


def _take_in(edit: Edit, item: CampaignItem) -> None:
    edit.set_items(lambda draft: tuple(sorted([*without(draft.items, {item.item}), item], key=lambda one: one.item)))
