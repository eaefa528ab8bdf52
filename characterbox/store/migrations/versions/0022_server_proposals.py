"""Servers that people propose, until an admin accepts or declines them"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "server_proposal",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("proposed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("proposed_by", sa.String(), nullable=True),
        sa.Column("proposed_by_name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_server_proposal_proposed_by", "server_proposal", ["proposed_by"], unique=False)


def downgrade() -> None:
    op.drop_table("server_proposal")
