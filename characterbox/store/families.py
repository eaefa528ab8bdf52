"""Families: a story, what it was branched from, and all that branched off; their labels, and their end."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, delete, exists, or_, select, update

from annotations.wording import say
from characterbox.errors import StoryError
from characterbox.store.campaign_tables import AssignmentRow, CampaignItemRow
from characterbox.store.claims import Claims
from characterbox.store.story import STORY, Status
from characterbox.store.tables import CallRow, DraftRow, EventRow, RatingRow, ReplyRow, TagRow, VoteRow, table_of
from characterbox.store.writer import Writer

_ITEM, _ASSIGNMENT = table_of(CampaignItemRow), table_of(AssignmentRow)
_RATING, _VOTE = table_of(RatingRow), table_of(VoteRow)
_OWN = tuple(table_of(rows) for rows in (TagRow, DraftRow, EventRow, CallRow, ReplyRow))
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


class FamilyStore:
    """Reads families, names their stories, and deletes those that nothing rests on."""

    def __init__(self, engine: Engine, writer: Writer, claims: Claims) -> None:
        self._engine = engine
        self._writer = writer
        self._claims = claims

    def family(self, id: str) -> list[Kin]:
        """The family of a story: each before what branched off it, branches in the order of their steps."""
        with self._engine.connect() as connection:
            first = _first(connection, id)
            return [] if first is None else [*_with_branches(_below(connection, first), first, 0)]

    def name(self, id: str, label: str) -> None:
        """Call a story something; with nothing it has no name any more."""
        kept = " ".join(label.split())[:MOST_LABEL] or None
        change = update(STORY).where(STORY.c.id == id).values(label=kept)
        self._writer.submit(lambda connection: connection.execute(change)).result()

    def delete(self, id: str) -> None:
        """Delete a story that has come to rest, with its journal.

        Raises StoryError, saying why, where something rests on it: branches, ratings, votes or campaigns; and
        PlayedElsewhere while it is played.
        """

        def write(connection: Connection) -> None:
            if (reason := _needed(connection, id)) is not None:
                raise StoryError(say("story {id} can't be deleted: {reason}", id=id, reason=reason))
            for table in _OWN:
                connection.execute(delete(table).where(table.c.story_id == id))
            connection.execute(delete(STORY).where(STORY.c.id == id))

        with self._claims.on(id) as claim:
            self._writer.submit(write, claim).result()


_PARENT = STORY.c.branch["parent"].as_string()
_KIN = (*(STORY.c[name] for name in ("id", "title", "label", "status", "models", "created_at", "branch")),)


def _first(connection: Connection, id: str) -> Row[Any] | None:
    """The story that all of the family comes from, as far as it is there."""
    row, seen = connection.execute(select(*_KIN).where(STORY.c.id == id)).one_or_none(), {id}
    while row is not None and row.branch is not None and row.branch["parent"] not in seen:
        seen.add(row.branch["parent"])
        above = connection.execute(select(*_KIN).where(STORY.c.id == row.branch["parent"])).one_or_none()
        if above is None:
            break
        row = above
    return row


def _below(connection: Connection, first: Row[Any]) -> dict[str, list[Row[Any]]]:
    """The branches of each story of the family."""
    below: dict[str, list[Row[Any]]] = {}
    level = [first.id]
    while level:
        found = connection.execute(select(*_KIN).where(_PARENT.in_(level)).order_by(STORY.c.created_at)).all()
        for row in found:
            below.setdefault(row.branch["parent"], []).append(row)
        level = [row.id for row in found if row.id not in below]
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
    for one in sorted(below.pop(row.id, []), key=lambda one: (one.branch["at"], one.created_at)):
        yield from _with_branches(below, one, depth + 1)


def _needed(connection: Connection, id: str) -> str | None:
    """What rests on a story, in words; None if nothing does."""
    if connection.scalar(select(exists().where(id == _PARENT))):
        return say("stories branch off it; delete these first")
    if connection.scalar(select(exists().where(_RATING.c.story_id == id))):
        return say("judges have rated it, and ratings stay")
    if connection.scalar(select(exists().where(or_(_VOTE.c.one == id, _VOTE.c.other == id)))):
        return say("votes were cast on it, and votes stay")
    mine = f"{id}:"
    if connection.scalar(select(exists().where(_ITEM.c.item.startswith(mine, autoescape=True)))) or connection.scalar(
        select(exists().where(_ASSIGNMENT.c.item.startswith(mine, autoescape=True)))
    ):
        return say("it is part of a campaign")
    return None
