"""Every figure of the tables of costs, recomputed from the exported calls by plain Python of its own."""

import asyncio
import csv
import io
import json
import math
import re
from collections import defaultdict
from itertools import pairwise

import pytest

from annotations.exchange.csv_file import unguarded
from annotations.report.published import TABLE_6
from characterbox.components.figures.files.costs import REPRODUCIBLE, calls_csv, costs_csv, costs_json
from characterbox.components.figures.tables.costs import costs_latex, judges_table, pairs_table, sums_table
from characterbox.components.figures.tables.html import html_of
from characterbox.judging.cost_table import cost_table
from characterbox.judging.provenance import DEMO_NOTE, NOT_A_RESULT
from characterbox.play.paths import READERS
from characterbox.store.stories.call_costs import NOTHING
from tests.components.figures.tables.table_rows import Rows
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene
from tests.fakes.spending import DEAR, NARRATOR, a_sweep, by_hand, launched, told
from tests.fakes.typeset import typeset

pytestmark = pytest.mark.slow

FIGURES = ("calls", "tokens_in", "tokens_cached", "cache_untold", "tokens_out", "dollars", "seconds", "retries")


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The table, and its calls as they are read from the file."""
    store = store_in(tmp_path_factory.mktemp("costs") / "costs.db")
    asyncio.run(a_sweep(store))
    text = "".join(calls_csv(store.spending.calls("mixed")))
    yield cost_table(store, "mixed"), [*csv.DictReader(io.StringIO(text))]
    store.close()


def took(rows):
    """What replies took: sums over those that a model gave here, None where one of them is not known."""
    asked = [row for row in rows if row["author"] == "model" and not row["origin"]]

    def added(column):
        return None if any(row[column] == "" for row in asked) else math.fsum(float(row[column]) for row in asked)

    cached = [float(row["cached_tokens"]) for row in asked if row["cached_tokens"]]
    counted = not any(row["prompt_tokens"] == "" or row["completion_tokens"] == "" for row in asked)
    return {
        "calls": len(asked),
        "tokens_in": added("prompt_tokens") if counted else None,
        "tokens_cached": sum(cached) if cached or not asked else None,
        "cache_untold": len(asked) - len(cached) if cached or not asked else None,
        "tokens_out": added("completion_tokens") if counted else None,
        "dollars": added("price"),
        "seconds": added("latency"),
        "retries": added("attempts") - len(asked),
    }


def described(values):
    """Mean, standard deviation, of how many, and of how many it is not known."""
    known = [value for value in values if value is not None]
    mean = math.fsum(known) / len(known) if known else None
    squares = [(value - mean) ** 2 for value in known]
    sd = math.sqrt(math.fsum(squares) / (len(known) - 1)) if len(known) > 1 else None
    return mean, sd, len(known), len(values) - len(known)


def by_story(rows):
    found = defaultdict(list)
    for row in rows:
        found[row["story"]].append(row)
    return found


def pairs_of(rows):
    """By narrator, characters and rounds: what each part of each story took."""
    groups = defaultdict(lambda: defaultdict(list))
    for story in by_story(rows).values():
        played = [row for row in story if not row["path"].startswith(READERS)]
        if any(row["status"] != "ended" or row["origin"] or row["author"] != "model" for row in played):
            continue
        decided = re.compile("/(influence|result|updates|environment|update/[^/]+)$")
        narrated = [row for row in played if decided.search(row["path"])]
        narrated = [row for row in narrated if not re.search("^r[0-9]+/[^/]+/reaction/", row["path"])]
        others = [row for row in played if row not in narrated]
        models = [", ".join(sorted({unguarded(row["model"]) for row in part})) for part in (narrated, others)]
        rounds = max(int(row["path"].split("/")[0].removeprefix("r")) for row in played)
        assert {row["rounds"] for row in story} == {str(rounds)}
        group = groups[*models, rounds]
        for name, part in (("narrator", narrated), ("characters", others), ("both", played)):
            group[name].append(took(part))
    return groups


def judges_of(rows, casts):
    """By judge: what each trajectory took that was scored, and each story of which all were."""
    groups = defaultdict(lambda: defaultdict(list))
    for id, story in by_story(rows).items():
        judged = defaultdict(list)
        for row in story:
            if row["path"].startswith("judge/"):
                judged[tuple(row["path"].split("/")[1:3])].append(row)
        scored = {key: part for key, part in judged.items() if any("/scores" in row["path"] for row in part)}
        for judge in {judge for judge, _ in scored}:
            of_it = {of: part for (name, of), part in scored.items() if name == judge}
            groups[judge]["trajectory"] += map(took, of_it.values())
            if set(of_it) == casts[id]:
                groups[judge]["story"].append(took([row for part in of_it.values() for row in part]))
    return groups


def casts_of(rows):
    """The characters of each story, by the paths of those who take a turn; the short ones are about Ann and Bob."""
    casts = {}
    for id, story in by_story(rows).items():
        turns = {row["path"].split("/")[1] for row in story if not row["path"].startswith(READERS)}
        casts[id] = turns if len(story) > 10 else {"ann", "bob"}
    return casts


SLUGS = {"GPT-4": "gpt-4", "=New": "new", "Max": "max"}


def test_every_mean_of_the_pairs(exported):
    table, rows = exported
    expected = pairs_of(rows)
    assert len(table.pairs) == len(expected) >= 4
    for pair in table.pairs:
        key = tuple(", ".join(model.name for model in models) for models in (pair.narrator, pair.characters))
        group = expected[*key, pair.rounds]
        assert pair.stories == len(group["both"])
        for name, costs in (("narrator", pair.of_narrator), ("characters", pair.of_characters), ("both", pair.of_both)):
            for figure in FIGURES:
                mean = getattr(costs, figure)
                given = (mean.mean, mean.sd, mean.n, mean.unknown)
                assert given == pytest.approx(described([one[figure] for one in group[name]])), (key, name, figure)


def test_every_mean_of_the_judges(exported):
    table, rows = exported
    expected = judges_of(rows, casts_of(rows))
    assert [judge.judge for judge in table.judges] == ["GPT-4", "Max", "=New"]
    for judge in table.judges:
        group = expected[SLUGS[judge.judge]]
        assert (judge.trajectories, judge.stories) == (len(group["trajectory"]), len(group["story"]))
        for name, costs in (("trajectory", judge.of_trajectory), ("story", judge.of_story)):
            for figure in FIGURES:
                mean = getattr(costs, figure)
                given = (mean.mean, mean.sd, mean.n, mean.unknown)
                assert given == pytest.approx(described([one[figure] for one in group[name]])), (judge.judge, figure)


def test_every_sum_and_who_is_left_out(exported):
    table, rows = exported
    roles = {
        "narrator": "narrator",
        "characters": "character",
        "judges": "judge",
        "second narrators": "second narrator",
        "reflections": "reflection",
    }
    for who, role in roles.items():
        of_role = [row for row in rows if row["role"] == role]
        if not of_role:
            assert table.sums[who] == NOTHING
            continue
        spent, expected = table.sums[who], took(of_role)
        assert {name: getattr(spent, name) for name in FIGURES} == pytest.approx(expected)
        assert spent.reused == sum(row["origin"] != "" for row in of_role)
        assert spent.by_people == sum(row["author"] != "model" for row in of_role)
        assert spent.improvised == sum(row["improvised"] == "1" for row in of_role)
    assert table.left_out == {"not ended": 1, "partly reused": 1, "partly by people": 1, "nothing asked": 1}
    assert table.stories == sum(pair.stories for pair in table.pairs) + sum(table.left_out.values()) == 12


def test_the_file_of_figures_has_every_one_of_them(exported):
    table, rows = exported
    found = {
        (row["table"], unguarded(row["narrator"]), unguarded(row["characters"]), row["rounds"],
         unguarded(row["judge"]), row["of"], row["figure"]): row
        for row in csv.DictReader(io.StringIO(costs_csv(table)))
    }  # fmt: skip

    def number(text):
        return float(text) if text else None

    def stands(key, values):
        row = found.pop(key)
        given = tuple(number(row[name]) for name in ("value", "sd", "n", "unknown"))
        assert given == pytest.approx(described(values)), key

    for (narrator, characters, rounds), group in pairs_of(rows).items():
        for of, parts in group.items():
            for figure in FIGURES:
                key = ("pair", narrator, characters, str(rounds), "", of, figure)
                assert (found[key]["improvised"] == DEMO_NOTE) == (narrator == "rehearsal")
                stands(key, [one[figure] for one in parts])
    names = {slug: name for name, slug in SLUGS.items()}
    for judge, group in judges_of(rows, casts_of(rows)).items():
        for of, parts in group.items():
            for figure in FIGURES:
                stands(("judge", "", "", "", names[judge], of, figure), [one[figure] for one in parts])
    left = {key[0] for key in found}
    assert left == {"paper", "sum", "left out"}, "nothing that was not recomputed"
    assert sum(key[0] == "paper" for key in found) == 7 * len(TABLE_6)


def test_the_json_has_the_same_as_the_table(exported):
    table, rows = exported
    content = json.loads(costs_json(table))
    expected = pairs_of(rows)
    for pair in content["pairs"]:
        group = expected[", ".join(pair["narrator"]), ", ".join(pair["characters"]), pair["rounds"]]
        for of in ("narrator", "characters", "both"):
            for figure in FIGURES:
                given = tuple(pair[f"of_{of}"][figure][name] for name in ("mean", "sd", "n", "unknown"))
                assert given == pytest.approx(described([one[figure] for one in group[of]]))
        assert (pair["not_a_result"] == DEMO_NOTE) == (pair["narrator"] == ["rehearsal"])
    by_judge = judges_of(rows, casts_of(rows))
    for judge in content["judges"]:
        for of in ("trajectory", "story"):
            for figure in FIGURES:
                given = tuple(judge[f"of_{of}"][figure][name] for name in ("mean", "sd", "n", "unknown"))
                parts = by_judge[SLUGS[judge["judge"]]][of]
                assert given == pytest.approx(described([one[figure] for one in parts]))
    assert [row["price"] for row in content["paper"]["rows"]] == [row.price for row in TABLE_6]
    assert content["left_out"] == dict(table.left_out)


def test_the_latex_table_shows_the_recomputed_figures(exported):
    table, rows = exported
    lines = costs_latex(table).splitlines()
    for (narrator, characters, rounds), group in pairs_of(rows).items():
        ours = f"Narrator: {narrator}", f"Characters: {characters}; {rounds} round".replace("&", r"\&")
        [(above, below)] = [
            (line.replace(r"\&", "+").split("&"), below.split("&"))
            for line, below in pairwise(lines)
            if ours[0] in line.replace("{}", "") and ours[1] in below and f"n = {len(group['both']):,} stor" in below
        ]
        wanted = [
            (of, figure) for of in ("narrator", "characters") for figure in ("tokens_in", "tokens_out", "dollars")
        ]
        for cell, small, (of, figure) in zip(above[1:], below[-8:], [*wanted, ("both", "dollars"), ("both", "seconds")],
                                             strict=True):  # fmt: skip
            mean, sd, _, unknown = described([one[figure] for one in group[of]])
            deviation = re.findall(r"\$\\pm\$ [\d,.]+", small)
            told = [cell.split(r"\text")[0], *deviation]
            figures = [
                float(found[0].replace(",", "")) for one in told if (found := re.findall(r"[\d,]+(?:\.\d+)?", one))
            ]
            assert figures == pytest.approx([value for value in (mean, sd) if value is not None], abs=0.51, rel=0.02)
            assert (r"\textsuperscript" in cell) == (unknown > 0 or mean is None)
    note = r"\textsuperscript{("
    assert any(f"0.0593{note}" in line and f"0.0785{note}" in line for line in lines), "the paper's, with its caution"
    assert any(r"{\scriptsize Paper, table 6}" in line for line in lines)
    assert any("The paper: what the CharacterBox paper gives" in line for line in lines)
    assert DEMO_NOTE in " ".join(lines)


def test_the_page_shows_the_recomputed_figures(exported):
    table, rows = exported
    shown = html_of(pairs_table(table))
    for group in pairs_of(rows).values():
        mean, *_ = described([one["tokens_in"] for one in group["characters"]])
        if mean is not None:
            assert f"<b>{mean:,.0f}</b>" in shown
    assert shown.count(NOT_A_RESULT) == 1
    assert "=unknown &amp; new" in shown
    assert "25,723" in shown, "the paper's"
    assert "Unknown for" in shown
    assert html_of(judges_table(table.judges)).count(NOT_A_RESULT) == 1
    assert html_of(sums_table(table)).count(NOT_A_RESULT) == 4, "in every row there is something of the rehearsal"


async def test_tokens_from_a_cache_say_of_how_many_calls_nothing_is_known(tmp_path):
    store = store_in(tmp_path / "costs.db")
    try:
        asked = [by_hand("r1/ann/action", endpoint=DEAR, prompt_tokens=2_000, cached_tokens=1_024)]
        asked += [by_hand(f"r1/ann/action/{number}", endpoint=DEAR, prompt_tokens=50_000) for number in range(99)]
        await told(store, launched(store, a_scene(), NARRATOR, DEAR), *asked)
        table = cost_table(store)
    finally:
        store.close()
    [everything] = Rows(html_of(sums_table(table))).starting("Total")
    assert everything[2:4] == ["4,952,000", "1,024a"]
    assert "Unknown for 99 of 100 calls, which are not included" in html_of(sums_table(table))
    assert "Unknown for 99.0 calls on average, which are not included" in html_of(pairs_table(table))
    sums = [row for row in csv.DictReader(io.StringIO(costs_csv(table))) if row["table"] == "sum"]
    [row] = [row for row in sums if (row["of"], row["figure"]) == ("characters", "tokens_cached")]
    assert (row["value"], row["n"], row["unknown"]) == ("1024", "100", "99")
    assert json.loads(costs_json(table))["sums"]["characters"]["cache_untold"] == 99


def test_the_reproducible_columns_hold_nothing_that_was_measured(exported):
    assert not {"latency", "attempts"} & set(REPRODUCIBLE)
    _, rows = exported
    assert {"latency", "attempts", "price", "cached_tokens", *REPRODUCIBLE} == set(rows[0])


@pytest.mark.process
def test_the_latex_tables_are_typeset(exported, tmp_path):
    typeset(costs_latex(exported[0]), tmp_path)
