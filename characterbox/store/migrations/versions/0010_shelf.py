"""What stories are found by: scene, work and models in columns of their own, labels, tags; and votes on pairs of them"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("story", sa.Column("scene", sa.String(), nullable=False, server_default=""))
    op.add_column("story", sa.Column("work", sa.String(), nullable=False, server_default=""))
    op.add_column("story", sa.Column("models", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("story", sa.Column("label", sa.Text(), nullable=True))
    _fill(op.get_bind())
    op.create_index("ix_story_created_at", "story", ["created_at"])
    op.create_table(
        "tag",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("tag", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["story_id"], ["story.id"]),
        sa.PrimaryKeyConstraint("story_id", "tag"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("one", sa.String(), nullable=False),
        sa.Column("other", sa.String(), nullable=False),
        sa.Column("better", sa.String(), nullable=True),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=True),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["one"], ["story.id"]),
        sa.ForeignKeyConstraint(["other"], ["story.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_vote_pair", "vote", ["one", "other"])


def _fill(connection: sa.Connection) -> None:
    """Some stories at a time, so that all of their scripts are never in memory at once."""
    tables = sa.MetaData()
    tables.reflect(connection, only=["story"])
    story = tables.tables["story"]
    ids = connection.scalars(sa.select(story.c.id)).all()
    for start in range(0, len(ids), 200):
        query = sa.select(story.c.id, story.c.script, story.c.casting).where(story.c.id.in_(ids[start : start + 200]))
        for id, script, casting in connection.execute(query).all():
            scene = script.get("scene", {}) if isinstance(script, dict) else {}
            values = {"scene": scene.get("id", ""), "work": scene.get("work", ""), "models": _models(casting)}
            connection.execute(sa.update(story).where(story.c.id == id).values(**values))


def _models(casting: Any) -> list[str]:
    """The models of a casting; none of one that can't be read."""
    try:
        endpoints = [casting["narrator"], *casting["characters"].values()]
        return sorted({endpoint["model"] for endpoint in endpoints})
    except (TypeError, KeyError, AttributeError):
        return []
