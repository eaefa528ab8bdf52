"""Scores that judges gave scenes themselves, and the scenes of the library that experts score in campaigns."""

import hashlib
from collections.abc import Collection, Iterable, Sequence

from pydantic import ValidationError
from sqlalchemy import Engine, func, insert, select

from characterbox.errors import CampaignError
from characterbox.pause_reasons import Reason
from characterbox.scenes.scene import Scene
from characterbox.store.engine import portions
from characterbox.store.stories.stories import Heading
from characterbox.store.tables.columns import insert_into, now, table_of
from characterbox.store.tables.ratings import RatedSceneRow, SceneRatingRow
from characterbox.store.writer import Writer
from characterbox.values import Value

_RATING, _RATED = table_of(SceneRatingRow), table_of(RatedSceneRow)
_PORTION = 500
"""Scenes that a query names."""


class SceneRating(Value):
    """One score of a scene by a judge."""

    scene: str
    """See `key_of`."""
    rater: str
    rubric_version: str
    metric: str
    score: int | None
    """None where the judge gave none that can be used."""
    reason: Reason | None = None
    """Why there is no score."""
    improvised: bool = False
    """Whether the rehearsal gave it: it is no result."""


def key_of(scene: Scene) -> str:
    """What a scene's scores are stored under: a fingerprint of what it says, whatever it is called.

    How it was made, its id and its pair are left out: judged is the text.
    """
    told = scene.model_dump_json(exclude={"id", "passage", "crafted", "pair"})
    return hashlib.sha256(told.encode()).hexdigest()


def title_of(scene: Scene) -> str:
    """What tells a scene from all that say something else, for people: work, title and the beginning of its key."""
    return f"{scene.work}: {scene.title} ({key_of(scene)[:12]})"


class SceneRatingStore:
    """Keeps scores of scenes, and scenes to be rated. Nothing is changed: the last score of a judge counts."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, ratings: Sequence[SceneRating]) -> None:
        """Store scores."""
        rows = [{**one.model_dump(), "created_at": now()} for one in ratings]
        if rows:
            self._writer.submit(lambda connection: connection.execute(insert(_RATING), rows)).result()

    def of(self, scenes: Collection[str]) -> list[SceneRating]:
        """The scores that count of scenes, by their keys, in the order in which they came."""
        found = []
        for portion in portions([*dict.fromkeys(scenes)], _PORTION):
            last = (
                select(func.max(_RATING.c.id))
                .where(_RATING.c.scene.in_(portion))
                .group_by(_RATING.c.scene, _RATING.c.metric, _RATING.c.rater)
            )
            query = select(_RATING).where(_RATING.c.id.in_(last)).order_by(_RATING.c.id)
            with self._engine.connect() as connection:
                found += [row._mapping for row in connection.execute(query)]
        fields = SceneRating.model_fields
        return [SceneRating(**{name: row[name] for name in fields}) for row in found]

    def keep(self, scenes: Iterable[Scene]) -> None:
        """Keep scenes as they are, to be rated; those whose text is kept already stay as they were."""
        rows = [_row(scene) for scene in scenes]
        if rows:
            keeping = insert_into(_RATED, self._engine.dialect.name).on_conflict_do_nothing()
            self._writer.submit(lambda connection: connection.execute(keeping, rows)).result()

    def kept(self, key: str) -> Scene:
        """A scene that was kept to be rated. Raises CampaignError if there is none, or it can't be read."""
        with self._engine.connect() as connection:
            content = connection.scalar(select(_RATED.c.content).where(_RATED.c.key == key))
        if content is None:
            raise CampaignError("scene {key} no longer exists; remove it from the campaign", key=key[:12])
        try:
            return Scene.model_validate(content)
        except ValidationError as error:
            what = error.errors()[0]["msg"]
            raise CampaignError("scene {key} cannot be read ({error})", key=key[:12], error=what) from None

    def headings(self, keys: Collection[str]) -> dict[str, Heading]:
        """Under what these kept scenes are listed, by key; what is none's key is passed over."""
        query = select(_RATED.c.key, _RATED.c.title, _RATED.c.work, _RATED.c.language)
        with self._engine.connect() as connection:
            rows = [
                row
                for portion in portions([*dict.fromkeys(keys)], _PORTION)
                for row in connection.execute(query.where(_RATED.c.key.in_(portion)))
            ]
        return {key: Heading(*told) for key, *told in rows}


def _row(scene: Scene) -> dict[str, object]:
    return {
        "key": key_of(scene),
        **scene.model_dump(include={"title", "work", "language"}),
        "content": scene.model_dump(mode="json"),
        "created_at": now(),
    }
