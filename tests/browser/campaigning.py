"""A campaign in which Cai and Dora sign in and rate, in the browser."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from characterbox.accounts.account import COMMAND_LINE
from characterbox.accounts.credentials import hash_of
from characterbox.campaigns.item_selection import subjects
from characterbox.campaigns.plan import start
from characterbox.store.campaigns.campaign import CampaignRater
from tests.browser.app import App
from tests.browser.rating import (
    marks,
)
from tests.fakes.campaigns import settings
from tests.fakes.databases import store_in

PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Campaigning:
    """An app in which people sign in, with one campaign that runs."""

    app: App
    campaign: str


@cache
def kept() -> str:
    """The hash of the password. The browser has an event loop in this thread, so it is made in another."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(lambda: asyncio.run(hash_of(PASSWORD))).result()


def prepare(db: Path, **changes: Any) -> str:
    """Make accounts and start a campaign; gives its id."""
    store = store_in(db)
    try:
        raters = []
        for name in ("Cai", "Dora"):
            account = store.accounts.add(COMMAND_LINE, name, "expert")
            token = store.invitations.make(COMMAND_LINE, str(account.id))
            store.accounts.accept(token, kept())
            raters.append(CampaignRater(rater=str(account.id), languages=("en",)))
        if (text := changes.pop("rubric_text", None)) is not None:
            added = store.rubrics.add(text, "rubric.toml", COMMAND_LINE)
            changes |= {"rubric": added.name, "rubric_version": added.version}
        chosen_settings = settings(**{"raters_per_item": 2, **changes})
        rubric = store.rubrics.rubric(chosen_settings.rubric, chosen_settings.rubric_version)
        campaign = store.campaigns.create(chosen_settings, COMMAND_LINE)
        stories = [story for story in store.stories.stories("ended") if story.script.scene.language == "en"]
        items = [subject.campaign_item for subject in subjects(stories, rubric)]
        store.campaigns.draft(campaign.id, chosen_settings, items, raters, COMMAND_LINE)
        store.campaigns.start(campaign.id, start(store, campaign), COMMAND_LINE)
        return campaign.id
    finally:
        store.close()


def signed_in(context: BrowserContext, app: App, name: str = "Cai") -> Page:
    """A page of somebody who has just signed in, on the list of what there is to rate."""
    page = context.new_page()
    page.goto(f"{app.url}/annotate")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".list-view")).to_be_visible()
    return page


def begin(page: Page) -> Page:
    page.locator("a.primary").click()
    expect(page.locator(".part-view")).to_be_visible()
    return page


def expect_marks(page: Page, app: App, kind: str, count: int) -> None:
    """That so many marks of a kind come to be stored of Cai."""
    for _ in range(600):
        if len(marks(app, "Cai", kind)) == count:
            return
        page.wait_for_timeout(100)
    assert len(marks(app, "Cai", kind)) == count
