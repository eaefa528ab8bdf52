"""Votes on pairs of stories as votes on pairs of models.

A vote tells of two models where each plays all characters of one of the stories, from its first step on, and all else
is the same for both: the scene and the narrator. What a rater says again of the same two stories is no new evidence:
the first vote counts. All other votes are left out, and counted by their reason.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from annotations.errors import Undefined, or_undefined
from annotations.i18n.messages import Message, to_say
from annotations.leaderboard.bradley_terry import Strength, Tally, bradley_terry, comparable, tally
from characterbox.llm.endpoint import Casting
from characterbox.store import Store
from characterbox.store.ratings.votes import Candidate, Vote

COLUMNS = ("scene", "one", "other", "better", "rater", "blind", "improvised")

UNREADABLE = to_say("a stored story can't be read")
SCENES = to_say("the stories are from different scenes")
SEVERAL = to_say("the characters of one story are played by several models")
PEOPLE = to_say("a person plays in one of the stories")
BRANCHED = to_say("one story is a branch that begins with another story")
SAME = to_say("both stories are played by the same model")
NARRATORS = to_say("the stories have different narrators")
AGAIN = to_say("the rater had already voted on these two stories")


@dataclass(frozen=True, eq=False)
class ModelVotes:
    """Votes on pairs of models."""

    frame: pd.DataFrame
    """As `annotations.leaderboard.bradley_terry` takes them, the columns `COLUMNS`: `improvised` tells whether a story
    was made without a language model, at least in part.
    """
    left_out: Mapping[str, int]
    """How many are not among them, by the reason, which is to be said."""
    improvised: frozenset[str]
    """The models of stories that were made without a language model, at least in part."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """What votes tell of models."""

    votes: ModelVotes
    tally: Tally
    groups: Sequence[Sequence[Strength]]
    """The models whose strengths votes determine among each other, the strongest first; one group, if of all."""
    alone: Sequence[str]
    """The models of which nothing is determined."""
    undefined: Message | None
    """Why there is no ranking of all models; None where there is one."""


def ranking_of(votes: ModelVotes) -> Ranking:
    """How the models stand by votes. Raises UndefinedStatistic where there is none."""
    found, whole = tally(votes.frame), or_undefined(bradley_terry, votes.frame)
    if not isinstance(whole, Undefined):
        return Ranking(votes, found, [whole], [], None)
    groups = comparable(found)
    strengths = [
        bradley_terry(votes.frame[votes.frame["one"].isin(group) & votes.frame["other"].isin(group)])
        for group in groups
        if len(group) > 1
    ]
    return Ranking(
        votes, found, strengths, [name for group in groups if len(group) == 1 for name in group], whole.reason
    )


def model_votes(
    store: Store, *, sweep: str | None = None, language: str | None = None, blind: bool = False
) -> ModelVotes:
    """The votes of a database on models: of all stories, or of those of one sweep; on scenes in any language, or in
    one; all, or those that were cast blind."""
    candidates = store.votes.candidates(sweep)
    rows, left_out, improvised = [], Counter[str](), set[str]()
    for vote, again in _told_apart(store.votes.all(sweep)):
        one, other = candidates.get(vote.one), candidates.get(vote.other)
        if (blind and not vote.blind) or not _speaks(language, one, other):
            continue
        if one is None or other is None:
            left_out[UNREADABLE] += 1
        elif reason := _unfit(one, other) or (AGAIN if again else None):
            left_out[reason] += 1
        else:
            models = {vote.one: _model(one.casting), vote.other: _model(other.casting)}
            made = [models[id] for id, story in ((vote.one, one), (vote.other, other)) if story.casting.improvised]
            improvised.update(made)
            better = None if vote.better is None else models[vote.better]
            rows.append((one.scene, *models.values(), better, vote.rater, vote.blind, bool(made)))
    return ModelVotes(pd.DataFrame(rows, columns=list(COLUMNS)), dict(left_out.most_common()), frozenset(improvised))


def _told_apart(votes: Iterable[Vote]) -> Iterator[tuple[Vote, bool]]:
    """Each vote, and whether its rater had voted on the same two stories before."""
    known: set[tuple[str, frozenset[str]]] = set()
    for vote in votes:
        key = (f"account {vote.account}" if vote.account else f"name {vote.rater}", frozenset((vote.one, vote.other)))
        yield vote, key in known
        known.add(key)


def _speaks(language: str | None, *stories: Candidate | None) -> bool:
    """Whether the scenes that can be read are in the language, if one is asked for."""
    return all(language in (None, story.language) for story in stories if story is not None)


def _unfit(one: Candidate, other: Candidate) -> str | None:
    """Why a vote on these stories tells nothing of two models; None where it does."""
    for reason, holds in (
        (SCENES, one.scene != other.scene),
        (PEOPLE, one.people or other.people),
        (SEVERAL, any(len(_models(story.casting)) > 1 for story in (one, other))),
        (BRANCHED, one.branched or other.branched),
        (SAME, _models(one.casting) == _models(other.casting)),
        (NARRATORS, one.casting.narrator.model != other.casting.narrator.model),
    ):
        if holds:
            return reason
    return None


def _models(casting: Casting) -> set[str]:
    return {endpoint.model for endpoint in casting.characters.values()}


def _model(casting: Casting) -> str:
    [model] = _models(casting)
    return model
