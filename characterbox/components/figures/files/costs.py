"""What stories and judges cost as files: every figure and every call as CSV that no spreadsheet runs anything in, and
JSON. No page is needed for them.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from annotations.exchange.csv_file import guarded
from annotations.report.published import TABLE_6, PublishedCost
from characterbox.judging.cost_table import PAPER_ROUNDS, Costs, CostTable, JudgeRow, PairRow
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.store.stories.call_costs import CallCosts
from characterbox.store.stories.costs_across_stories import Call, Model

FIGURES = (
    "table", "narrator", "characters", "rounds", "judge", "models", "of", "figure", "value", "sd", "n", "unknown",
    "improvised", "judged_by",
)  # fmt: skip
"""The columns of the figures. `table` is pair, judge, paper, sum or left out; of a sum, n counts calls and unknown
those of which the figure is not known. `judged_by` says what the judge was: its name, or that it was the rehearsal."""
FIGURE_NAMES = tuple(field.name for field in fields(Costs))
MEASURED = ("cached_tokens", "price", "attempts", "latency")
"""The columns of the calls that another run gives other values of, whatever the models reply: a cache that is warmer,
another table of prices."""
REPRODUCIBLE = tuple(name for name in Call._fields if name not in MEASURED)
MEASURED_CALLS = ("story", "path", "take", *MEASURED)
"""What was measured of each call, with the key by which it is found among the others."""


def costs_csv(table: CostTable) -> str:
    """All figures of a table at full precision, one a row, and the paper's; what is not known is empty."""
    rows = [*_pair_rows(table.pairs), *_judge_rows(table.judges), *_paper_rows(), *_sum_rows(table.sums)]
    rows += [{"table": "left out", "figure": reason, "value": count} for reason, count in table.left_out.items()]
    return "".join(csv_lines(FIGURES, ([row.get(name) for name in FIGURES] for row in rows)))


def calls_csv(calls: Iterable[Call], columns: Sequence[str] = Call._fields) -> Iterator[str]:
    """The calls behind a table line by line, as they come: all columns, or `REPRODUCIBLE`, or `MEASURED_CALLS`."""
    return csv_lines(columns, ([getattr(call, name) for name in columns] for call in calls))


def costs_json(table: CostTable) -> str:
    """The table as JSON, with the paper's; what is not known is null."""
    content = {
        "pairs": [{**asdict(pair), **_models_of(pair), "not_a_result": _mark(pair)} for pair in table.pairs],
        "judges": [
            {
                **asdict(judge),
                "judged_by": _judged_by(judge),
                "models": _names(judge.models),
                "not_a_result": _mark(judge),
            }
            for judge in table.judges
        ],
        "stories": table.stories,
        "left_out": dict(table.left_out),
        "sums": {who: _sum(spent) for who, spent in table.sums.items()},
        "paper": {"table": 6, "rounds": PAPER_ROUNDS, "rows": [asdict(row) for row in TABLE_6]},
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _pair_rows(pairs: Iterable[PairRow]) -> Iterator[dict[str, object]]:
    for pair in pairs:
        told = {
            "table": "pair",
            "narrator": _joined(pair.narrator),
            "characters": _joined(pair.characters),
            "rounds": pair.rounds,
            "improvised": _mark(pair),
        }
        for of, costs in (("narrator", pair.of_narrator), ("characters", pair.of_characters), ("both", pair.of_both)):
            yield from ({**told, "of": of, **row} for row in _figures(costs))


def _judge_rows(judges: Iterable[JudgeRow]) -> Iterator[dict[str, object]]:
    for judge in judges:
        told = {
            "table": "judge",
            "judge": judge.judge,
            "judged_by": _judged_by(judge),
            "models": _joined(judge.models),
            "improvised": _mark(judge),
        }
        for of, costs in (("trajectory", judge.of_trajectory), ("story", judge.of_story)):
            yield from ({**told, "of": of, **row} for row in _figures(costs))


def _figures(costs: Costs) -> Iterator[dict[str, object]]:
    for name in FIGURE_NAMES:
        mean = getattr(costs, name)
        yield {"figure": name, "value": mean.mean, "sd": mean.sd, "n": mean.n, "unknown": mean.unknown}


def published_figures(row: PublishedCost) -> dict[tuple[str, str], float | None]:
    """The paper's figures by whose they are and what, in the words of our own."""
    return {
        ("narrator", "tokens_in"): row.narrator_input,
        ("narrator", "tokens_out"): row.narrator_output,
        ("narrator", "dollars"): row.narrator_price,
        ("characters", "tokens_in"): row.characters_input,
        ("characters", "tokens_out"): row.characters_output,
        ("characters", "dollars"): row.characters_price,
        ("both", "dollars"): row.price,
    }


def _paper_rows() -> Iterator[dict[str, object]]:
    for row in TABLE_6:
        told = {"table": "paper", "narrator": row.narrator, "characters": row.characters, "rounds": PAPER_ROUNDS}
        for (of, figure), value in published_figures(row).items():
            yield {**told, "of": of, "figure": figure, "value": value}


def _sum_rows(sums: Mapping[str, CallCosts]) -> Iterator[dict[str, object]]:
    for who, spent in sums.items():
        for figure, value in _sum(spent).items():
            unknown = {
                "tokens_in": spent.uncounted,
                "tokens_cached": spent.calls - spent.cache_told,
                "tokens_out": spent.uncounted,
                "dollars": spent.unpriced,
            }
            mark = DEMO_NOTE if spent.improvised else ""
            told = {"n": spent.calls, "unknown": unknown.get(figure, 0), "improvised": mark}
            yield {"table": "sum", "of": who, "figure": figure, "value": value, **told}


def _sum(spent: CallCosts) -> dict[str, float | None]:
    return {
        name: getattr(spent, name)
        for name in (*FIGURE_NAMES, "reused", "by_people", "uncounted", "unpriced", "improvised")
    }


def csv_lines(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """Rows as CSV with a header; texts that a spreadsheet would take for formulas are guarded."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        yield text.getvalue()
        text.seek(0)
        text.truncate()
        writer.writerow([_cell(value) for value in row])
    yield text.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return int(value)
    return guarded(value) if isinstance(value, str) else value


def _models_of(pair: PairRow) -> dict[str, Any]:
    return {"narrator": _names(pair.narrator), "characters": _names(pair.characters)}


def _names(models: Iterable[Model]) -> list[str]:
    return [model.name for model in models]


def _joined(models: Iterable[Model]) -> str:
    return ", ".join(_names(models))


def _judged_by(judge: JudgeRow) -> str:
    return str(judge.called)


def _mark(row: PairRow | JudgeRow) -> str:
    return DEMO_NOTE if row.improvised else ""
