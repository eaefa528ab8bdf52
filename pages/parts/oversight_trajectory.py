"""What the experts read, and beside each step whose score on a metric rests on it."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from annotations.wording import say, to_say
from characterbox.campaigns.row import Row
from characterbox.campaigns.showing import Shown
from pages.parts.oversight_look import data, said
from pages.parts.oversight_scores import called
from pages.parts.oversight_words import points

KINDS: Mapping[str, str] = {
    "observation": to_say("observes"),
    "action": to_say("acts"),
    "dialogue": to_say("says"),
    "reaction": to_say("reacts"),
    "influence": to_say("influence"),
    "result": to_say("result"),
    "update": to_say("update"),
}
SIDE_BY_SIDE = 4
"""Experts who have a column each beside the text; more of them stand below each step."""


def show_trajectory(read: Shown, rows: Sequence[Row], metric: str, names: Mapping[str, str]) -> None:
    """The scene and its steps, round by round, with the evidence for the metric."""
    scene = read["scene"]
    language = scene["language"]
    st.html(
        f'<div class="ov"><p class="ov-story" lang="{language}">{data(scene["time"])} · {data(scene["location"])}</p>'
        f'<p class="ov-story" lang="{language}">{data(scene["description"])}</p>{_profile(read, language)}</div>'
    )
    marked = [row for row in rows if row.sheet.evidence.get(metric)]
    if read["steps"]:
        said(
            say("Beside a step: whose score on {metric} rests on it.", metric=metric)
            if marked
            else say("Nobody has marked evidence for {metric}.", metric=metric)
        )
    st.html(_rounds(read, marked, metric, names))
    for row in marked:
        if outside := [step + 1 for step in row.sheet.evidence[metric] if step >= len(read["steps"])]:
            said(
                say(
                    "{name} marked steps that the story does not have: {steps}.",
                    name=called(row, names),
                    steps=say(", ").join(map(str, outside)),
                )
            )


def _profile(read: Shown, language: str) -> str:
    people = [read["character"]] if read["character"] else read["cast"]
    return "".join(
        f'<p class="ov-said ov-quiet" lang="{language}"><b>{data(who["name"])}</b>: {data(who["description"])}</p>'
        for who in people
    )


def _rounds(read: Shown, rows: Sequence[Row], metric: str, names: Mapping[str, str]) -> str:
    side = " ov-side" if 0 < len(rows) <= SIDE_BY_SIDE else ""
    numbered = list(enumerate(read["steps"]))
    language = read["scene"]["language"]
    rounds = [
        f'<h3 class="ov-round">{title}</h3>'
        + "".join(_step(place, step, language, _who(place, rows, metric, names)) for place, step in steps)
        for number, steps in groupby(numbered, key=lambda one: one[1]["round"])
        for title in [say("Round {n}", n=number)]
    ]
    return f'<div class="ov{side}" style="--ov-n: {max(len(rows), 1)}">{"".join(rounds)}</div>'


def _step(place: int, step: Mapping[str, Any], language: str, who: str) -> str:
    stand_in = say("A reply could not be read here; this stands in its place.")
    degraded = f'<p class="ov-quiet">{stand_in}</p>' if step["degraded"] else ""
    return (
        f'<div class="ov-step {data(step["kind"])}"><span>{place + 1} {say(KINDS[step["kind"]])}</span>'
        f'<div><p lang="{language}">{data(step["text"])}</p>{degraded}</div>{who}</div>'
    )


def _who(place: int, rows: Sequence[Row], metric: str, names: Mapping[str, str]) -> str:
    """Those whose score rests on this step, each in a column of its own."""
    lines = []
    for column, row in enumerate(rows, 1):
        if place in row.sheet.evidence[metric]:
            score = row.sheet.scores.get(metric)
            given = "" if score is None else f" <b>{points(score)}</b>"
            lines.append(f'<li style="grid-column: {column}">{data(called(row, names))}{given}</li>')
    return f'<ul class="ov-who">{"".join(lines)}</ul>' if lines else ""
