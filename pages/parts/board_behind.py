"""What lies behind a figure of the leaderboard: the scenes, and in each the trajectories that can be played back."""

import html
from collections.abc import Mapping

import streamlit as st

from annotations.wording import say
from characterbox.accounts.rights import PAGES
from characterbox.components.figures.board_tables import column_name, scenes_table, trajectories_table
from characterbox.components.figures.html_table import data, html_of
from characterbox.components.figures.prose import fault, said
from characterbox.components.figures.words import capital, in_a_row
from characterbox.components.links import show_linked
from characterbox.judging.board import Board, scenes_behind, trajectories_in
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from pages.parts.ways import address_of
from pages.parts.who import allowed

MOST = 60
"""Trajectories of one scene whose place in their story is looked up."""


def show_behind(store: Store, board: Board, metric: str) -> None:
    """The scenes behind the model that was chosen, and the trajectories in the scene that was chosen."""
    if (model := st.query_params.get("model")) is None:
        return
    scenes = scenes_behind(board, model, metric)
    if scenes.empty:
        st.html(fault(say("{model} has no score of this; choose another figure of the table.", model=model)))
        return
    scene = st.query_params.get("scene")
    title = f"{data(model)} · {data(capital(column_name(metric)))}"
    close = f'<a class="cb-close" href="{html.escape(without("model", "scene"))}">{say("Close")}</a>'
    show_linked(f'<div class="cb-behind"><h2>{title}</h2>{close}</div>', key="behind")
    told = say("Scene by scene, the best first, beside the mean of the other models in the same scene.")
    own = say("Of a corrected mean these are the judge's own scores.") if board.wanted.whose == "corrected" else ""
    st.html(said(in_a_row(told, own, say("A scene leads to its trajectories."))))
    left, right = st.columns(2, gap="large")
    with left:
        show_linked(html_of(scenes_table(scenes, scene, to)), key="scenes")
    with right:
        if scene is not None:
            _show_trajectories(store, board, model, scene)


def _show_trajectories(store: Store, board: Board, model: str, scene: str) -> None:
    items = trajectories_in(board, model, scene)
    if items.empty:
        st.html(fault(say("{model} has no trajectory in {scene}.", model=model, scene=scene)))
        return
    st.html(f'<h3 class="cb-title">{data(scene)}</h3>')
    addresses = {}
    if allowed(PAGES["playback"]):
        for item, story, slug in items[["item", "story", "slug"]].head(MOST).itertuples(index=False, name=None):
            addresses[item] = address_of("playback", **_place(store, story, slug))
        st.html(said(say("A character leads to its part in Playback.")))
    show_linked(html_of(trajectories_table(items, addresses)), key="trajectories")


def _place(store: Store, story: str, character: str) -> dict[str, str]:
    """The story and the step at which its character first acts, as Playback takes them."""
    acts = (slug_of(getattr(event, "character", "")) == character for event in store.stories.events(story))
    at = next((at for at, own in enumerate(acts, 1) if own), None)
    return {"story": story} if at is None else {"story": story, "at": str(at)}


def to(changes: Mapping[str, str]) -> str:
    """The address of what the page shows now, but for these changes. With another model, no scene is open."""
    kept = st.query_params.to_dict()
    if "model" in changes:
        kept.pop("scene", None)
    return address_of("leaderboard", **{**kept, **changes})


def without(*names: str) -> str:
    """The address of what the page shows now, without these."""
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in names}
    return address_of("leaderboard", **kept)
