"""Scenes that are rated go by what they say, whichever story they were judged for, and by whoever made them"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
from alembic import op
from pydantic import ValidationError

from characterbox.scenes.scene import Scene
from characterbox.store.ratings import maker_of, scene_name
from characterbox.store.scene_ratings import key_of

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

SCENE = "scene/"
"""What the names of items begin with that are scenes."""
FEW = 200
"""Scenes that are in memory at once."""
Named = dict[str, str]
"""What rows are to say of a scene: its item, and the model whose work it is."""


def _table(name: str, *columns: str, content: str | None = None) -> sa.TableClause:
    held = [] if content is None else [sa.column(content, sa.JSON())]
    return sa.table(name, *(sa.column(column, sa.String()) for column in columns), *held)


STORY = _table("story", "id", content="script")
KEPT = _table("rated_scene", "key", content="content")
RATING = _table("rating", "item", "story_id", "model")
ITEM = _table("campaign_item", "campaign", "item", "story_id", "model")
ASSIGNMENT, VERDICT = (_table(name, "campaign", "item") for name in ("assignment", "verdict"))
EXTENSION = _table("extension", "campaign", "account", content="content")


def upgrade() -> None:
    _rename(lambda scene: {"item": SCENE + key_of(scene), "model": maker_of(scene)})


def downgrade() -> None:
    """Earlier versions name by what it says only what was crafted. Whose work it is stays as it is told now."""

    def named(scene: Scene) -> Named:
        return {"item": SCENE + (scene_name(scene) if scene.crafted is None else key_of(scene))}

    _rename(named)


def _rename(named: Callable[[Scene], Named]) -> None:
    """What can't be read any more keeps its name, and so does what would meet another item of its campaign."""
    connection = op.get_bind()
    extensions = connection.execute(sa.select(EXTENSION)).all()
    by_story = _by_story(connection, {one["story_id"] for row in extensions for one in _items_in(row.content)}, named)
    by_key = {SCENE + key: {**names, "item": SCENE + key} for key, names in _by_key(connection, named)}
    for story, names in by_story.items():
        scenes = RATING.c.item.startswith(SCENE) & (RATING.c.story_id == story)
        connection.execute(sa.update(RATING).where(scenes).values(names))

    def new(item: str, story: str | None) -> Named:
        return by_key.get(item, {}) if story is None else by_story.get(story, {})

    with _verdicts_may_change(connection):
        stay = {
            (campaign, name)
            for campaign in connection.scalars(sa.select(ITEM.c.campaign).distinct()).all()
            for name in _rename_items(connection, campaign, new)
        }
    for row in extensions:
        same = {name for campaign, name in stay if campaign == row.campaign}
        content = {name: _renamed(draft, new, same) for name, draft in row.content.items()}
        where = (EXTENSION.c.campaign == row.campaign) & (EXTENSION.c.account == row.account)
        connection.execute(sa.update(EXTENSION).where(where).values(content=content))


def _by_story(connection: sa.Connection, others: set[str | None], named: Callable[[Scene], Named]) -> dict[str, Named]:
    """What is said of the scenes of stories that were rated, by the story."""
    rated = (
        sa.select(table.c.story_id).where(table.c.item.startswith(SCENE), table.c.story_id.is_not(None))
        for table in (RATING, ITEM)
    )
    ids = sorted({*connection.scalars(sa.union(*rated)), *others} - {None})
    found = {}
    for start in range(0, len(ids), FEW):
        query = sa.select(STORY).where(STORY.c.id.in_(ids[start : start + FEW]))
        for id, script in connection.execute(query).all():
            scene = _scene(script.get("scene") if isinstance(script, dict) else None)
            if scene is not None:
                found[id] = named(scene)
    return found


def _by_key(connection: sa.Connection, named: Callable[[Scene], Named]) -> Iterator[tuple[str, Named]]:
    """What is said of the scenes of the library that are kept to be rated, by their keys."""
    keys = connection.scalars(sa.select(KEPT.c.key)).all()
    for start in range(0, len(keys), FEW):
        query = sa.select(KEPT).where(KEPT.c.key.in_(keys[start : start + FEW]))
        for key, content in connection.execute(query).all():
            scene = _scene(content)
            if scene is not None:
                yield key, named(scene)


def _scene(content: Any) -> Scene | None:
    try:
        return Scene.model_validate(content)
    except ValidationError:
        return None


def _rename_items(connection: sa.Connection, campaign: str, new: Callable[[str, str | None], Named]) -> set[str]:
    """Rename the scenes of a campaign with all that refers to them; gives the names of those that stay."""
    here = sa.select(ITEM.c.item, ITEM.c.story_id).where(ITEM.c.campaign == campaign, ITEM.c.item.startswith(SCENE))
    items = connection.execute(here.order_by(ITEM.c.item)).all()
    taken, stay = {row.item for row in items}, set()
    for item, story in items:
        names = new(item, story)
        name = names.get("item", item)
        if name == item or name in taken:
            names, name = {**names, "item": item}, item
            stay.add(item)
        taken.add(name)
        own = (ITEM.c.campaign == campaign) & (ITEM.c.item == item)
        connection.execute(sa.update(ITEM).where(own).values(names))
        for table in (ASSIGNMENT, VERDICT):
            of_it = (table.c.campaign == campaign) & (table.c.item == item)
            connection.execute(sa.update(table).where(of_it).values(item=name))
    return stay


def _items_in(content: dict[str, Any]) -> Iterable[dict[str, Any]]:
    drafts = (draft for draft in content.values() if isinstance(draft, dict))
    return [item for draft in drafts for item in draft.get("items", ()) if item["item"].startswith(SCENE)]


def _renamed(draft: Any, new: Callable[[str, str | None], Named], stay: set[str]) -> Any:
    """What a campaign is, or is to be, as somebody who extends it keeps it, with its items in their order."""
    if not isinstance(draft, dict) or "items" not in draft:
        return draft
    taken, items = {item["item"] for item in draft["items"]}, []
    for item in draft["items"]:
        before = item["item"]
        names = new(before, item["story_id"]) if before.startswith(SCENE) else {}
        name = names.get("item", before)
        if before in stay or (name != before and name in taken):
            names = {**names, "item": before}
        items.append({**item, **names})
        taken.add(items[-1]["item"])
    return {**draft, "items": sorted(items, key=lambda item: str(item["item"]))}


@contextmanager
def _verdicts_may_change(connection: sa.Connection) -> Iterator[None]:
    """Verdicts are only added to, but for the names of what they are about, here."""
    if connection.dialect.name == "postgresql":
        op.execute("ALTER TABLE verdict DISABLE TRIGGER verdict_kept")
        yield
        op.execute("ALTER TABLE verdict ENABLE TRIGGER verdict_kept")
        return
    guard = sa.text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = 'verdict_update'")
    refusing = connection.scalar(guard)
    op.execute("DROP TRIGGER verdict_update")
    yield
    op.execute(str(refusing))
