"""The log of changes has network addresses, and old entries may be taken out of it where that is announced"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

REFUSAL = "the audit log is only added to"


def upgrade() -> None:
    op.add_column("audit", sa.Column("address", sa.String(), nullable=True))
    op.create_table(
        "audit_pruning",
        sa.Column("before", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("before"),
    )
    if op.get_bind().dialect.name == "postgresql":
        _let_prune_on_postgresql()
    else:
        _let_prune_on_sqlite()


def _let_prune_on_sqlite() -> None:
    op.execute("DROP TRIGGER audit_delete")
    op.execute(
        "CREATE TRIGGER audit_delete BEFORE DELETE ON audit"  # nosec B608 # names of this file
        " WHEN NOT EXISTS (SELECT 1 FROM audit_pruning WHERE OLD.at < before)"
        f" BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    )


def _let_prune_on_postgresql() -> None:
    op.execute("DROP TRIGGER audit_kept ON audit")
    op.execute(
        "CREATE TRIGGER audit_kept BEFORE UPDATE OR TRUNCATE ON audit"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()"
    )
    op.execute(
        "CREATE FUNCTION audit_prune() RETURNS trigger LANGUAGE plpgsql AS"  # nosec B608 # names of this file
        " $$ BEGIN IF EXISTS (SELECT 1 FROM audit_pruning WHERE OLD.at < before) THEN RETURN OLD; END IF;"
        f" RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_delete BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_prune()"
    )


def downgrade() -> None:
    connection = op.get_bind()
    if connection.scalar(sa.text("SELECT COUNT(*) FROM audit WHERE address IS NOT NULL")):
        raise RuntimeError("earlier versions have no place for the addresses in the log; keep a copy of the database")
    if connection.dialect.name == "postgresql":
        op.execute("DROP TRIGGER audit_delete ON audit")
        op.execute("DROP FUNCTION audit_prune()")
        op.execute("DROP TRIGGER audit_kept ON audit")
        op.execute(
            "CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit"
            " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()"
        )
    else:
        op.execute("DROP TRIGGER audit_delete")
        op.execute(
            f"CREATE TRIGGER audit_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
        )
    op.drop_table("audit_pruning")
    op.drop_column("audit", "address")
