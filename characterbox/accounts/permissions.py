"""What each role may do. Pages and routes name the act that they are for, and ask here."""

from collections.abc import Mapping
from typing import Literal

from annotations.i18n.messages import to_say
from characterbox.accounts.account import Account, Role
from characterbox.errors import NotAllowed

Act = Literal["watch", "direct", "rate", "administer"]
"""`watch`: read stories, also while they are played. `direct`: launch and steer stories, have them judged, set up
campaigns, test servers, read figures. `rate`: score what one is given. `administer`: invite people, change what they
may do, set up servers, and read the log."""

MAY: Mapping[Act, frozenset[Role]] = {
    "watch": frozenset({"admin", "researcher", "viewer"}),
    "direct": frozenset({"admin", "researcher"}),
    "rate": frozenset({"admin", "researcher", "expert"}),
    "administer": frozenset({"admin"}),
}
"""Experts do not watch: they are to rate without knowing which model played."""

MENU: Mapping[str, Mapping[str, Act]] = {
    to_say("Watch"): {"stage": "direct", "playback": "watch", "scenes": "watch", "roles": "watch"},
    to_say("Rate"): {"campaigns": "direct", "annotate": "rate"},
    to_say("Measure"): {"validity": "direct", "leaderboard": "direct", "sweeps": "direct"},
    to_say("Models"): {"models": "direct", "training": "direct"},
    to_say("Accounts"): {"admin": "administer"},
}
"""The groups of pages, by their names, to be said: the pages of each by their place in the address, in order."""

PAGES: Mapping[str, Act] = {page: act for pages in MENU.values() for page, act in pages.items()}
"""The pages, by their place in the address, in the order in which they are offered."""

TITLES: Mapping[str, str] = {
    "stage": to_say("Stage"),
    "playback": to_say("Playback"),
    "scenes": to_say("Scenes"),
    "roles": to_say("Roles"),
    "campaigns": to_say("Campaigns"),
    "annotate": to_say("Annotate"),
    "validity": to_say("Reliability and validity"),
    "leaderboard": to_say("Leaderboard"),
    "sweeps": to_say("Sweeps"),
    "models": to_say("Models"),
    "training": to_say("Training"),
    "admin": to_say("Accounts"),
}
"""What the pages are called; to be said."""


def may(account: Account, act: Act) -> bool:
    """Whether the account may do this."""
    return account.disabled_at is None and account.role in MAY[act]


_REFUSED: Mapping[Act, str] = {
    "watch": to_say("{name} is not allowed to read stories; ask an admin for the viewer role"),
    "direct": to_say("{name} is not allowed to set this up; ask an admin for the researcher role"),
    "rate": to_say("{name} is not allowed to rate; ask an admin for the expert role"),
    "administer": to_say("{name} is not allowed to do this; ask an admin to do it"),
}


def require(account: Account, act: Act) -> None:
    """Raises NotAllowed, saying whom to ask, unless the account may do this. Each function that acts asks here."""
    if not may(account, act):
        raise NotAllowed(_REFUSED[act], name=account.name)


def pages_of(account: Account) -> list[str]:
    """The pages that the account may open, in order; the first is where it starts."""
    return [page for page, act in PAGES.items() if may(account, act)]


def menu_of(account: Account) -> dict[str, list[str]]:
    """The pages that the account may open, by the groups that have any."""
    offered = {group: [page for page, act in pages.items() if may(account, act)] for group, pages in MENU.items()}
    return {group: pages for group, pages in offered.items() if pages}
