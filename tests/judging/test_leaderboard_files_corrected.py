"""The files of a judge whom experts correct: means, intervals and ranks worked out again from the file of ratings."""

import math

import numpy as np
import pytest
from scipy import stats

from characterbox.judging.leaderboard import Wanted, board_of, provenance_of, ratings_behind, scores_of
from characterbox.judging.leaderboard_files import ratings_csv, standings_csv
from tests.fakes.csv_rows import rows_of
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, played
from tests.judging.test_leaderboard_files import DRAWS, KEYS, MODELS, SAME, experts_rate, nearest

pytestmark = pytest.mark.slow


def mean_of(values):
    return sum(values) / len(values)


def squares(values):
    """The sum of their squared distances from their mean."""
    return sum((value - mean_of(values)) ** 2 for value in values)


def added_up(estimate, *groups):
    """The 95 % interval from what the estimate comes to without each scene of one group, and of another: the variances
    add up, with degrees of freedom after Satterthwaite."""
    variances = [(len(values) - 1) / len(values) * squares(values) for values in groups]
    below = sum(one**2 / (len(values) - 1) for one, values in zip(variances, groups, strict=True))
    half = stats.t.ppf(0.975, sum(variances) ** 2 / below) * math.sqrt(sum(variances))
    return estimate - half, estimate + half


class Corrected:
    """Of a judge whom experts correct, the same: prediction-powered means, each model with its own weight."""

    def __init__(self, rows, metrics):
        sides = {"expert": {}, "judge": {}}
        self.place = {}
        for row in rows:
            if row["score"] and row["metric"] in metrics:
                sides[row["kind"]].setdefault(row["item"], {}).setdefault(row["metric"], []).append(float(row["score"]))
                self.place[row["item"]] = row["model"], row["scene"]
        self.experts, self.judged = (
            {
                item: mean_of([mean_of(one) for one in of.values()])
                for item, of in side.items()
                if len(of) == len(metrics)
            }
            for side in sides.values()
        )
        self.models = sorted({self.place[item][0] for item in self.judged})
        self.scenes = sorted({self.place[item][1] for item in self.judged})
        self.off, self.alone = {}, {}
        for model in self.models:
            self.off[model], self.alone[model] = self.parts(model)

    def parts(self, model, left_out=None):
        """How far the judge, weighted, is off on each item that both scored, and its weighted scores of the others,
        without one scene."""
        experts, judged = self.experts, self.judged
        own = [item for item in judged if self.place[item][0] == model and self.place[item][1] != left_out]
        both, alone = [one for one in own if one in experts], [one for one in own if one not in experts]
        e, j = mean_of([experts[one] for one in both]), mean_of([judged[one] for one in both])
        covariance = mean_of([(experts[one] - e) * (judged[one] - j) for one in both])
        variance = squares([judged[one] for one in own]) / (len(own) - 1)
        weight = min(1, max(0, covariance / ((1 + len(both) / len(alone)) * variance)))
        return {one: experts[one] - weight * judged[one] for one in both}, {one: weight * judged[one] for one in alone}

    def interval(self, model):
        """Scenes with items that both scored are left out, and those of the judge alone by themselves."""
        labelled = {self.place[item][1] for item in self.off[model]}
        of_both, of_judge = [], []
        for scene in {self.place[item][1] for item in [*self.off[model], *self.alone[model]]}:
            value = sum(mean_of(part.values()) for part in self.parts(model, scene))
            (of_both if scene in labelled else of_judge).append(value)
        return added_up(self.mean(model, dict.fromkeys(self.scenes, 1)), of_both, of_judge)

    def mean(self, model, counts):
        """With each scene as often as it was drawn; None where nothing was drawn that both scored."""
        drawn = 0.0
        for part in (self.off[model], self.alone[model]):
            times = [(value, counts[self.place[item][1]]) for item, value in part.items()]
            if not sum(count for _, count in times):
                return None
            drawn += sum(value * count for value, count in times) / sum(count for _, count in times)
        return drawn

    def ranks(self, counts):
        means = [self.mean(model, counts) for model in self.models]
        return [1 + sum(one is not None and (own is None or one > own + SAME) for one in means) for own in means]

    def figures(self):
        """By model, figures of a row, by the names of the file."""
        every, count = dict.fromkeys(self.scenes, 1), len(self.scenes)
        random = np.random.default_rng(DRAWS.seed)
        draws = random.multinomial(count, [1 / count] * count, size=DRAWS.number).tolist()
        drawn = [*zip(*(self.ranks(dict(zip(self.scenes, draw, strict=True))) for draw in draws), strict=True)]
        for model, rank, ranks in zip(self.models, self.ranks(every), drawn, strict=True):
            items = [*self.off[model], *self.alone[model]]
            low, high = self.interval(model)
            yield (
                model,
                {
                    "mean": self.mean(model, every),
                    "low": low,
                    "high": high,
                    "rank": rank,
                    "best_rank": nearest(ranks, 0.025),
                    "worst_rank": nearest(ranks, 0.975),
                    "first": ranks.count(1) / len(ranks),
                    "scenes": len({self.place[item][1] for item in items}),
                    "items": len(items),
                },
            )


@pytest.mark.parametrize("metrics", [KEYS[:1], pytest.param(KEYS[1:], marks=pytest.mark.soak)], ids=["one", "others"])
async def test_those_of_a_judge_whom_experts_correct_are_too(tmp_path, metrics):
    store = store_in(tmp_path / "corrected.db")
    try:
        stories = played(store, MODELS, 16)
        judge(store, stories, "GPT-4", 4)
        await experts_rate(store, stories[: 3 * 8])
        board = board_of(scores_of(store), Wanted("corrected", "en", "GPT-4"))
        ratings = rows_of(ratings_csv(ratings_behind(store, board.wanted)))
    finally:
        store.close()
    rows = {(row["metric"], row["model"]): row for row in rows_of(standings_csv(board.standings, provenance_of(board)))}
    assert len(rows) == 8 * 3
    for metric, of in (*((key, [key]) for key in metrics), ("overall", [*KEYS])):
        for model, expected in Corrected(ratings, of).figures():
            found = {name: float(rows[metric, model][name]) for name in expected}
            assert found == pytest.approx(expected, rel=1e-9), metric
    assert any(float(row["best_rank"]) < float(row["worst_rank"]) for row in rows.values())
    told = {row["interval"] for row in rows.values()}
    assert told == {"jackknife by scenes, Student's t; of ranks: percentiles of 2000 draws of scenes, seed 0"}
