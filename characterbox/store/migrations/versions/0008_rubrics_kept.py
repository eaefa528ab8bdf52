"""The bundled rubrics of campaigns that have started are kept, as those of later campaigns are when they start"""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

from annotations.rubric import bundled_rubrics, bundled_text, load_rubric

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

CAMPAIGN = sa.table("campaign", sa.column("settings", sa.JSON()), sa.column("status", sa.String()))
RUBRIC = sa.table(
    "rubric",
    *(sa.column(name, sa.String()) for name in ("name", "version", "text", "added_by")),
    sa.column("added_at", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    connection = op.get_bind()
    started = connection.scalars(sa.select(CAMPAIGN.c.settings).where(CAMPAIGN.c.status != "draft"))
    used = {(settings["rubric"], settings["rubric_version"]) for settings in started}
    kept = {(row.name, row.version) for row in connection.execute(sa.select(RUBRIC.c.name, RUBRIC.c.version))}
    at_hand = {(name, load_rubric(name).version) for name in bundled_rubrics()}
    for name, version in sorted((used & at_hand) - kept):
        row = {"name": name, "version": version, "text": bundled_text(name), "added_by": "CharacterBox"}
        connection.execute(RUBRIC.insert(), {**row, "added_at": datetime.now(UTC)})
