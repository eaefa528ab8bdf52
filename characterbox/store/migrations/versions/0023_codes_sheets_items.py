"""Reasons are codes with values, sheets are rows, and identities are columns: of what is judged or rated, and of tasks."""

from collections.abc import Callable
from datetime import UTC
from itertools import groupby
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from alembic import op
from pydantic import TypeAdapter

from annotations.marking.marks import Entry, Sheet, mark_adapter, sheet_of
from characterbox.pause_reasons import Reason, stored
from characterbox.reason_sentences import as_sentence, read_sentence, reread

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_REASONS = {
    "story": ("id",),
    "sweep": ("name",),
    "sweep_failure": ("sweep", "task"),
    "crafting": ("id",),
    "rating": ("id",),
    "scene_rating": ("id",),
}
"""The tables with a column for a reason, and the key of each."""
_COLUMNS = ("item_kind", "owner", "slug")
_LABEL = (
    "CASE WHEN item_kind = 'narrator' THEN owner || '/narrator' WHEN item_kind = 'scene' THEN 'scene/' || owner"
    " WHEN slug = '' THEN owner ELSE owner || ':' || slug END"
)
_PRACTICE, _TRIED = "practice/", "~"
_VERSION = ("version", "digest", "content", "created_at")
_OTHERS = ("campaign", "story_id", "character", "scene", "model", "language")
_FAILED = ("reason", "created_at")
_RATING = sa.table("rating", *map(sa.column, ("item", *_COLUMNS, "rater", "variation", "kind")))
_ASSIGNMENT = sa.table("assignment", *map(sa.column, ("id", "item", "purpose")))
_EXTENSION = sa.table("extension", sa.column("campaign"), sa.column("account"), sa.column("content", sa.JSON()))


def upgrade() -> None:
    connection = op.get_bind()
    _rewrite_reasons(
        connection, lambda told: stored(read_sentence(told)), lambda told: read_sentence(told).as_json()
    )
    _make_sheets(connection)
    _part_items(connection)
    _part_tasks()


def downgrade() -> None:
    connection = op.get_bind()
    _join_tasks()
    _join_items(connection)
    op.drop_table("sheet")
    _rewrite_reasons(connection, lambda told: as_sentence(reread(told)), lambda told: as_sentence(Reason.read(told)))


def _rewrite_reasons(
    connection: sa.Connection, column: Callable[[str], str], event: Callable[[Any], object]
) -> None:
    for name, key in _REASONS.items():
        table = sa.table(name, *map(sa.column, key), sa.column("reason", sa.Text()))
        rows = connection.execute(sa.select(table).where(table.c.reason.is_not(None))).mappings().all()
        told = {before: column(before) for before in {row["reason"] for row in rows}}
        for row in rows:
            here = sa.and_(*(table.c[part] == row[part] for part in key))
            connection.execute(table.update().where(here).values(reason=told[row["reason"]]))
    events = sa.table("event", sa.column("story_id"), sa.column("seq"), sa.column("content", sa.JSON()))
    with_reason = sa.cast(events.c.content, sa.Text()).like('%"reason"%')
    for row in connection.execute(sa.select(events).where(with_reason)).mappings().all():
        if row["content"].get("reason") is not None:
            here = (events.c.story_id == row["story_id"]) & (events.c.seq == row["seq"])
            content = row["content"] | {"reason": event(row["content"]["reason"])}
            connection.execute(events.update().where(here).values(content=content))


def _make_sheets(connection: sa.Connection) -> None:
    """How each assignment with marks stands: the fold of its marks."""
    op.create_table(
        "sheet",
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("mark", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["assignment.id"]),
        sa.PrimaryKeyConstraint("assignment"),
    )
    op.create_index("ix_sheet_mark", "sheet", ["mark"], unique=False)
    names = ("id", "assignment", "revision", "click", "kind", "metric", "score")
    at, content = sa.column("at", sa.DateTime(timezone=True)), sa.column("content", sa.JSON())
    mark = sa.table("mark", *map(sa.column, names), at, content)
    sheet = sa.table("sheet", *map(sa.column, ("assignment", "mark", "counts")), sa.column("content", sa.JSON()))
    sheets = TypeAdapter(Sheet)
    rows = connection.execute(sa.select(mark).order_by(mark.c.assignment, mark.c.revision)).mappings()
    for assignment, of_it in groupby(rows, key=lambda row: row["assignment"]):
        marks = list(of_it)
        folded = sheet_of(map(_entry, marks))
        values = {"mark": marks[-1]["id"], "counts": folded.counts, "content": sheets.dump_python(folded, mode="json")}
        connection.execute(sheet.insert().values(assignment=assignment, **values))


