"""Where the experts disagree, the greatest disagreement first; each opens."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.disagreement import Dispute, ItemDispute
from annotations.undefined import Undefined
from characterbox.campaigns.oversight import Oversight, overseer_of
from characterbox.components.figures.words import counted, decimal
from characterbox.store import Store
from characterbox.store.campaign import Campaign
from characterbox.store.stories import Heading
from characterbox.store.verdicts import Verdict
from pages.parts.oversight_items import title_of
from pages.parts.oversight_look import data, said, table
from pages.parts.oversight_ways import names_of, page_of, place_of
from pages.parts.oversight_words import address, points

CELLS, ITEMS = "Metrics of items", "Whole items"
Verdicts = Mapping[tuple[str, str], Verdict]


def show_disputes(store: Store, campaign: Campaign) -> None:
    """The disagreements of the experts, metric by metric or item by item."""
    known = overseer_of(store).of(campaign)
    if isinstance(known.disputes, Undefined):
        said(f"There is no disagreement to show: {known.disputes.reason}.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        among = st.segmented_control(
            "Ranked", [CELLS, ITEMS], default=CELLS, required=True, key="among", bind="query-params"
        )
        ranked: Sequence[Dispute | ItemDispute] = known.disputed_items if among == ITEMS else known.disputes.cells
        shown = ranked[page_of(len(ranked), f"oversight-{among}")]
    verdicts = {(verdict.item, verdict.metric): verdict for verdict in store.verdicts.of_campaign(campaign.id)}
    headings = store.stories.headings({known.items[one.item].story_id for one in shown})
    titles = {one.item: _title(known, one.item, headings) for one in shown}
    if among == ITEMS:
        rows = [_item(one, titles, campaign.id, verdicts) for one in shown if isinstance(one, ItemDispute)]
        heads: tuple[str, ...] = ("Item", "Mean distance", "Widest range", "Mean SD", "Most disputed", "Decided")
    else:
        names = names_of(store)
        rows = [_cell(one, titles, (campaign.id, known, names), verdicts) for one in shown if isinstance(one, Dispute)]
        heads = ("Item", "Metric", "Scores", "Mean distance", "Range", "SD", "Consensus")
    st.html(table(heads, rows))
    alone = f" {counted(known.disputes.single, 'metric')} scored by one expert alone are left out."
    said(
        "Mean distance is that of two experts' scores, over all pairs of experts, in points of the scale; what is equal"
        " by it is ranked by range, then SD (n - 1)." + (alone if known.disputes.single else "")
    )


def _title(known: Oversight, id: str, headings: Mapping[str, Heading]) -> str:
    item = known.items[id]
    return title_of(item, headings.get(item.story_id), known)


def _cell(
    one: Dispute, titles: Mapping[str, str], of: tuple[str, Oversight, Mapping[str, str]], verdicts: Verdicts
) -> list[str]:
    campaign, known, names = of
    where = address(place_of(campaign, one.item, one.metric))
    scores = ", ".join(f"{names.get(rater, rater)} {points(score)}" for rater, score in one.scores)
    verdict = verdicts.get((one.item, one.metric))
    return [
        f'<a href="{where}" target="_self">{data(titles[one.item])}</a>',
        f"{data(one.metric)}<small>{data(known.rubric.metric(one.metric).name.en)}</small>",
        data(scores),
        f"<b>{decimal(one.mean_difference)}</b><small>n = {len(one.scores)}</small>",
        points(one.range),
        decimal(one.sd),
        "none" if verdict is None or verdict.score is None else f"<b>{points(verdict.score)}</b>",
    ]


def _item(one: ItemDispute, titles: Mapping[str, str], campaign: str, verdicts: Verdicts) -> list[str]:
    worst = one.metrics[0]
    where = address(place_of(campaign, one.item, worst.metric))
    decided = sum((one.item, cell.metric) in verdicts for cell in one.metrics)
    return [
        f'<a href="{where}" target="_self">{data(titles[one.item])}</a>',
        f"<b>{decimal(one.mean_difference)}</b><small>n = {counted(len(one.metrics), 'metric')}</small>",
        points(one.range),
        decimal(one.sd),
        data(worst.metric),
        f"{decided} of {len(one.metrics)}",
    ]
