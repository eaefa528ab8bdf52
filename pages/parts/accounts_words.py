"""How accounts are told of on pages."""

from characterbox.accounts.account import Account, Role

ROLES: dict[Role, str] = {
    "admin": "Admin: everything, accounts too",
    "researcher": "Researcher: stories, models, campaigns, figures",
    "expert": "Expert: rates what is assigned, and sees nothing else",
    "viewer": "Viewer: reads stories",
}


def state_of(account: Account) -> str:
    """Whether somebody can come in."""
    if account.disabled_at is not None:
        return f"disabled since {account.disabled_at:%d %b %Y}"
    match account.signs_in_by:
        case "password":
            return "signs in with a password"
        case "oidc":
            return "signs in elsewhere"
        case None:
            return "has not signed in yet"
