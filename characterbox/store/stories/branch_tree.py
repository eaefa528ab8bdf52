"""Families: a story, what it was branched from, and all that branched off; their labels, and their end."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, exists, or_, select, update

from annotations.i18n.messages import Message
from characterbox.accounts.account import Account
from characterbox.errors import StoryError
from characterbox.store.accounts.audit_log import record
from characterbox.store.campaigns.campaign import ASSIGNMENT, ITEM, OPEN
from characterbox.store.stories.claims import Claims
from characterbox.store.stories.story import STORY, Status, Story
from characterbox.store.tables.campaigns import MarkRow
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.ratings import RatingRow, VoteRow
from characterbox.store.tables.stories import CallRow, DraftRow, EventRow, ReplyRow, SweepStoryRow, TagRow
from characterbox.store.writer import Writer, in_turn

_RATING, _VOTE, _MARK = table_of(RatingRow), table_of(VoteRow), table_of(MarkRow)
_OWN = tuple(table_of(rows) for rows in (TagRow, DraftRow, EventRow, CallRow, ReplyRow, SweepStoryRow))
"""What a story has for itself alone."""
MOST_LABEL = 80
"""Characters of a label, at most."""


class Kin(NamedTuple):
    """A story in its family."""

    id: str
    title: str
    label: str | None
    status: Status
    models: Sequence[str]
    created_at: datetime
    parent: str | None
    """The story that it was branched from; None where there is none, or it is there no longer."""
    at: int | None
    anew: str | None
    depth: int
    """How many stories lie between it and the first of the family, itself included."""


def kept_label(label: str) -> str | None:
    """The name of a story as it is stored; None if there is nothing in it."""
    return " ".join(label.split())[:MOST_LABEL] or None


class FamilyStore:
    """Reads families, names their stories, and deletes those that nothing rests on."""

    def __init__(self, engine: Engine, writer: Writer, claims: Claims) -> None:
        self._engine = engine
        self._writer = writer
        self._claims = claims

    def family(self, id: str) -> list[Kin]:
        """The family of a story: each before what branched off it, branches in the order of their steps."""
        with self._engine.connect() as connection:
            line = [*_line(connection, id)]
            return [*_with_branches(_below(connection, line[-1]), line[-1], 0)] if line else []

    def name(self, id: str, label: str) -> None:
        """Call a story something; with nothing it has no name any more."""
        change = update(STORY).where(STORY.c.id == id).values(label=kept_label(label))
        self._writer.submit(lambda connection: connection.execute(change)).result()

    def delete(self, actor: Account, id: str) -> None:
        """Delete a story that has come to rest, with its journal; the log keeps what it was called.

        Raises StoryError, saying why, where something rests on it: branches, ratings, votes or campaigns; and
        PlayedElsewhere while it is played. That anybody may rate it, as any story that has ended, is no reason as long
        as nobody has begun to.
        """

        def write(connection: Connection) -> None:
            title = connection.scalar(select(STORY.c.title).where(STORY.c.id == id))
            if (reason := _needed(connection, id)) is not None:
                raise StoryError("“{title}” cannot be deleted: {reason}", title=title, reason=reason)
            offered = ITEM.c.story_id == id
            among = ASSIGNMENT.c.item.in_(select(ITEM.c.item).where(offered, ITEM.c.campaign == OPEN))
            connection.execute(delete(ASSIGNMENT).where(ASSIGNMENT.c.campaign == OPEN, among))
            connection.execute(delete(ITEM).where(offered))
            for table in _OWN:
                connection.execute(delete(table).where(table.c.story_id == id))
            connection.execute(delete(STORY).where(STORY.c.id == id))
            record(connection, actor, "story.deleted", id, {"title": title})

        with self._claims.on(id) as claim:
            self._writer.submit(in_turn(write), claim).result()


_PARENT = STORY.c.branch["parent"].as_string()
_KIN = (*(STORY.c[name] for name in ("id", "title", "label", "status", "models", "created_at", "branch")),)


def check_descent(connection: Connection, story: Story) -> None:
    """Raises StoryError if a story that is about to be stored would be branched off itself, by way of others."""
    if story.branch is None:
        return
    parents = (row.branch["parent"] for row in _line(connection, story.branch.parent) if row.branch is not None)
    if story.id in (story.branch.parent, *parents):
        raise StoryError(
            "story {id} is a branch of story {parent}, which is itself a branch of story {id}; import only one of them",
            id=story.id,
            parent=story.branch.parent,
        )


def _line(connection: Connection, id: str) -> Iterator[Row[Any]]:
    """A story and those that it comes from, as far as they are there, the first of the family last; each once."""
    wanted, seen = id, set[str]()
    while wanted not in seen:
        seen.add(wanted)
        row = connection.execute(select(*_KIN).where(STORY.c.id == wanted)).one_or_none()
        if row is None:
            return
        yield row
        wanted = wanted if row.branch is None else row.branch["parent"]


def _below(connection: Connection, first: Row[Any]) -> dict[str, list[Row[Any]]]:
    """The branches of each story of the family; each story once, also where they are branched in a circle."""
    below: dict[str, list[Row[Any]]] = {}
    level, known = [first.id], {first.id}
    while level:
        query = select(*_KIN).where(_PARENT.in_(level)).order_by(STORY.c.created_at)
        found = [row for row in connection.execute(query) if row.id not in known]
        for row in found:
            below.setdefault(row.branch["parent"], []).append(row)
        level = [row.id for row in found]
        known.update(level)
    return below


def _with_branches(below: dict[str, list[Row[Any]]], row: Row[Any], depth: int) -> Iterator[Kin]:
    branch = row.branch or {}
    yield Kin(
        id=row.id,
        title=row.title,
        label=row.label,
        status=row.status,
        models=row.models,
        created_at=row.created_at,
        parent=branch.get("parent") if depth else None,
        at=branch.get("at"),
        anew=branch.get("anew"),
        depth=depth,
    )
    for one in sorted(below.get(row.id, []), key=lambda one: (one.branch["at"], one.created_at)):
        yield from _with_branches(below, one, depth + 1)


def _needed(connection: Connection, id: str) -> Message | None:
    """What rests on a story, in words; None if nothing does."""
    if connection.scalar(select(exists().where(id == _PARENT))):
        return Message("it has branches; delete them first")
    if connection.scalar(select(exists().where(_RATING.c.story_id == id))):
        return Message("judges have rated it, and ratings must be kept")
    if connection.scalar(select(exists().where(or_(_VOTE.c.one == id, _VOTE.c.other == id)))):
        return Message("it has votes, and votes must be kept")
    item = (ASSIGNMENT.c.campaign == ITEM.c.campaign) & (ASSIGNMENT.c.item == ITEM.c.item)
    begun = exists().where(_MARK.c.assignment == ASSIGNMENT.c.id, item)
    if connection.scalar(select(exists().where(ITEM.c.story_id == id, begun))):
        return Message("somebody has begun to rate it, and ratings must be kept")
    if connection.scalar(select(exists().where(ITEM.c.story_id == id, ITEM.c.campaign != OPEN))):
        return Message("it is part of a campaign")
    return None
