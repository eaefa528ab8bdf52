"""How far the items of a campaign are, those that lack most first."""

import streamlit as st

from annotations.wording import say
from characterbox.campaigns.board import ItemLine
from characterbox.campaigns.oversight import Oversight
from characterbox.campaigns.scene_items import headings_of
from characterbox.store import Store
from characterbox.store.campaign import Campaign, CampaignItem
from characterbox.store.stories import Heading
from pages.parts.oversight_look import bar, data, said, table
from pages.parts.oversight_ways import page_of, place_of
from pages.parts.oversight_words import address


def show_items(store: Store, campaign: Campaign, known: Oversight) -> None:
    """The items page by page; each opens. Their models are shown where they are asked for: who decides on an item can
    do it blind (see `oversight_item`)."""
    lines = sorted(known.board.items, key=lambda line: (line.count.done - line.count.total, line.item.item))
    shown = lines[page_of(len(lines), "oversight-items")]
    headings = headings_of(store, [line.item for line in shown])
    models = st.toggle(say("Show the models"), key="models", bind="query-params")
    titles = [title_of(line.item, headings.get(line.item.item), known) for line in shown]
    rows = [_line(line, title, campaign.id, models=models) for line, title in zip(shown, titles, strict=True)]
    model = [say("Model")] if models else []
    st.html(table([say("Item"), *model, say("Done"), say("Begun"), say("Skipped"), say("Not begun")], rows))
    said(say("Those that lack most come first. Done counts the experts who have submitted all scores."))


def title_of(item: CampaignItem, heading: Heading | None, known: Oversight) -> str:
    """What an item is called: who is judged, in which scene, and in which of its stories if there are several."""
    scene = item.scene if heading is None else heading.title
    title = scene if item.character is None else say("{character}, {scene}", character=item.character, scene=scene)
    if (copy := known.copies.get(item.item)) is None:
        return title
    return say("{title} · story {number} of {count}", title=title, number=copy[0], count=copy[1])


def _line(line: ItemLine, title: str, campaign: str, *, models: bool) -> list[str]:
    count = line.count
    where = address(place_of(campaign, line.item.item))
    return [
        f'<a href="{where}" target="_self">{data(title)}</a>',
        *([data(line.item.model)] if models else []),
        say("{done:,} of {total:,}", done=count.done, total=count.total) + bar(count.done, count.total),
        f"{count.begun:,}",
        f"{count.skipped:,}",
        f"{count.open:,}",
    ]
