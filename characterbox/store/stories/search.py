"""The shelf: finding some of thousands of stories, without reading them."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    String,
    and_,
    cast,
    delete,
    func,
    insert,
    or_,
    select,
    true,
)

from characterbox.errors import StoryError
from characterbox.scenes.search import MOST_SEARCHED, check_searched
from characterbox.store.stories.story import STORY, Status, is_dialogue
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import EventRow, TagRow
from characterbox.store.writer import Writer
from characterbox.values import Language

_EVENT = table_of(EventRow)
_TAG = table_of(TagRow)
_SHOWN = ("id", "title", "label", "work", "language", "status", "models", "created_at")
_MODELS = cast(STORY.c.models, String)
MOST_TAG = 40
"""Characters of a tag, at most."""


class StorySummary(NamedTuple):
    """A story as it stands among others."""

    id: str
    title: str
    label: str | None
    work: str
    language: Language
    status: Status
    models: Sequence[str]
    created_at: datetime
    branch_of: str | None
    tags: Sequence[str]
    events: int
    influences: Sequence[tuple[str, str]]
    """Who moved whom, in the order of the story."""
    cast: Sequence[str]


class StoryName(NamedTuple):
    """What a story is called, and where it stands."""

    id: str
    title: str
    label: str | None
    work: str
    language: Language
    status: Status
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; what is empty or None is not asked for."""

    text: str = ""
    """Words that all stand in title, label, work, scene, id or a tag."""
    language: str | None = None
    status: str | None = None
    work: str | None = None
    scene: str | None = None
    """The id of a scene."""
    model: str | None = None
    tag: str | None = None
    ids: Collection[str] | None = None
    """Only these stories."""
    dialogue: bool = False
    """Only dialogues with roles."""


class Facets(NamedTuple):
    """All there is to choose from, each with its number of stories, the most frequent first."""

    works: Mapping[str, int]
    models: Mapping[str, int]
    tags: Mapping[str, int]
    statuses: Mapping[str, int]
    languages: Mapping[str, int]


