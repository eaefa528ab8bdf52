"""Campaigns in words: how they stand, how much there is to do, and by whom."""

from collections.abc import Sequence
from datetime import datetime

from annotations.balance import Range
from annotations.betrayals import betrayals
from annotations.campaign import Status
from annotations.rubric import Rubric
from annotations.wording import say, say_moment, to_say, tongue
from characterbox.accounts.account import LOCAL
from characterbox.campaigns.design import Draft
from characterbox.store.campaign import Campaign
from characterbox.values import LANGUAGES

STATUS: dict[Status, str] = {
    "draft": to_say("draft"),
    "running": to_say("running"),
    "paused": to_say("paused: it takes no ratings for now"),
    "closed": to_say("closed"),
}
SUBJECTS = {
    "character": to_say("one character's part in a story"),
    "narrator": to_say("all that the narrator decided in a story"),
    "scene": to_say("a scene as it opens"),
}
"""What is rated, by a rubric's subject."""


def spread(range: Range) -> str:
    """From the least to the most; one number where they are the same."""
    return f"{range.low:,}" if range.low == range.high else f"{range.low:,}–{range.high:,}"


def hours(least: float, most: float) -> str:
    """Hours from the least to the most."""
    low, high = f"{least:,.1f}", f"{most:,.1f}"
    return say("{hours} h", hours=low if low == high else f"{low}–{high}")


def maker(campaign: Campaign) -> str:
    """Who made a campaign."""
    return say(LOCAL.name) if campaign.created_by == LOCAL.name else campaign.created_by


def rubric_title(rubric: Rubric) -> str:
    """A rubric as it stands among others."""
    return f"{rubric.title.text(tongue())} · {rubric.name} {rubric.version}"


def deadline(moment: datetime | None) -> str:
    """Until when there is time."""
    return say("no deadline") if moment is None else say("until {moment}", moment=say_moment(moment))


def name_betrays(draft: Draft) -> str | None:
    """What is wrong with the name of a campaign, which its experts read; None if nothing is."""
    found = betrayals(draft.settings.name, sorted({item.model for item in draft.items}))
    if not found:
        return None
    words = say(", ").join(place.words for place in found)
    return say("The name tells of a model ({words}), and the experts read it.", words=words)


def languages(codes: Sequence[str]) -> str:
    """Languages by name."""
    return say(", ").join(say(LANGUAGES.get(code, code)) for code in codes)
