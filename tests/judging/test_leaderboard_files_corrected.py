"""The files of a judge whom experts correct: means and ranks worked out again from the file of ratings."""

import numpy as np
import pytest

from characterbox.judging.leaderboard import Wanted, board_of, provenance_of, ratings_behind, scores_of
from characterbox.judging.leaderboard_files import ratings_csv, standings_csv
from tests.fakes.csv_rows import rows_of
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, played
from tests.judging.test_leaderboard_files import DRAWING, KEYS, MODELS, SAME, experts_rate, nearest

pytestmark = pytest.mark.slow


def mean_of(values):
    return sum(values) / len(values)


class Corrected:
    """Of a judge whom experts correct, the same: prediction-powered means, each model with its own weight."""

    def __init__(self, rows, metrics):
        sides = {"expert": {}, "judge": {}}
        self.place = {}
        for row in rows:
            if row["score"] and row["metric"] in metrics:
                sides[row["kind"]].setdefault(row["item"], {}).setdefault(row["metric"], []).append(float(row["score"]))
                self.place[row["item"]] = row["model"], row["scene"]
        experts, judged = (
            {
                item: mean_of([mean_of(one) for one in of.values()])
                for item, of in side.items()
                if len(of) == len(metrics)
            }
            for side in sides.values()
        )
        self.models = sorted({self.place[item][0] for item in judged})
        self.scenes = sorted({self.place[item][1] for item in judged})
        self.off, self.alone = {}, {}
        for model in self.models:
            own = [item for item in judged if self.place[item][0] == model]
            both, alone = [one for one in own if one in experts], [one for one in own if one not in experts]
            e, j = mean_of([experts[one] for one in both]), mean_of([judged[one] for one in both])
            covariance = mean_of([(experts[one] - e) * (judged[one] - j) for one in both])
            center = mean_of([judged[one] for one in own])
            variance = sum((judged[one] - center) ** 2 for one in own) / (len(own) - 1)
            weight = min(1, max(0, covariance / ((1 + len(both) / len(alone)) * variance)))
            self.off[model] = {one: experts[one] - weight * judged[one] for one in both}
            self.alone[model] = {one: weight * judged[one] for one in alone}

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
        random = np.random.default_rng(DRAWING.seed)
        draws = random.multinomial(count, [1 / count] * count, size=DRAWING.draws).tolist()
        drawn = [*zip(*(self.ranks(dict(zip(self.scenes, draw, strict=True))) for draw in draws), strict=True)]
        for model, rank, ranks in zip(self.models, self.ranks(every), drawn, strict=True):
            items = [*self.off[model], *self.alone[model]]
            yield (
                model,
                {
                    "mean": self.mean(model, every),
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
    assert told == {"Student's t, scenes as clusters; of ranks: percentiles of 2000 draws of scenes, seed 0"}
