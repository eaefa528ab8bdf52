"""Where the experts disagree, the greatest disagreement first; each opens."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.errors import Undefined
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, tongue
from annotations.marking.disagreement import Disagreement, ItemDispute
from characterbox.campaigns.blinded_item import headings_of
from characterbox.campaigns.oversight import Oversight, overseer_of
from characterbox.components.figures.tables.html import data
from characterbox.components.figures.tables.text import decimal
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.store.campaigns.verdicts import Verdict
from characterbox.store.stories.stories import Heading
from pages.oversight.links import chosen_of, names_of, page_of, place_of
from pages.oversight.progress import title_of
from pages.oversight.tables import said, table
from pages.oversight.text import item_address, points

CELLS, ITEMS = to_say("Single metrics"), to_say("Whole items")
Verdicts = Mapping[tuple[str, str], Verdict]


def show_disputes(store: Store, campaign: Campaign) -> None:
    """The disagreements of the experts, metric by metric or item by item."""
    known = overseer_of(store).of(campaign)
    if isinstance(known.disputes, Undefined):
        said(say("No disagreements to show: {reason}.", reason=known.disputes.reason))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        among = chosen_of(say("Disagreements on"), [CELLS, ITEMS], "among")
        ranked: Sequence[Disagreement | ItemDispute] = known.disputed_items if among == ITEMS else known.disputes.cells
        shown = ranked[page_of(len(ranked), f"oversight-{among}")]
    verdicts = {(verdict.item, verdict.metric): verdict for verdict in store.verdicts.of_campaign(campaign.id)}
    headings = headings_of(store, [known.items[one.item] for one in shown])
    titles = {one.item: _title(known, one.item, headings) for one in shown}
    if among == ITEMS:
        rows = [_item(one, titles, campaign.id, verdicts) for one in shown if isinstance(one, ItemDispute)]
        heads = [
            say("Item"),
            say("Mean absolute difference"),
            say("Largest range"),
            say("Mean SD"),
            say("Most disputed metric"),
            say("Decided"),
        ]
    else:
        names = names_of(store)
        rows = [
            _cell(one, titles, (campaign.id, known, names), verdicts) for one in shown if isinstance(one, Disagreement)
        ]
        heads = [
            say("Item"),
            say("Metric"),
            say("Scores"),
            say("Mean absolute difference"),
            say("Range"),
            say("SD"),
            say("Consensus"),
        ]
    st.html(table(heads, rows))
    alone = say_count(
        " {count:,} metric scored by only one expert is left out.",
        " {count:,} metrics scored by only one expert are left out.",
        known.disputes.single,
    )
    measures = say(
        "Mean absolute difference: mean over all pairs of experts, in points of the scale. Ties are sorted by"
        " range, then by SD (n - 1)."
    )
    said(measures + (alone if known.disputes.single else ""))


def _title(known: Oversight, id: str, headings: Mapping[str, Heading]) -> str:
    return title_of(known.items[id], headings.get(id), known)


def _cell(
    one: Disagreement, titles: Mapping[str, str], of: tuple[str, Oversight, Mapping[str, str]], verdicts: Verdicts
) -> list[str]:
    campaign, known, names = of
    where = item_address(place_of(campaign, one.item, one.metric))
    scores = say(", ").join(f"{names.get(rater, rater)} {points(score)}" for rater, score in one.scores)
    verdict = verdicts.get((one.item, one.metric))
    return [
        f'<a href="{where}" target="_self">{data(titles[one.item])}</a>',
        f"{data(one.metric)}<small>{data(known.rubric.metric(one.metric).name.text(tongue()))}</small>",
        data(scores),
        f"<b>{decimal(one.mean_difference)}</b><small>n = {len(one.scores)}</small>",
        points(one.range),
        decimal(one.sd),
        say("none") if verdict is None or verdict.score is None else f"<b>{points(verdict.score)}</b>",
    ]


def _item(one: ItemDispute, titles: Mapping[str, str], campaign: str, verdicts: Verdicts) -> list[str]:
    worst = one.metrics[0]
    where = item_address(place_of(campaign, one.item, worst.metric))
    metrics = say_count("{count:,} metric", "{count:,} metrics", len(one.metrics))
    decided = sum((one.item, cell.metric) in verdicts for cell in one.metrics)
    return [
        f'<a href="{where}" target="_self">{data(titles[one.item])}</a>',
        f"<b>{decimal(one.mean_difference)}</b><small>n = {metrics}</small>",
        points(one.range),
        decimal(one.sd),
        data(worst.metric),
        say("{done:,} of {total:,}", done=decided, total=len(one.metrics)),
    ]
