"""The mean of scores that roles and questions share, with an interval by drawing both anew.

Answers of one role resemble each other, and so do answers to one question. A draw takes as many roles and as many
questions as there are, with replacement; a score counts as often as its role came, times its question (the pigeonhole
bootstrap: Owen, 2007). The interval lies between the percentiles 2.5 and 97.5 of the means of all draws. Where each
question belongs to one role, it is rather too wide.

Scores may be differences of two answers to the same question: then both are drawn together. They may be of several
parts, each of which counts the same however many scores it has.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from annotations.errors import Undefined, UndefinedStatistic
from annotations.i18n.messages import Message, to_say
from annotations.resampling.draws import USUAL_DRAWS, Draws
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Floats, Interval, Ints

BY_BOTH = to_say("bootstrap by roles and by questions")
BY_QUESTIONS = to_say("bootstrap by questions, of one role")
BY_ROLES = to_say("bootstrap by roles, of one question")
_LIMITS = (0.025, 0.975)


def crossed_mean(
    scores: Floats, roles: Ints, questions: Ints, draws: Draws = USUAL_DRAWS, *, parts: Ints | None = None
) -> Estimate:
    """The mean of `scores`, each of which has the numbers of its role and its question, from 0 and without gaps; with
    `parts`, the number of the part of each, the mean of the means of the parts.

    Where there is one role, or one question, only the others are drawn. Raises UndefinedStatistic where there is no
    score.
    """
    if not len(scores):
        raise UndefinedStatistic("there are no scores")
    way = _way(roles, questions)
    of = [slice(None)] if parts is None else [parts == part for part in range(int(parts.max()) + 1)]
    estimate = float(np.mean([scores[part].mean() for part in of]))
    if way is None:
        return Estimate(estimate, Undefined(Message("one answer does not tell how answers differ")), len(scores))
    low, high = np.quantile(_means(scores, roles, questions, draws, of), _LIMITS)
    return Estimate(estimate, Interval(float(low), float(high), way), len(scores))


def _way(roles: Ints, questions: Ints) -> str | None:
    """What is drawn; None where there is one of each."""
    several = roles.max() > 0, questions.max() > 0
    return {(True, True): BY_BOTH, (False, True): BY_QUESTIONS, (True, False): BY_ROLES}.get(several)


def _means(
    scores: Floats, roles: Ints, questions: Ints, draws: Draws, of: Sequence[slice | NDArray[np.bool_]]
) -> Floats:
    """The mean of each draw. Where no drawn role has any of the drawn questions of a part, there is none: it is drawn
    anew."""
    random = np.random.default_rng(draws.seed)
    means = np.empty(draws.number)
    made = 0
    while made < draws.number:
        weights = _times(random, roles) * _times(random, questions)
        weighted = weights * scores  # threads of a product with @ would wait for each other
        totals = [weights[part].sum() for part in of]
        if all(totals):
            means[made] = np.mean([weighted[part].sum() / total for part, total in zip(of, totals, strict=True)])
            made += 1
    return means


def _times(random: np.random.Generator, cluster: Ints) -> Floats:
    """How often the cluster of each score comes, in one draw of as many as there are."""
    count = int(cluster.max()) + 1
    return np.bincount(random.integers(count, size=count), minlength=count).astype(float)[cluster]
