"""What campaigns are to be extended by, while it is being put together"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "extension",
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign"], ["campaign.id"]),
        sa.PrimaryKeyConstraint("campaign", "account"),
    )
