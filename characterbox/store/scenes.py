"""The scenes that users imported or wrote, each with all its versions."""

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, Select, insert, or_, select, update

from annotations.i18n.messages import cited
from characterbox.accounts.account import Account
from characterbox.errors import SceneError
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import Heading, asked_words, fingerprint, words_of
from characterbox.store.accounts.audit_log import record
from characterbox.store.stories.story import STORY
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.stories import SceneRow, SceneVersionRow
from characterbox.store.writer import Writer, in_turn

_CHAIN, _VERSION = table_of(SceneRow), table_of(SceneVersionRow)
_NEWEST = (_VERSION.c.chain == _CHAIN.c.id) & (_VERSION.c.version == _CHAIN.c.newest)
_ABOUT = ("title", "work", "language", "origin", "characters", "pair")
_MANY = 500
"""Fingerprints that are looked for at once."""


class SceneVersion(NamedTuple):
    """A scene as it was at one time."""

    chain: str
    """What names the scene as the thing that is edited."""
    version: int
    """From 1."""
    newest: int
    """Number of the newest version."""
    scene: Scene
    made_by: str | None
    """An account; None where nobody signed in."""
    created_at: datetime
    away: bool
    """Whether the scene was put away."""


class SceneStore:
    """Keeps scenes. Versions are only added, and a scene that is put away stays: stories and sweeps may name it.

    Stories hold a copy of their scene, so that nothing here changes what was played.
    """

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, scenes: Iterable[Scene], made_by: str | None = None) -> int:
        """Store the scenes that are not there yet, in any version, and tell how many were new.

        One that is there and was put away is in use again.
        """
        keyed = {fingerprint(scene): scene for scene in scenes}

        def write(connection: Connection) -> int:
            there = _chains_of(connection, keyed)
            back = update(_CHAIN).where(_CHAIN.c.id.in_({*there.values()})).values(away_since=None)
            connection.execute(back)
            new = [_rows(scene, key, made_by) for key, scene in keyed.items() if key not in there]
            if new:
                connection.execute(insert(_CHAIN), [chain for chain, _ in new])
                connection.execute(insert(_VERSION), [version for _, version in new])
            return len(new)

        return self._writer.submit(in_turn(write)).result()

    def start(self, scene: Scene, made_by: str | None) -> str:
        """Store a scene as the first version of a new chain, and name that."""
        chain, version = _rows(scene, fingerprint(scene), made_by)

        def write(connection: Connection) -> None:
            connection.execute(insert(_CHAIN), chain)
            connection.execute(insert(_VERSION), version)

        self._writer.submit(write).result()
        return str(chain["id"])

    def save(self, chain: str, scene: Scene, *, after: int, made_by: str | None) -> int:
        """Store the scene as the next version after `after`, which it was made from, and give its number.

        What is the same as that version is no new one. Raises SceneError if another version was saved meanwhile, if
        there is no such chain, or if the scene has another id than its versions.
        """

        def write(connection: Connection) -> int:
            before = _the(connection, chain, None)
            if before.version != after:
                told = {"newest": before.version, "after": after}
                raise SceneError(
                    "version {newest} was saved in the meantime; your changes are based on version {after}", **told
                )
            if before.scene.id != scene.id:
                raise SceneError(
                    "the scene id {id!r} cannot be changed; create a new scene instead", id=before.scene.id
                )
            if before.scene == scene:
                return after
            mine = (_CHAIN.c.id == chain) & (_CHAIN.c.newest == after)
            connection.execute(update(_CHAIN).where(mine).values(newest=after + 1))
            row = _version_row(scene, fingerprint(scene), made_by)
            connection.execute(insert(_VERSION), {**row, "chain": chain, "version": after + 1})
            return after + 1

        return self._writer.submit(in_turn(write)).result()

    def with_id(self, scene: str) -> SceneVersion | None:
        """The newest version of the scene with this id, of the oldest chain if several have it; None if none has."""
        query = _versions().where(_VERSION.c.scene == scene, _VERSION.c.version == _CHAIN.c.newest)
        with self._engine.connect() as connection:
            row = connection.execute(query.order_by(_CHAIN.c.created_at, _CHAIN.c.id)).first()
        return None if row is None else _version_of(row)

    def put_away(self, actor: Account, chain: str) -> None:
        """Leave a scene out of what is offered, with all its versions, until it is brought back."""
        self._set_away(actor, chain, now())

    def bring_back(self, actor: Account, chain: str) -> None:
        """Offer again what was put away."""
        self._set_away(actor, chain, None)

    def find(self, chain: str, version: int | None = None) -> SceneVersion:
        """A version of a scene, the newest one if none is named. Raises SceneError if there is none."""
        with self._engine.connect() as connection:
            return _the(connection, chain, version)

    def versions(self, chain: str) -> list[SceneVersion]:
        """All versions of a scene, the newest first."""
        query = _versions().where(_CHAIN.c.id == chain).order_by(_VERSION.c.version.desc())
        with self._engine.connect() as connection:
            return [_version_of(row) for row in connection.execute(query)]

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

    def known(self, scenes: Iterable[Scene]) -> dict[str, str]:
        """The chains in which these scenes stand as they are, in any version, by fingerprint."""
        with self._engine.connect() as connection:
            return _chains_of(connection, [fingerprint(scene) for scene in scenes])

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

    def _set_away(self, actor: Account, chain: str, since: datetime | None) -> None:
        away = _CHAIN.c.away_since
        other = away.is_(None) if since is not None else away.is_not(None)
        changing = update(_CHAIN).where(_CHAIN.c.id == chain, other).values(away_since=since)

        def change(connection: Connection) -> None:
            if not connection.execute(changing).rowcount:
                return
            if since is None:
                record(connection, actor, "scene.restored", chain, {})
            else:
                record(connection, actor, "scene.deleted", chain, {})

        self._writer.submit(change).result()


