"""Campaigns and their marks; what experts rated before becomes marks of the open campaign"""

import secrets
import unicodedata
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from alembic import op

from characterbox.scenes.scene import slug_of

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SETTINGS = {
    "name": "Open rating", "rubric": "character", "rubric_version": "1.1", "raters_per_item": 1, "seed": 0,
    "repeats": 0.0, "practice": False, "threshold": 0.8, "attempts": 1, "checks": 0, "asks_model": False,
    "minutes": 5.0, "deadline": None,
}  # fmt: skip
METRICS = 7
"""Of the one rubric that there was."""


def upgrade() -> None:
    connection = op.get_bind()
    _create_tables()
    for table in ("mark", "verdict"):
        _only_added_to(table, connection)
    _move_ratings(connection)


def _create_tables() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "rubric",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("added_by", sa.String(), nullable=False),
        sa.Column("added_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("name", "version"),
    )
    op.create_table(
        "campaign",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "campaign_item",
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("character", sa.String(), nullable=True),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaign.id"]),
        sa.ForeignKeyConstraint(["story_id"], ["story.id"]),
        sa.PrimaryKeyConstraint("campaign", "item"),
    )
    op.create_table(
        "campaign_rater",
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("languages", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaign.id"]),
        sa.ForeignKeyConstraint(["rater"], ["account.id"]),
        sa.PrimaryKeyConstraint("campaign", "rater"),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaign.id"]),
        sa.ForeignKeyConstraint(["rater"], ["account.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("campaign", "rater", "item", "take"),
    )
    op.create_index("ix_assignment_rater", "assignment", ["rater"])
    op.create_table(
        "mark",
        sa.Column("id", number, nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("click", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("content", sa.JSON(), nullable=True),
        sa.Column("at", moment, nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["assignment.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("assignment", "revision"),
        sa.UniqueConstraint("assignment", "click"),
    )
    op.create_table(
        "verdict",
        sa.Column("id", number, nullable=False),
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("adjudicator", sa.String(), nullable=False),
        sa.Column("at", moment, nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaign.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_verdict_campaign", "verdict", ["campaign"])


def _only_added_to(table: str, connection: sa.Connection) -> None:
    refusal = f"{table}s are only added to"
    if connection.dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {table}_refuse() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION '{refusal}'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_refuse()"
        )
        return
    refuse = f"BEGIN SELECT RAISE(ABORT, '{refusal}'); END"
    for act in ("update", "delete"):
        op.execute(f"CREATE TRIGGER {table}_{act} BEFORE {act.upper()} ON {table} {refuse}")
    # INSERT OR REPLACE deletes the row that is in the way, and no trigger for deletions is asked.
    there = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)"  # nosec B608 # names of this file
    op.execute(f"CREATE TRIGGER {table}_replace BEFORE INSERT ON {table} {there} {refuse}")


def _move_ratings(connection: sa.Connection) -> None:
    """Give each rater an account without a password, and each item that a rater scored an assignment with its marks."""
    tables = sa.MetaData()
    tables.reflect(connection, only=["rating", "story", "account", "campaign", "campaign_item", "assignment", "mark"])
    of = tables.tables
    rating = of["rating"]
    given = connection.execute(sa.select(rating).where(rating.c.kind == "expert").order_by(rating.c.id)).mappings()
    sheets: dict[tuple[str, str], list[sa.RowMapping]] = {}
    for row in given:
        sheets.setdefault((row["rater"], row["item"]), []).append(row)
    if not sheets:
        return
    stamp = datetime.now(UTC)
    opened = {"id": "open", "settings": SETTINGS, "status": "running", "created_by": "", "created_at": stamp}
    connection.execute(of["campaign"].insert(), opened)
    accounts = _accounts(connection, of["account"], sorted({rater for rater, _ in sheets}), stamp)
    names = {row.id: [who["name"] for who in row.script["scene"]["cast"]] for row in _stories(connection, of["story"])}
    items: set[str] = set()
    for place, ((rater, item), rows) in enumerate(sheets.items()):
        if item not in items:
            items.add(item)
            connection.execute(of["campaign_item"].insert(), _item(rows[0], names))
        assignment = secrets.token_hex(6)
        told = {"campaign": "open", "rater": accounts[rater], "item": item}
        connection.execute(
            of["assignment"].insert(), {"id": assignment, **told, "purpose": "rate", "take": 0, "place": place}
        )
        connection.execute(of["mark"].insert(), _marks(assignment, rows))
    connection.execute(rating.delete().where(rating.c.kind == "expert"))


def _stories(connection: sa.Connection, story: sa.Table) -> sa.CursorResult[tuple[str, dict[str, Any]]]:
    """Their ids and scripts, whatever the database takes JSON for."""
    return connection.execute(sa.select(story.c.id, sa.type_coerce(story.c.script, sa.JSON)))


def _accounts(connection: sa.Connection, account: sa.Table, raters: list[str], stamp: datetime) -> dict[str, str]:
    """An account for each rater. Two whose names differ in case only are told apart by a number."""
    keys = set(connection.scalars(sa.select(account.c.key)))
    ids = {}
    for rater in raters:
        name, number = rater, 1
        while _key(name) in keys:
            number += 1
            name = f"{rater} ({number})"
        keys.add(_key(name))
        ids[rater] = secrets.token_hex(6)
        connection.execute(
            account.insert(),
            {"id": ids[rater], "name": name, "key": _key(name), "role": "expert", "created_at": stamp},
        )
    return ids


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _item(row: sa.RowMapping, names: dict[str, list[str]]) -> dict[str, str | None]:
    slug = row["item"].partition(":")[2]
    character = next((name for name in names[row["story_id"]] if slug_of(name) == slug), None)
    told = {name: row[name] for name in ("item", "story_id", "scene", "model", "language")}
    return {"campaign": "open", "character": character, **told}


def _marks(assignment: str, rows: list[sa.RowMapping]) -> list[dict[str, object]]:
    """The scores as they were given; where all seven stand in the end they counted, and so they are submitted."""
    marks = [
        {"kind": "score", "metric": row["metric"], "score": row["score"], "at": row["created_at"]} for row in rows
    ]
    standing = {row["metric"]: row["score"] for row in rows}
    if sum(score is not None for score in standing.values()) == METRICS:
        marks.append({"kind": "submit", "metric": None, "score": None, "at": rows[-1]["created_at"]})
    return [
        {"assignment": assignment, "revision": revision, "click": str(uuid4()), "content": None, **mark}
        for revision, mark in enumerate(marks, 1)
    ]


def downgrade() -> None:
    raise RuntimeError("earlier versions have no place for campaigns; keep a copy of the database")
