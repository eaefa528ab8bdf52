"""What stories and judges cost, as tables: after the paper's table 6, with its figures in grey."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from annotations.errors import Undefined
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Cell, Column, Content, Group, Part, Piece, Row, Table
from annotations.i18n.messages import Message, joined, to_say
from annotations.i18n.translation import say, say_count, speaking
from annotations.report.published import TABLE_6, PublishedCost
from characterbox.components.figures.files.costs import published_figures
from characterbox.components.figures.tables import text as words
from characterbox.components.figures.tables.text import counted
from characterbox.judging.cost_table import (
    HUNDRED,
    PAPER_ROUNDS,
    Costs,
    CostTable,
    Expert,
    JudgeRow,
    Mean,
    PairRow,
    for_the_wage,
)
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.store.stories.call_costs import CallCosts, total

Write = Callable[[float], str]
_WRITES: dict[str, Write] = {
    "calls": lambda value: f"{value:,.1f}",
    "tokens_in": words.count,
    "tokens_out": words.count,
    "dollars": words.dollars,
    "seconds": words.seconds,
}
_NAMES = {
    "calls": to_say("Calls"),
    "tokens_in": to_say("Input tokens"),
    "tokens_out": to_say("Output tokens"),
    "dollars": to_say("$"),
    "seconds": to_say("Time"),
}
_PARTS = {"narrator": to_say("Narrator"), "characters": to_say("Characters"), "both": to_say("Both")}
_PAIR_CELLS = (
    *((of, figure) for of in ("narrator", "characters") for figure in ("tokens_in", "tokens_out", "dollars")),
    ("both", "dollars"),
    ("both", "seconds"),
)
_STORY = ("dollars", "seconds")
NOT_PUBLISHED = {
    "dollars": to_say("The paper gives prices only for models behind a paid API"),
    "seconds": to_say("The paper gives no times"),
}
NO_TRAJECTORY = to_say("The judging of every trajectory was interrupted or reused from elsewhere")
NO_STORY = to_say(
    "In every story, the judging of a trajectory is missing, was interrupted or was reused from elsewhere"
)
NO_MINUTES = to_say("Enter the expert's minutes per trajectory")
NO_WAGE = to_say("Enter the expert's hourly wage")
_WHO = {
    "narrator": to_say("Narrators"),
    "characters": to_say("Characters"),
    "judges": to_say("Judges"),
    "embeddings": to_say("Embeddings"),
    "second narrators": to_say("Second narrators"),
    "reflections": to_say("Rewriting of trajectories"),
}


def pairs_table(table: CostTable) -> Table:
    """What a scene costs by who narrates and who plays, and the paper's rows."""
    columns = [Column(say(_NAMES[figure]), say(_PARTS[of])) for of, figure in _PAIR_CELLS]
    ours = Group([_pair_row(pair) for pair in table.pairs])
    papers = Group(_paper_rows(), Part(say("Paper, table 6"), "paper"))
    return Table(say("Cost per scene"), columns, [ours, papers], look="costs")


def judges_table(judges: Sequence[JudgeRow]) -> Table:
    """What each judge costs, for a trajectory and for a story."""
    story = say("Per story (all trajectories)")
    columns = [Column(say(name), say("Per trajectory")) for name in _NAMES.values()]
    columns += [Column(say(_NAMES[figure]), story) for figure in _STORY]
    rows = []
    for judge in judges:
        cells = [_cell(judge.of_trajectory, figure, none=Message(NO_TRAJECTORY)) for figure in _NAMES]
        cells += [_cell(judge.of_story, figure, none=Message(NO_STORY)) for figure in _STORY]
        rows.append(Row(_judge_label(judge), cells))
    return Table(say("Judge costs"), columns, [Group(rows)], look="costs")


def hour_table(judges: Sequence[JudgeRow], minutes: float | None, wage: float | None) -> Table:
    """Judges against an expert, whose minutes and wage may not be known yet."""
    one, many = say("Per trajectory"), say("{n} trajectories", n=HUNDRED)
    columns = [Column(say(name), of) for of in (one, many) for name in (_NAMES["seconds"], _NAMES["dollars"])]
    columns.append(Column(say("Trajectories"), say("For the price of one expert hour")))
    rows = [Row(say("Expert"), _expert_cells(minutes, wage))]
    for judge in judges:
        costs = judge.of_trajectory
        means = ((costs.seconds, words.seconds), (costs.dollars, words.dollars))
        cells: list[Content] = [_figure(mean, write, none=Message(NO_TRAJECTORY)) for mean, write in means]
        for mean, write in means:
            undefined = Undefined(_left_out(mean) or Message(NO_TRAJECTORY))
            cells.append(undefined if mean.mean is None else write(HUNDRED * mean.mean))
        rows.append(Row(_judge_label(judge), [*cells, _for_the_wage(judge, wage)]))
    return Table(say("Judges compared with an expert"), columns, [Group(rows)], look="costs")


