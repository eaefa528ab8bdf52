"""Scenes as items of campaigns, in which experts score them; what people scored outside of them was not blind"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "rated_scene",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("campaign_item") as items:
        items.alter_column("story_id", existing_type=sa.String(), nullable=True)
    rating = sa.table("scene_rating", sa.column("kind"))
    op.execute(sa.delete(rating).where(rating.c.kind == "expert"))
    with op.batch_alter_table("scene_rating") as ratings:
        ratings.drop_column("kind")


def downgrade() -> None:
    """Raises RuntimeError where a campaign has scenes of the library rated: earlier versions have no place for them."""
    item = sa.table("campaign_item", sa.column("story_id"))
    if op.get_bind().scalar(sa.select(sa.func.count()).select_from(item).where(item.c.story_id.is_(None))):
        raise RuntimeError("earlier versions have no place for scenes in campaigns; keep a copy of the database")
    with op.batch_alter_table("scene_rating") as ratings:
        ratings.add_column(sa.Column("kind", sa.String(), nullable=False, server_default="judge"))
    with op.batch_alter_table("scene_rating") as ratings:
        ratings.alter_column("kind", existing_type=sa.String(), server_default=None)
    with op.batch_alter_table("campaign_item") as items:
        items.alter_column("story_id", existing_type=sa.String(), nullable=False)
    op.drop_table("rated_scene")
