"""What trajectories were given, one row each: the table that leaderboards are made of.

It is made in the database and kept while no newer rating is stored, so that ten thousand trajectories are a matter of
some tenths of a second, and of none at all the next time.
"""

import threading
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Engine,
    Select,
    SelectBase,
    Text,
    case,
    cast,
    func,
    literal_column,
    or_,
    select,
    union,
)

from annotations.rubrics.rubric import load_rubric
from characterbox.llm.endpoint import MODELLESS, REHEARSAL_MODELS
from characterbox.play.paths import judge_and_work
from characterbox.scenes.scene import slug_of
from characterbox.store.campaigns.campaign import ASSIGNMENT
from characterbox.store.campaigns.campaign import ITEM as CAMPAIGN_ITEM
from characterbox.store.ratings.ratings import expert_scores, newest
from characterbox.store.stories.replies import by_readers, by_rehearsal
from characterbox.store.stories.story import STORY, is_dialogue, rounds_played
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.ratings import RatingRow
from characterbox.store.tables.stories import EventRow, ReplyRow, SweepRow, SweepStoryRow

if TYPE_CHECKING:
    import pandas as pd

PLACE = ("item", "story", "slug", "scene", "model", "language")
"""What every row has. `item` is the trajectory, `story` the id of its story, `slug` the character."""
PLAYED, JUDGED = "played_without_model", "judged_without_model"
"""Columns that tell whether the rehearsal, or no model at all, played the story, or gave the scores."""
BRANCHED = "branched"
"""The column that tells whether the story is a branch."""
OF_DIALOGUE = "of_dialogue"
"""The column that tells whether the story is a dialogue with a role."""
NARRATOR, ROUNDS = "narrator", "rounds"
"""Columns that tell the model that narrated the story, and how many rounds were played."""

_TOLD = {NARRATOR: "str", ROUNDS: "Int64", PLAYED: "bool", BRANCHED: "bool", OF_DIALOGUE: "bool"}
"""What is told of the story of each row, in the order of `_told`, with the kinds of the columns."""

_RATING, _REPLY, _EVENT = table_of(RatingRow), table_of(ReplyRow), table_of(EventRow)
_SWEEP, _SWEEP_STORY = table_of(SweepRow), table_of(SweepStoryRow)
_RUBRIC = "character"
_FEW = 500
"""Stories that a query names one by one."""
_ROOM = 1024
"""More than any score of the rubric: a score beside its number of a row in one whole number."""