def sums_table(table: CostTable) -> Table:
    """What everything together has taken, with what is in no mean."""
    tokens = [Column(name, say("Tokens")) for name in (say("Prompts"), say("Of which cached"), say("Replies"))]
    others = (say("$"), say("Time"), say("Retries"), say("Replies reused"))
    rows = [_sum_row(say(_WHO[who]), spent) for who, spent in table.sums.items()]
    rows.append(_sum_row(say("Total"), total(table.sums.values())))
    columns = [Column(say("Calls")), *tokens, *map(Column, others)]
    return Table(say("Total costs"), columns, [Group(rows)], look="costs")


def costs_latex(table: CostTable) -> str:
    """What a scene costs by pair, with the paper's figures below; and what each judge costs, where there is one. In
    English, as papers are."""
    means = (
        "Means over stories ± standard deviations; tokens of prompts (in) and of replies (out), US dollars. Rounds are"
        " those that were played."
    )
    paper = "The paper: what the CharacterBox paper gives in its table 6, for its own scenes."
    left_out = (
        f"{count:,} of {table.stories:,} stories are left out: {reason}." for reason, count in table.left_out.items()
    )
    with speaking("en"):
        tables = [replace(pairs_table(table), notes=[means, words.SECONDS, paper, *left_out])]
        if table.judges:
            judged = "Means over judged trajectories, and over stories of which every trajectory was judged."
            tables.append(replace(judges_table(table.judges), notes=[judged]))
    return latex_file(tables, DEMO_NOTE)


def _pair_row(pair: PairRow) -> Row:
    costs = {"narrator": pair.of_narrator, "characters": pair.of_characters, "both": pair.of_both}
    papers = {} if pair.published is None else published_figures(pair.published)
    cells = []
    for of, figure in _PAIR_CELLS:
        value = papers.get((of, figure))
        paper: Part | str = ""
        if pair.published is not None and value is not None:
            told = say("paper {figure}", figure=_WRITES[figure](value))
            paper = Part(told, "paper", _cautions(of, figure, pair.published))
        cells.append(_cell(costs[of], figure, paper))
    told = say(
        "{rounds}; {stories} of {scenes}",
        rounds=_rounds(pair.rounds),
        stories=say_count("n = {count:,} story", "n = {count:,} stories", pair.stories),
        scenes=counted(pair.scenes, "scene"),
    )
    label = _pair_label(words.names(pair.narrator), words.names(pair.characters), told)
    return Row(Cell((*label, *_improvised(pair))), cells)


def _paper_rows() -> list[Row]:
    rows = []
    for row in TABLE_6:
        found, cells = published_figures(row), []
        for of, figure in _PAIR_CELLS:
            value, cautions = found.get((of, figure)), _cautions(of, figure, row)
            told = None if value is None else Part(_WRITES[figure](value), notes=cautions)
            cells.append(told or Undefined(Message(NOT_PUBLISHED[figure])))
        label = Cell(_pair_label(row.narrator, row.characters, _rounds(PAPER_ROUNDS)))
        rows.append(Row(label, cells, beside=True))
    return rows


def _pair_label(narrator: str, characters: str, told: str) -> tuple[Piece, ...]:
    """Both, one below the other."""
    return (
        say("Narrator: {model}", model=narrator),
        Part(say("Characters: {model}", model=characters), "line"),
        Part(told, "below"),
    )


def _rounds(number: int) -> str:
    return say_count("{count:,} round", "{count:,} rounds", number)


def _expert_cells(minutes: float | None, wage: float | None) -> list[Content]:
    expert = Expert(minutes, wage) if minutes is not None and wage is not None else None
    no_price = joined(Message(why) for given, why in ((minutes, NO_MINUTES), (wage, NO_WAGE)) if given is None)
    cells: list[Content] = []
    for many in (1, HUNDRED):
        cells.append(Undefined(Message(NO_MINUTES)) if minutes is None else words.seconds(60 * minutes * many))
        cells.append(Undefined(no_price) if expert is None else words.dollars(expert.dollars * many))
    return [*cells, Undefined(Message(NO_MINUTES)) if minutes is None else f"{60 / minutes:,.1f}"]


def _for_the_wage(judge: JudgeRow, wage: float | None) -> Content:
    """How many trajectories a judge does for an expert's wage."""
    if wage is None:
        return Undefined(Message(NO_WAGE))
    many = for_the_wage(judge, wage)
    if many is None:
        return Undefined(_left_out(judge.of_trajectory.dollars) or Message(NO_TRAJECTORY))
    return say("unlimited (no cost)") if math.isinf(many) else f"{many:,.0f}"


