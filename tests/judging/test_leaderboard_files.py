"""The leaderboard's files: every figure of them worked out again, with plain Python, from the file of ratings."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest

from annotations.marking.rating import COLUMNS
from annotations.resampling.draws import Draws
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.leaderboard import standings_latex
from characterbox.judging.leaderboard import Wanted, board_of, provenance_of, ratings_behind, scores_of
from characterbox.judging.leaderboard_files import Provenance, ratings_csv, standings_csv, standings_json
from characterbox.judging.provenance import DEMO_NOTE
from tests.annotations.jackknifed import jackknifed
from tests.fakes.campaigns import rate, started
from tests.fakes.csv_rows import rows_of
from tests.fakes.databases import store_in
from tests.fakes.leaderboards import judge, played
from tests.fakes.typeset import typeset

pytestmark = pytest.mark.slow

KEYS = load_rubric().keys
DRAWS = Draws(2000, 0)
SAME = 1e-9
"""Sums of the same scores in another order differ by less, and must not decide a rank."""
MODELS = ("alpha", "beta & 50%_{$x}", "=cmd|' /C calc'!A0")
HOSTILE = r"[\input{/etc/passwd}]"
NARRATOR = "@narr_%"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The files of one judge, whose board has a model of the rehearsal, missing scores and names that do harm."""
    store = store_in(tmp_path_factory.mktemp("files") / "files.db")
    real = [*played(store, MODELS, 7, narrator=MODELS[0]), *played(store, MODELS[:1], 2, narrator=NARRATOR)]
    improvised = played(store, [HOSTILE], 6, url="rehearsal", narrator=NARRATOR, rounds=1)
    judge(store, [*real, *improvised], "GPT-4", 6)
    judge(store, real, "@other", 7)
    board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
    of = provenance_of(board)
    yield {
        "standings": board.standings,
        "csv": standings_csv(board.standings, of),
        "json": standings_json(board.standings, of),
        "latex": standings_latex(board.standings, of),
        "ratings": ratings_csv(ratings_behind(store, board.wanted)),
    }
    store.close()


def nearest(values, share):
    """The value whose place is nearest, the even one of two."""
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]


class Recomputed:
    """Table 1 once more: loops over the rows of the file, in which only the draws of scenes are numpy's."""

    def __init__(self, rows):
        by_item = {}
        for row in rows:
            if row["score"]:
                key = row["model"], row["scene"], row["item"], row["metric"]
                by_item.setdefault(key, []).append(float(row["score"]))
        scored = {key: sum(scores) / len(scores) for key, scores in by_item.items()}  # over experts first
        self.scenes = sorted({scene for _, scene, _, _ in scored})
        self.models = sorted({model for model, _, _, _ in scored})
        self.items = {}
        cells = {}
        for (model, scene, item, metric), score in scored.items():
            cells.setdefault((metric, model, scene), []).append(score)
            self.items.setdefault((metric, model), set()).add(item)
        self.cells = {key: sum(scores) / len(scores) for key, scores in cells.items()}
        for model in self.models:
            for scene in self.scenes:
                parts = [self.cells.get((metric, model, scene)) for metric in KEYS]
                if None not in parts:
                    self.cells["overall", model, scene] = sum(parts) / len(parts)
        for model, scene, item, _ in scored:
            if ("overall", model, scene) in self.cells:
                self.items.setdefault(("overall", model), set()).add(item)
        random, count = np.random.default_rng(DRAWS.seed), len(self.scenes)
        self.draws = random.multinomial(count, [1 / count] * count, size=DRAWS.number).tolist()

    def mean(self, metric, model, counts):
        """Over scenes, each as often as it was drawn; None where none of its scenes was."""
        found = [
            (self.cells[metric, model, scene], count)
            for scene, count in zip(self.scenes, counts, strict=True)
            if count and (metric, model, scene) in self.cells
        ]
        drawn = sum(count for _, count in found)
        return sum(mean * count for mean, count in found) / drawn if drawn else None

    def figures(self, metric, model):
        """All figures of a row, by the names of the file."""
        means = [self.cells[metric, model, scene] for scene in self.scenes if (metric, model, scene) in self.cells]
        mean = sum(means) / len(means)
        sd = math.sqrt(sum((one - mean) ** 2 for one in means) / (len(means) - 1))
        every, ranks = [1] * len(self.scenes), []
        for counts in self.draws:
            own = self.mean(metric, model, counts)
            others = [self.mean(metric, other, counts) for other in self.models]
            ranks.append(1 + sum(one is not None and (own is None or one > own + SAME) for one in others))
        without = [
            self.mean(metric, model, [int(scene != left_out) for scene in self.scenes])
            for left_out in self.scenes
            if (metric, model, left_out) in self.cells
        ]
        low, high = jackknifed(mean, without)
        others = [self.mean(metric, other, every) for other in self.models]
        return {
            "mean": mean,
            "sd": sd,
            "low": low,
            "high": high,
            "rank": 1 + sum(one is not None and one > mean + SAME for one in others),
            "best_rank": nearest(ranks, 0.025),
            "worst_rank": nearest(ranks, 0.975),
            "first": sum(rank == 1 for rank in ranks) / len(ranks),
            "scenes": len(means),
            "items": len(self.items[metric, model]),
        }


