"""The life of a campaign: made, drafted, started, paused, extended, closed, reopened, copied.

Whoever acts is asked for the right to in the function that acts, however it is reached.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from annotations.design.plan import Plan
from annotations.design.practice import THRESHOLD
from annotations.design.settings import Settings, Status
from annotations.errors import RatingError
from annotations.i18n.messages import Message
from annotations.rubrics.rubric import Rubric, Subject, load_rubric
from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.campaigns.blinded_item import scene_item
from characterbox.campaigns.plan import Draft, assignments_of, at_work, draft_of, plan_of, start, still_assigned
from characterbox.errors import CampaignError
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Assignment, Campaign, CampaignItem, CampaignRater


def keep_extension(store: Store, campaign: str, account: str | None, present: Draft, wanted: Draft) -> None:
    """Keep what a campaign, as it is now, is to become, for the one who prepares it."""
    store.extensions.save(campaign, account, {"present": _content(present), "wanted": _content(wanted)})


def find_extension(store: Store, campaign: str, account: str | None, present: Draft) -> Draft:
    """What the campaign is to become; as it is now, if nothing was prepared.

    If somebody else has extended it meanwhile, what they added is in it, and where they changed settings, theirs stand.
    """
    known = store.extensions.find(campaign, account)
    if known is None:
        return present
    before, wanted = _draft(known["present"]), _draft(known["wanted"])
    return wanted if before == present else _together(before, wanted, present)


def _together(before: Draft, wanted: Draft, present: Draft) -> Draft:
    items = {item.item: item for item in (*wanted.items, *present.items)}
    raters = {rater.rater: rater for rater in (*wanted.raters, *present.raters)}
    together = replace(present, items=tuple(sorted(items.values(), key=lambda item: item.item)))
    together = replace(together, raters=tuple(raters.values()))
    return replace(together, settings=wanted.settings) if before.settings == present.settings else together


def _content(draft: Draft) -> dict[str, Any]:
    return {
        "settings": draft.settings.model_dump(mode="json"),
        "items": [item.model_dump(mode="json") for item in draft.items],
        "raters": [rater.model_dump(mode="json") for rater in draft.raters],
    }


def _draft(content: dict[str, Any]) -> Draft:
    return Draft(
        Settings.model_validate(content["settings"]),
        tuple(CampaignItem.model_validate(item) for item in content["items"]),
        tuple(CampaignRater.model_validate(rater) for rater in content["raters"]),
    )


COPY = " (copy)"
MOST_NAME = 120
"""Characters of a campaign's name at most (see `annotations.design.settings.Settings`)."""
Cause = Literal["stories", "experts", "practice", "checks", "repeats", "raters_per_item"]
"""What a plan can fail for."""


def draft_in(store: Store, campaign: Campaign) -> Draft:
    """What a campaign is drafted, or was started, with, as a value that can be a key."""
    draft = draft_of(store, campaign)
    return Draft(draft.settings, tuple(draft.items), tuple(draft.raters))


def make(store: Store, actor: Account, name: str) -> Campaign:
    """A new draft, with the paper's rubric and a seed of its own."""
    require(actor, "direct")
    return store.campaigns.create(_settings(name, "character"), actor)


def make_for_scenes(store: Store, actor: Account, name: str, scenes: Sequence[Scene]) -> Campaign:
    """A new draft in which scenes of the library are rated, as they are now, on the rubric of scenes."""
    keep_scenes(store, actor, scenes)
    settings = _settings(name, "scene")
    campaign = store.campaigns.create(settings, actor)
    items = {item.item: item for item in map(scene_item, scenes)}
    store.campaigns.draft(campaign.id, settings, [*items.values()], (), actor)
    return campaign


def keep_scenes(store: Store, actor: Account, scenes: Iterable[Scene]) -> None:
    """Keep scenes of the library as they are now, to be picked for campaigns."""
    require(actor, "direct")
    store.scene_ratings.keep(scenes)


def _settings(name: str, subject: Subject) -> Settings:
    rubric = load_rubric(subject)
    return Settings(
        name=name,
        rubric=rubric.name,
        rubric_version=rubric.version,
        raters_per_item=3,
        seed=secrets.randbelow(1_000_000),
        repeats=0,
        practice=subject == "character",  # the other rubrics have no practice set
        threshold=THRESHOLD,
        attempts=3,
        checks=0,
        asks_model=False,
        minutes=5,
    )


def keep(store: Store, actor: Account, id: str, draft: Draft) -> None:
    """Keep a draft as it is now. Raises CampaignError if the campaign has started."""
    require(actor, "direct")
    store.campaigns.draft(id, draft.settings, draft.items, draft.raters, actor)


def add_expert(store: Store, actor: Account, name: str) -> Account:
    """The expert of this name, in an app where nobody signs in. Raises AccountError for a name that can't be used."""
    require(actor, "direct")
    return store.accounts.expert_named(name)


def add_rubric(store: Store, actor: Account, text: str, file: str) -> Rubric:
    """Import the rubric that a file describes. Raises RatingError, naming line and reason, if it can't be used."""
    require(actor, "direct")
    return store.rubrics.add(text, file, actor)


def begin(store: Store, actor: Account, id: str) -> None:
    """Start a draft; those who may rate no more are given nothing. Raises CampaignError, saying why, if it can't be
    planned, or is no draft."""
    require(actor, "direct")
    campaign = store.campaigns.campaign(id)
    try:
        assigned = start(store, campaign)
    except RatingError as error:
        raise CampaignError(error.message) from None
    store.rubrics.keep(campaign.settings.rubric, campaign.settings.rubric_version, actor)
    store.campaigns.start(id, assigned, actor)


