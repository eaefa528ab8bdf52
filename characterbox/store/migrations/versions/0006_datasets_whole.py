"""The ratings of a dataset become one value; what is only added to is not replaced by any of its keys either"""

import sqlalchemy as sa
from alembic import op
from pandas import DataFrame

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

COLUMNS = ("item", "scene", "model", "language", "metric", "rater", "kind", "score", "reason")
REFUSAL = "datasets are only added to"
SAME_MARK = "assignment = NEW.assignment AND (revision = NEW.revision OR click = NEW.click)"


def upgrade() -> None:
    connection = op.get_bind()
    content = op.create_table(
        "dataset_content",
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("ratings", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["dataset"], ["dataset.id"]),
        sa.PrimaryKeyConstraint("dataset"),
    )
    _move_ratings(connection, content)
    op.drop_index("ix_dataset_rating_dataset", "dataset_rating")
    op.drop_table("dataset_rating")
    if connection.dialect.name == "postgresql":
        op.execute("DROP FUNCTION dataset_rating_refuse()")
        op.execute(
            "CREATE TRIGGER dataset_content_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON dataset_content"
            " FOR EACH STATEMENT EXECUTE FUNCTION dataset_refuse()"
        )
        return
    for act in ("update", "delete"):
        _refuse(f"dataset_content_{act}", f"{act.upper()} ON dataset_content", REFUSAL)
    _refuse_replacement("dataset_content", "dataset = NEW.dataset", REFUSAL)
    for table, same, refusal in (
        ("dataset", "id = NEW.id OR name = NEW.name", REFUSAL),
        ("mark", f"id = NEW.id OR ({SAME_MARK})", "marks are only added to"),
    ):
        op.execute(f"DROP TRIGGER {table}_replace")
        _refuse_replacement(table, same, refusal)


def _move_ratings(connection: sa.Connection, content: sa.Table) -> None:
    tables = sa.MetaData()
    tables.reflect(connection, only=["dataset_rating"])
    rating = tables.tables["dataset_rating"]
    for dataset in connection.scalars(sa.select(rating.c.dataset).distinct()).all():
        query = sa.select(*(rating.c[name] for name in COLUMNS)).where(rating.c.dataset == dataset)
        frame = DataFrame(connection.execute(query.order_by(rating.c.id)).all(), columns=list(COLUMNS))
        frame = frame.astype({name: float if name == "score" else "str" for name in COLUMNS})
        row = {"dataset": dataset, "ratings": frame.to_parquet(index=False, compression="zstd")}
        connection.execute(content.insert(), row)


def _refuse_replacement(table: str, same: str, refusal: str) -> None:
    """INSERT OR REPLACE deletes the row that is in the way, and no trigger for deletions is asked."""
    _refuse(f"{table}_replace", f"INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})", refusal)  # nosec B608 # names of this file


def _refuse(trigger: str, what: str, refusal: str) -> None:
    op.execute(f"CREATE TRIGGER {trigger} BEFORE {what} BEGIN SELECT RAISE(ABORT, '{refusal}'); END")


def downgrade() -> None:
    raise RuntimeError("earlier versions have no place for datasets that are one value; keep a copy of the database")