def _entry(row: sa.RowMapping) -> Entry:
    kind, score = row["kind"], row["score"]
    unsaid = {"skip": {"reason": None}, "guess": {"model": None}}.get(kind, {})
    said = {**unsaid, "kind": kind, **(row["content"] or {})}
    if row["metric"] is not None:
        said["metric"] = row["metric"]
    if kind == "score":
        said["score"] = int(score) if score is not None and score % 1 == 0 else score
    at = row["at"]
    moment = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
    return Entry(UUID(row["click"]), row["revision"], moment, mark_adapter.validate_python(said))


def _part_items(connection: sa.Connection) -> None:
    with op.batch_alter_table("rating") as batch:
        for name in _COLUMNS:
            batch.add_column(sa.Column(name, sa.String(), nullable=True))
        batch.add_column(sa.Column("variation", sa.String(), nullable=True))
    tried = _RATING.c.kind == "experiment"
    for rater in connection.scalars(sa.select(_RATING.c.rater).where(tried).distinct()).all():
        judge, _, variation = rater.partition(_TRIED)
        connection.execute(
            _RATING.update().where(tried, _RATING.c.rater == rater).values(rater=judge, variation=variation)
        )
    for label in connection.scalars(sa.select(_RATING.c.item).distinct()).all():
        connection.execute(_RATING.update().where(_RATING.c.item == label).values(_columns(label)))
    op.drop_index("ix_rating_target", "rating")
    with op.batch_alter_table("rating") as batch:
        for name in _COLUMNS:
            batch.alter_column(name, existing_type=sa.String(), nullable=False)
        batch.drop_column("item")
    with op.batch_alter_table("rating") as batch:
        batch.add_column(sa.Column("item", sa.String(), sa.Computed(_LABEL, persisted=True), nullable=True))
    op.create_index("ix_rating_target", "rating", ["item", "metric", "rater"])
    rows = _taken("campaign_item", "item", *_OTHERS)
    _make_campaign_item(
        *(sa.Column(name, sa.String(), nullable=False) for name in _COLUMNS),
        sa.Column("item", sa.String(), sa.Computed(_LABEL, persisted=True), nullable=True),
        keys=("campaign", *_COLUMNS),
    )
    _fill("campaign_item", [{**_columns(row.pop("item")), **row} for row in rows])
    for row in connection.execute(sa.select(_ASSIGNMENT).where(_ASSIGNMENT.c.purpose != "rate")).all():
        key = row.item.removeprefix(_PRACTICE)
        connection.execute(_ASSIGNMENT.update().where(_ASSIGNMENT.c.id == row.id).values(item=key))
    _rewrite_extensions(down=False)
    judges = _taken("judge", "name", *_VERSION)
    _make_judge(sa.Column("subject", sa.String(), nullable=False), keys=("name", "subject"))
    parted = [(row.pop("name").partition("\t"), row) for row in judges]
    _fill("judge", [{"name": name, "subject": of or "character", **row} for (name, _, of), row in parted])


def _join_items(connection: sa.Connection) -> None:
    tried = _RATING.update().where(_RATING.c.variation.is_not(None))
    connection.execute(tried.values(rater=_RATING.c.rater + sa.literal(_TRIED) + _RATING.c.variation))
    op.drop_index("ix_rating_target", "rating")
    with op.batch_alter_table("rating") as batch:
        batch.drop_column("item")
    with op.batch_alter_table("rating") as batch:
        batch.add_column(sa.Column("item", sa.String(), nullable=True))
    connection.execute(_RATING.update().values(item=sa.text(_LABEL)))
    with op.batch_alter_table("rating") as batch:
        batch.alter_column("item", existing_type=sa.String(), nullable=False)
        for name in (*_COLUMNS, "variation"):
            batch.drop_column(name)
    op.create_index("ix_rating_target", "rating", ["item", "metric", "rater"])
    rows = _taken("campaign_item", "item", *_OTHERS)
    _make_campaign_item(sa.Column("item", sa.String(), nullable=False), keys=("campaign", "item"))
    _fill("campaign_item", rows)
    practised = _ASSIGNMENT.update().where(_ASSIGNMENT.c.purpose != "rate")
    connection.execute(practised.values(item=sa.literal(_PRACTICE) + _ASSIGNMENT.c.item))
    _rewrite_extensions(down=True)
    judges = _taken("judge", "name", "subject", *_VERSION)
    _make_judge(keys=("name",))
    parted = [(row.pop("name"), row.pop("subject"), row) for row in judges]
    named = [(name if of == "character" else f"{name}\t{of}", row) for name, of, row in parted]
    _fill("judge", [{"name": name, **row} for name, row in named])