class ScoreStore:
    """Reads scores by trajectory. Any thread may use it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._judged: tuple[int, pd.DataFrame] | None = None
        self._experts: tuple[int, pd.DataFrame] | None = None

    def judged(self) -> "pd.DataFrame":
        """The scores of judges that count: `PLACE`, `rater`, a column for each metric, and those that tell how.

        One row for each trajectory and judge; NaN is a missing score. It is shared: nobody may change it.
        """
        import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

        number = newest(self._engine).rating
        with self._lock:
            if self._judged is None:
                self._judged = number, self._read_judged(0)
            elif self._judged[0] < number:  # ratings are only ever added to
                since, known = self._judged
                again = self._read_judged(since)  # all raters of the trajectories that have a new rating
                others = known[~known["item"].isin(again["item"])]
                self._judged = number, pd.concat([others, again], ignore_index=True)
            return self._judged[1]

    def by_experts(self) -> "pd.DataFrame":
        """The mean over experts of each trajectory and metric: as `judged`, without `rater` and `JUDGED`."""
        number = newest(self._engine).mark
        with self._lock:
            if self._experts is None or self._experts[0] != number:
                self._experts = number, self._read_experts()
            return self._experts[1]

    def with_people(self) -> frozenset[str]:
        """The ids of the stories in which a person plays, or wrote a reply.

        This changes without a new rating, so it is not kept; two partial indexes hold these stories alone. Of ten
        thousand trajectories it would take 150 ms to find them without.
        """
        plays = select(STORY.c.id).where(cast(STORY.c.people, Text) != literal_column("'[]'"))
        wrote = select(_REPLY.c.story_id).where(
            _REPLY.c.author != literal_column("'model'"),
            ~by_readers(_REPLY.c.path),
        )
        with self._engine.connect() as connection:
            return frozenset([*connection.scalars(plays), *connection.scalars(wrote.distinct())])

    def text_lengths(self, stories: Collection[str]) -> dict[tuple[str, str], int]:
        """How many characters a character of these stories did, said and reacted with, by story and slug."""
        rated = union(select(_RATING.c.story_id), select(CAMPAIGN_ITEM.c.story_id))
        text, who = _EVENT.c.content["text"].as_string(), _EVENT.c.content["character"].as_string()
        query = (
            select(_EVENT.c.story_id, who, func.sum(func.length(text)))
            .where(_EVENT.c.kind.in_(("action", "dialogue", "reaction")), _among(stories, _EVENT.c.story_id, rated))
            .group_by(_EVENT.c.story_id, who)
        )
        with self._engine.connect() as connection:
            return {(story, slug_of(name)): int(length or 0) for story, name, length in connection.execute(query)}

    def sweeps(self) -> list[str]:
        """The names of the sweeps to which a story belongs, the newest first."""
        belonging = select(_SWEEP_STORY.c.sweep).where(_SWEEP_STORY.c.sweep == _SWEEP.c.name).exists()
        with self._engine.connect() as connection:
            return [*connection.scalars(select(_SWEEP.c.name).where(belonging).order_by(_SWEEP.c.created_at.desc()))]

    def stories_of(self, sweep: str) -> frozenset[str]:
        """The ids of the stories that belong to a sweep."""
        with self._engine.connect() as connection:
            return frozenset(connection.scalars(select(_SWEEP_STORY.c.story_id).where(_SWEEP_STORY.c.sweep == sweep)))

    def _read_judged(self, since: int) -> "pd.DataFrame":
        """The rows of all trajectories that have a rating of a higher number than `since`."""
        query = _judged_rows()
        if since:
            query = query.where(_RATING.c.item.in_(select(_RATING.c.item).where(_RATING.c.id > since)))
        frame = self._frame(query, (*PLACE, "rater", *_keys()))
        frame = self.with_stories(frame)
        judged = self._rehearsed_verdicts(frame)
        slugs = {rater: slug_of(rater) for rater in frame["rater"].unique()}
        trajectories = zip(frame["story"], frame["rater"], frame["slug"], strict=True)
        frame[JUDGED] = (
            [(story, slugs[rater], slug) in judged for story, rater, slug in trajectories] if judged else False
        )
        return frame

    def _read_experts(self) -> "pd.DataFrame":
        """Of an expert who has an item in several campaigns the last score on a metric counts."""
        with self._engine.connect() as connection:
            given = expert_scores(connection, _RUBRIC, ASSIGNMENT.c.take == 0)
        given = given[given["metric"].isin(_keys())].drop_duplicates(["item", "metric", "rater"], keep="last")
        means = given["score"].astype(float).groupby([given["item"], given["metric"]]).mean().unstack()
        places = given.drop_duplicates("item").set_index("item")[[name for name in PLACE if name != "item"]]
        frame = places.astype("str").join(means.reindex(columns=list(_keys())), how="right").reset_index()
        return self.with_stories(frame.astype({"item": "str"}))

    def _frame(self, query: Select[Any], names: Sequence[str]) -> "pd.DataFrame":
        import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

        with self._engine.connect() as connection:
            columns = [*zip(*connection.execute(query), strict=True)] or [()] * len(names)
        kinds = {name: float if name in _keys() else "str" for name in names}
        return pd.DataFrame(
            {name: pd.Series(column, dtype=kinds[name]) for name, column in zip(names, columns, strict=True)}
        )

    def with_stories(self, frame: "pd.DataFrame") -> "pd.DataFrame":
        """The table with what there is to tell of the story of each row: `NARRATOR`, `ROUNDS`, `PLAYED`,
        `BRANCHED` and `OF_DIALOGUE`."""
        import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

        of = frame["story"]
        query = _told().where(_among(of.unique().tolist(), STORY.c.id, select(STORY.c.id)))
        with self._engine.connect() as connection:
            told = {story: columns for story, *columns in connection.execute(query)}
        gone = [None, None, False, False, False]  # somebody has just deleted it
        rows = [told.get(story, gone) for story in of.tolist()]
        columns = [*zip(*rows, strict=True)] or [()] * len(_TOLD)
        return frame.assign(
            **{name: pd.Series(column, frame.index, _TOLD[name]) for name, column in zip(_TOLD, columns, strict=True)}
        )

    def _rehearsed_verdicts(self, frame: "pd.DataFrame") -> set[tuple[str, ...]]:
        """Story, judge and character of each verdict on these rows that the rehearsal gave."""
        query = select(_REPLY.c.story_id, _REPLY.c.path).where(
            _among(frame["story"].unique(), _REPLY.c.story_id, select(_RATING.c.story_id).distinct()),
            _REPLY.c.path.startswith("judge/"),
            by_rehearsal(),
        )
        with self._engine.connect() as connection:
            return {(row.story_id, *judge_and_work(row.path)) for row in connection.execute(query)}


@cache
def _told() -> Select[Any]:
    """What there is to tell of stories: the id, and `_TOLD`."""
    told = cast(STORY.c.casting, Text)
    marks = [
        *(f'"url": "{url}"' for url in sorted(MODELLESS)),
        *(f'"model": "{name}"' for name in REHEARSAL_MODELS),
    ]
    played = or_(*(told.contains(mark, autoescape=True) for mark in marks))
    narrator = STORY.c.casting["narrator", "model"].as_string()
    return select(STORY.c.id, narrator, rounds_played(), played, STORY.c.branch.is_not(None), is_dialogue())


def _among(ids: Collection[str], story: ColumnElement[str], others: SelectBase) -> ColumnElement[bool]:
    """Whether a story is one of these; where they are many, one of `others`, which has them all."""
    return story.in_(ids if len(ids) <= _FEW else others)


def _keys() -> tuple[str, ...]:
    return load_rubric(_RUBRIC).keys


@cache
def _judged_rows() -> Select[Any]:
    """One pass over the ratings; that of the highest number counts, also where it has no score."""
    same = (func.max(_RATING.c[name]).label(name) for name in ("story_id", "slug", "scene", "model", "language"))
    columns = [_RATING.c.item, *same, _RATING.c.rater, *(_last_score(metric) for metric in _keys())]
    return (
        select(*columns)
        .where(_RATING.c.rubric == _RUBRIC, _RATING.c.kind == "judge", _RATING.c.metric.in_(_keys()))
        .group_by(_RATING.c.item, _RATING.c.rater)
    )


def _last_score(metric: str) -> ColumnElement[Any]:
    """The score on a metric in the row with the highest number, NULL where it has none."""
    score = func.coalesce(_RATING.c.score + 1, 0)
    packed = func.max(case((_RATING.c.metric == metric, cast(_RATING.c.id, BigInteger) * _ROOM + score)))
    return (func.nullif(packed % _ROOM, 0) - 1).label(metric)
