"""`characterbox stats`: the figures of a file of ratings, worked by hand and published."""

import json
from dataclasses import asdict
from itertools import product
from random import Random
from statistics import correlation

import pytest

from annotations.marking.rating import read_ratings
from annotations.report.all_figures import every_figure
from annotations.report.report import statistics
from annotations.rubrics.rubric import load_rubric
from tests.annotations.jackknifed import CORRELATION, jackknifed
from tests.fakes.real_data import real

KEYS = load_rubric().keys
RATINGS = """item,scene,model,metric,rater,kind,score
s1:ann,s1,m,KA,expert-mean,expert,4
s1:ann,s1,m,BA,expert-mean,expert,3
s2:ann,s2,m,KA,expert-mean,expert,-1
"""


def test_what_is_wrong_with_ratings_is_told_with_the_file(in_process, tmp_path):
    (tmp_path / "huge.csv").write_text(RATINGS.replace("expert,4", "expert,1e308"), encoding="utf-8")
    done = in_process("stats", "huge.csv", "--json")
    assert (done.status, done.out) == (2, "")
    assert "huge.csv: line 2, column score: '1e308' is beyond one million" in done.one_line()


def test_statistics_as_text_and_as_json(in_process, tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS, encoding="utf-8")
    text = in_process("stats", file)
    assert text.status == 0
    assert len(text.out.splitlines()) > 3
    done = in_process("stats", file, "--json", "--scale", "1-5")
    assert done.status == 0
    assert "outside" in json.dumps(json.loads(done.out))


def test_statistics_of_what_the_rehearsal_gave_say_so(in_process, tmp_path):
    file = tmp_path / "ratings.csv"
    marks = ["improvised", "story"] + [""] * (len(RATINGS.splitlines()) - 2)
    for improvised in (marks, marks[:1] + [""] * (len(marks) - 1)):
        lines = [f"{line},{mark}" for line, mark in zip(RATINGS.splitlines(), improvised, strict=True)]
        file.write_text("\n".join(lines), encoding="utf-8")
        done = in_process("stats", file, "--json")
        assert done.status == 0
        told = f"characterbox: {file}: Demo output (no language model); do not report\n"
        assert done.err == (told if improvised is marks else "")


def test_a_judge_that_is_the_rehearsal_is_named_so_in_the_statistics(in_process, tmp_path):
    header, *rows = RATINGS.splitlines()
    rows = [f"{row}," for row in rows] + [f"s{at}:ann,s{at},m,KA,GPT-4,judge,3,judge" for at in (1, 2)]
    (file := tmp_path / "ratings.csv").write_text("\n".join([f"{header},improvised", *rows]), encoding="utf-8")
    told, called = in_process("stats", file).out, "Rehearsal judge, GPT-4 protocol"
    assert told.count("Rehearsal judge") == told.count(called) == told.count("GPT-4") > 0
    found = json.loads(in_process("stats", file, "--json").out)
    assert found["judged_by"] == {"GPT-4": called}, "its keys are the names in the file"
    assert called in found["validity"]["GPT-4"]["KA"]["undefined"]


def test_the_figures_of_a_file_are_those_worked_by_hand(in_process, tmp_path):
    # The experts' means are 2, 3, 4 and the judge gives 1, 3, 2: deviations (-1, 0, 1) and (-1, 1, 0), so r = 1 / 2.
    # The experts' variances are 13/3 and 1/3, that of their sums 4: alpha = 2 (1 - (14/3) / 4) = -1/3.
    scores = {"ann": ("expert", (1, 2, 5)), "bo": ("expert", (3, 4, 3)), "gpt": ("judge", (1, 3, 2))}
    lines = [
        f"i{number},s{number},m,KA,{rater},{kind},{score}"
        for rater, (kind, given) in scores.items()
        for number, score in enumerate(given)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["item,scene,model,metric,rater,kind,score", *lines]), encoding="utf-8")
    found = json.loads(in_process("stats", file, "--json").out)
    r = found["validity"]["gpt"]["KA"]
    [alpha] = [alpha for alpha in found["reliability"] if alpha["metric"] == "KA"]
    none = r.pop("interval")
    assert r == {"pearson": pytest.approx(0.5, abs=1e-12), "low": None, "high": None, "n": 3}
    assert none == alpha["interval"]
    assert none.startswith("none: an interval needs at least 5 scenes")
    assert alpha["alpha"] == pytest.approx(-1 / 3, abs=1e-12)
    assert (alpha["n"], alpha["items"]) == (3, 2)
    assert "negative" in alpha["warning"]


def test_of_five_scenes_r_has_the_interval_of_leaving_out_each(in_process, tmp_path):
    ann, gpt = (1, 2, 4, 5, 3, 2, 3, 4, 5, 1, 1, 3), (1, 3, 3, 5, 2, 3, 3, 5, 4, 2, 1, 1)
    lines = [
        f"i{number},s{number % 5},m,KA,{rater},{kind},{score}"
        for rater, kind, given in (("ann", "expert", ann), ("gpt", "judge", gpt))
        for number, score in enumerate(given)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["item,scene,model,metric,rater,kind,score", *lines]), encoding="utf-8")
    r = json.loads(in_process("stats", file, "--json").out)["validity"]["gpt"]["KA"]
    kept = [[number for number in range(12) if number % 5 != scene] for scene in range(5)]
    without = [correlation(*([side[number] for number in of] for side in (ann, gpt))) for of in kept]
    assert (r["low"], r["high"]) == pytest.approx(jackknifed(correlation(ann, gpt), without, CORRELATION), abs=1e-9)
    assert (r["n"], r["interval"]) == (12, "jackknife by scenes")


