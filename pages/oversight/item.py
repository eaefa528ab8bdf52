"""One item with all that its experts said of it: scores, evidence beside the text, remarks, and the consensus."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.assignments import Row
from characterbox.campaigns.blinded_item import Shown, headings_of, shown_item
from characterbox.campaigns.oversight import overseer_of
from characterbox.components.figures.tables.html import data
from characterbox.components.figures.tables.text import language_name
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign, CampaignItem
from pages.oversight.consensus import called, score_table, show_verdict
from pages.oversight.links import back, names_of
from pages.oversight.progress import title_of
from pages.oversight.tables import listed, said
from pages.oversight.text import points


def show_item(store: Store, campaign: Campaign, id: str) -> None:
    """An item of a campaign, at the metric that the address names. Raises CampaignError if there is no such item."""
    known = overseer_of(store).of(campaign)
    if (item := known.items.get(id)) is None:
        _way_back(campaign)
        raise CampaignError(
            say(
                "the campaign {name!r} has no item {item!r}; choose one from the list",
                name=campaign.settings.name,
                item=id,
            )
        )
    read = shown_item(store, item, known.rubric)
    names = names_of(store)
    rows = sorted(known.of_item(id), key=lambda row: (not row.sheet.revision, called(row, names).casefold()))
    history = store.verdicts.history(campaign.id, id)
    _heading(campaign, item, title_of(item, headings_of(store, [item]).get(id), known))
    metric = _chosen_metric(known.rubric)
    verdicts = {verdict.metric: verdict.score for verdict in history}
    st.html(score_table(known, rows, names, verdicts, metric))
    _remarks(rows, names)
    _origin(rows, names, item)
    text, panel = st.columns([2, 1], gap="large")
    with panel, st.container(key="oversight-panel"):
        show_verdict(store, campaign, known, (id, metric), [one for one in history if one.metric == metric])
    with text:
        show_trajectory(read, [row for row in rows if row.sheet.revision], metric, names)


def _heading(campaign: Campaign, item: CampaignItem, title: str) -> None:
    _way_back(campaign)
    st.html(f'<h2 class="ov-chosen" lang="{item.language}">{data(title)}</h2>')
    said(f"{item.scene} · {language_name(item.language)}")


def _way_back(campaign: Campaign) -> None:
    st.button(
        say("Back to the campaign"),
        key="oversight-back",
        type="tertiary",
        icon=":material/arrow_back:",
        on_click=back,
        args=(campaign.id,),
    )


def _chosen_metric(rubric: Rubric) -> str:
    """The metric that the address names, or that the reader chooses; the first of the rubric else."""
    keys = list(rubric.keys)
    return (
        st.segmented_control(
            say("Metric"), keys, default=keys[0], required=True, key="metric", bind="query-params", wrap=True
        )
        or keys[0]
    )


def _origin(rows: Sequence[Row], names: Mapping[str, str], item: CampaignItem) -> None:
    """Which model it was, and who guessed it: out of sight, so that whoever decides can do it blind, too."""
    with st.expander(say("Model of this item")):
        said(say("The model is {model}.", model=item.model))
        if lines := [guess for row in rows if (guess := _guess(row, called(row, names), item))]:
            listed(lines)
        if item.story_id is not None:
            st.page_link("playback/page.py", label=say("The whole story"), query_params={"story": item.story_id})


def _guess(row: Row, name: str, item: CampaignItem) -> str | None:
    if (guess := row.sheet.guess) is None:
        return None
    if guess.model is None:
        return say("{name}: could not tell", name=name)
    if guess.model == item.model:
        return say("{name}: guessed {model} (correct)", name=name, model=guess.model)
    return say("{name}: guessed {model} (wrong)", name=name, model=guess.model)


def _remarks(rows: Sequence[Row], names: Mapping[str, str]) -> None:
    """Comments, flags and skips, one a line."""
    lines = [say("{name}: {what}", name=called(row, names), what=remark) for row in rows for remark in _remarks_of(row)]
    if lines:
        listed(lines)
    else:
        said(say("No expert left a comment, a flag or a reason for skipping."))


def _remarks_of(row: Row) -> list[str]:
    sheet, said = row.sheet, []
    if sheet.comment:
        said.append(f"“{sheet.comment}”")
    if sheet.unknown_work:
        said.append(say("does not know the work"))
    if sheet.skipped is not None:
        said.append(say("skipped: “{reason}”", reason=sheet.skipped))
    return said


KINDS: Mapping[str, str] = {
    "observation": to_say("observes"),
    "action": to_say("acts"),
    "dialogue": to_say("says"),
    "reaction": to_say("reacts"),
    "deed": to_say("character"),
    "influence": to_say("action influence"),
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
            say("Next to each step: the experts who marked it as evidence for {metric}.", metric=metric)
            if marked
            else say("No expert marked evidence for {metric}.", metric=metric)
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
    stand_in = say("A reply could not be read here; this text replaces it.")
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
