"""One item with all that its experts said of it: scores, evidence side by side, remarks, and the consensus."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.rubric import Rubric
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.row import Row
from characterbox.campaigns.showing import shown_item
from characterbox.components.figures.words import language_name
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaign import Campaign, CampaignItem
from pages.parts.oversight_look import data, listed, said
from pages.parts.oversight_scores import called, score_table
from pages.parts.oversight_trajectory import show_trajectory
from pages.parts.oversight_verdict import show_verdict
from pages.parts.oversight_ways import back, names_of


def show_item(store: Store, campaign: Campaign, id: str) -> None:
    """An item of a campaign, at the metric that the address names. Raises CampaignError if there is no such item."""
    known = overseer_of(store).of(campaign)
    if (item := known.items.get(id)) is None:
        st.button(
            "Back to the campaign", type="tertiary", icon=":material/arrow_back:", on_click=back, args=(campaign.id,)
        )
        raise CampaignError(f"the campaign {campaign.settings.name!r} has no item {id!r}; choose one from its list")
    read = shown_item(store.stories, item, known.rubric)
    names = names_of(store)
    rows = sorted(known.of_item(id), key=lambda row: (not row.sheet.revision, called(row, names).casefold()))
    history = store.verdicts.history(campaign.id, id)
    _heading(campaign, item, read["scene"]["title"])
    metric = _chosen_metric(known.rubric)
    verdicts = {verdict.metric: verdict.score for verdict in history}
    st.html(score_table(known, rows, names, verdicts, metric))
    _remarks(rows, names, item)
    text, panel = st.columns([2, 1], gap="large")
    with panel, st.container(key="oversight-panel"):
        show_verdict(store, campaign, known, (id, metric), [one for one in history if one.metric == metric])
    with text:
        show_trajectory(read, [row for row in rows if row.sheet.revision], metric, names)


def _heading(campaign: Campaign, item: CampaignItem, title: str) -> None:
    st.button("Back to the campaign", type="tertiary", icon=":material/arrow_back:", on_click=back, args=(campaign.id,))
    whose = title if item.character is None else f"{item.character}, {title}"
    st.html(f'<h2 class="ov-chosen" lang="{item.language}">{data(whose)}</h2>')
    with st.container(horizontal=True, vertical_alignment="center"):
        said(f"{item.scene} · {language_name(item.language)} · model {item.model}")
        st.page_link("playback.py", label="The whole story", query_params={"story": item.story_id})


def _chosen_metric(rubric: Rubric) -> str:
    """The metric that the address names, or that the reader chooses; the first of the rubric else."""
    keys = list(rubric.keys)
    return (
        st.segmented_control(
            "Metric", keys, default=keys[0], required=True, key="metric", bind="query-params", wrap=True
        )
        or keys[0]
    )


def _remarks(rows: Sequence[Row], names: Mapping[str, str], item: CampaignItem) -> None:
    """Comments, flags, skips and guesses, one a line."""
    lines = [f"{called(row, names)}: {remark}" for row in rows for remark in _remarks_of(row, item)]
    if lines:
        listed(lines)
    else:
        said("No expert has left a comment, a flag or a reason to skip.")


def _remarks_of(row: Row, item: CampaignItem) -> list[str]:
    sheet, said = row.sheet, []
    if sheet.comment:
        said.append(f"“{sheet.comment}”")
    if sheet.unknown_work:
        said.append("does not know the work")
    if sheet.skipped is not None:
        said.append(f"skipped: “{sheet.skipped}”")
    if sheet.guess is not None and sheet.guess.model is None:
        said.append("could not tell the model")
    elif sheet.guess is not None:
        verdict = "rightly" if sheet.guess.model == item.model else "wrongly"
        said.append(f"took the model for {sheet.guess.model}, {verdict}")
    return said
