"""The leaderboard of what is stored: whose scores of which trajectories, and how the models stand by them.

Scores of several raters are never pooled: a board is of one judge, of the experts' mean, or of one judge whom the
experts correct.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import Message, Readable, to_say
from annotations.leaderboard.prediction_powered import corrected_standings, sides_of_tables
from annotations.leaderboard.standings import Standing, scene_means, standings
from annotations.marking.rating import IMPROVISED, improvised_part, judge_called
from annotations.rubrics.rubric import RESERVED, load_rubric
from characterbox.judging.leaderboard_files import Provenance, cautions, mixes
from characterbox.judging.provenance import told_apart
from characterbox.store import Store
from characterbox.store.ratings.ratings import Newest
from characterbox.store.ratings.scores import BRANCHED, JUDGED, NARRATOR, OF_DIALOGUE, PLAYED, ROUNDS

Whose = Literal["judge", "experts", "corrected"]
BY_PEOPLE = to_say("{count:,} from stories in which a person plays or wrote a reply")
PEOPLE = "with_people"
"""The column of `Scores.left_out` that tells whether a person plays in the story, or wrote a reply of it."""
OF_BRANCHES = to_say("{count:,} from branches, whose beginning comes from another story")
OF_DIALOGUES = to_say("{count:,} from dialogues with roles")
KEPT, BOARDS = 4, 32
"""States of the scores, and boards, that are kept."""


@dataclass(frozen=True)
class Wanted:
    """Of what a board is made."""

    whose: Whose
    language: str
    judge: str | None = None
    """None for the experts."""
    sweep: str | None = None
    """None for all stories."""
    narrator: str | None = None
    """The model that narrated the stories; None for all of them."""

    def __post_init__(self) -> None:
        """Raises ValueError where a judge is wanted and not named, or named and not wanted."""
        if (self.judge is None) != (self.whose == "experts"):
            raise ValueError(f"scores of {self.whose} with the judge {self.judge}")


@dataclass(frozen=True, eq=False)
class Scores:
    """The tables of scores, one row a trajectory and rater, of all stories or those of one sweep.

    What people wrote is no model's: stories in which they play are left out, and branches, as they are of votes. In a
    dialogue with a role, a model does less than in a story, so that its scores are none of the same thing.
    """

    judged: pd.DataFrame
    experts: pd.DataFrame
    left_out: pd.DataFrame
    """The rows that are in neither; those of experts without a `rater`."""

    @property
    def languages(self) -> list[str]:
        """The languages of the scenes, in the order of the alphabet."""
        return sorted({*self.judged["language"].unique(), *self.experts["language"].unique()})

    def judges(self, language: str) -> list[str]:
        """Who judged scenes in a language, who judged most first."""
        counts = self.judged.loc[self.judged["language"] == language, "rater"].value_counts()
        return sorted(map(str, counts.index), key=lambda judge: (-counts[judge], judge))

    def improvised_judges(self) -> frozenset[str]:
        """Those of whose scores the rehearsal gave some."""
        return frozenset(map(str, self.judged.loc[self.judged[JUDGED], "rater"].unique()))

    def has_experts(self, language: str) -> bool:
        """Whether experts scored scenes in a language."""
        return bool((self.experts["language"] == language).any())

    def narrators(self, wanted: Wanted) -> list[str]:
        """Who narrated stories with such scores, whichever narrator is wanted, in the order of the alphabet."""
        rows = self.experts if wanted.judge is None else self.judged[self.judged["rater"] == wanted.judge]
        return sorted(_rows(rows, replace(wanted, narrator=None))[NARRATOR].dropna().unique())


@dataclass(frozen=True, eq=False)
class Board:
    """The standings, and the trajectories behind them."""

    wanted: Wanted
    standings: list[Standing]
    items: pd.DataFrame
    """One row a trajectory: item, story, scene, model and a column for each metric. Of a judge whom the experts
    correct, the judge's own scores."""
    improvised: Mapping[str, str]
    """What of each model no language model made, as in the column `improvised` of ratings; only models with any."""
    undefined: Mapping[tuple[str, str], Undefined] = field(default_factory=dict)
    """Why a model, by metric, has no corrected mean."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many trajectories with such scores are not among them, by the reason, which is to be said with `count`."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """How many trajectories of each model have no score of the judge on some metric; only models with any."""

    @property
    def models(self) -> list[str]:
        """All models, the best on average first, those of which nothing is defined last."""
        others = (*(one.model for one in self.standings), *(model for model, _ in self.undefined))
        return list(dict.fromkeys([*self.of(RESERVED), *others]))

    @property
    def judged_by_rehearsal(self) -> bool:
        """Whether the rehearsal gave some of the judge's scores."""
        return _by_rehearsal(self.items)

    def of(self, metric: str) -> dict[str, Standing]:
        """The standings on one metric, by model, the best first."""
        return {one.model: one for one in self.standings if one.metric == metric}


