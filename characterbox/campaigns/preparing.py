"""What a campaign is to be extended by, while it is being put together."""

from dataclasses import replace
from typing import Any

from annotations.campaign import Settings
from characterbox.campaigns.design import Draft
from characterbox.store import Store
from characterbox.store.campaign import CampaignItem, CampaignRater


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
