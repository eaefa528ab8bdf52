"""`GET /find`: pages, stories, scenes, campaigns and judges by name, of those that the one who asks may open.

Experts find pages only: they rate without knowing what stories there are, or of which models.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal, NamedTuple, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from annotations.i18n.translation import TONGUES, say, say_count, say_moment, speaking, translate
from characterbox.accounts.account import Account
from characterbox.accounts.permissions import TITLES, may, menu_of
from characterbox.addresses import address_of, page_of_story
from characterbox.errors import SearchError
from characterbox.judging.judge import rater_of
from characterbox.processes.concurrency import Threads
from characterbox.routes.guard import account_of
from characterbox.scenes.library import bundled
from characterbox.scenes.search import check_searched, heading_of
from characterbox.stage.stage import open_stage
from characterbox.store import Store
from characterbox.store.campaigns.campaign import OPEN

Kind = Literal["page", "story", "scene", "campaign", "judge"]
KINDS: tuple[Kind, ...] = get_args(Kind)

MOST = 20
"""What is found at once, at most."""

FINDING = Threads("find", 2)
"""Look for names: many who write at once keep nothing else waiting."""


class Hit(NamedTuple):
    """Something that has a page."""

    kind: Kind
    name: str
    about: str
    """What tells it from others of its name; may be empty."""
    address: str
    language: str | None = None
    """That of the name, where it is not that of the interface."""


async def find_named(request: Request) -> Response:
    """`GET /find?text=rain`: what has all words in its name, in any order; with no words the pages, and new stories."""
    text = request.query_params.get("text", "").replace("\x00", "")
    try:
        check_searched(text, len(text.split()))
    except SearchError as error:
        return JSONResponse({"found": [], "told": translate(error)}, status_code=400)
    found = await FINDING.run(_found, open_stage().store, account_of(request), text)
    told = say_count("{count} found", "{count} found", len(found)) if found else say("No matching names.")
    if len(found) == MOST and text.strip():
        told = say("First {count} results; add words to narrow the search.", count=MOST)
    content = {"found": [hit._asdict() for hit in found], "told": told}
    return JSONResponse(content, headers={"Cache-Control": "no-store"})


def _found(store: Store, account: Account, text: str) -> list[Hit]:
    words = text.split()
    pages = [*_pages(account, words)]
    stories = [*_stories(store, account, text)] if may(account, "watch") else []
    if not words:
        return [*pages, *stories][:MOST]
    scenes = [*_scenes(store, words)][:MOST] if may(account, "watch") else []
    others = [[*_campaigns(store, words)], [*_judges(store, words)]] if may(account, "direct") else []
    return _in_turns([pages, stories, scenes, *others])


def _in_turns(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """As many of each kind as there is room for, one of each at a time, by kind."""
    turns = [hit for turn in zip_longest(*found) for hit in turn if hit is not None]
    return sorted(turns[:MOST], key=lambda hit: KINDS.index(hit.kind))


def _says(words: Sequence[str], *names: str) -> bool:
    said = "\n".join(names).casefold()
    return all(word.casefold() in said for word in words)


def _pages(account: Account, words: Sequence[str]) -> Iterator[Hit]:
    """By the name of the page or of its group, in any language of the interface."""
    for group, pages in menu_of(account).items():
        for page in pages:
            names = []
            for language in TONGUES:
                with speaking(language):
                    names += [say(group), say(TITLES[page])]
            if _says(words, *names):
                name, about = say(TITLES[page]), say(group)
                yield Hit("page", name, "" if about == name else about, address_of(page))


def _stories(store: Store, account: Account, text: str) -> Iterator[Hit]:
    for story in store.shelf.named(text, MOST):
        about = " · ".join(filter(None, (story.label, story.work, say_moment(story.created_at))))
        page = page_of_story(story.status) if may(account, "direct") else "playback"
        yield Hit("story", story.title, about, address_of(page, story=story.id), story.language)


def _scenes(store: Store, words: Sequence[str]) -> Iterator[Hit]:
    own = store.scenes.named(words, MOST)
    for one in (*own, *(heading_of(scene) for scene in bundled() if _says(words, scene.title, scene.work, scene.id))):
        yield Hit("scene", one.title, one.work, address_of("scenes", scene=one.place), one.language)


def _campaigns(store: Store, words: Sequence[str]) -> Iterator[Hit]:
    for campaign in store.campaigns.all():
        if campaign.id != OPEN and _says(words, campaign.settings.name):
            about = say_moment(campaign.created_at)
            yield Hit("campaign", campaign.settings.name, about, address_of("campaigns", campaign=campaign.id))


def _judges(store: Store, words: Sequence[str]) -> Iterator[Hit]:
    """Those that have scored trajectories: of others the page has nothing to show."""
    found = [rater_of(name, version) for name, version, _ in store.judges.all("character")]
    named = [rater for rater in found if _says(words, rater)]
    scoring = store.ratings.scored_by(named)
    for rater in named:
        if rater in scoring:
            yield Hit("judge", rater, "", address_of("validity", view="Single judge", judge=rater))
