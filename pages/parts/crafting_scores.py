"""Scores of accepted scenes: by a judge who is asked here, or by experts in a campaign (paper, table 4)."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotations.improvised import judge_called
from annotations.wording import say, to_say, tongue
from characterbox.campaigns.life import make_for_scenes
from characterbox.components.figures.html_table import data, mark
from characterbox.crafting.standing import Crafting
from characterbox.crafting.table import by_experts
from characterbox.crafting.wish import RUBRIC
from characterbox.judging.judge import Judge
from characterbox.judging.registry import registered
from characterbox.scenes.scene import Scene
from characterbox.stage.stage import Stage, open_stage
from characterbox.store import Store
from characterbox.store.scene_ratings import key_of
from pages.parts.acts import do
from pages.parts.judge_form import judge_form
from pages.parts.look import quiet
from pages.parts.scenes_copy import check_writes
from pages.parts.ways import go_to
from pages.parts.who import who

ASK = to_say("Have it score the scenes")
_MADE = "crafting-campaign"
"""Where the id of a campaign is kept that was made just now."""


def show_scores(stage: Stage, crafting: Crafting) -> None:
    """What the accepted scenes were given, and how they get more scores."""
    if (made := st.session_state.pop(_MADE, None)) is not None:
        go_to("campaigns", campaign=made)
    scenes = [one.scene for one in crafting.scenes if one.scene is not None]
    st.subheader(say("Scores of the accepted scenes"))
    if rows := _rows(stage.store, scenes):
        st.html(_table(rows))
    else:
        quiet(say("Nobody has scored them yet. The evaluator's scores above are not counted: it took part."))
    if (wanted := judge_form(stage, ASK, primary=False, characters_only=True)) is not None:
        judge, _ = wanted
        do(partial(_judge, crafting.id, judge))
        st.rerun()
    quiet(say("Experts score scenes in a campaign, blind to how each was made."))
    if st.button(say("Have experts score them"), key="craft-campaign"):
        do(partial(_campaign, scenes))
        st.rerun()


def _judge(id: str, judge: Judge) -> None:
    check_writes()
    stage = open_stage()
    stage.craftings.judge(id, registered(stage.store, judge, "scene"))


def _campaign(scenes: Sequence[Scene]) -> None:
    st.session_state[_MADE] = make_for_scenes(open_stage().store, who(), scenes).id


def _rows(store: Store, scenes: Sequence[Scene]) -> list[str]:
    """A row for each scene and rater, judges first (HTML)."""
    keys = {key_of(scene): scene.title for scene in scenes}
    judged = store.scene_ratings.of(keys)
    improvised = {one.rater for one in judged if one.improvised}
    experts = by_experts(store, keys)
    places = zip(experts["scene"], experts["rater"], experts["metric"], strict=True)
    scores = {(one.scene, one.rater, "judge", one.metric): one.score for one in judged}
    scores |= {
        (key, rater, "expert", metric): int(score)
        for (key, rater, metric), score in zip(places, experts["score"], strict=True)
    }
    rows = []
    for key, rater, kind in dict.fromkeys((key, rater, kind) for key, rater, kind, _ in scores):
        given = (scores.get((key, rater, kind, metric)) for metric in RUBRIC.keys)
        cells = "".join(f"<td>{'' if score is None else score}</td>" for score in given)
        demo = kind == "judge" and rater in improvised
        who_rated = f"{data(judge_called(rater, demo))}{f' {mark()}' if demo else ''}"
        rows.append(f'<tr><th scope="row">{data(keys[key])}</th><th scope="row">{who_rated}</th>{cells}</tr>')
    return rows


def _table(rows: Sequence[str]) -> str:
    heads = "".join(f'<th scope="col">{data(RUBRIC.metric(key).name.text(tongue()))}</th>' for key in RUBRIC.keys)
    first, second = data(say("Scene")), data(say("Rater"))
    head = f'<tr><th scope="col">{first}</th><th scope="col">{second}</th>{heads}</tr>'
    return f'<table class="cb-prices"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'
