"""One item with all that its experts said of it: scores, evidence side by side, remarks, and the consensus."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.rubric import Rubric
from annotations.wording import say
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.row import Row
from characterbox.campaigns.scene_items import headings_of
from characterbox.campaigns.showing import shown_item
from characterbox.components.figures.words import language_name
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaign import Campaign, CampaignItem
from pages.parts.oversight_items import title_of
from pages.parts.oversight_look import data, listed, said
from pages.parts.oversight_scores import called, score_table
from pages.parts.oversight_trajectory import show_trajectory
from pages.parts.oversight_verdict import show_verdict
from pages.parts.oversight_ways import back, names_of


def show_item(store: Store, campaign: Campaign, id: str) -> None:
    """An item of a campaign, at the metric that the address names. Raises CampaignError if there is no such item."""
    known = overseer_of(store).of(campaign)
    if (item := known.items.get(id)) is None:
        _way_back(campaign)
        raise CampaignError(
            say(
                "the campaign {name!r} has no item {item!r}; choose one from its list",
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
    with st.expander(say("Which model it was")):
        said(say("The model is {model}.", model=item.model))
        if lines := [guess for row in rows if (guess := _guess(row, called(row, names), item))]:
            listed(lines)
        if item.story_id is not None:
            st.page_link("playback.py", label=say("The whole story"), query_params={"story": item.story_id})


def _guess(row: Row, name: str, item: CampaignItem) -> str | None:
    if (guess := row.sheet.guess) is None:
        return None
    if guess.model is None:
        return say("{name} could not tell the model", name=name)
    if guess.model == item.model:
        return say("{name} took the model for {model}, rightly", name=name, model=guess.model)
    return say("{name} took the model for {model}, wrongly", name=name, model=guess.model)


def _remarks(rows: Sequence[Row], names: Mapping[str, str]) -> None:
    """Comments, flags and skips, one a line."""
    lines = [say("{name}: {what}", name=called(row, names), what=remark) for row in rows for remark in _remarks_of(row)]
    if lines:
        listed(lines)
    else:
        said(say("No expert has left a comment, a flag or a reason to skip."))


def _remarks_of(row: Row) -> list[str]:
    sheet, said = row.sheet, []
    if sheet.comment:
        said.append(f"“{sheet.comment}”")
    if sheet.unknown_work:
        said.append(say("does not know the work"))
    if sheet.skipped is not None:
        said.append(say("skipped: “{reason}”", reason=sheet.skipped))
    return said
