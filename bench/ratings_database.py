"""A database in which many experts have rated much."""

import asyncio
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from sqlalchemy import create_engine

from annotations.design.settings import Settings
from annotations.rubrics.rubric import load_rubric
from bench.story import script
from characterbox.accounts.account import COMMAND_LINE, Account
from characterbox.accounts.credentials import hash_of
from characterbox.campaigns.item_selection import subjects
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import Action, Dialogue
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignRater, new_assignment
from characterbox.store.ratings.ratings import rating_of
from characterbox.store.stories.stories import Story
from tests.fakes.sheets import fold_all

KEYS = load_rubric().keys
PASSWORD = "good for measuring only"  # noqa: S105 - of databases that are thrown away
FRESH = 24
"""Items of each expert that nobody has rated yet."""
MODELS = ("Zephyr-9B", "Rowan-7B", "Alder-13B", "Birch-70B")
"""Made up, like everything that is stored here."""


@dataclass(frozen=True, slots=True)
class Rated:
    """What is in the database."""

    db: Path
    researcher: str
    """The name of an account that may see figures; its password is `PASSWORD`, as that of all."""
    viewer: str
    """The name of an account that may read stories."""
    story: str
    """One of them."""


@contextmanager
def rated_database(db: Path, raters: int, ratings: int) -> Iterator[Rated]:
    """A campaign in which so many experts rate everything, and have given so many ratings in all."""
    store = Store(f"sqlite:///{db}")
    try:
        accounts = _accounts(store, raters)
        each = -(-ratings // (raters * len(KEYS)))
        stories = asyncio.run(_stories(store, each + FRESH))
        order = _campaign(store, stories, accounts)
    finally:
        store.close()
    _rate(db, order, each)
    yield Rated(db, "Rita", "Vera", stories[0].id)


def _accounts(store: Store, raters: int) -> list[Account]:
    kept = asyncio.run(hash_of(PASSWORD))
    names = [
        ("Rita", "researcher"),
        ("Vera", "viewer"),
        *((f"Expert {number}", "expert") for number in range(1, raters + 1)),
    ]
    accounts = []
    for name, role in names:
        account = store.accounts.add(COMMAND_LINE, name, role)  # type: ignore[arg-type]
        token = store.invitations.make(COMMAND_LINE, str(account.id))
        store.accounts.accept(token, kept)
        accounts.append(account)
    return accounts[2:]


async def _stories(store: Store, items: int) -> list[Story]:
    """Stories with at least so many parts, each with a few events."""
    stories: list[Story] = []
    while sum(len(story.script.scene.names) for story in stories) < items:
        text = script(1, len(stories) + 1)
        at = Endpoint(url="http://127.0.0.1:8000/v1", model=MODELS[len(stories) % len(MODELS)])
        casting = Casting(narrator=at, characters=dict.fromkeys(text.scene.names, at))
        story = store.stories.create(text, casting, "command line")
        with store.stories.claimed(story.id) as claimed:
            for seq, name in enumerate(text.scene.names):
                told = {"round": 1, "turn": name, "character": name, "text": "Stands up and looks around. " * 12}
                await claimed.record(2 * seq + 1, Action(path=f"r1/{seq}/action", **told))
                await claimed.record(2 * seq + 2, Dialogue(path=f"r1/{seq}/dialogue", **told))
            await claimed.move("ended")
        stories.append(store.stories.story(story.id))
    return stories


def _campaign(store: Store, stories: list[Story], accounts: list[Account]) -> list[list[str]]:
    """A campaign in which everybody rates everything; gives each expert's assignments."""
    rubric = load_rubric()
    settings = Settings(
        name="Bench",
        rubric=rubric.name,
        rubric_version=rubric.version,
        raters_per_item=len(accounts),
        seed=1,
        repeats=0,
        practice=False,
        threshold=0.8,
        attempts=1,
        checks=0,
        asks_model=False,
        minutes=5,
    )
    items = [subject.campaign_item for subject in subjects(stories, rubric)]
    campaign = store.campaigns.create(settings, COMMAND_LINE)
    raters = [CampaignRater(rater=str(account.id), languages=("en", "zh")) for account in accounts]
    store.campaigns.draft(campaign.id, settings, items, raters, COMMAND_LINE)
    order = [
        [new_assignment(campaign.id, rater.rater, item.item, place=place) for place, item in enumerate(items, 1)]
        for rater in raters
    ]
    store.campaigns.start(campaign.id, [one for assigned in order for one in assigned], COMMAND_LINE)
    for story in stories:
        judged = [
            rating_of(story, name, rater="GPT-4", metric=key, score=random.randint(1, 5))  # noqa: S311
            for name in story.script.scene.names
            for key in KEYS
        ]
        store.ratings.add(judged)
    return [[one.id for one in assigned] for assigned in order]


def _rate(db: Path, order: list[list[str]], each: int) -> None:
    """So many items of every expert, scored and submitted."""
    at = "2026-05-01 10:00:00.000000"
    rows = []
    for assigned in order:
        for assignment in assigned[:each]:
            quality = random.randint(0, 2)  # noqa: S311
            scores = [("score", key, quality + random.randint(1, 3)) for key in KEYS]  # noqa: S311
            for revision, (kind, key, score) in enumerate([*scores, ("submit", None, None)], 1):
                rows.append((assignment, revision, str(uuid4()), kind, key, score, at))
    with sqlite3.connect(db) as database:
        database.executemany(
            "insert into mark (assignment, revision, click, kind, metric, score, at) values (?, ?, ?, ?, ?, ?, ?)", rows
        )
    engine = create_engine(f"sqlite:///{db}")
    with engine.begin() as connection:
        fold_all(connection)
    engine.dispose()