@pytest.fixture(scope="module")
def recomputed(exported):
    """By metric and model."""
    table = Recomputed(rows_of(exported["ratings"]))
    return {(metric, model): table.figures(metric, model) for metric in (*KEYS, "overall") for model in table.models}


def test_every_figure_of_the_csv_is_that_of_a_second_computation_from_the_file_of_ratings(exported, recomputed):
    rows = rows_of(exported["csv"])
    assert {(row["metric"], row["model"]) for row in rows} == recomputed.keys()
    assert len(rows) == len(recomputed) == 8 * 4
    for row in rows:
        found = {name: float(row[name]) for name in recomputed[row["metric"], row["model"]]}
        assert found == pytest.approx(recomputed[row["metric"], row["model"]], rel=1e-9), row["metric"]


def test_every_figure_of_the_json_is_too(exported, recomputed):
    told = json.loads(exported["json"])
    assert len(told["standings"]) == len(recomputed)
    for row in told["standings"]:
        expected = recomputed[row["metric"], row["model"]]
        assert {name: row[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    assert (told["scores"], told["language"], told["note"]) == ("GPT-4", "en", DEMO_NOTE)


def test_every_figure_of_the_latex_table_is_too_and_the_best_two_are_marked(exported, recomputed):
    body = exported["latex"].partition("\\midrule\n")[2].partition("\\bottomrule")[0]
    lines = [line.removesuffix(r" \\").split(" & ") for line in body.strip().split("\n")]
    means, limits = (
        lines[::2],
        [[cell.replace("{[}", "[").replace("{]}", "]") for cell in line] for line in lines[1::2]],
    )
    order = sorted({model for _, model in recomputed}, key=lambda model: recomputed["overall", model]["rank"])
    assert len(means) == len(limits) == len(order)
    for model, above, below in zip(order, means, limits, strict=True):
        overall = recomputed["overall", model]
        between = (overall["best_rank"], overall["worst_rank"])
        told = f" ({between[0]}–{between[1]})" if between[0] != between[1] else ""
        assert above[1] == f"{overall['rank']}{told}"
        assert above[-1] == f"{overall['scenes']:,} scenes"
        assert below[-1] == rf"{{\scriptsize {overall['items']:,} trajectories}}"
        assert below[1] == rf"{{\scriptsize first in {100 * overall['first']:.0f}\%}}"
        for metric, mean, limit in zip((*KEYS, "overall"), above[2:-1], below[2:-1], strict=True):
            figures = recomputed[metric, model]
            ranks = sorted({recomputed[metric, other]["rank"] for other in order})[:2]
            style = dict(zip(ranks, (r"\textbf{%s}", r"\underline{%s}"), strict=False)).get(figures["rank"], "%s")
            assert mean == style % f"{figures['mean']:.2f}" + rf" $\pm${figures['sd']:.2f}"
            assert limit == rf"{{\scriptsize [{figures['low']:.2f}, {figures['high']:.2f}]}}"


async def experts_rate(store, stories):
    """Two experts score the characters of each story."""
    for number, story in enumerate(stories):
        _, _, assigned = started(store, story, "Max", "Mia")
        for rater, assignments in assigned.items():
            for place, assignment in enumerate(assignments):
                scores = [1 + (number * 3 + place + len(rater) + metric * number) % 5 for metric in range(7)]
                await rate(store, assignment, *scores)


async def test_those_of_experts_are_too(tmp_path):
    store = store_in(tmp_path / "experts.db")
    try:
        await experts_rate(store, played(store, MODELS[:2], 5))
        board = board_of(scores_of(store), Wanted("experts", "en"))
        table = Recomputed(rows_of(ratings_csv(ratings_behind(store, board.wanted))))
    finally:
        store.close()
    for row in rows_of(standings_csv(board.standings, provenance_of(board))):
        expected = table.figures(row["metric"], row["model"])
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected, rel=1e-9)


def test_they_tell_who_narrated_each_model_and_for_how_many_rounds(exported):
    counts = {}
    for row in rows_of(exported["ratings"]):
        counts.setdefault(row["model"], {}).setdefault((row["narrator"], row["rounds"]), set()).add(row["item"])
    told = {row["model"]: (row["narrators"], row["rounds"]) for row in rows_of(exported["csv"])}
    assert {model: {key: len(items) for key, items in of.items()} for model, of in counts.items()} == {
        MODELS[0]: {(MODELS[0], "3"): 17, (NARRATOR, "3"): 5},
        MODELS[1]: {(MODELS[0], "3"): 17},
        MODELS[2]: {(MODELS[0], "3"): 17},
        HOSTILE: {(NARRATOR, "1"): 15},
    }
    assert told[MODELS[0]] == (f"{NARRATOR}: 5; alpha: 17", "3: 22")
    assert told[HOSTILE] == (f"{NARRATOR}: 15", "1: 15")
    content = json.loads(exported["json"])
    [row] = [row for row in content["standings"] if row["model"] == MODELS[0] and row["metric"] == "overall"]
    assert (row["narrators"], row["rounds"]) == ({NARRATOR: 5, "alpha": 17}, {"3": 22})
    assert content["narrator"] is None
    assert len(content["cautions"]) == 2
    assert "Models had different narrators: " in exported["latex"]
    assert r"Models played different numbers of rounds: " in exported["latex"]


async def test_those_of_one_narrator_are_too_and_say_so(tmp_path):
    store = store_in(tmp_path / "narrators.db")
    try:
        for narrator, seed in (("one", 1), (NARRATOR, 2)):
            judge(store, played(store, MODELS[:2], 6, narrator=narrator), "GPT-4", seed)
        board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4", narrator=NARRATOR))
        ratings = rows_of(ratings_csv(ratings_behind(store, board.wanted)))
        of = provenance_of(board)
    finally:
        store.close()
    table = Recomputed(ratings)
    for row in rows_of(standings_csv(board.standings, of)):
        expected = table.figures(row["metric"], row["model"])
        assert {name: float(row[name]) for name in expected} == pytest.approx(expected, rel=1e-9)
        assert (row["narrator"], row["narrators"]) == (
            NARRATOR,
            f"{NARRATOR}: {len({one['item'] for one in ratings}) // 2}",
        )
    assert json.loads(standings_json(board.standings, of))["narrator"] == NARRATOR
    assert r"Stories that @narr\_\% narrated." in standings_latex(board.standings, of)


def test_what_the_rehearsal_made_is_marked_in_every_file(exported):
    for row in rows_of(exported["csv"]):
        assert (row["improvised"], row["note"]) == (("story", DEMO_NOTE) if row["model"] == HOSTILE else ("", ""))
    for row in json.loads(exported["json"])["standings"]:
        assert row["improvised"] == ("story" if row["model"] == HOSTILE else None)
    assert exported["latex"].count(r"$^{\dagger}$") == 2, "at the row and below"
    assert DEMO_NOTE in exported["latex"]
    assert {row["improvised"] for row in rows_of(exported["ratings"]) if row["model"] == HOSTILE} == {"story"}


def test_each_file_tells_what_lacks_a_score_and_what_is_left_out(exported):
    lacking = {(row["model"], row["item"]) for row in rows_of(exported["ratings"]) if not row["score"]}
    counts = {model: sum(one == model for one, _ in lacking) for model in (*MODELS, HOSTILE)}
    assert sum(counts.values()) == len(lacking) > 0
    assert {row["model"]: int(row["unscored"]) for row in rows_of(exported["csv"])} == counts
    told = {model: count for model, count in counts.items() if count}
    assert json.loads(exported["json"])["unscored"] == told
    assert "Trajectories without a score on some metric, which count in no mean of it: " in exported["latex"]
    of = Provenance("GPT-4", "en", left_out=("3 of branches", "1 of people"))
    assert {row["left_out"] for row in rows_of(standings_csv(exported["standings"], of))} == {
        "3 of branches; 1 of people"
    }
    assert json.loads(standings_json([], of))["left_out"] == ["3 of branches", "1 of people"]
    assert "Trajectories that are left out: 3 of branches; 1 of people." in standings_latex([], of)
    assert "left out" not in exported["latex"]


def test_no_cell_is_a_formula_and_all_come_back(exported):
    for name in ("csv", "ratings"):
        rows = csv.reader(io.StringIO(exported[name].decode("utf-8-sig"), newline=""))
        assert not any(cell.startswith(("=", "+", "@", "\t")) for row in rows for cell in row)
        assert {row["model"] for row in rows_of(exported[name])} == {*MODELS, HOSTILE}
    assert {*COLUMNS, "language", "reason", "narrator", "rounds", "improvised"} == set(rows_of(exported["ratings"])[0])
    missing = [row for row in rows_of(exported["ratings"]) if not row["score"]]
    assert missing
    assert {row["reason"] for row in missing} == {"no score"}


def test_the_latex_is_balanced_and_runs_nothing_of_the_names(exported):
    text = re.sub(r"(?m)^%.*$", "", exported["latex"])
    assert r"\input" not in text
    bare = re.sub(r"\\[{}]", "", text)
    depth = 0
    for sign in bare:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    begun, ended = (re.findall(rf"\\{word}{{(\w+\*?)}}", text) for word in ("begin", "end"))
    assert begun == ["table*", "tabular", "minipage"]
    assert ended == ["tabular", "minipage", "table*"]
    columns = re.search(r"\\begin{tabular}{(\w+)}", text)
    rows = [line for line in text.split("\n") if line.endswith(r"\\")]
    assert columns is not None
    assert {len(re.findall(r"(?<!\\)&", line)) + 1 for line in rows} == {len(columns[1])}
    assert not len(re.findall(r"(?<!\\)\$", text)) % 2


def test_captions_tell_whose_scores_which_interval_and_what_is_not_there(exported):
    assert "as scored by GPT-4" in exported["latex"]
    ranks = "of ranks: percentiles of 2000 draws of scenes, seed 0"
    latex = exported["latex"].replace("{}", "")
    assert rf"95\% intervals, Student's t over scenes; {ranks}" in latex
    of = Provenance("GPT-4, corrected by the experts", "zh", sweep="pilot_1", corrected=True)
    told = standings_latex(exported["standings"], of)
    assert r"Stories of the sweep pilot\_1." in told
    assert f"jackknife by scenes, Student's t; {ranks}" in told.replace("{}", "")
    assert DEMO_NOTE not in told
    assert json.loads(standings_json([], of))["standings"] == []


def test_tables_of_several_judges_have_labels_of_their_own():
    labels = [
        re.search(r"\\label\{(.*)\}", standings_latex([], Provenance(scores, language)))[1]
        for language in ("en", "zh")
        for scores in ("GPT-4", "GPT-4 v2", "GPT-4, corrected by the experts", "@other_%")
    ]
    assert labels[:2] == ["tab:leaderboard-en-gpt-4", "tab:leaderboard-en-gpt-4-v2"]
    labels += [
        re.search(r"\\label\{(.*)\}", standings_latex([], Provenance("GPT-4", "en", narrator=narrator)))[1]
        for narrator in ("v2", "three")
    ]
    assert len({*labels}) == len(labels)
    assert all(re.fullmatch("[a-z0-9:-]+", label) for label in labels)


@pytest.mark.process
def test_the_latex_is_typeset(exported, tmp_path):
    typeset(exported["latex"], tmp_path)
