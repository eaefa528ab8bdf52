"""The scenes that users imported or wrote, each with all its versions."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, Select, or_, select

from annotations.i18n.messages import cited
from characterbox.accounts.account import Account
from characterbox.errors import SceneError
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import Heading, asked_words, fingerprint, words_of
from characterbox.store.accounts.audit_log import record
from characterbox.store.stories.story import STORY
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import SceneRow, SceneVersionRow
from characterbox.store.versions import Version, VersionStore
from characterbox.store.writer import Writer

_CHAIN, _VERSION = table_of(SceneRow), table_of(SceneVersionRow)
_NEWEST = (_VERSION.c.chain == _CHAIN.c.id) & (_VERSION.c.version == _CHAIN.c.newest)
_ABOUT = ("title", "work", "language", "origin", "characters", "pair")


class SceneStore(VersionStore[Scene]):
    """Keeps scenes. Stories hold a copy of their scene, so that nothing here changes what was played."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        super().__init__(engine, writer, _CHAIN, _VERSION, _VERSION.c.scene)

    def all(self) -> list[Scene]:
        """The newest version of every scene that is not put away, in the order in which the scenes came."""
        query = select(_VERSION.c.content).join(_CHAIN, _NEWEST).where(_CHAIN.c.away_since.is_(None))
        with self._engine.connect() as connection:
            contents = connection.scalars(query.order_by(_CHAIN.c.created_at, _CHAIN.c.id))
            return [Scene.model_validate(content) for content in contents]

    def headings(self) -> list[Heading]:
        """The headings of all scenes, those that are put away too, in the order in which they came."""
        return self._headings(_headings().order_by(_CHAIN.c.created_at, _CHAIN.c.id))

    def named(self, words: Iterable[str], most: int) -> list[Heading]:
        """The headings of the newest scenes in use in whose title, work or id all words stand."""
        called = [_VERSION.c[name] for name in ("title", "work", "scene")]
        said = [or_(*(column.icontains(word, autoescape=True) for column in called)) for word in words]
        query = _headings().where(_CHAIN.c.away_since.is_(None), *said)
        return self._headings(query.order_by(_CHAIN.c.created_at.desc(), _CHAIN.c.id).limit(most))

    def _headings(self, query: Select[Any]) -> list[Heading]:
        with self._engine.connect() as connection:
            return [Heading(*row) for row in connection.execute(query)]

    def saying(self, text: str) -> set[str]:
        """The chains in whose newest versions all words of the text stand somewhere."""
        said = [_VERSION.c.words.contains(word, autoescape=True) for word in asked_words(text)]
        query = select(_CHAIN.c.id).join(_VERSION, _NEWEST).where(*said)
        with self._engine.connect() as connection:
            return {*connection.scalars(query)}

    def newest(self, chains: Collection[str]) -> dict[str, Scene]:
        """The newest versions of these chains, by chain."""
        query = select(_CHAIN.c.id, _VERSION.c.content).join(_VERSION, _NEWEST).where(_CHAIN.c.id.in_(chains))
        with self._engine.connect() as connection:
            return {id: Scene.model_validate(content) for id, content in connection.execute(query)}

    def played(self, scene_id: str) -> dict[str, list[str]]:
        """The stories that were launched from scenes with this id, by the fingerprint of their scene, newest first."""
        query = select(STORY.c.id, STORY.c.script["scene"]).where(STORY.c.scene == scene_id)
        stories: dict[str, list[str]] = {}
        prints: dict[str, str] = {}
        with self._engine.connect() as connection:
            for id, content in connection.execute(query.order_by(STORY.c.created_at.desc())):
                same = repr(content)
                if same not in prints:
                    prints[same] = fingerprint(Scene.model_validate(content))
                stories.setdefault(prints[same], []).append(id)
        return stories

    def _key(self, content: Scene) -> str:
        return fingerprint(content)

    def _row(self, content: Scene) -> Mapping[str, Any]:
        told = content.model_dump(mode="json")
        about = {name: told.get(name) for name in ("title", "work", "language", "origin", "pair")}
        return {**about, "scene": content.id, "characters": len(content.cast), "words": words_of(told), "content": told}

    def _read(self, content: Any) -> Scene:
        return Scene.model_validate(content)

    def _missing(self, chain: str, version: int | None) -> SceneError:
        if version is None:
            return SceneError("there is no scene {chain!r} in the database", chain=cited(chain))
        return SceneError("scene {chain!r} has no version {version}", chain=cited(chain), version=version)

    def _refused(self, before: Version[Scene], after: int) -> SceneError:
        if before.version == after:
            return SceneError("the scene id {id!r} cannot be changed; create a new scene instead", id=before.content.id)
        told = {"newest": before.version, "after": after}
        return SceneError(
            "version {newest} was saved in the meantime; your changes are based on version {after}", **told
        )

    def _log(self, connection: Connection, actor: Account, chain: str, *, away: bool) -> None:
        if away:
            record(connection, actor, "scene.deleted", chain, {})
        else:
            record(connection, actor, "scene.restored", chain, {})


def _headings() -> Select[Any]:
    about = [_VERSION.c[name] for name in _ABOUT]
    place = (_CHAIN.c.id, _VERSION.c.version, _VERSION.c.scene)
    query = select(*place, *about, _VERSION.c.created_at, _CHAIN.c.away_since.is_not(None))
    return query.join(_CHAIN, _NEWEST)
