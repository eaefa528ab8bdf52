"""Scenes have versions: what was stored becomes the first of a chain of its own"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
FEW = 200
"""Scenes that are in memory at once."""


def upgrade() -> None:
    op.create_table(
        "scene_chain",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("newest", sa.Integer(), nullable=False),
        sa.Column("away_since", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "scene_version",
        sa.Column("chain", sa.String(), sa.ForeignKey("scene_chain.id"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("pair", sa.String(), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("chain", "version"),
    )
    for column in ("key", "scene"):
        op.create_index(f"ix_scene_version_{column}", "scene_version", [column])
    _take_over(op.get_bind())
    op.drop_table("scene")


def downgrade() -> None:
    """Only what earlier versions have a place for goes back: raises RuntimeError where a scene has a history."""
    connection = op.get_bind()
    chain, version = _tables(connection, "scene_chain", "scene_version")
    history = sa.or_(chain.c.newest > 1, chain.c.away_since.is_not(None))
    if connection.scalar(sa.select(sa.func.count()).select_from(chain).where(history)):
        raise RuntimeError("earlier versions have no place for versions of scenes; keep a copy of the database")
    op.create_table(
        "scene",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    names = ("key", "title", "work", "language", "content", "created_at")
    kept = sa.select(*(version.c[name] for name in names))
    (scene,) = _tables(connection, "scene")
    connection.execute(sa.insert(scene).from_select(names, kept))
    for column in ("key", "scene"):
        op.drop_index(f"ix_scene_version_{column}", "scene_version")
    op.drop_table("scene_version")
    op.drop_table("scene_chain")


def _take_over(connection: sa.Connection) -> None:
    scene, chain, version = _tables(connection, "scene", "scene_chain", "scene_version")
    keys = connection.scalars(sa.select(scene.c.key).order_by(scene.c.created_at, scene.c.key)).all()
    for start in range(0, len(keys), FEW):
        for row in connection.execute(sa.select(scene).where(scene.c.key.in_(keys[start : start + FEW]))).all():
            made = {"id": row.key[:12], "newest": 1, "created_at": row.created_at}
            connection.execute(sa.insert(chain).values(made))
            connection.execute(sa.insert(version).values(_first(row)))


def _first(row: Any) -> dict[str, Any]:
    content = row.content if isinstance(row.content, dict) else {}
    same = {name: getattr(row, name) for name in ("key", "title", "work", "language", "content", "created_at")}
    return {
        **same,
        "chain": row.key[:12],
        "version": 1,
        "scene": str(content.get("id", "")),
        "origin": str(content.get("origin", "")),
        "characters": len(content.get("cast") or ()),
        "pair": content.get("pair"),
        "words": "\n".join(_texts(content)).casefold(),
        "made_by": None,
    }


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    if isinstance(content, list):
        return [text for part in content for text in _texts(part)]
    if isinstance(content, dict):
        passed = ("language", "origin", "crafted")
        return [text for name, part in content.items() if name not in passed for text in _texts(part)]
    return []


def _tables(connection: sa.Connection, *names: str) -> list[sa.Table]:
    metadata = sa.MetaData()
    metadata.reflect(connection, only=names)
    return [metadata.tables[name] for name in names]
