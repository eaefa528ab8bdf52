"""Replies name the account of the one who wrote them, and accounts say whether models may be trained on that."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("reply", "crafting_reply"):
        op.add_column(table, sa.Column("person", sa.String(), nullable=True))
    op.add_column("account", sa.Column("lends_writing", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("account", "lends_writing")
    for table in ("crafting_reply", "reply"):
        op.drop_column(table, "person")
