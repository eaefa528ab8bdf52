"""How accounts are told of on pages."""

from annotations.wording import say, say_day, to_say
from characterbox.accounts.account import ROLE_NAMES, Account, Role

ROLES: dict[Role, str] = {
    "admin": to_say("Admin: everything, accounts too"),
    "researcher": to_say("Researcher: stories, models, campaigns, figures"),
    "expert": to_say("Expert: rates what is assigned, and sees nothing else"),
    "viewer": to_say("Viewer: reads stories"),
}


def role_at_length(role: Role) -> str:
    """A role, and what it may do."""
    return say(ROLES[role])


def role_name(role: Role) -> str:
    """A role in one word."""
    return say(ROLE_NAMES[role])


def state_of(account: Account) -> str:
    """Whether somebody can come in."""
    if account.disabled_at is not None:
        return say("disabled since {day}", day=say_day(account.disabled_at))
    match account.signs_in_by:
        case "password":
            return say("signs in with a password")
        case "oidc":
            return say("signs in elsewhere")
        case None:
            return say("has not signed in yet")
