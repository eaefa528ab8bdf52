"""A key is sent only where an admin entered it; without accounts, whoever named it for a server was one"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from characterbox.llm.address import origin

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_BY = "whoever sits at this computer"


def upgrade() -> None:
    binding = op.create_table(
        "key_binding",
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("bound_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bound_by", sa.String(), nullable=True),
        sa.Column("bound_by_name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("origin", "key"),
    )
    connection = op.get_bind()
    account, server = sa.table("account"), sa.table("server", sa.column("url"), sa.column("content", sa.JSON))
    if connection.scalar(sa.select(sa.func.count()).select_from(account)):
        return  # a researcher may have named it: an admin confirms it on the Models page
    named = {
        (origin(url), content["key"])
        for url, content in connection.execute(sa.select(server.c.url, server.c.content))
        if isinstance(content, dict) and isinstance(content.get("key"), str)
    }
    now = datetime.now(UTC)
    rows = [{"origin": at, "key": key, "bound_at": now, "bound_by_name": _BY} for at, key in sorted(named)]
    if rows:
        op.bulk_insert(binding, rows)


def downgrade() -> None:
    op.drop_table("key_binding")
