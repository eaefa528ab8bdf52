"""Roles are kept, each with all its versions."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "role_chain",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("newest", sa.Integer(), nullable=False),
        sa.Column("away_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "role_version",
        sa.Column("chain", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("heading", sa.JSON(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["chain"], ["role_chain.id"]),
        sa.PrimaryKeyConstraint("chain", "version"),
    )
    op.create_index(op.f("ix_role_version_key"), "role_version", ["key"], unique=False)
    op.create_index(op.f("ix_role_version_role"), "role_version", ["role"], unique=False)


def downgrade() -> None:
    op.drop_table("role_version")
    op.drop_table("role_chain")
