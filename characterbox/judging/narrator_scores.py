"""Narrators compared: the scores that one judge, or the experts, gave what models decided as narrators of stories.

As on the leaderboard, what people wrote is no model's: stories in which they play, and branches, do not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from annotations.leaderboard.narrators import NarratorScore, narrator_scores
from annotations.marking.rating import IMPROVISED
from annotations.rubrics.rubric import Rubric, load_rubric
from characterbox.judging.leaderboard import PEOPLE, is_left_out, left_out_of
from characterbox.judging.provenance import marked
from characterbox.store import Store

RUBRICS = ("narrator_steps", "narrator")
"""The rubrics by which narrators are scored: each kind of step by itself, or all of a story."""
EXPERTS = "~experts"
"""In the place of a judge: the mean over the experts."""


@dataclass(frozen=True, eq=False)
class NarratorRatings:
    """The ratings of narrators by one rubric that count."""

    rubric: Rubric
    rows: pd.DataFrame
    """As `RatingStore.frame` has them, with `IMPROVISED` and `players`: the models that play the characters."""
    left_out: pd.DataFrame
    """Those of stories in which people have a part, and of branches."""

    @property
    def raters(self) -> dict[str, bool]:
        """Who scored: judges by name, then the experts if any did; each with whether the rehearsal gave some of it."""
        judged = self.rows[self.rows["kind"] == "judge"]
        found = {str(rater): bool(of.str.contains("judge").any()) for rater, of in judged.groupby("rater")[IMPROVISED]}
        return {**found, EXPERTS: False} if (self.rows["kind"] == "expert").any() else found


@dataclass(frozen=True, eq=False)
class ComparedNarrators:
    """What one rater gave narrators."""

    scores: list[NarratorScore]
    stories: pd.DataFrame
    """What they are made of: `item`, `story`, `scene`, `narrator`, `players`, `language` and a column for each metric;
    of several experts the mean."""
    improvised: frozenset[str]
    """The narrators in whose stories or scores no language model was at work."""
    left_out: Mapping[str, int]
    """How many stories with such scores are not among them, by the reason."""


def narrator_ratings(store: Store, rubric: str, language: str | None = None) -> NarratorRatings:
    """The ratings of narrators by a bundled rubric, of stories in one language or in any."""
    frame = store.ratings.frame(rubric=rubric).astype({"score": float})
    frame = frame if language is None else frame[frame["language"] == language]
    frame = marked(store, frame.rename(columns={"owner": "story"}).assign(owner=frame["owner"]))
    castings = store.stories.castings(frame["story"].unique())
    players = {id: ", ".join(sorted({one.model for one in of.characters.values()})) for id, of in castings.items()}
    frame = store.scores.with_stories(frame).assign(players=frame["story"].map(players))
    frame[PEOPLE] = frame["story"].isin(store.scores.with_people())
    out = is_left_out(frame)
    return NarratorRatings(load_rubric(rubric), frame[~out], frame[out])


def compared(ratings: NarratorRatings, rater: str) -> ComparedNarrators:
    """The narrators as a judge, or the experts, scored them."""
    mine, out = _of(ratings.rows, rater), _of(ratings.left_out, rater)
    place = ["item", "story", "scene", "model", "players", "language"]
    wide = mine.pivot_table(index=place, columns="metric", values="score", aggfunc="mean", observed=True)
    stories = wide.reindex(columns=[*ratings.rubric.keys]).reset_index().rename(columns={"model": "narrator"})
    improvised = frozenset(map(str, mine.loc[mine[IMPROVISED] != "", "model"].unique()))
    return ComparedNarrators(narrator_scores(stories, ratings.rubric.metrics), stories, improvised, left_out_of(out))


def _of(rows: pd.DataFrame, rater: str) -> pd.DataFrame:
    return (
        rows[rows["kind"] == "expert"]
        if rater == EXPERTS
        else rows[(rows["kind"] == "judge") & (rows["rater"] == rater)]
    )
