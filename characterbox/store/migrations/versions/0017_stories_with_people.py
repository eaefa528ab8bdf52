"""Stories in which people play, or wrote a reply, are found without reading all stories and replies"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, table, column, where in (
        ("ix_story_with_people", "story", "id", sa.text("CAST(people AS TEXT) != '[]'")),
        ("ix_reply_by_person", "reply", "story_id", sa.text("author != 'model'")),
    ):
        op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_index("ix_reply_by_person", "reply")
    op.drop_index("ix_story_with_people", "story")
