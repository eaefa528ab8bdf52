"""What stories and judges cost, as LaTeX tables (booktabs) fit to be put into an article, after the paper's table 6."""

from collections.abc import Callable, Sequence

from annotations.exchange.tex import escaped, preamble, table_of
from annotations.published import TABLE_6, PublishedCost
from annotations.wording import speaking
from characterbox.components.figures import cost_words as words
from characterbox.components.figures.cost_files import published_figures
from characterbox.components.figures.latex import TableNotes
from characterbox.judging.cost_table import PAPER_ROUNDS, Costs, CostTable, JudgeRow, Mean, PairRow
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.store.spending import Model

_DAGGER = r"$^{\dagger}$"
_CELLS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("narrator", "tokens_in", words.count),
    ("narrator", "tokens_out", words.count),
    ("narrator", "dollars", words.dollars),
    ("characters", "tokens_in", words.count),
    ("characters", "tokens_out", words.count),
    ("characters", "dollars", words.dollars),
    ("both", "dollars", words.dollars),
    ("both", "seconds", "{:,.1f}".format),
)
"""The columns of the table: whose, what, and how it is written."""


def costs_latex(table: CostTable) -> str:
    """What a scene costs by pair, with the paper's figures below; and what each judge costs, where there is one."""
    tables = [_pairs(table)]
    if table.judges:
        tables.append(_judges(table.judges))
    return preamble("booktabs", "graphicx") + "".join(f"\n{one}" for one in tables)


def _pairs(table: CostTable) -> str:
    notes = TableNotes()
    rows = [_pair(pair, notes) for pair in table.pairs]
    told = [
        r"Means over stories, standard deviations in parentheses; tokens of prompts (in) and of replies (out), US"
        r" dollars. Rounds are those that were played.",
        words.SECONDS,
        *(
            f"{count:,} of {table.stories:,} stories are left out: {reason}."
            for reason, count in table.left_out.items()
        ),
    ]
    lines = [*map(escaped, told), *_rehearsal(table.pairs), *notes.lines()]
    head = (
        r" & & & & \multicolumn{3}{c}{Narrator} & \multicolumn{3}{c}{Characters} & & \\" + "\n"
        r"\cmidrule(lr){5-7}\cmidrule(lr){8-10}" + "\n"
        r"Narrator & Characters & Rounds & $n$ & In & Out & \$ & In & Out & \$ & Total \$ & Seconds \\"
    )
    paper = [r"\multicolumn{12}{l}{The CharacterBox paper, table 6} \\", *map(_paper, TABLE_6)]
    return table_of("What a scene costs", "llrr" + "r" * len(_CELLS), head, [rows, paper], lines)


def _pair(pair: PairRow, notes: TableNotes) -> str:
    costs = {"narrator": pair.of_narrator, "characters": pair.of_characters, "both": pair.of_both}
    cells = [_cell(getattr(costs[of], figure), write, notes) for of, figure, write in _CELLS]
    return _row([_names(pair.narrator), _names(pair.characters), f"{pair.rounds}", f"{pair.stories:,}", *cells])


def _paper(row: PublishedCost) -> str:
    found = published_figures(row)
    cells = [
        "--" if (value := found.get((of, figure))) is None else escaped(write(value)) for of, figure, write in _CELLS
    ]
    return _row([escaped(row.narrator), escaped(row.characters), f"{PAPER_ROUNDS}", "", *cells])


def _judges(judges: Sequence[JudgeRow]) -> str:
    notes = TableNotes()
    head = (
        r" & & \multicolumn{4}{c}{Trajectory} & \multicolumn{3}{c}{Story} \\" + "\n"
        r"\cmidrule(lr){3-6}\cmidrule(lr){7-9}" + "\n"
        r"Judge & $n$ & In & Out & \$ & Seconds & $n$ & \$ & Seconds \\"
    )
    rows = [_judge(judge, notes) for judge in judges]
    told = ["Means over judged trajectories, and over stories of which every trajectory was judged."]
    lines = [*map(escaped, told), *_rehearsal(judges), *notes.lines()]
    return table_of("What a judge costs", "l" + "r" * 8, head, [rows], lines)


def _judge(judge: JudgeRow, notes: TableNotes) -> str:
    one, story = judge.of_trajectory, judge.of_story
    with speaking("en"):
        called = judge.called
    return _row(
        [
            escaped(called) + (_DAGGER if judge.improvised else ""),
            f"{judge.trajectories:,}",
            *_cells(one, notes, ("tokens_in", "tokens_out", "dollars", "seconds")),
            f"{judge.stories:,}",
            *_cells(story, notes, ("dollars", "seconds")),
        ]
    )


def _cells(costs: Costs, notes: TableNotes, figures: Sequence[str]) -> list[str]:
    writes = {figure: write for _, figure, write in _CELLS}
    return [_cell(getattr(costs, figure), writes[figure], notes) for figure in figures]


def _cell(mean: Mean, write: Callable[[float], str], notes: TableNotes) -> str:
    """The mean with its deviation; what it rests on where that is not everything."""
    note = ""
    if mean.unknown:
        note = notes.mark(f"It is not known of {mean.unknown:,} of {mean.n + mean.unknown:,}")
    if mean.mean is None:
        return f"--{note}"
    beside = words.dollars(mean.sd or 0.0, mean.mean) if write is words.dollars else write(mean.sd or 0.0)
    deviation = "" if mean.sd is None else f" ({escaped(beside)})"
    return f"{escaped(write(mean.mean))}{deviation}{note}"


def _names(models: Sequence[Model]) -> str:
    dagger = _DAGGER if any(model.improvised for model in models) else ""
    return escaped(", ".join(model.name for model in models) or "nobody") + dagger


def _rehearsal(rows: Sequence[PairRow | JudgeRow]) -> list[str]:
    return [f"{_DAGGER} {escaped(DEMO_NOTE)}."] if any(row.improvised for row in rows) else []


def _row(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