class StorySearch:
    """Finds stories, and keeps their tags."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def find(self, wanted: Wanted, *, limit: int, offset: int = 0) -> tuple[int, list[StorySummary]]:
        """How many stories are as wanted, and some of them, the newest first.

        Raises SearchError if more is searched for than can be.
        """
        condition = _condition(wanted)
        parent = STORY.c.branch["parent"].as_string().label("branch_of")
        cast_of = STORY.c.casting["characters"].label("characters")
        query = select(*(STORY.c[name] for name in _SHOWN), parent, cast_of).where(condition)
        query = query.order_by(STORY.c.created_at.desc(), STORY.c.id).limit(limit).offset(offset)
        with self._engine.connect() as connection:
            count = connection.scalar(select(func.count()).select_from(STORY).where(condition)) or 0
            rows = connection.execute(query).all()
            return count, _shelved(connection, rows)

    def named(self, text: str, most: int) -> list[StoryName]:
        """The newest stories in whose names all words of the text stand: one query, which reads no event.

        Raises SearchError if more is searched for than can be.
        """
        query = select(*(STORY.c[name] for name in StoryName._fields)).where(_condition(Wanted(text=text)))
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(STORY.c.created_at.desc(), STORY.c.id).limit(most))
            return [StoryName(*row) for row in rows]

    def facets(self) -> Facets:
        """All there is to choose from."""
        with self._engine.connect() as connection:
            works, statuses, languages = (
                _counted(connection.execute(select(column, func.count()).group_by(column)))
                for column in (STORY.c.work, STORY.c.status, STORY.c.language)
            )
            tags = _counted(connection.execute(select(_TAG.c.tag, func.count()).group_by(_TAG.c.tag)))
            castings = connection.execute(select(_MODELS, func.count()).group_by(_MODELS)).all()
        models: Counter[str] = Counter()
        for names, count in castings:
            models.update(dict.fromkeys(json.loads(names), count))
        return Facets(works, _counted(models.items()), tags, statuses, languages)

    def tags(self, id: str) -> list[str]:
        """The tags of a story, in order."""
        with self._engine.connect() as connection:
            return [*connection.scalars(select(_TAG.c.tag).where(_TAG.c.story_id == id).order_by(_TAG.c.tag))]

    def set_tags(self, id: str, tags: Iterable[str]) -> None:
        """Put these tags on a story, and no others. Blanks around them go; raises StoryError if one is too long."""
        kept = sorted({" ".join(tag.split()) for tag in tags} - {""})
        if long := next((tag for tag in kept if len(tag) > MOST_TAG), None):
            raise StoryError("a tag can have at most {most} characters: {tag}", most=MOST_TAG, tag=long)

        def write(connection: Connection) -> None:
            connection.execute(delete(_TAG).where(_TAG.c.story_id == id))
            if kept:
                connection.execute(insert(_TAG), [{"story_id": id, "tag": tag} for tag in kept])

        self._writer.submit(write).result()


def _condition(wanted: Wanted) -> ColumnElement[bool]:
    words = wanted.text[: MOST_SEARCHED + 1].split()
    check_searched(wanted.text, len(words))
    conditions = [_says(word) for word in words]
    for name in ("language", "status", "work", "scene"):
        if (value := getattr(wanted, name)) is not None:
            conditions.append(STORY.c[name] == value)
    if wanted.model is not None:
        conditions.append(_MODELS.contains(json.dumps(wanted.model, ensure_ascii=False), autoescape=True))
    if wanted.tag is not None:
        conditions.append(STORY.c.id.in_(select(_TAG.c.story_id).where(_TAG.c.tag == wanted.tag)))
    if wanted.ids is not None:
        conditions.append(STORY.c.id.in_(wanted.ids))
    if wanted.dialogue:
        conditions.append(is_dialogue())
    return and_(true(), *conditions)


def _says(word: str) -> ColumnElement[bool]:
    columns = [STORY.c[name] for name in ("title", "label", "work", "scene", "id")]
    tagged = select(_TAG.c.story_id).where(_TAG.c.tag.icontains(word, autoescape=True))
    return or_(*(column.icontains(word, autoescape=True) for column in columns), STORY.c.id.in_(tagged))


def _counted(counts: Iterable[Any]) -> dict[str, int]:
    """By name, the most frequent first."""
    return dict(sorted(((name, count) for name, count in counts), key=lambda one: (-one[1], one[0])))


def _shelved(connection: Connection, rows: Sequence[Any]) -> list[StorySummary]:
    ids = [row.id for row in rows]
    tags: dict[str, list[str]] = {id: [] for id in ids}
    for id, tag in connection.execute(select(_TAG).where(_TAG.c.story_id.in_(ids)).order_by(_TAG.c.tag)):
        tags[id].append(tag)
    last = select(_EVENT.c.story_id, func.max(_EVENT.c.seq)).where(_EVENT.c.story_id.in_(ids))
    events: dict[str, int] = dict(iter(connection.execute(last.group_by(_EVENT.c.story_id))))
    moved: dict[str, list[tuple[str, str]]] = {id: [] for id in ids}
    felt = select(_EVENT.c.story_id, _EVENT.c.content).where(
        _EVENT.c.story_id.in_(ids), _EVENT.c.kind == "action_influence"
    )
    for id, content in connection.execute(felt.order_by(_EVENT.c.story_id, _EVENT.c.seq)):
        if (affected := content.get("affected")) is not None:
            moved[id].append((content["character"], affected))
    return [
        StorySummary(
            **{name: getattr(row, name) for name in _SHOWN},
            branch_of=row.branch_of,
            tags=tags[row.id],
            events=events.get(row.id, 0),
            influences=moved[row.id],
            cast=[*(row.characters or {})],
        )
        for row in rows
    ]
