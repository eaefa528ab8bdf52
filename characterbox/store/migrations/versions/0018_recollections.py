"""What an agent was told to remember is stored with its reply; for older replies it is found out when it is looked at"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("reply", "crafting_reply"):  # journals have the same columns; only a story has something to remember
        op.add_column(table, sa.Column("memory", sa.Text(), nullable=True))


def downgrade() -> None:
    for table in ("reply", "crafting_reply"):  # what goes can be found out again
        op.drop_column(table, "memory")
