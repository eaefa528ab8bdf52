"""What stories and judges cost, as HTML tables: after the paper's table 6, with its figures in grey."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotations.published import TABLE_6, PublishedCost
from annotations.undefined import Undefined
from annotations.wording import say, say_count, to_say
from characterbox.components.figures import cost_words as words
from characterbox.components.figures.cells import Notes, data, no_figure
from characterbox.components.figures.cost_files import published_figures
from characterbox.components.figures.estimate_cells import mark, undefined_cell
from characterbox.components.figures.words import counted
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
from characterbox.store.call_costs import CallCosts, total

Write = Callable[[float], str]
Head = tuple[str, Sequence[str]]
"""Columns under one heading."""
_WRITES: dict[str, Write] = {
    "calls": lambda value: f"{value:,.1f}",
    "tokens_in": words.count,
    "tokens_out": words.count,
    "dollars": words.dollars,
    "seconds": words.seconds,
}
_PAIR_CELLS = (
    *((of, figure) for of in ("narrator", "characters") for figure in ("tokens_in", "tokens_out", "dollars")),
    ("both", "dollars"),
    ("both", "seconds"),
)
_TRAJECTORY = ("calls", "tokens_in", "tokens_out", "dollars", "seconds")
_STORY = ("dollars", "seconds")
NOT_PUBLISHED = {
    "dollars": to_say("The paper gives prices of models behind a paid API only"),
    "seconds": to_say("The paper gives no times"),
}
NO_TRAJECTORY = to_say("The judging of every trajectory was broken off or taken over from elsewhere")
NO_STORY = to_say(
    "In every story the judging of a trajectory is missing, was broken off or was taken over from elsewhere"
)
NO_MINUTES = to_say("Enter the minutes of an expert")
NO_WAGE = to_say("Enter the wage of an expert")
_WHO = {
    "narrator": to_say("Narrators"),
    "characters": to_say("Characters"),
    "judges": to_say("Judges"),
    "second narrators": to_say("Second narrators"),
}


def pairs_table(table: CostTable) -> str:
    """What a scene costs by who narrates and who plays, and the paper's rows."""
    notes = Notes()
    tokens = [say("Tokens in"), say("Tokens out"), say("$")]
    heads = [(say("Narrator"), tokens), (say("Characters"), tokens), (say("Both"), [say("$"), say("Time")])]
    rows = "".join(_pair_row(pair, notes) for pair in table.pairs)
    told = say("The paper, table 6")
    title = f'<span class="cb-paper">{data(told)}</span>'
    group = f'<tr><th scope="rowgroup" class="cb-group" colspan="{1 + len(_PAIR_CELLS)}"><span>{title}</span></th></tr>'
    paper = "".join(_paper_row(row, notes) for row in TABLE_6)
    body = f"<tbody>{rows}</tbody><tbody>{group}{paper}</tbody>"
    return _table(say("What a scene costs"), heads, body, notes)


def judges_table(judges: Sequence[JudgeRow]) -> str:
    """What each judge costs, for a trajectory and for a story."""
    notes = Notes()
    heads = [
        (say("A trajectory"), [say("Calls"), say("Tokens in"), say("Tokens out"), say("$"), say("Time")]),
        (say("A story, all of its trajectories"), [say("$"), say("Time")]),
    ]
    rows = []
    for judge in judges:
        cells = [_cell(judge.of_trajectory, figure, notes, none=say(NO_TRAJECTORY)) for figure in _TRAJECTORY]
        cells += [_cell(judge.of_story, figure, notes, none=say(NO_STORY)) for figure in _STORY]
        rows.append(_row(_judge_label(judge, notes), cells))
    return _table(say("What a judge costs"), heads, f"<tbody>{''.join(rows)}</tbody>", notes)


def hour_table(judges: Sequence[JudgeRow], minutes: float | None, wage: float | None) -> str:
    """Judges against an expert, whose minutes and wage may not be known yet."""
    notes = Notes()
    heads = [
        (say("A trajectory"), [say("Time"), say("$")]),
        (say("{n} trajectories", n=HUNDRED), [say("Time"), say("$")]),
        (say("For the price of one expert hour"), [say("Trajectories")]),
    ]
    rows = [_expert_row(minutes, wage, notes)]
    for judge in judges:
        costs = judge.of_trajectory
        means = ((costs.seconds, words.seconds), (costs.dollars, words.dollars))
        one = [_figure(mean, write, notes, none=say(NO_TRAJECTORY)) for mean, write in means]
        many = [
            _plain(
                None if mean.mean is None else write(HUNDRED * mean.mean), _left_out(mean) or say(NO_TRAJECTORY), notes
            )
            for mean, write in means
        ]
        rows.append(_row(_judge_label(judge, notes), [*one, *many, _for_the_wage(judge, wage, notes)]))
    return _table(say("A judge against an expert"), heads, f"<tbody>{''.join(rows)}</tbody>", notes)


