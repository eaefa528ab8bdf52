"""The stories of a campaign: looked for by scene, model and language, and picked one by one or all at once."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.i18n.translation import say, say_count, say_moment, translate
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.item_selection import Offer, Wanted, counts_of, offers_of, with_offers, without
from characterbox.campaigns.lifecycle import keep_scenes
from characterbox.errors import SearchError
from characterbox.scenes.search import MOST_SEARCHED
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES
from pages.campaigns.editing import Edit
from pages.campaigns.text import languages
from pages.shared.current_user import current_user
from pages.shared.filters import filters
from pages.shared.form import fault, pick_some, show_stored
from pages.shared.links import turned_to
from pages.shared.text import plain, quiet
from pages.story.actions import do

SHOWN = 25
"""Stories on a page of the list."""


def story_picker(edit: Edit, rubric: Rubric, refused: str | None) -> None:
    """All stories that have ended, or scenes, to be picked; `refused` says why there is no plan with those that are."""
    offers = _offers(edit.stage, rubric)
    if not offers:
        quiet(say("No story has ended yet. Start a story. When it has ended, it can be selected here."))
        st.page_link("stage/page.py", label=say("Start story"), icon=":material/play_circle:")
        return
    found = _looked_for(edit.campaign.id, rubric, offers)
    picked = {item.item for item in edit.draft.items}
    stories = sum(not picked.isdisjoint(item.item for item in offer.items) for offer in offers)
    quiet(_told(rubric, (len(found), len(offers)), stories, len(picked)))
    fault(refused)
    with st.container(horizontal=True):
        pick = say("Select all {count:,} found", count=len(found))
        drop = say("Deselect all {count:,} found", count=len(found))
        st.button(pick, key="stories-pick", on_click=_pick, args=(edit, found), disabled=not found)
        st.button(drop, key="stories-drop", on_click=_drop, args=(edit, found), disabled=not found)
    with turned_to(found, SHOWN, f"stories-page-{edit.campaign.id}") as shown, st.container(gap="xsmall"):
        for offer in shown:
            _row(edit, offer, picked)


def _told(rubric: Rubric, found: tuple[int, int], stories: int, picked: int) -> str:
    """How many are found, of all that there are, and how many are picked."""
    count, all = found
    if rubric.subject == "scene":
        there = say_count("{count:,} of {all:,} scenes found.", "{count:,} of {all:,} scenes found.", count, all=all)
        return say("{found} Selected: {count:,}.", found=there, count=picked)
    there = say_count("{count:,} of {all:,} stories found.", "{count:,} of {all:,} stories found.", count, all=all)
    return say(
        "{found} Selected: {stories} with {items}.",
        found=there,
        stories=say_count("{count:,} story", "{count:,} stories", stories),
        items=say_count("{count:,} item", "{count:,} items", picked),
    )


def _offers(stage: Stage, rubric: Rubric) -> Sequence[Offer]:
    offers, total = offers_of(stage.store), stage.store.stories.count()
    told = st.empty()
    for number in offers.reading(rubric):
        if number < total:
            told.progress(number / total, say("Reading stories: {count:,} of {all:,}", count=number, all=total))
    told.empty()
    return offers.all(rubric)


def _looked_for(campaign: str, rubric: Rubric, offers: Sequence[Offer]) -> list[Offer]:
    counts = counts_of(offers)
    titles = {offer.scene: f"{offer.title} · {offer.work}" for offer in offers}
    keys = [f"{name}-{campaign}" for name in ("scenes", "models", "languages")]
    with filters(lambda: sum(bool(st.session_state.get(key)) for key in keys), partial(_search, campaign)) as words:
        scenes = _choice(keys[0], say("Scenes"), counts.scenes, titles)
        makers = say("Creator") if rubric.subject == "scene" else say("Models")  # scenes are written by people, too
        models = _choice(keys[1], makers, counts.models, {})
        spoken = _choice(
            keys[2], say("Languages"), counts.languages, {code: say(name) for code, name in LANGUAGES.items()}
        )
    try:
        wanted = Wanted(frozenset(scenes), frozenset(models), frozenset(spoken), words)
    except SearchError as error:
        fault(translate(error))
        return []
    return [offer for offer in offers if wanted.fits(offer)]


def _search(campaign: str) -> str:
    sought = say("title, work, character or model")
    key = f"search-{campaign}"
    return st.text_input(say("Search"), placeholder=sought, key=key, max_chars=MOST_SEARCHED, live=True) or ""


def _choice(key: str, label: str, numbers: dict[str, int], titles: dict[str, str]) -> list[str]:
    return pick_some(
        label,
        list(numbers),
        format_func=lambda name: f"{titles.get(name, name)} ({numbers.get(name, 0):,})",
        placeholder=say("all"),
        key=key,
        persist_state="session",
    )


def _row(edit: Edit, offer: Offer, picked: set[str]) -> None:
    there = [item.item for item in offer.items if item.item in picked]
    key = f"pick-{edit.campaign.id}-{offer.id}"
    show_stored(key, bool(there))
    number = len(offer.items)
    some = say_count(
        "{picked} of {count:,} item selected", "{picked} of {count:,} items selected", number, picked=len(there)
    )
    about = [
        offer.work,
        languages([offer.language]),
        say(", ").join(offer.models),
        *([] if offer.rated is not None else [say_count("{count:,} item", "{count:,} items", number)]),
        *([] if offer.created_at is None else [say_moment(offer.created_at)]),
        *([say("no language model")] if offer.improvised else []),
        *([some] if 0 < len(there) < number else []),
    ]
    st.checkbox(
        f"**{plain(offer.title)}** · {plain(' · '.join(about))}",
        bool(there),
        key=key,
        on_change=partial(_turn, edit, offer, key),
        disabled=any(item in edit.fixed for item in there),
    )


def _turn(edit: Edit, offer: Offer, key: str) -> None:
    (_pick if st.session_state[key] else _drop)(edit, [offer])


def _pick(edit: Edit, offers: Sequence[Offer]) -> None:
    scenes = [offer.rated for offer in offers if offer.rated is not None]
    do(partial(keep_scenes, edit.stage.store, current_user(), scenes))
    edit.set_items(lambda draft: with_offers(draft.items, offers))


def _drop(edit: Edit, offers: Sequence[Offer]) -> None:
    dropped = {item.item for offer in offers for item in offer.items} - edit.fixed
    edit.set_items(lambda draft: without(draft.items, dropped))