def _columns(label: str) -> dict[str, str]:
    """The columns of what was stored under one text."""
    if label.startswith("scene/"):
        return dict(zip(_COLUMNS, ("scene", label.removeprefix("scene/"), ""), strict=True))
    if label.endswith("/narrator"):
        return dict(zip(_COLUMNS, ("narrator", label.removesuffix("/narrator"), ""), strict=True))
    owner, _, slug = label.partition(":")
    return dict(zip(_COLUMNS, ("character", owner, slug), strict=True))


def _part_tasks() -> None:
    rows = _taken("sweep_failure", "sweep", "task", *_FAILED)
    _make_sweep_failure("story_id", "judge")
    parted = [(row.pop("task").partition("/"), row) for row in rows]
    _fill("sweep_failure", [{"story_id": story, "judge": judge, **row} for (story, _, judge), row in parted])


def _join_tasks() -> None:
    rows = _taken("sweep_failure", "sweep", "story_id", "judge", *_FAILED)
    _make_sweep_failure("task")
    parted = [(row.pop("story_id"), row.pop("judge"), row) for row in rows]
    joined = [(f"{story}/{judge}" if judge else story, row) for story, judge, row in parted]
    _fill("sweep_failure", [{"task": task, **row} for task, row in joined])


def _taken(name: str, *columns: str) -> list[dict[str, Any]]:
    """The rows of a table; the table is gone afterwards."""
    rows = op.get_bind().execute(sa.select(*map(_column, columns)).select_from(sa.table(name))).mappings()
    taken = [dict(row) for row in rows]
    op.drop_table(name)
    return taken


def _make_judge(*more: sa.Column[str], keys: tuple[str, ...]) -> None:
    op.create_table(
        "judge",
        sa.Column("name", sa.String(), nullable=False),
        *more,
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(*keys, "version"),
        sa.UniqueConstraint(*keys, "digest"),
        sqlite_with_rowid=False,
    )


def _make_sweep_failure(*task: str) -> None:
    op.create_table(
        "sweep_failure",
        sa.Column("sweep", sa.String(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in task),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["sweep"], ["sweep.name"]),
        sa.PrimaryKeyConstraint("sweep", *task),
        sqlite_with_rowid=False,
    )


def _make_campaign_item(*identity: sa.Column[str], keys: tuple[str, ...]) -> None:
    op.create_table(
        "campaign_item",
        sa.Column("campaign", sa.String(), nullable=False),
        *identity,
        sa.Column("story_id", sa.String(), nullable=True),
        sa.Column("character", sa.String(), nullable=True),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaign.id"]),
        sa.ForeignKeyConstraint(["story_id"], ["story.id"]),
        sa.PrimaryKeyConstraint(*keys),
        *([sa.UniqueConstraint("campaign", "item")] if len(keys) > 2 else []),
    )


def _column(name: str) -> sa.ColumnClause[Any]:
    return sa.column(name, sa.JSON()) if name == "content" else sa.column(name)


def _fill(table: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        op.bulk_insert(sa.table(table, *map(_column, rows[0])), rows)


def _rewrite_extensions(*, down: bool) -> None:
    """The items of what somebody is about to extend a campaign by."""
    connection = op.get_bind()
    for row in connection.execute(sa.select(_EXTENSION)).all():
        for draft in row.content.values():
            for item in draft["items"]:
                if down:
                    item["item"] = _label(**item.pop("identity"))
                else:
                    kind, owner, slug = _columns(item.pop("item")).values()
                    item["identity"] = {"kind": kind, "owner": owner, "slug": slug}
        here = (_EXTENSION.c.campaign == row.campaign) & (_EXTENSION.c.account == row.account)
        connection.execute(_EXTENSION.update().where(here).values(content=row.content))


def _label(kind: str, owner: str, slug: str) -> str:
    known = {"scene": f"scene/{owner}", "narrator": f"{owner}/narrator"}
    return known.get(kind) or (f"{owner}:{slug}" if slug else owner)
