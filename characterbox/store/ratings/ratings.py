"""Ratings of items, by experts and by judges: only added to, the last one counts.

What experiments on judges score stands among them under a kind of its own, for those alone who ask for it.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, func, insert, select, union

from annotations.rubrics.rubric import Subject, load_rubric
from characterbox.llm.endpoint import crafter_of
from characterbox.pause_reasons import Reason
from characterbox.scenes.scene import Scene, slug_of
from characterbox.store.campaigns.campaign import ASSIGNMENT, CAMPAIGN
from characterbox.store.campaigns.campaign import ITEM as CAMPAIGN_ITEM
from characterbox.store.campaigns.marks import MARK, SHEET
from characterbox.store.ratings.scene_ratings import key_of
from characterbox.store.stories.story import Story
from characterbox.store.tables.accounts import AccountRow
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.ratings import ITEM_COLUMNS, Item, RatingRow, item_in
from characterbox.store.writer import Writer, in_turn
from characterbox.values import Language, Value

_RATING = table_of(RatingRow)
_QUERY = select(
    select(func.max(MARK.c.id)).scalar_subquery(),
    select(func.max(_RATING.c.id)).where(_RATING.c.kind == "judge").scalar_subquery(),
)


class Newest(NamedTuple):
    """The numbers of the last mark of an expert and of the last rating of a judge.

    Neither is ever changed, and both are committed in the order of their numbers: see `in_turn`.
    """

    mark: int
    rating: int


def newest(engine: Engine) -> Newest:
    """The state that all ratings are in now; what is derived from them is as it was while this is the same."""
    with engine.connect() as connection:
        mark, rating = connection.execute(_QUERY).one()
    return Newest(mark or 0, rating or 0)


if TYPE_CHECKING:
    import pandas as pd

FRAME_COLUMNS = ("item", "scene", "model", "language", "metric", "rater", "kind", "score", *ITEM_COLUMNS, "reason")
HAND_WRITTEN = "hand-written"
"""In place of a model, where a scene was written by a person."""

ACCOUNT = table_of(AccountRow)


class Rating(Value):
    """The score of one judge on one metric of one item, or the reason why there is none."""

    identity: Item
    """What is judged: see `item_and_model`."""
    story_id: str
    """The story that the judge was asked about, in whose journal its replies are; of a scene that it has scored where
    that was crafted, they are there."""
    scene: str
    model: str
    """The model whose work it is."""
    language: Language
    rater: str
    """The judge."""
    kind: Literal["judge", "experiment"] = "judge"
    """What an experiment varies of a judge, to see what that changes, is nobody's rating: it never counts."""
    variation: str | None = None
    """What an experiment varies of the judge."""
    rubric: str
    rubric_version: str
    metric: str
    score: int | None
    reason: Reason | None = None
    """Why the score is missing."""

    @property
    def item(self) -> str:
        """The label of what is judged."""
        return self.identity.label