def _judge_label(judge: JudgeRow) -> Cell:
    told = say(
        "n = {trajectories}, {stories}",
        trajectories=say_count("{count:,} trajectory", "{count:,} trajectories", judge.trajectories),
        stories=say_count("{count:,} story", "{count:,} stories", judge.stories),
    )
    broken = say_count(
        "Left out: {count:,} trajectory whose judging was interrupted or reused from elsewhere",
        "Left out: {count:,} trajectories whose judging was interrupted or reused from elsewhere",
        judge.broken_off,
    )
    names = words.names(judge.models)
    models = "" if names == judge.judge else Part(names, "below")
    called = Part(judge.called, notes=(broken,) if judge.broken_off else ())
    return Cell((called, models, Part(told, "below"), *_improvised(judge)))


def _sum_row(label: str, spent: CallCosts) -> Row:
    calls = say_count("{count:,} call", "{count:,} calls", spent.calls)
    uncounted = Message("Unknown for {unknown:,} of {calls}", unknown=spent.uncounted, calls=calls)
    told = to_say("Unknown for {unknown:,} of {calls}, which are not included")
    untold = (say(told, unknown=spent.cache_untold, calls=calls),) if spent.cache_untold else ()
    told = to_say("Unknown for {unknown:,} of {calls}; the others cost ${price}")
    unpriced = Message(told, unknown=spent.unpriced, calls=calls, price=words.dollars(spent.price))
    uncached = Message("No endpoint reported how many tokens came from its cache")
    cached = None if spent.tokens_cached is None else Part(words.count(spent.tokens_cached), notes=untold)
    dollars = None if spent.dollars is None else words.dollars(spent.dollars)
    marks: tuple[Piece, ...] = ()
    if spent.improvised:
        improvised = say("{n:,} of the calls", n=spent.improvised)
        marks = (Part("", "improvised"), Part(improvised, notes=(say(words.IMPROVISED_TOKENS),)))
    return Row(
        Cell((label, *marks)),
        [
            f"{spent.calls:,}",
            Undefined(uncounted) if spent.tokens_in is None else words.count(spent.tokens_in),
            cached or Undefined(uncached),
            Undefined(uncounted) if spent.tokens_out is None else words.count(spent.tokens_out),
            dollars or Undefined(unpriced),
            words.seconds(spent.seconds),
            f"{spent.retries:,}",
            f"{spent.reused:,}",
        ],
    )


def _cautions(of: str, figure: str, row: PublishedCost) -> tuple[str, ...]:
    """What is to be said of a published figure: a caution is of what playing the characters cost, and so of the sum."""
    return (say(row.caution),) if row.caution and figure == "dollars" and of != "narrator" else ()


def _cell(costs: Costs, figure: str, paper: Part | str = "", none: Message | None = None) -> Cell:
    cached, told = costs.tokens_cached, None
    if figure == "tokens_in" and cached.mean is not None:
        note = say("; ").join(_untold(costs))
        told = Part(say("{n} cached", n=words.count(cached.mean)), "below", (note,) if note else ())
    return _figure(getattr(costs, figure), _WRITES[figure], told=told, paper=paper, none=none)


def _untold(costs: Costs) -> Iterable[str]:
    """What the tokens that came from a cache do not rest on."""
    cached, untold = costs.tokens_cached, costs.cache_untold.mean
    if cached.unknown:
        text = to_say("Mean of the {known:,} of {all:,} for which the endpoint reported cached tokens")
        yield say(text, known=cached.n, all=cached.n + cached.unknown)
    if untold:
        text = to_say("Unknown for {unknown:,.1f} calls on average, which are not included")
        yield say(text, unknown=untold)


def _left_out(mean: Mean) -> Message | None:
    """Of how many a figure is not known; None where it is known of all."""
    if not mean.unknown:
        return None
    return Message(
        "Unknown for {unknown:,} of {all:,}, which are left out", unknown=mean.unknown, all=mean.n + mean.unknown
    )


def _figure(
    mean: Mean, write: Write, *, told: Part | None = None, paper: Part | str = "", none: Message | None = None
) -> Cell:
    """A mean with its deviation, what it rests on where that is not everything, and the paper's figure in grey; where
    it is over nothing, a dash with the reason `none`."""
    left_out = _left_out(mean)
    if mean.mean is None:
        return Cell((Undefined(left_out or none or Message(NO_TRAJECTORY)), paper))
    figure = Part(write(mean.mean), "figure", (left_out,) if left_out else ())
    if mean.sd is None:
        return Cell((figure, told or "", paper))
    beside = words.dollars(mean.sd, mean.mean) if write is words.dollars else write(mean.sd)
    return Cell((figure, Part(f"± {beside}", "interval"), told or "", paper))


def _improvised(row: PairRow | JudgeRow) -> tuple[Part, ...]:
    return (Part("", "improvised", (say(words.IMPROVISED_TOKENS),)),) if row.improvised else ()