def whose_scores(board: Board) -> Readable:
    """Whose scores a board is made of, such as `GPT-4`, `Rehearsal judge, GPT-4 protocol`, or `the experts`."""
    if board.wanted.judge is None:
        return Message("the experts")
    judge = judge_called(board.wanted.judge, board.judged_by_rehearsal)
    return Message("{judge}, corrected by the experts", judge=judge) if board.wanted.whose == "corrected" else judge


def scores_of(store: Store, sweep: str | None = None) -> Scores:
    """What is stored of all stories, or of a sweep's. It is the same object while that of rated stories is the same."""
    newest, people = store.newest(), store.scores.with_people()
    tables = store.scores.judged(), store.scores.by_experts()
    rated = frozenset(id for table in tables for id in table["story"].unique().tolist())
    return _scores(store, newest, people & rated, None if sweep is None else store.scores.stories_of(sweep) & rated)


@lru_cache(KEPT)
def _scores(store: Store, _: Newest, people: frozenset[str], stories: frozenset[str] | None) -> Scores:
    judged, experts = (
        table.assign(**{PEOPLE: table["story"].isin(people)})
        for table in (store.scores.judged(), store.scores.by_experts())
    )
    if stories is not None:
        judged, experts = (table[table["story"].isin(stories)] for table in (judged, experts))
    out = [is_left_out(table) for table in (judged, experts)]
    left_out = pd.concat([judged[out[0]], experts[out[1]]])
    judged, experts = (
        table[~left] if left.any() else table for table, left in zip((judged, experts), out, strict=True)
    )
    return Scores(judged, experts, left_out)


def is_left_out(rows: pd.DataFrame) -> pd.Series:
    """Which of the rows no board of stories is made of."""
    return rows[PEOPLE] | rows[BRANCHED] | rows[OF_DIALOGUE]


def left_out_of(rows: pd.DataFrame) -> dict[str, int]:
    """How many trajectories are among rows that are left out, by the reason."""
    told = rows.drop_duplicates("item")[[OF_DIALOGUE, PEOPLE]].itertuples(index=False, name=None)
    return dict(Counter(OF_DIALOGUES if spoken else BY_PEOPLE if people else OF_BRANCHES for spoken, people in told))


@lru_cache(BOARDS)
def board_of(scores: Scores, wanted: Wanted) -> Board:
    """The board, worked out once. Raises UndefinedStatistic if nothing is scored, or no mean can be corrected."""
    keys = load_rubric().keys
    out = _left_out(scores, wanted)
    if wanted.judge is None:
        experts = _rows(scores.experts, wanted)
        return Board(wanted, standings(experts, keys), experts, _improvised(experts), left_out=out)
    judged = _rows(scores.judged[scores.judged["rater"] == wanted.judge], wanted)
    if judged.empty:
        raise UndefinedStatistic("{judge} has no scores here", judge=wanted.judge)
    if wanted.whose == "judge":
        found = standings(judged, keys)
        return Board(wanted, found, judged, _improvised(judged), left_out=out, unscored=_unscored(judged))
    experts = _rows(scores.experts, wanted)
    sides = sides_of_tables(wanted.judge, experts, judged, keys, improvised=_by_rehearsal(judged))
    corrected = corrected_standings(sides, keys)
    improvised = _improvised(pd.concat([judged, experts[experts["item"].isin(judged["item"])]]))
    return Board(wanted, corrected.standings, judged, improvised, corrected.undefined, out, _unscored(judged))


def _by_rehearsal(rows: pd.DataFrame) -> bool:
    """Whether the rehearsal gave some of a judge's scores in these rows; those of experts do not tell."""
    return JUDGED in rows and bool(rows[JUDGED].any())


def _unscored(judged: pd.DataFrame) -> dict[str, int]:
    """How many trajectories of each model lack a score, by model."""
    lacking = judged[judged[[*load_rubric().keys]].isna().any(axis=1)]
    return {str(model): int(count) for model, count in lacking["model"].value_counts(sort=False).sort_index().items()}


def _left_out(scores: Scores, wanted: Wanted) -> dict[str, int]:
    """Of a board: what the judge scored, or the experts, or one of them where they correct the judge."""
    rows = _rows(scores.left_out, wanted)
    judge, experts = rows["rater"] == wanted.judge, rows["rater"].isna()
    return left_out_of(rows[{"judge": judge, "experts": experts, "corrected": judge | experts}[wanted.whose]])


