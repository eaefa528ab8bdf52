"""The log of changes: who did what to whom, and the sentence for each. Nothing in it changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, delete, insert, select

from annotations.i18n.messages import to_say
from characterbox.accounts.account import THE_APP, Account
from characterbox.accounts.login_throttle import origin_address
from characterbox.store.tables.accounts import AuditPruningRow, AuditRow
from characterbox.store.tables.columns import now, table_of
from characterbox.store.writer import Writer
from characterbox.values import Value

_AUDIT, _PRUNING = table_of(AuditRow), table_of(AuditPruningRow)


class Entry(Value):
    """One change."""

    id: int
    at: datetime
    actor: str | None
    """The account of the one who did it; None if there is none, as for the command line."""
    actor_name: str
    address: str | None
    """From where: a network address; None for the command line, and for what is older than this field."""
    action: str
    """What was done, as `noun.verb`."""
    subject: str
    """What it was done to: an id."""
    detail: dict[str, Any]


def record(connection: Connection, actor: Account, action: str, subject: str, detail: Mapping[str, Any]) -> None:
    """Add an entry to the log, in the transaction of the change that it tells of.

    `action` is `noun.verb`; `subject` is the id of what is changed; `detail` is JSON. The entry has
    the network address from which the change comes.
    """
    values = {"at": now(), "actor": actor.id, "actor_name": actor.name, "address": origin_address()}
    connection.execute(insert(_AUDIT), {**values, "action": action, "subject": subject, "detail": dict(detail)})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for in the log; what is None is not asked for."""

    actor_name: str | None = None
    action: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    """Entries from before this moment."""

    def conditions(self) -> list[ColumnElement[bool]]:
        """What holds of the rows that are wanted."""
        return [
            *([] if self.actor_name is None else [_AUDIT.c.actor_name == self.actor_name]),
            *([] if self.action is None else [_AUDIT.c.action == self.action]),
            *([] if self.since is None else [_AUDIT.c.at >= self.since]),
            *([] if self.until is None else [_AUDIT.c.at < self.until]),
        ]


ALL = Wanted()
"""Everything in the log."""


class AuditStore:
    """Reads the log, and tells it of what is no change."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, actor: Account, action: str, subject: str, detail: Mapping[str, Any]) -> None:
        """Add an entry of what changes nothing here, such as a file that is given out."""
        self._writer.submit(lambda connection: record(connection, actor, action, subject, detail)).result()

    def read(self, limit: int, before: int | None = None, wanted: Wanted = ALL) -> list[Entry]:
        """The newest entries that are wanted, newest first; with `before`, the newest of those with a lower id."""
        query = select(_AUDIT).where(*wanted.conditions()).order_by(_AUDIT.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(_AUDIT.c.id < before)
        with self._engine.connect() as connection:
            return [Entry.model_validate(dict(row)) for row in connection.execute(query).mappings()]

    def prune(self, days: int) -> int:
        """Let entries go that are older than so many days, as the installation is set up to; gives how many there were.

        Nothing else deletes any: the database refuses to, but for what is older than a moment that is announced in the
        same transaction and taken back at its end. That entries went, how many and up to when, is an entry itself.
        """
        before = now() - timedelta(days=days)

        def prune(connection: Connection) -> int:
            connection.execute(insert(_PRUNING).values(before=before))
            gone = connection.execute(delete(_AUDIT).where(_AUDIT.c.at < before)).rowcount
            connection.execute(delete(_PRUNING))
            if gone:
                detail = {"entries": gone, "before": f"{before:%Y-%m-%d %H:%M:%S} UTC"}
                record(connection, THE_APP, "log.pruned", "", detail)
            return gone

        return self._writer.submit(prune).result()

    def names(self) -> list[str]:
        """Who is in the log, by name."""
        with self._engine.connect() as connection:
            return sorted(connection.scalars(select(_AUDIT.c.actor_name).distinct()))


ACTIONS: Mapping[str, str] = {
    "account.add": to_say("created an account"),
    "account.bind": to_say("signed in through a provider for the first time"),
    "account.disable": to_say("disabled an account"),
    "account.enable": to_say("enabled an account"),
    "account.password": to_say("changed a password"),
    "account.role": to_say("changed a role"),
    "account.writing": to_say("changed whether models may be trained on their writing"),
    "invitation.make": to_say("created an invitation"),
    "invitation.use": to_say("used an invitation"),
    "passkey.add": to_say("added a passkey"),
    "passkey.remove": to_say("removed a passkey"),
    "session.started": to_say("signed in"),
    "session.ended": to_say("signed out"),
    "sign-in.failed": to_say("failed to sign in"),
    "server.saved": to_say("saved a model server"),
    "server.removed": to_say("removed a model server"),
    "server.started": to_say("started a model server"),
    "server.stopped": to_say("stopped a model server"),
    "server.proposed": to_say("proposed a model server"),
    "server.accepted": to_say("accepted a proposed model server"),
    "server.declined": to_say("declined a proposed model server"),
    "server.withdrawn": to_say("withdrew a proposed model server"),
    "rewriting.edited": to_say("edited the rewriting of a reply"),
    "dataset.written": to_say("wrote a training dataset"),
    "training-dataset.exported": to_say("downloaded a training dataset"),
    "training.started": to_say("started a training run"),
    "training.stopped": to_say("stopped a training run"),
    "training.merged": to_say("merged a trained adapter"),
    "key.bound": to_say("bound a key to an address"),
    "campaign.adjudicate": to_say("adjudicated a disputed score"),
    "campaign.assign": to_say("assigned items of a campaign"),
    "campaign.create": to_say("created a campaign"),
    "campaign.draft": to_say("edited the draft of a campaign"),
    "campaign.extend": to_say("extended a campaign"),
    "campaign.move": to_say("changed the status of a campaign"),
    "campaign.start": to_say("started a campaign"),
    "dataset.add": to_say("imported ratings"),
    "dataset.remove": to_say("removed a sample dataset"),
    "published-name.add": to_say("matched a model to a published row"),
    "published-name.undo": to_say("removed the match of a model to a published row"),
    "rubric.add": to_say("added a rubric"),
    "story.deleted": to_say("deleted a story"),
    "scene.deleted": to_say("archived a scene"),
    "scene.restored": to_say("restored a scene"),
    "role.deleted": to_say("archived a role"),
    "role.restored": to_say("restored a role"),
    "crafting.deleted": to_say("deleted a scene generation run"),
    "story.exported": to_say("exported a story"),
    "scenes.exported": to_say("exported scenes"),
    "roles.exported": to_say("exported roles"),
    "ratings.exported": to_say("exported ratings"),
    "figures.exported": to_say("exported figures"),
    "sweep.exported": to_say("exported a sweep"),
    "log.exported": to_say("exported the log"),
    "log.pruned": to_say("deleted old entries of the log"),
    "database.saved": to_say("backed up the database"),
    "database.restored": to_say("restored the database"),
}
"""What was done, as `noun.verb`, and how a page says it of the one who did it."""
