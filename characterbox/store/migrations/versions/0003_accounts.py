"""Accounts, invitations, sessions, and the log of changes that is only added to"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

REFUSAL = "the audit log is only added to"


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password", sa.String(), nullable=True),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("issuer", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
        sa.UniqueConstraint("email"),
        sa.UniqueConstraint("issuer", "subject"),
    )
    op.create_table(
        "invitation",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"]),
        sa.ForeignKeyConstraint(["made_by"], ["account.id"]),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_table(
        "session",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"]),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    for table in ("invitation", "session"):
        op.create_index(f"ix_{table}_account", table, ["account"], unique=False)
    op.create_table(
        "throttle",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "secret",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(), nullable=True),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["actor"], ["account.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    if op.get_bind().dialect.name == "postgresql":
        _only_add_on_postgresql()
    else:
        _only_add_on_sqlite()


def _only_add_on_sqlite() -> None:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
    for act in ("update", "delete"):
        op.execute(f"CREATE TRIGGER audit_{act} BEFORE {act.upper()} ON audit {refuse}")
    # INSERT OR REPLACE deletes the row that is in the way, and no trigger for deletions is asked.
    there = "WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)"
    op.execute(f"CREATE TRIGGER audit_replace BEFORE INSERT ON audit {there} {refuse}")


def _only_add_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit"
        " FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()"
    )


def downgrade() -> None:
    raise RuntimeError("earlier versions have no place for accounts; keep a copy of the database")
