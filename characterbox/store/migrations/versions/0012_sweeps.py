"""Sweeps: which stories belong to one, and what could not be done"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "sweep",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("launched_from", sa.String(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sweep_story",
        sa.Column("sweep", sa.String(), sa.ForeignKey("sweep.name"), nullable=False),
        sa.Column("story_id", sa.String(), sa.ForeignKey("story.id"), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sweep", "story_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sweep_failure",
        sa.Column("sweep", sa.String(), sa.ForeignKey("sweep.name"), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", moment, nullable=False),
        sa.PrimaryKeyConstraint("sweep", "task"),
        sqlite_with_rowid=False,
    )