def move(store: Store, actor: Account, id: str, status: Status) -> None:
    """Pause, go on with, close or reopen a campaign. Raises CampaignError if that can't come after what it is."""
    require(actor, "direct")
    store.campaigns.move(id, status, actor)


def copy(store: Store, actor: Account, id: str) -> Campaign:
    """A new draft with the settings, items and experts of a campaign; those who may rate no more are left out."""
    require(actor, "direct")
    draft = draft_in(store, store.campaigns.campaign(id))
    name = draft.settings.name.removesuffix(COPY)[: MOST_NAME - len(COPY)] + COPY
    settings = draft.settings.model_copy(update={"name": name, "deadline": None})
    copied = store.campaigns.create(settings, actor)
    experts = [rater for rater in at_work(store, copied, draft).raters if rater.languages]
    store.campaigns.draft(copied.id, settings, draft.items, experts, actor)
    return copied


@dataclass(frozen=True)
class Outlook:
    """What a draft, or an extension, would come to: a plan, or why there is none."""

    plan: Plan | None
    refusal: Message | None = None
    cause: Cause | None = None


@lru_cache(maxsize=32)
def outlook_of(draft: Draft, rubric: Rubric, assigned: tuple[Assignment, ...] = ()) -> Outlook:
    """The plan of a draft, or of an extension beyond what is assigned; drafts that were asked for lately are kept."""
    try:
        return Outlook(_planned(draft, rubric, assigned))
    except RatingError as error:
        return Outlook(None, error.message, cause_of(draft, rubric, assigned))


def extend(store: Store, actor: Account, campaign: Campaign, wanted: Draft) -> None:
    """Extend a campaign; those who may rate no more (see `at_work`) keep what they have, and get nothing new.

    `campaign` is as it was when `wanted` was put together. Raises CampaignError, saying why, if it can't be extended
    like this, or was extended by somebody else since.
    """
    require(actor, "direct")
    present = draft_in(store, campaign)
    _check_grows(present, wanted)
    assigned = store.campaigns.assignments(campaign=campaign.id)
    try:
        coming = _coming(store, campaign, wanted, assigned)
    except RatingError as error:
        raise CampaignError(error.message) from None
    items, raters = {item.item for item in present.items}, {rater.rater for rater in present.raters}
    added_items = [item for item in wanted.items if item.item not in items]
    added_raters = [rater for rater in wanted.raters if rater.rater not in raters]
    if not (added_items or added_raters or coming) and present.settings == wanted.settings:
        raise CampaignError("nothing has been added; add stories, experts or raters per item, or extend the deadline")
    before = (campaign.settings, assigned)
    store.campaigns.extend(campaign.id, wanted.settings, (added_items, added_raters, coming), before, actor)


def _coming(store: Store, campaign: Campaign, wanted: Draft, assigned: Sequence[Assignment]) -> list[Assignment]:
    """What an extension adds to what is assigned. Raises RatingError where it can't be planned."""
    rubric = store.rubrics.rubric(campaign.settings.rubric, campaign.settings.rubric_version)
    planned = at_work(store, campaign, wanted)
    standing = still_assigned(store, campaign, planned, assigned)
    return assignments_of(campaign.id, planned, rubric, plan_of(planned, rubric, standing), standing)


def cause_of(draft: Draft, rubric: Rubric, assigned: Sequence[Assignment] = ()) -> Cause:
    """What a draft that can't be planned fails for: the first thing without which there would be a plan."""
    if not draft.items:
        return "stories"
    if not draft.raters:
        return "experts"
    changes: tuple[tuple[Cause, dict[str, object]], ...] = (
        ("practice", {"practice": False}),
        ("checks", {"checks": 0}),
        ("repeats", {"repeats": 0.0}),
        ("raters_per_item", {"raters_per_item": 1}),
    )
    for cause, change in changes:
        try:
            _planned(replace(draft, settings=draft.settings.model_copy(update=change)), rubric, assigned)
        except RatingError:
            continue
        return cause
    reads = {language for rater in draft.raters for language in rater.languages}
    return "experts" if any(item.language not in reads for item in draft.items) else "stories"


def _planned(draft: Draft, rubric: Rubric, assigned: Sequence[Assignment]) -> Plan:
    """The plan, tried as far as to the last attention check in the lists of the experts."""
    plan = plan_of(draft, rubric, assigned)
    assignments_of("", draft, rubric, plan, assigned)
    return plan


def _check_grows(present: Draft, wanted: Draft) -> None:
    """Raises CampaignError if something would be taken away, or another setting than a few would change."""
    growing = {"raters_per_item", "deadline", "name"}
    if present.settings.model_dump(exclude=growing) != wanted.settings.model_dump(exclude=growing):
        raise CampaignError("the settings of a started campaign cannot change; copy the campaign to change them")
    if wanted.settings.raters_per_item < present.settings.raters_per_item:
        given = present.settings.raters_per_item
        raise CampaignError("each item already has {count} raters; enter at least this number", count=given)
    lost = {item.item for item in present.items} - {item.item for item in wanted.items}
    if lost or set(present.raters) - set(wanted.raters):
        raise CampaignError("an extension can only add items and experts; existing assignments stay")