def sums_table(table: CostTable) -> str:
    """What everything together has taken, with what is in no mean."""
    notes = Notes()
    heads = [
        ("", [say("Calls")]),
        (say("Tokens"), [say("In prompts"), say("Of these cached"), say("In replies")]),
        ("", [say("$"), say("Time"), say("Attempts repeated"), say("Replies reused")]),
    ]
    rows = [_sum_row(say(_WHO[who]), spent, notes) for who, spent in table.sums.items()]
    rows.append(_sum_row(say("All"), total(table.sums.values()), notes))
    return _table(say("Everything together"), heads, f"<tbody>{''.join(rows)}</tbody>", notes)


def _pair_row(pair: PairRow, notes: Notes) -> str:
    costs = {"narrator": pair.of_narrator, "characters": pair.of_characters, "both": pair.of_both}
    papers = {} if pair.published is None else published_figures(pair.published)
    cells = [
        _cell(costs[of], figure, notes, None if (value := papers.get((of, figure))) is None else _WRITES[figure](value))
        for of, figure in _PAIR_CELLS
    ]
    names = _names(words.names(pair.narrator), words.names(pair.characters))
    rounds = say_count("{count:,} round", "{count:,} rounds", pair.rounds)
    stories = say_count("n = {count:,} story", "n = {count:,} stories", pair.stories)
    told = say("{rounds}; {stories} of {scenes}", rounds=rounds, stories=stories, scenes=counted(pair.scenes, "scene"))
    return _row(f"{names}{_small(told)}{_improvised(pair, notes)}", cells)


def _paper_row(row: PublishedCost, notes: Notes) -> str:
    found = published_figures(row)
    values = ((figure, found.get((of, figure))) for of, figure in _PAIR_CELLS)
    shown = (
        no_figure(say(NOT_PUBLISHED[figure]), notes) if value is None else _WRITES[figure](value)
        for figure, value in values
    )
    cells = [f'<td class="cb-paper">{one}</td>' for one in shown]
    rounds = say_count("{count:,} round", "{count:,} rounds", PAPER_ROUNDS)
    label = f"{_names(row.narrator, row.characters)}{_small(rounds)}"
    return _row(f'<span class="cb-paper">{label}</span>', cells)


def _expert_row(minutes: float | None, wage: float | None, notes: Notes) -> str:
    expert = Expert(minutes, wage) if minutes is not None and wage is not None else None
    time = [None if minutes is None else words.seconds(60 * minutes * many) for many in (1, HUNDRED)]
    price = [None if expert is None else words.dollars(expert.dollars * many) for many in (1, HUNDRED)]
    hour = None if minutes is None else f"{60 / minutes:,.1f}"
    no_price = say("; ").join(say(why) for given, why in ((minutes, NO_MINUTES), (wage, NO_WAGE)) if given is None)
    figures = ((time[0], say(NO_MINUTES)), (price[0], no_price), (time[1], say(NO_MINUTES)), (price[1], no_price))
    cells = [_plain(told, why, notes) for told, why in (*figures, (hour, say(NO_MINUTES)))]
    return _row(data(say("An expert")), cells)


def _for_the_wage(judge: JudgeRow, wage: float | None, notes: Notes) -> str:
    """How many trajectories a judge does for an expert's wage, as a cell."""
    if wage is None:
        return _plain(None, say(NO_WAGE), notes)
    many = for_the_wage(judge, wage)
    if many is None:
        return _plain(None, _left_out(judge.of_trajectory.dollars) or say(NO_TRAJECTORY), notes)
    return _plain(say("any number: it costs nothing") if math.isinf(many) else f"{many:,.0f}", "", notes)


def _judge_label(judge: JudgeRow, notes: Notes) -> str:
    told = say(
        "n = {trajectories}, {stories}",
        trajectories=say_count("{count:,} trajectory", "{count:,} trajectories", judge.trajectories),
        stories=say_count("{count:,} story", "{count:,} stories", judge.stories),
    )
    broken = ""
    if judge.broken_off:
        broken = notes.mark(
            say_count(
                "Left out: {count:,} trajectory whose judging was broken off or taken over from elsewhere",
                "Left out: {count:,} trajectories whose judging was broken off or taken over from elsewhere",
                judge.broken_off,
            )
        )
    names = words.names(judge.models)
    models = "" if names == judge.judge else _small(names)
    called = data(judge.called)
    return f"{called}{broken}{models}{_small(told)}{_improvised(judge, notes)}"


