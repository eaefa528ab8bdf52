"""Reasons are codes with values, not sentences"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

from characterbox.pause_reasons import Reason, stored
from characterbox.legacy_reasons import read_sentence, reread

revision = "0023_reasons"
down_revision = "0022"
branch_labels = None
depends_on = None

_COLUMNS = {
    "story": ("id",),
    "sweep": ("name",),
    "sweep_failure": ("sweep", "task"),
    "crafting": ("id",),
    "rating": ("id",),
    "scene_rating": ("id",),
}
"""The tables with a column for a reason, and the key of each."""


def upgrade() -> None:
    _rewrite(lambda told: stored(read_sentence(told)), lambda told: read_sentence(told).as_json())


def downgrade() -> None:
    _rewrite(lambda told: str(reread(told)), lambda told: str(Reason.read(told)))


def _rewrite(column: Callable[[str], str], event: Callable[[Any], object]) -> None:
    connection = op.get_bind()
    for name, key in _COLUMNS.items():
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
