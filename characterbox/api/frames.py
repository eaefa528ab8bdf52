"""What is stored, and what is worked out of it, as pandas frames."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields

import pandas as pd

from annotations.errors import RatingError
from annotations.leaderboard.standings import Standing
from annotations.marking.rating import COLUMNS, IMPROVISED, KINDS, check_frame
from annotations.report.all_figures import every_figure, usable_ratings
from annotations.report.figure import COLUMNS as FIGURES
from annotations.report.per_metric import report_caveats
from annotations.report.report import scale_of, statistics
from annotations.rubrics.rubric import load_rubric
from characterbox.judging.leaderboard import Board, provenance_of
from characterbox.judging.provenance import provenance
from characterbox.play.events import Event
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.ratings.ratings import Rating
from characterbox.store.stories.costs_across_stories import Call
from characterbox.store.stories.story import Story

SCENES = ("name", "title", "work", "language", "characters", "source")
STORIES = ("id", "title", "work", "scene", "language", "status", "rounds", "seed", "narrator", "characters", "memory",
           "created_at")  # fmt: skip
_RATINGS = (*COLUMNS, "language", "reason", IMPROVISED)
_FIRST = ("number", "kind", "path", "round", "turn", "character")
"""The columns of events that come first; the others are those that the kinds of events have."""


def scenes_frame(scenes: Iterable[tuple[str, Scene, str]]) -> pd.DataFrame:
    """Scenes, each with its name and where it is from, one a row; `characters` is a list of names."""
    rows = [(name, scene.title, scene.work, scene.language, [*scene.names], source) for name, scene, source in scenes]
    return pd.DataFrame(rows, columns=[*SCENES])


def stories_frame(stories: Iterable[Story]) -> pd.DataFrame:
    """Stories, one a row; `characters` is a dictionary of models by the names of those whom they play."""
    rows = [
        (
            story.id,
            story.title,
            story.script.scene.work,
            story.script.scene.id,
            story.script.scene.language,
            story.status,
            story.script.rounds,
            story.script.seed,
            str(story.casting.narrator),
            {name: str(endpoint) for name, endpoint in story.casting.characters.items()},
            None if story.casting.memory is None else str(story.casting.memory),
            story.created_at,
        )
        for story in stories
    ]
    return pd.DataFrame(rows, columns=[*STORIES])


def events_frame(events: Iterable[Event]) -> pd.DataFrame:
    """Events in their order, one a row, `number` from 1; what a kind of event does not have is missing (NaN)."""
    rows = [
        {"number": number, **event.model_dump(mode="json"), "reason": event.reason and str(event.reason)}
        for number, event in enumerate(events, 1)
    ]
    names = dict.fromkeys([*_FIRST, *(name for row in rows for name in row)])
    return pd.DataFrame(rows, columns=[*names])


def calls_frame(calls: Iterable[Call]) -> pd.DataFrame:
    """Recorded replies without their texts, one a row: whose they are, tokens, US dollars, attempts, seconds."""
    return pd.DataFrame(calls, columns=[*Call._fields])


def judgements_frame(store: Store, ratings: Sequence[Rating]) -> pd.DataFrame:
    """What a judge gave, in long form: one score a row, NaN with a reason where it could not be read."""
    told = provenance(store, {rating.story_id for rating in ratings})
    rows = [
        {
            **{name: getattr(rating, name) for name in (*COLUMNS, "language")},
            "reason": None if rating.reason is None else str(rating.reason),
            IMPROVISED: told(rating.identity, rating.rater, rating.kind, rating.model),
        }
        for rating in ratings
    ]
    return pd.DataFrame(rows, columns=[*_RATINGS]).astype({"score": float})


def ratings_frame(rated: pd.DataFrame) -> pd.DataFrame:
    """Ratings in long form, as `stats` takes them: one score a row, NaN where it is missing."""
    return rated[[*_RATINGS]].reset_index(drop=True)


def board_frame(board: Board) -> pd.DataFrame:
    """A leaderboard: one row a model and metric, `overall` among them. `attrs` tells whose scores it is of, how its
    intervals were made, and what limits it."""
    frame = pd.DataFrame([asdict(one) for one in board.standings], columns=[one.name for one in fields(Standing)])
    frame[IMPROVISED] = [board.improvised.get(model, "") for model in frame["model"]]
    of = provenance_of(board)
    frame.attrs = {
        **{name: getattr(of, name) for name in ("scores", "language", "mean", "interval")},
        "cautions": [*of.cautions, *of.left_out],
    }
    return frame


def _as_ratings(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with whole scores as numbers like others. Raises RatingError for what is no text where one is needed,
    or names no kind of rater: it would be left out without a word."""
    for column in (name for name in COLUMNS if name != "score" and name in frame):
        if not frame[column].map(lambda value: isinstance(value, str) and value.strip() != "").all():
            raise RatingError(f"ratings: column {column} has to hold text in each row; fill it in, or use astype(str)")
    if "kind" in frame and (unknown := sorted({*frame["kind"]} - {*KINDS})):
        raise RatingError(f"ratings: column kind has {', '.join(map(repr, unknown))}; use expert or judge")
    if "score" in frame and pd.api.types.is_integer_dtype(frame["score"]):
        return frame.astype({"score": float})
    return frame


def figures_frame(ratings: pd.DataFrame, scale: tuple[float, float] | None = None) -> pd.DataFrame:
    """Every figure of ratings in long form, one a row. Raises AnnotationError if they can't be used."""
    ratings = _as_ratings(ratings)
    check_frame(ratings)
    if scale is not None and not (all(map(math.isfinite, scale)) and scale[0] < scale[1]):
        raise RatingError(f"scale {scale}: give the lowest and the highest score that can be given, such as (1, 5)")
    report = statistics(ratings, load_rubric(), scale or scale_of(ratings))
    rows = [figure.row() for figure in every_figure(ratings, report)]
    frame = pd.DataFrame(rows, columns=[*FIGURES])
    caveats = report_caveats(ratings, usable_ratings(ratings, report.design.scale), report)
    frame.attrs = {
        "scale": report.design.scale,
        "cautions": [str(caveat.sentence) for caveat in caveats],
        "left_out": [
            {name: str(getattr(one, name) or "") for name in ("item", "metric", "rater", "reason", "detail")}
            for one in report.dropped
        ],
    }
    return frame