def _rows(table: pd.DataFrame, wanted: Wanted) -> pd.DataFrame:
    """The rows of stories of the language and the narrator that are wanted."""
    rows = table[table["language"] == wanted.language]
    return rows if wanted.narrator is None else rows[rows[NARRATOR] == wanted.narrator]


def provenance_of(board: Board) -> Provenance:
    """What its files tell of a board. They are in English."""
    wanted = board.wanted
    return Provenance(
        scores=str(whose_scores(board)),
        language=wanted.language,
        sweep=wanted.sweep,
        narrator=wanted.narrator,
        narrators=mixes(board.items, NARRATOR),
        rounds=mixes(board.items, ROUNDS),
        cautions=[str(one) for one in cautions(board.items)],
        left_out=[str(Message(reason, count=count)) for reason, count in board.left_out.items()],
        unscored=board.unscored,
        corrected=wanted.whose == "corrected",
        improvised=board.improvised,
    )


def scenes_behind(board: Board, model: str, metric: str) -> pd.DataFrame:
    """The scenes behind a model's mean on a metric, the best first: scene, mean, n (trajectories) and others, which is
    the mean of the other models in that scene."""
    keys = [*load_rubric().keys] if metric == RESERVED else [metric]
    items = board.items.dropna(subset=keys, how="all")
    means = scene_means(items, keys).mean(axis=1, skipna=False).unstack()
    if model not in means:
        return pd.DataFrame(columns=["scene", "mean", "n", "others"])
    counts = items[items["model"] == model].groupby("scene", observed=True).size()
    others = means.drop(columns=model).mean(axis=1)
    found = pd.DataFrame({"mean": means[model], "n": counts, "others": others}).dropna(subset=["mean"])
    found = found.rename_axis("scene").reset_index().astype({"n": int})
    return found.sort_values(["mean", "scene"], ascending=[False, True], ignore_index=True)


def trajectories_in(board: Board, model: str, scene: str) -> pd.DataFrame:
    """The trajectories of a model in a scene, by story: rows of `Board.items`."""
    items = board.items
    return items[(items["model"] == model) & (items["scene"] == scene)].sort_values("item", ignore_index=True)


def _improvised(items: pd.DataFrame) -> dict[str, str]:
    """What no language model made of each model, by name."""
    judged = items[JUDGED].eq(True) if JUDGED in items else False
    flags = pd.DataFrame({"model": items["model"], "story": items[PLAYED], "judge": judged})
    by_model = flags.groupby("model", observed=True).any()
    rows = by_model.itertuples(name=None)
    return {str(model): part for model, story, judge in rows if (part := improvised_part(story, judge))}


def ratings_behind(store: Store, wanted: Wanted) -> pd.DataFrame:
    """The ratings that count, in long form with the columns `narrator`, `rounds` and `improvised`: all that a board is
    worked out of.

    They are read one by one, and not from the table of scores by trajectory that the board is made of.
    """
    frame = store.ratings.frame().astype({"score": float})
    judge, expert = (frame["kind"] == "judge") & (frame["rater"] == wanted.judge), frame["kind"] == "expert"
    mine = {"judge": judge, "experts": expert, "corrected": judge | expert}[wanted.whose]
    frame = frame[mine & (frame["language"] == wanted.language)]
    story = frame["owner"]
    table = scores_of(store, wanted.sweep)
    here = ~story.isin(table.left_out["story"])
    if wanted.sweep is not None:
        here &= story.isin(store.scores.stories_of(wanted.sweep))
    scores, experts = table.judged, table.experts
    told = pd.concat([scores, experts])[["story", NARRATOR, ROUNDS]].drop_duplicates("story").set_index("story")
    if wanted.narrator is not None:
        here &= story.map(told[NARRATOR]) == wanted.narrator
    frame, story = frame[here], story[here]
    played = {*scores.loc[scores[PLAYED], "story"], *experts.loc[experts[PLAYED], "story"]}
    judged = {*scores.loc[scores[JUDGED] & (scores["rater"] == wanted.judge), "item"]}
    rows = zip(frame["item"], story, frame["kind"], strict=True)
    parts = [improvised_part(id in played, kind == "judge" and item in judged) for item, id, kind in rows]
    of_stories = {name: story.map(told[name]) for name in (NARRATOR, ROUNDS)}
    return told_apart(frame.assign(**of_stories, **{IMPROVISED: parts}).reset_index(drop=True))