class RatingStore:
    """Appends what judges score, and reads all ratings that count: those of judges, and what experts have marked."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def add(self, ratings: Iterable[Rating]) -> None:
        """Append ratings of judges; once this returns, no crash can lose them."""
        rows = [
            {**rating.model_dump(exclude={"identity"}), **rating.identity.as_columns(), "created_at": now()}
            for rating in ratings
        ]
        if not rows:
            return
        statement = insert(_RATING)
        self._writer.submit(in_turn(lambda connection: connection.execute(statement, rows))).result()

    def labelled(self, labels: Collection[str]) -> dict[str, Item]:
        """What judges were asked about, and experts, under these labels, by label."""
        judged, given = (
            select(table.c.item, *(table.c[name] for name in ITEM_COLUMNS)).where(table.c.item.in_(labels))
            for table in (_RATING, CAMPAIGN_ITEM)
        )
        with self._engine.connect() as connection:
            return {row["item"]: item_in(row) for row in connection.execute(union(judged, given)).mappings()}

    def of_judge(self, item: str, judge: str, variation: str | None = None) -> dict[str, Rating]:
        """The ratings of one judge on one item that count, by metric; or those of a variation of it."""
        mine = (_RATING.c.rater == judge) & (_RATING.c.variation == variation)
        query = select(_RATING).where(_RATING.c.item == item, mine).order_by(_RATING.c.id)
        with self._engine.connect() as connection:
            rows = connection.execute(query).mappings().all()
        return {row["metric"]: _rating(row) for row in rows}

    def judges(self, items: Sequence[str]) -> set[str]:
        """The judges of any of the items."""
        with self._engine.connect() as connection:
            judged = select(_RATING.c.rater).where(_RATING.c.kind == "judge", _RATING.c.item.in_(items))
            return set(connection.scalars(judged.distinct()))

    def scored_by(self, judges: Sequence[str]) -> set[str]:
        """Those of the judges that have scored a trajectory."""
        with self._engine.connect() as connection:
            mine = (_RATING.c.kind == "judge") & (_RATING.c.rubric == "character") & _RATING.c.rater.in_(judges)
            return set(connection.scalars(select(_RATING.c.rater).where(mine).distinct())) if judges else set()

    def tried(self) -> list[tuple[str, str]]:
        """The judges of all experiments, each with what was varied of it."""
        found = select(_RATING.c.rater, _RATING.c.variation).where(_RATING.c.kind == "experiment").distinct()
        with self._engine.connect() as connection:
            return sorted((rater, variation) for rater, variation in connection.execute(found))

    def last_trial(self) -> int:
        """The number of the last rating of an experiment: what was found stays the same while this does."""
        with self._engine.connect() as connection:
            last = select(func.max(_RATING.c.id)).where(_RATING.c.kind == "experiment")
            return connection.scalar(last) or 0

    def judged_by(self, judge: str) -> list[str]:
        """The stories that a judge has scored."""
        stories = select(_RATING.c.story_id).where(_RATING.c.kind == "judge", _RATING.c.rater == judge).distinct()
        with self._engine.connect() as connection:
            return sorted(connection.scalars(stories))

    def trials(self, judge: str, *, rubric: str = "character") -> "pd.DataFrame":
        """What the variations of a judge scored last, as `frame` has it of others; the variation is the rater."""
        which = (_RATING.c.kind == "experiment") & (_RATING.c.rubric == rubric) & (_RATING.c.rater == judge)
        with self._engine.connect() as connection:
            return _frame(_told(connection.execute(_last(which, _RATING.c.variation))))

    def frame(
        self, items: Sequence[str] | None = None, *, rubric: str = "character", campaign: str | None = None
    ) -> "pd.DataFrame":
        """The ratings that count, of all items or of some, in long form: the columns are `FRAME_COLUMNS`.

        Of an expert those count that were submitted and not skipped; of an item that came back unannounced the first
        time counts, and of one that an expert has in several campaigns the last score, unless one campaign is chosen.
        """
        import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

        judged, marked = (_RATING.c.kind == "judge") & (_RATING.c.rubric == rubric), ASSIGNMENT.c.take == 0
        if items is not None:
            judged, marked = judged & _RATING.c.item.in_(items), marked & ASSIGNMENT.c.item.in_(items)
        if campaign is not None:
            within = select(CAMPAIGN_ITEM.c.item).where(CAMPAIGN_ITEM.c.campaign == campaign)
            judged, marked = judged & _RATING.c.item.in_(within), marked & (ASSIGNMENT.c.campaign == campaign)
        with self._engine.connect() as connection:
            said = pd.DataFrame(_told(connection.execute(_last(judged))), columns=list(FRAME_COLUMNS), dtype=object)
            given = expert_scores(connection, rubric, marked)[list(FRAME_COLUMNS)].astype(object)
        frame = pd.concat([said, given], ignore_index=True).infer_objects()
        return frame.drop_duplicates(["item", "metric", "rater", "kind"], keep="last", ignore_index=True)


def _last(which: ColumnElement[bool], rater: ColumnElement[Any] = _RATING.c.rater) -> Select[Any]:
    """The ratings that count among those of the table of which this holds, by what tells their raters."""
    last = select(func.max(_RATING.c.id)).where(which).group_by(_RATING.c.item, _RATING.c.metric, rater)
    columns = [rater if name == "rater" else _RATING.c[name] for name in FRAME_COLUMNS]
    return select(*columns).where(_RATING.c.id.in_(last)).order_by(_RATING.c.id)


def _told(rows: Iterable[Row[Any]]) -> list[tuple[Any, ...]]:
    """Such rows with their reasons as text."""
    return [(*row[:-1], row.reason and str(row.reason)) for row in rows]


def expert_scores(connection: Connection, rubric: str, which: ColumnElement[bool]) -> "pd.DataFrame":
    """The scores of experts that count by a rubric, of the assignments of which `which` holds, in the order in which
    they were given: the columns are `FRAME_COLUMNS`, and the story's id as `story`."""
    import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

    query = (
        select(
            *(CAMPAIGN_ITEM.c[name] for name in ("story_id", "item", "scene", "model", "language")),
            ACCOUNT.c.name,
            SHEET.c.content,
            *(CAMPAIGN_ITEM.c[name] for name in ITEM_COLUMNS),
        )
        .join_from(SHEET, ASSIGNMENT, ASSIGNMENT.c.id == SHEET.c.assignment)
        .join(CAMPAIGN, CAMPAIGN.c.id == ASSIGNMENT.c.campaign)
        .join(
            CAMPAIGN_ITEM,
            (CAMPAIGN_ITEM.c.campaign == ASSIGNMENT.c.campaign) & (CAMPAIGN_ITEM.c.item == ASSIGNMENT.c.item),
        )
        .join(ACCOUNT, ACCOUNT.c.id == ASSIGNMENT.c.rater)
        .where(which, ASSIGNMENT.c.purpose == "rate", SHEET.c.counts)
        .where(CAMPAIGN.c.settings["rubric"].as_string() == rubric)
    )
    rows = [
        (datetime.fromisoformat(sheet["scored"][metric]), *place, metric, name, "expert", score, *item, None)
        for *place, name, sheet, kind, owner, slug in connection.execute(query)
        for item in [(kind, owner, slug)]
        for metric, score in sheet["scores"].items()
    ]
    rows.sort(key=itemgetter(0))
    return pd.DataFrame([row[1:] for row in rows], columns=["story", *FRAME_COLUMNS])


