"""`characterbox invite`: make an account for somebody, or a new link for somebody who has one."""

import argparse

from characterbox.accounts.account import COMMAND_LINE
from characterbox.accounts.credentials import invitation_link, sign_in_link
from characterbox.commands.database import open_store
from characterbox.errors import AccountError
from characterbox.settings import settings


def run(options: argparse.Namespace) -> int:
    """Print the link by which the person comes in: once, as its secret is kept nowhere."""
    chosen = settings()
    if chosen.auth == "oidc" and options.email is None:
        raise AccountError("--email is missing; it identifies people who sign in through a provider")
    with open_store(options) as store:
        account = store.accounts.named(options.name)
        if account is None:
            account = store.accounts.add(COMMAND_LINE, options.name, options.role, options.email)
        elif account.role != options.role:
            raise AccountError(f"{account.name} is there already, as {account.role}; give --role {account.role}")
        if chosen.auth == "oidc":
            print(sign_in_link(chosen.url))
        else:
            print(invitation_link(chosen.url, store.invitations.make(COMMAND_LINE, str(account.id), options.days)))
    return 0
