"""Ratings of trajectories, by experts and by judges: one append per click, the last one counts."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import pandas as pd
from sqlalchemy import Engine, func, insert, select

from annotations.rubric import load_rubric
from characterbox.scenes.scene import slug_of
from characterbox.store.story import Story
from characterbox.store.tables import RatingRow, now, table_of
from characterbox.store.writer import Writer
from characterbox.values import Language, Value

Kind = Literal["expert", "judge"]


class Rating(Value):
    """The score of one rater on one metric of one item, or the reason why there is none."""

    item: str
    """The trajectory that is judged: the story's id and the character, as in `item_of`."""
    story_id: str
    scene: str
    model: str
    """The model that played the character."""
    language: Language
    rater: str
    kind: Kind
    rubric: str
    rubric_version: str
    metric: str
    score: int | None
    reason: str | None = None
    """Why the score is missing."""


class RatingStore:
    """Appends ratings and reads the ones that count."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, ratings: Iterable[Rating]) -> None:
        """Append ratings; once this returns, no crash can lose them."""
        rows = [{**rating.model_dump(), "created_at": now()} for rating in ratings]
        if not rows:
            return
        statement = insert(table_of(RatingRow))
        self._writer.submit(lambda connection: connection.execute(statement, rows)).result()

    def of_rater(self, item: str, rater: str, kind: Kind) -> dict[str, Rating]:
        """The ratings of one rater on one item that count, by metric."""
        table = table_of(RatingRow)
        query = (
            select(table).where(table.c.item == item, table.c.rater == rater, table.c.kind == kind).order_by(table.c.id)
        )
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return {row["metric"]: _rating(row) for row in rows}

    def items_of_rater(self, rater: str) -> dict[str, int]:
        """How many metrics have a score by this expert that counts, for every item that the expert has scored."""
        table = table_of(RatingRow)
        of_rater = (table.c.rater == rater) & (table.c.kind == "expert")
        last = select(func.max(table.c.id)).where(of_rater).group_by(table.c.item, table.c.metric)
        query = (
            select(table.c.item, func.count())
            .where(table.c.id.in_(last), table.c.score.is_not(None))
            .group_by(table.c.item)
        )
        with self._engine.connect() as connection:
            return dict(connection.execute(query).all())

    def raters(self, items: Sequence[str]) -> set[tuple[str, str]]:
        """Who has rated any of the items, each with its kind."""
        table = table_of(RatingRow)
        query = select(table.c.rater, table.c.kind).where(table.c.item.in_(items)).distinct()
        with self._engine.connect() as connection:
            return {(row.rater, row.kind) for row in connection.execute(query)}

    def frame(self, items: Sequence[str] | None = None) -> pd.DataFrame:
        """The ratings that count, of all items or of some, in long form: the columns are `FRAME_COLUMNS`."""
        table = table_of(RatingRow)
        last = select(func.max(table.c.id)).group_by(table.c.item, table.c.metric, table.c.rater, table.c.kind)
        if items is not None:
            last = last.where(table.c.item.in_(items))
        columns = [table.c[name] for name in FRAME_COLUMNS]
        query = select(*columns).where(table.c.id.in_(last)).order_by(table.c.id)
        with self._engine.connect() as connection:
            return pd.DataFrame(connection.execute(query).all(), columns=list(FRAME_COLUMNS))


FRAME_COLUMNS = ("item", "scene", "model", "language", "metric", "rater", "kind", "score", "reason")


def item_of(story: Story, name: str) -> str:
    """The name of a trajectory: one character's slice of a story."""
    return f"{story.id}:{slug_of(name)}"


def rating_of(story: Story, name: str, **given: Any) -> Rating:
    """The rating of how a story's character is played, on the paper's rubric; `given` is what the rater says.

    Raises RatingError when the metric or the score is not of the rubric.
    """
    rubric, scene = load_rubric(), story.script.scene
    if given["score"] is not None:
        rubric.check(given["metric"], given["score"])
    return Rating(
        item=item_of(story, name),
        story_id=story.id,
        scene=f"{scene.work}: {scene.id}",
        model=story.casting.characters[name].model,
        language=scene.language,
        rubric=rubric.name,
        rubric_version=rubric.version,
        **given,
    )


def _rating(row: Any) -> Rating:
    return Rating.model_validate({name: row[name] for name in Rating.model_fields})