def scene_name(scene: Scene) -> str:
    """What tells a scene from all others."""
    return f"{scene.work}: {scene.id}"


def maker_of(scene: Scene) -> str:
    """Whose work a scene is: a method and its models, or a person's, in the place of a model."""
    return HAND_WRITTEN if scene.crafted is None else crafter_of(scene.crafted)


def scene_item_of(scene: Scene) -> Item:
    """A scene that is rated."""
    return Item(kind="scene", owner=key_of(scene))


def item_of(story: Story, name: str) -> Item:
    """A trajectory: one character's slice of a story."""
    return Item(kind="character", owner=story.id, slug=slug_of(name))


def item_and_model(story: Story, name: str | None, subject: Subject) -> tuple[Item, str]:
    """What is rated of a story, and the model whose work it is.

    That is how the character called `name` is played, what the narrator decided, or the scene, which goes by what it
    says: so it is one item in the library and in all stories that were played from it, and another once it is changed.
    """
    match subject:
        case "character" if name is not None:
            return item_of(story, name), story.casting.characters[name].model
        case "narrator":
            return Item(kind="narrator", owner=story.id), story.casting.narrator.model
        case "scene":
            return scene_item_of(story.script.scene), maker_of(story.script.scene)
        case _:
            raise ValueError("whose part in the story is rated? It has no name")


def rating_of(story: Story, name: str | None, bundled: str = "character", **given: Any) -> Rating:
    """A judge's rating of a character, the narrator or the scene of a story, by a bundled rubric.

    `given` is what the judge says. Raises RatingError when the metric or the score is not of the rubric.
    """
    rubric = load_rubric(bundled)
    if given["score"] is not None:
        rubric.check(given["metric"], given["score"])
    item, model = item_and_model(story, name, rubric.subject)
    return Rating(
        identity=item,
        story_id=story.id,
        scene=scene_name(story.script.scene),
        model=model,
        language=story.script.scene.language,
        rubric=rubric.name,
        rubric_version=rubric.version,
        **given,
    )


def _rating(row: Any) -> Rating:
    fields = {name: row[name] for name in Rating.model_fields if name != "identity"}
    return Rating.model_validate({**fields, "identity": item_in(row)})


def _frame(rows: Iterable[Any]) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

    return pd.DataFrame(rows, columns=list(FRAME_COLUMNS))
