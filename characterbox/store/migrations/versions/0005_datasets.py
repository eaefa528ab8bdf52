"""Datasets: tables of ratings from elsewhere"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "dataset",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("rubric", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("ratings", sa.Integer(), nullable=False),
        sa.Column("added_by", sa.String(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "dataset_rating",
        sa.Column("id", number, nullable=False),
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("item", sa.Text(), nullable=False),
        sa.Column("scene", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=True),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("rater", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["dataset"], ["dataset.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_dataset_rating_dataset", "dataset_rating", ["dataset"])
    for table in ("dataset", "dataset_rating"):
        _only_added_to(table, op.get_bind().dialect.name)


def _only_added_to(table: str, dialect: str) -> None:
    refusal = "datasets are only added to"
    if dialect == "postgresql":
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


def downgrade() -> None:
    raise RuntimeError("earlier versions have no place for datasets; keep a copy of the database")
