"""How each assignment with marks stands, as a row beside its marks"""

import sqlalchemy as sa
from alembic import op

from characterbox.store.campaigns.marks import fold_all

revision = "0023_sheets"
down_revision = "0023_reasons"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sheet",
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("mark", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["assignment"], ["assignment.id"]),
        sa.PrimaryKeyConstraint("assignment"),
    )
    op.create_index("ix_sheet_mark", "sheet", ["mark"], unique=False)
    fold_all(op.get_bind())


def downgrade() -> None:
    op.drop_table("sheet")