def written(file, metrics, stray):
    """Five items on these metrics by two experts and a judge, who gives `stray` once."""
    lines, chance = ["item,scene,model,metric,rater,kind,score"], Random(1)
    for number, metric in product(range(5), metrics):
        for rater, kind in (("ann", "expert"), ("bo", "expert"), ("gpt", "judge")):
            slip = (number, metric, rater) == (0, metrics[0], "gpt")
            lines.append(f"i{number},s{number},m,{metric},{rater},{kind},{stray if slip else chance.randint(1, 5)}")
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


@pytest.mark.slow
def test_ratings_on_the_rubric_s_metrics_are_on_its_scale(in_process, tmp_path):
    file = written(tmp_path / "ratings.csv", KEYS, 55)
    found = json.loads(in_process("stats", file, "--json").out)
    assert (found["scale"], found["drawn"]) == ([1, 5], "scenes")
    assert [(one["kind"], one["of"]) for one in found["cautions"]] == [
        ("dropped", "all statistics"),
        ("off the scale", "gpt"),
    ]
    numbers = {name: found["cautions"][1][name] for name in ("outside", "n", "share")}
    assert numbers == {"outside": 1, "n": 5, "share": 0.2}
    assert f"left out: {KEYS[0]} 1 of 5 (20.0%)." in found["cautions"][1]["sentence"]
    assert [one["n"] for one in found["validity"]["gpt"].values()] == [4, *[5] * (len(KEYS) - 1), 4]
    wide = json.loads(in_process("stats", file, "--json", "--scale", "0-55").out)
    assert (wide["scale"], wide["cautions"]) == ([0, 55], [])
    assert [one["n"] for one in wide["validity"]["gpt"].values()] == [5] * (len(KEYS) + 1)


@pytest.mark.slow
def test_ratings_on_other_metrics_are_on_no_known_scale(in_process, tmp_path):
    found = json.loads(in_process("stats", written(tmp_path / "ratings.csv", ["plot", "style"], 55), "--json").out)
    assert found["scale"] is None
    assert [one["n"] for one in found["validity"]["gpt"].values()] == [5, 5, 5]
    [told] = found["cautions"]
    assert (told["kind"], told["of"]) == ("outside the experts' range", "gpt")
    assert "plot 1 of 5 (55)." in told["sentence"]


@pytest.mark.slow
def test_cautions_stand_in_the_text_where_there_are_any(in_process, tmp_path):
    slip = written(tmp_path / "slip.csv", KEYS, 55)
    told = json.loads(in_process("stats", slip, "--json").out)["cautions"]
    sections = in_process("stats", slip).out.split("\n\n")
    [cautions] = [section for section in sections if section.startswith("Cautions\n")]
    assert cautions.splitlines()[1:] == [f"  {one['sentence']}" for one in told]
    none = in_process("stats", written(tmp_path / "none.csv", KEYS, 3))
    assert none.status == 0
    assert "Cautions" not in none.out


@pytest.mark.slow
def test_the_json_has_every_figure(in_process, tmp_path):
    file = written(tmp_path / "ratings.csv", ["plot", "style"], 3)
    found = json.loads(in_process("stats", file, "--json").out)
    frame = read_ratings(file.read_bytes())
    expected = every_figure(frame, statistics(frame, load_rubric()))
    assert found["figures"] == json.loads(json.dumps([asdict(figure) for figure in expected]))
    [alpha] = [
        one["estimate"]
        for one in found["figures"]
        if (one["statistic"], one["of"]["metric"], one["by"]["side"]) == ("Cronbach's alpha", "plot", "experts")
    ]
    assert [alpha] == [one["alpha"] for one in found["reliability"] if one["metric"] == "plot"]


PUBLISHED = {
    ("topical-chat.csv", "unieval"): {
        "coherence": 0.595143,
        "engagingness": 0.556510,
        "groundedness": 0.536209,
        "naturalness": 0.443666,
        "understandability": 0.380038,
        "overall": 0.632796,
    },
    ("hanna.csv", "chatgpt"): {
        "coherence": 0.5595,
        "complexity": 0.5084,
        "empathy": 0.4290,
        "engagement": 0.5037,
        "relevance": 0.4345,
        "surprise": 0.2981,
    },
}


@pytest.mark.parametrize(("file", "judge"), PUBLISHED)
def test_the_figures_of_real_ratings_are_the_published_ones(command, file, judge):
    done = command("stats", real("ratings", file), "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["validity"][judge]
    decimals = 6 if file == "topical-chat.csv" else 4
    for metric, published in PUBLISHED[file, judge].items():
        assert round(found[metric]["pearson"], decimals) == published
        assert found[metric]["low"] < published < found[metric]["high"]
