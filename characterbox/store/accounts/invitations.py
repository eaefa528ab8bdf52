"""Links of invitation: each sets the password of one account, once."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import Connection, Engine, insert, select, update

from characterbox.accounts.account import LASTS_DAYS, Account
from characterbox.accounts.credentials import digest, new_token
from characterbox.errors import AccountError
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.accounts import InvitationRow, the_account
from characterbox.store.tables.columns import now, table_of
from characterbox.store.writer import Writer, in_turn

_INVITATION = table_of(InvitationRow)


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a link is good for."""

    account: Account
    state: Literal["open", "used", "expired"]
    """`used` is also one that was replaced by a newer one."""
    expires_at: datetime


class InvitationStore:
    """Keeps invitations: digests of the secrets in their links."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def make(self, actor: Account, account: str, days: int = LASTS_DAYS) -> str:
        """A new link for an account: gives its secret, which is kept nowhere. Earlier links are good no more.

        Raises AccountError if the account is unknown or disabled.
        """
        token = new_token()

        def make(connection: Connection) -> None:
            invited = the_account(connection, account)
            if invited.disabled_at is not None:
                raise AccountError("{name} is disabled; enable the account first", name=invited.name)
            use_up_invitations(connection, account)
            values = {"token_hash": digest(token), "account": account, "made_by": actor.id}
            connection.execute(insert(_INVITATION), {**values, "expires_at": now() + timedelta(days=days)})
            record(connection, actor, "invitation.make", account, {"name": invited.name, "days": days})

        self._writer.submit(in_turn(make)).result()
        return token

    def find(self, token: str) -> Invitation | None:
        """What the link with this secret is good for; None if there never was such a link."""
        with self._engine.connect() as connection:
            return _find(connection, token)


def use_up_invitations(connection: Connection, account: str) -> None:
    """Make all links of an account good for nothing any more."""
    using = update(_INVITATION).where(_INVITATION.c.account == account, _INVITATION.c.used_at.is_(None))
    connection.execute(using.values(used_at=now()))


def use_invitation(connection: Connection, token: str) -> Account:
    """Use a link, and with it all others of its account. Raises AccountError unless it is open."""
    invitation = _find(connection, token)
    if invitation is None or invitation.state != "open":
        raise AccountError("this invitation can no longer be used; ask the sender for a new one")
    use_up_invitations(connection, str(invitation.account.id))
    return invitation.account


def _find(connection: Connection, token: str) -> Invitation | None:
    query = select(_INVITATION).where(_INVITATION.c.token_hash == digest(token))
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        return None
    account = the_account(connection, row["account"])
    state: Literal["open", "used", "expired"] = "open"
    if row["used_at"] is not None or account.disabled_at is not None:
        state = "used"
    elif row["expires_at"] <= now():
        state = "expired"
    return Invitation(account, state, row["expires_at"])
