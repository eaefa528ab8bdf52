"""What was made as a sample is noted, and a sample dataset can be removed."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

REFUSAL = "datasets are only added to"
KEYS = {"dataset": "id", "dataset_content": "dataset"}
"""The tables of datasets, and the column that holds a dataset's id."""


def upgrade() -> None:
    op.create_table(
        "sample",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    if op.get_bind().dialect.name == "postgresql":
        for table, key in KEYS.items():
            op.execute(f"DROP TRIGGER {table}_kept ON {table}")
            op.execute(
                f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR TRUNCATE ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION dataset_refuse()"
            )
            op.execute(
                f"CREATE FUNCTION {table}_remove() RETURNS trigger LANGUAGE plpgsql AS"  # nosec B608 # names of this file
                f" $$ BEGIN IF EXISTS (SELECT 1 FROM sample WHERE id = OLD.{key}) THEN RETURN OLD; END IF;"
                f" RAISE EXCEPTION '{REFUSAL}'; END $$"
            )
            op.execute(
                f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_remove()"
            )
    else:
        for table, key in KEYS.items():
            op.execute(f"DROP TRIGGER {table}_delete")
            op.execute(
                f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table}"  # nosec B608 # names of this file
                f" WHEN NOT EXISTS (SELECT 1 FROM sample WHERE id = OLD.{key})"
                f" BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table in KEYS:
            op.execute(f"DROP TRIGGER {table}_delete ON {table}")
            op.execute(f"DROP FUNCTION {table}_remove()")
            op.execute(f"DROP TRIGGER {table}_kept ON {table}")
            op.execute(
                f"CREATE TRIGGER {table}_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION dataset_refuse()"
            )
    else:
        for table in KEYS:
            op.execute(f"DROP TRIGGER {table}_delete")
            op.execute(
                f"CREATE TRIGGER {table}_delete BEFORE DELETE ON {table} BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            )
    op.drop_table("sample")
