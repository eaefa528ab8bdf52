"""What each role may do. Pages and routes name the act that they are for, and ask here."""

from collections.abc import Mapping
from typing import Literal

from characterbox.accounts.account import Account, Role

Act = Literal["watch", "direct", "rate", "administer"]
"""`watch`: read stories, also while they are played. `direct`: launch and steer stories, have them judged, set up
models and campaigns, read figures. `rate`: score what one is given. `administer`: invite people, change what they may
do, and read the log."""

MAY: Mapping[Act, frozenset[Role]] = {
    "watch": frozenset({"admin", "researcher", "viewer"}),
    "direct": frozenset({"admin", "researcher"}),
    "rate": frozenset({"admin", "researcher", "expert"}),
    "administer": frozenset({"admin"}),
}
"""Experts do not watch: they are to rate without knowing which model played."""

PAGES: Mapping[str, Act] = {
    "stage": "direct",
    "playback": "watch",
    "scenes": "watch",
    "sweeps": "direct",
    "models": "direct",
    "campaigns": "direct",
    "annotate": "rate",
    "validity": "direct",
    "leaderboard": "direct",
    "admin": "administer",
}
"""The pages, by their place in the address, in the order in which they are offered."""


def may(account: Account, act: Act) -> bool:
    """Whether the account may do this."""
    return account.disabled_at is None and account.role in MAY[act]


def pages_of(account: Account) -> list[str]:
    """The pages that the account may open, in order; the first is where it starts."""
    return [page for page, act in PAGES.items() if may(account, act)]