def _headings() -> Select[Any]:
    about = [_VERSION.c[name] for name in _ABOUT]
    place = (_CHAIN.c.id, _VERSION.c.version, _VERSION.c.scene)
    query = select(*place, *about, _VERSION.c.created_at, _CHAIN.c.away_since.is_not(None))
    return query.join(_CHAIN, _NEWEST)


def _versions() -> Select[Any]:
    columns = (_VERSION.c.version, _VERSION.c.content, _VERSION.c.made_by, _VERSION.c.created_at)
    return select(_CHAIN.c.id, _CHAIN.c.newest, _CHAIN.c.away_since, *columns).join(
        _VERSION, _VERSION.c.chain == _CHAIN.c.id
    )


def _the(connection: Connection, chain: str, version: int | None) -> SceneVersion:
    wanted = _VERSION.c.version == (_CHAIN.c.newest if version is None else version)
    row = None
    if chain.isascii() and chain.isalnum():
        row = connection.execute(_versions().where(_CHAIN.c.id == chain, wanted)).one_or_none()
    if row is None and version is None:
        raise SceneError("there is no scene {chain!r} in the database", chain=cited(chain))
    if row is None:
        raise SceneError("scene {chain!r} has no version {version}", chain=cited(chain), version=version)
    return _version_of(row)


def _version_of(row: Row[Any]) -> SceneVersion:
    scene = Scene.model_validate(row.content)
    away = row.away_since is not None
    return SceneVersion(row.id, row.version, row.newest, scene, row.made_by, row.created_at, away)


def _chains_of(connection: Connection, keys: Collection[str]) -> dict[str, str]:
    """The chains that have versions with these fingerprints, by fingerprint."""
    found: dict[str, str] = {}
    wanted = [*keys]
    for start in range(0, len(wanted), _MANY):
        some: Sequence[str] = wanted[start : start + _MANY]
        found |= dict(
            iter(connection.execute(select(_VERSION.c.key, _VERSION.c.chain).where(_VERSION.c.key.in_(some))))
        )
    return found


def _rows(scene: Scene, key: str, made_by: str | None) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """A new chain, and its first version."""
    row = _version_row(scene, key, made_by)
    chain = secrets.token_hex(6)
    return {"id": chain, "newest": 1, "created_at": row["created_at"]}, {**row, "chain": chain, "version": 1}


def _version_row(scene: Scene, key: str, made_by: str | None) -> dict[str, Any]:
    content = scene.model_dump(mode="json")
    about = {name: content.get(name) for name in ("title", "work", "language", "origin", "pair")}
    found_by = {"scene": scene.id, "characters": len(scene.cast), "words": words_of(content)}
    return {**about, **found_by, "key": key, "content": content, "made_by": made_by, "created_at": now()}
