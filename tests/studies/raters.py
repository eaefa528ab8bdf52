"""Experts who rate all that a campaign gives them, by the functions that the pages use."""

import asyncio
from collections.abc import Callable
from uuid import uuid4

from annotations.marking.marks import Score, Submit
from characterbox.accounts.account import Account
from characterbox.campaigns.accept_mark import taking_of
from characterbox.campaigns.assignments import Row, practice_item
from characterbox.campaigns.workload import workload_of
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign, CampaignItem

Opinion = Callable[[CampaignItem, str], int]
"""What is scored on a metric of an item."""


def rate_all(store: Store, campaign: Campaign, opinion: Opinion, most: int | None = None) -> None:
    """Each expert of a campaign goes through practice and items, in order; at most so many items of each."""
    asyncio.run(_rate_all(store, campaign, opinion, most))


async def _rate_all(store: Store, campaign: Campaign, opinion: Opinion, most: int | None) -> None:
    for one in store.campaigns.raters(campaign.id):
        expert = store.accounts.find(one.rater)
        while (desk := workload_of(store, campaign, expert)).training and desk.rows is not desk.work:
            for row in desk.rows:
                gold = {one.metric: one.score for one in practice_item(row.assignment, desk.rubric).gold}
                await _rate(store, expert, row, gold)
        for row in [row for row in desk.work if row.state(desk.rubric) == "open"][:most]:
            item = desk.items[row.assignment.item]
            await _rate(store, expert, row, {key: opinion(item, key) for key in desk.rubric.keys})


async def _rate(store: Store, expert: Account, row: Row, scores: dict[str, int]) -> None:
    check = taking_of(store).check(expert)
    for metric, score in scores.items():
        await store.marks.append(row.assignment.id, uuid4(), Score(metric=metric, score=score), check)
    await store.marks.append(row.assignment.id, uuid4(), Submit(), check)
