"""A campaign in which three experts rate Holmes, two of whom disagree."""

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page

from annotations.marking.marks import Comment, Evidence, Score, Submit
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment, CampaignRater, new_assignment
from tests.browser.app import App
from tests.fakes.campaigns import campaign_item, mark, settings
from tests.fakes.databases import store_in

HOSTILE = "<img src=x onerror=alert(1)> *loud* <script>alert(2)</script>"


@dataclass(frozen=True)
class Lab:
    """A running app with a campaign in which three experts rate Holmes."""

    app: App
    store: Store
    campaign: str
    item: str
    given: dict[str, list[Assignment]]

    def open(self, page: Page, **place: str) -> Page:
        page.goto(f"{self.app.url}/campaigns?{urlencode({'campaign': self.campaign, **place})}")
        return page

    def say(self, *said: tuple[Assignment, object]) -> None:
        async def all_of_it() -> None:
            for assignment, one in said:
                await mark(self.store, assignment, one)

        with ThreadPoolExecutor(1) as beside:  # the browser has an event loop running here
            beside.submit(asyncio.run, all_of_it()).result()


@contextmanager
def running_lab(played: Path, db: Path) -> Iterator[Lab]:
    """The lab, on a copy of the stories that were played."""
    shutil.copyfile(played, db)
    store = store_in(db)
    story = next(one for one in store.stories.stories("ended") if one.script.scene.language == "en")
    items = [campaign_item(story, name) for name in story.script.scene.names[:2]]
    experts = [store.accounts.expert_named(name) for name in ("Ann", "Bob", "Cai <b>x</b>")]
    campaign = store.campaigns.create(settings(name="Pilot", raters_per_item=3, asks_model=True), LOCAL)
    raters = [CampaignRater(rater=str(one.id), languages=("en",)) for one in experts]
    store.campaigns.draft(campaign.id, campaign.settings, items, raters, LOCAL)
    given = {
        one.name: [new_assignment(campaign.id, str(one.id), item.item, place=at) for at, item in enumerate(items, 1)]
        for one in experts
    }
    store.campaigns.start(campaign.id, [one for each in given.values() for one in each], LOCAL)
    app = App(db)
    lab = Lab(app, store, campaign.id, items[0].item, given)
    lab.say(*rated(given["Ann"][0], 1, 3), *rated(given["Bob"][0], 5, 3))
    try:
        app.start()
        yield lab
    finally:
        app.stop()
        store.close()


def rated(assignment: Assignment, first: int, others: int) -> list[tuple[Assignment, object]]:
    """What an expert says of an item: one score for the first metric, another for all others, evidence, a comment."""
    keys = load_rubric().keys
    scores = [Score(metric=key, score=first if key == "KA" else others) for key in keys]
    evidence = Evidence(metric="KA", steps=(0, first))
    return [(assignment, one) for one in (*scores, evidence, Comment(text=HOSTILE), Submit())]
