"""Craftings: scenes that models write, and their journal; scores of scenes"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TABLES = ("scene_rating", "crafting_reply", "crafting_call", "crafting", "source")
"""What is put up here; each refers to later ones only."""
KEPT = {"crafting": "craftings, whose replies were paid for", "scene_rating": "scores of scenes"}
"""The tables whose rows would be lost on the way back, and what that would be."""


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "source",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "crafting",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("source", sa.String(), sa.ForeignKey("source.digest"), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("launched_from", sa.String(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "crafting_call",
        sa.Column("crafting", sa.String(), sa.ForeignKey("crafting.id"), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("asked_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("crafting", "path", "take", "asked_at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "crafting_reply",
        sa.Column("crafting", sa.String(), sa.ForeignKey("crafting.id"), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("prompt", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("latency", sa.Float(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("cached_tokens", sa.Integer(), nullable=True),
        sa.Column("finish_reason", sa.String(), nullable=True),
        sa.Column("troubles", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("price", sa.Float(), nullable=True),
        sa.Column("dropped", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("crafting", "path", "take"),
    )
    op.create_table(
        "scene_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("improvised", sa.Boolean(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_scene_rating_target", "scene_rating", ["scene", "metric", "rater"])


def downgrade() -> None:
    """Earlier versions have no place for any of it: raises RuntimeError where something would be lost."""
    connection = op.get_bind()
    for name in KEPT:
        if connection.scalar(sa.select(sa.func.count()).select_from(sa.table(name))):
            raise RuntimeError(
                f"earlier versions have no place for {KEPT[name]}; "
                f"keep a copy of the database, then empty its tables {', '.join(TABLES)}, in this order"
            )
    op.drop_index("ix_scene_rating_target", "scene_rating")
    for table in TABLES:
        op.drop_table(table)
