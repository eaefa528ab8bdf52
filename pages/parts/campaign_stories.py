"""The stories of a campaign: looked for by scene, model and language, and picked one by one or all at once."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.rubric import Rubric
from characterbox.campaigns.picking import Counts, Offer, Wanted, counts_of, offers_of, with_offers, without
from characterbox.stage.stage import Stage
from pages.parts.campaign_edit import Edit
from pages.parts.campaign_words import LANGUAGES, count, languages
from pages.parts.look import plain, quiet
from pages.parts.models_look import fault

SHOWN = 25
"""Stories on a page of the list."""


def story_picker(edit: Edit, rubric: Rubric, refused: str | None) -> None:
    """All stories that have ended, to be picked; `refused` says why there is no plan with those that are."""
    offers = _offers(edit.stage, rubric)
    if not offers:
        quiet("No story has ended yet. Launch a scene, and it can be picked here when it is played.")
        st.page_link("stage.py", label="Launch a scene", icon=":material/play_circle:")
        return
    found = _looked_for(edit.campaign.id, offers)
    picked = {item.item for item in edit.draft.items}
    stories = sum(not picked.isdisjoint(item.item for item in offer.items) for offer in offers)
    quiet(
        f"{count(len(found), 'story', 'stories')} of {len(offers):,} found."
        f" Picked: {count(stories, 'story', 'stories')} with {count(len(picked), 'item')}."
    )
    fault(refused)
    with st.container(horizontal=True):
        st.button(f"Pick all {len(found):,} found", on_click=_pick, args=(edit, found), disabled=not found)
        st.button(f"Pick none of the {len(found):,} found", on_click=_drop, args=(edit, found), disabled=not found)
    pages = max(1, -(-len(found) // SHOWN))
    key = f"stories-page-{edit.campaign.id}"
    page = min(st.session_state.get(key, 1), pages)
    with st.container(gap="xsmall"):
        for offer in found[(page - 1) * SHOWN : page * SHOWN]:
            _row(edit, offer, picked)
    if pages > 1:
        st.pagination(pages, key=key, persist_state="session")


def _offers(stage: Stage, rubric: Rubric) -> Sequence[Offer]:
    offers, total = offers_of(stage.store), stage.store.stories.count()
    told = st.empty()
    for number in offers.reading(rubric):
        if number < total:
            told.progress(number / total, f"Reading stories: {number:,} of {total:,}")
    told.empty()
    return offers.all(rubric)


def _looked_for(campaign: str, offers: Sequence[Offer]) -> list[Offer]:
    counts = counts_of(offers)
    titles = {offer.scene: f"{offer.title} · {offer.work}" for offer in offers}
    words = st.text_input("Search", placeholder="title, work, character or model", key=f"search-{campaign}", live=True)
    first, second, third = st.columns([3, 3, 2])
    with first:
        scenes = _choice(campaign, "Scenes", counts, titles)
    with second:
        models = _choice(campaign, "Models", counts, {})
    with third:
        spoken = _choice(campaign, "Languages", counts, {str(code): name for code, name in LANGUAGES.items()})
    wanted = Wanted(frozenset(scenes), frozenset(models), frozenset(spoken), words or "")
    return [offer for offer in offers if wanted.fits(offer)]


def _choice(campaign: str, label: str, counts: Counts, titles: dict[str, str]) -> list[str]:
    numbers: dict[str, int] = getattr(counts, label.lower())
    return st.multiselect(
        label,
        list(numbers),
        format_func=lambda name: f"{titles.get(name, name)} ({numbers.get(name, 0):,})",
        placeholder="all",
        key=f"{label}-{campaign}",
        persist_state="session",
    )


def _row(edit: Edit, offer: Offer, picked: set[str]) -> None:
    there = [item.item for item in offer.items if item.item in picked]
    key = f"pick-{edit.campaign.id}-{offer.story}"
    st.session_state[key] = bool(there)
    some = f" · {len(there)} of {count(len(offer.items), 'item')}" if 0 < len(there) < len(offer.items) else ""
    about = [
        offer.work,
        languages([offer.language]),
        ", ".join(offer.models),
        count(len(offer.items), "item"),
        f"{offer.created_at:%d %b %Y, %H:%M}",
        *(["improvised, no language model"] if offer.improvised else []),
    ]
    st.checkbox(
        f"**{plain(offer.title)}** · {plain(' · '.join(about) + some)}",
        key=key,
        on_change=partial(_turn, edit, offer, key),
        disabled=any(item in edit.fixed for item in there),
    )


def _turn(edit: Edit, offer: Offer, key: str) -> None:
    (_pick if st.session_state[key] else _drop)(edit, [offer])


def _pick(edit: Edit, offers: Sequence[Offer]) -> None:
    edit.set_items(lambda draft: with_offers(draft.items, offers))


def _drop(edit: Edit, offers: Sequence[Offer]) -> None:
    dropped = {item.item for offer in offers for item in offer.items} - edit.fixed
    edit.set_items(lambda draft: without(draft.items, dropped))