def _sum_row(label: str, spent: CallCosts, notes: Notes) -> str:
    def known(value: float | None, why: str, write: Write = words.count, but: str = "") -> str:
        if value is not None:
            return f"<td>{write(value)}{notes.mark(but) if but else ''}</td>"
        return undefined_cell(Undefined(why), notes)

    calls = say_count("{count:,} call", "{count:,} calls", spent.calls)
    uncounted = say("Not known for {unknown:,} of {calls}", unknown=spent.uncounted, calls=calls)
    cached = say("No endpoint has told how many tokens came from its cache")
    told = to_say("Not known for {unknown:,} of {calls}, which add nothing to it")
    untold = say(told, unknown=spent.cache_untold, calls=calls) if spent.cache_untold else ""
    priced = words.dollars(spent.price)
    told = to_say("Not known for {unknown:,} of {calls}; the others cost ${price}")
    unpriced = say(told, unknown=spent.unpriced, calls=calls, price=priced)
    cells = [
        f"<td>{spent.calls:,}</td>",
        known(spent.tokens_in, uncounted),
        known(spent.tokens_cached, cached, but=untold),
        known(spent.tokens_out, uncounted),
        known(spent.dollars, unpriced, words.dollars),
        f"<td>{words.seconds(spent.seconds)}</td>",
        f"<td>{spent.retries:,}</td>",
        f"<td>{spent.reused:,}</td>",
    ]
    return _row(f"{data(label)}{_partly_improvised(spent, notes)}", cells)


def _cell(costs: Costs, figure: str, notes: Notes, paper: str | None = None, none: str = "") -> str:
    cached, told = costs.tokens_cached, ""
    if figure == "tokens_in" and cached.mean is not None:
        note = say("; ").join(_untold(costs))
        told = _small(say("{n} cached", n=words.count(cached.mean)), notes.mark(note) if note else "")
    return _figure(getattr(costs, figure), _WRITES[figure], notes, told=told, paper=paper, none=none)


def _untold(costs: Costs) -> Iterator[str]:
    """What the tokens that came from a cache do not rest on."""
    cached, untold = costs.tokens_cached, costs.cache_untold.mean
    if cached.unknown:
        text = to_say("The endpoint has told of the cache in {known:,} of {all:,}, whose mean this is")
        yield say(text, known=cached.n, all=cached.n + cached.unknown)
    if untold:
        text = to_say("Not known for {unknown:,.1f} calls on average, which add nothing to it")
        yield say(text, unknown=untold)


def _left_out(mean: Mean) -> str:
    """Of how many a figure is not known; empty where it is known of all."""
    if not mean.unknown:
        return ""
    told = to_say("Not known of {unknown:,} of {all:,}, which are left out")
    return say(told, unknown=mean.unknown, all=mean.n + mean.unknown)


def _figure(mean: Mean, write: Write, notes: Notes, *, told: str = "", paper: str | None = None, none: str = "") -> str:
    """A mean with its deviation, what it rests on where that is not everything, and the paper's figure in grey; where
    it is over nothing, a dash with the reason `none`."""
    left_out = _left_out(mean)
    grey = "" if paper is None else f'<span class="cb-paper">{data(say("paper {figure}", figure=paper))}</span>'
    if mean.mean is None:
        return f'<td class="cb-undefined">{no_figure(left_out or none, notes)}{grey}</td>'
    mark = notes.mark(left_out) if left_out else ""
    beside = words.dollars(mean.sd or 0.0, mean.mean) if write is words.dollars else write(mean.sd or 0.0)
    deviation = "" if mean.sd is None else f' <span class="cb-interval">± {data(beside)}</span>'
    return f"<td><b>{data(write(mean.mean))}</b>{mark}{deviation}{told}{grey}</td>"


def _plain(told: str | None, why: str, notes: Notes) -> str:
    """A figure as it is told; where there is none, a dash with the reason."""
    return undefined_cell(Undefined(why), notes) if told is None else f"<td>{data(told)}</td>"


def _names(narrator: str, characters: str) -> str:
    """Both, one below the other (HTML)."""
    told = (say("Narrator: {model}", model=narrator), say("Characters: {model}", model=characters))
    return "<br>".join(map(data, told))


def _improvised(row: PairRow | JudgeRow, notes: Notes) -> str:
    if not row.improvised:
        return ""
    return f"{mark()}{notes.mark(say(words.IMPROVISED_TOKENS))}"


def _partly_improvised(spent: CallCosts, notes: Notes) -> str:
    if not spent.improvised:
        return ""
    told = say("{n:,} of the calls", n=spent.improvised)
    return f"{mark()} {data(told)}{notes.mark(say(words.IMPROVISED_TOKENS))}"


def _small(text: str, mark: str = "") -> str:
    return f' <small class="cb-n">{data(text)}{mark}</small>'


def _row(label: str, cells: Iterable[str]) -> str:
    return f'<tr><th scope="row">{label}</th>{"".join(cells)}</tr>'


def _table(caption: str, heads: Sequence[Head], body: str, notes: Notes) -> str:
    """A table whose columns stand in groups; it scrolls by itself where it is wider than the page. `body` is HTML."""
    groups = "".join(f'<th scope="colgroup" colspan="{len(columns)}">{data(head)}</th>' for head, columns in heads)
    columns = "".join(f'<th scope="col">{data(column)}</th>' for _, columns in heads for column in columns)
    head = f'<tr class="cb-columns"><td></td>{groups}</tr><tr><td></td>{columns}</tr>'
    return (
        f'<div class="cb-figures cb-wide cb-costs"><div class="cb-scroll" tabindex="0" role="region"'
        f' aria-label="{data(caption)}"><table><thead>{head}</thead>{body}</table></div>{notes.as_html()}</div>'
    )
