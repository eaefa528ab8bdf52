"""RoleBench: how models answer as roles, experiments, and the paper's tables; and files, which are in English."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from annotations.errors import Undefined
from annotations.exchange.csv_file import csv_of
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Column, Content, Group, Row, Table, labelled
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, speaking
from annotations.resampling.estimates import Estimate
from characterbox.components.figures.tables.text import value_cell
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.rolebench.answers.standings import MEAN, AnswersStanding, Rouge
from characterbox.rolebench.published import PUBLISHED, PublishedTable
from characterbox.values import Language

HEADS: Mapping[str, str] = {"cus": "CUS", "raw": "RAW", "spe": "SPE", MEAN: to_say("Average")}
TITLES: Mapping[str, str] = {
    "strategy": to_say("Strategies on {benchmark}"),
    "customisation": to_say("System instruction or retrieval on {benchmark}"),
    "mix": to_say("Data mixes on {benchmark}"),
}
"""What experiments are called; to be said."""
PAPERS: Mapping[tuple[str, Language], str] = {
    ("strategy", "en"): "7",
    ("strategy", "zh"): "7",
    ("customisation", "en"): "8",
    ("customisation", "zh"): "8",
    ("mix", "en"): "10a",
    ("mix", "zh"): "10b",
}
"""The paper's table for each experiment."""
PERCENT = 100
ROUGE = to_say("Rouge-L")


@dataclass(frozen=True)
class Experiment:
    """The conditions of an experiment, in their order, and by how much each is above the first, by id."""

    conditions: Sequence[AnswersStanding]
    above: Mapping[str, Rouge]

    @property
    def of(self) -> str:
        """What differs."""
        trial = self.conditions[0].trial
        return "" if trial is None else trial.of


def answers_table(standings: Iterable[AnswersStanding]) -> Table:
    """A group for each benchmark, a row for each model and strategy, the best average first."""
    of: dict[str, list[AnswersStanding]] = {}
    for one in standings:
        of.setdefault(one.benchmark, []).append(one)
    groups = [Group([_row(one, _called(one)) for one in sorted(those, key=_order)], name) for name, those in of.items()]
    return _table(say("Answers as roles"), groups, say("Model"))


def experiment_table(found: Experiment) -> Table:
    """The conditions of an experiment, and by how much they are above the first."""
    first, *others = found.conditions
    groups = [Group([_row(one, _condition(one)) for one in found.conditions])]
    if others:
        heading = say("Above {condition}, on the same questions", condition=_condition(first))
        below = [Row(labelled(_condition(one), one.improvised), _cells(found.above[one.id])) for one in others]
        groups.append(Group(below, heading))
    title = say(TITLES[found.of], benchmark=first.benchmark)
    return _table(title, groups, say("Condition"))


def papers_tables(language: Language) -> list[PublishedTable]:
    """Those of the paper whose answers are in a language, or in both."""
    return [one for one in PUBLISHED if one.language in (language, None)]


def papers_table(published: PublishedTable) -> Table:
    """A table of the paper."""
    rows = [Row(one.name, [f"{figure:.1f}" for figure in one.figures]) for one in published.rows]
    title = say("Table {number}: {title}", number=published.number, title=say(published.title))
    return Table(title, [Column(say(name)) for name in published.columns], [Group(rows)], [say(published.note)])


def published(number: str) -> PublishedTable:
    """The table of the paper with this number."""
    return next(one for one in PUBLISHED if one.number == number)


def _table(title: str, groups: Sequence[Group], corner: str) -> Table:
    columns = [Column(say(name), say(ROUGE)) for name in HEADS.values()]
    return Table(title, [*columns, Column(say("Answers"))], groups, corner=corner, look="board")


def _called(one: AnswersStanding) -> str:
    return say("{model} ({strategy})", model=one.model, strategy=one.strategy)


def _condition(one: AnswersStanding) -> str:
    return one.strategy if one.trial is None else one.trial.condition


def _order(one: AnswersStanding) -> tuple[bool, float]:
    mean = one.rouge[MEAN]
    return (False, -mean.estimate) if isinstance(mean, Estimate) else (True, 0.0)


def _row(one: AnswersStanding, name: str) -> Row:
    given = say("{given:,} of {asked:,}", given=one.given, asked=one.asked)
    return Row(labelled(name, one.improvised), [*_cells(one.rouge), given])


def _cells(rouge: Rouge) -> list[Content]:
    return [_cell(rouge[part]) for part in HEADS]


def _cell(one: Estimate | Undefined | None) -> Content:
    if one is None:
        return say("no answers")
    return one if isinstance(one, Undefined) else value_cell(one.estimate, one.interval, written=percent)


def percent(share: float) -> str:
    """As the paper writes Rouge-L: a hundred times the score, with one decimal, and no minus before zero."""
    return f"{PERCENT * share + 0.0:.1f}".replace("-0.0", "0.0")


_COLUMNS = (
    *("benchmark", "language", "model", "strategy", "experiment", "condition"),
    *("part", "rougeL", "low", "high", "n", "references"),
    *("tokenizer", "answers", "questions", "unread", "cut_off", "generation", "note"),
)


def standings_csv(standings: Iterable[AnswersStanding]) -> bytes:
    """One row a generation and part, and one for the mean, at full precision and from 0 to 1."""
    return csv_of(_COLUMNS, (line for one in standings for line in _lines(one)))


def _lines(one: AnswersStanding) -> Iterator[tuple[object, ...]]:
    of, condition = (None, None) if one.trial is None else (one.trial.of, one.trial.condition)
    about = (one.benchmark, one.language, one.model, one.strategy, of, condition)
    behind = (one.tokenizer, one.given, one.asked, one.unread, one.cut_off, one.id)
    for part in HEADS:
        if isinstance(found := one.rouge[part], Estimate):
            limits = found.interval
            low, high = (None, None) if isinstance(limits, Undefined) else (limits.low, limits.high)
            figures = (found.estimate, low, high, found.n, one.references.get(part))
            yield (*about, part, *figures, *behind, DEMO_NOTE if one.improvised else "")


def tables_latex(standings: Sequence[AnswersStanding], experiments: Sequence[Experiment]) -> str:
    """All of ours, and the paper's of these languages."""
    with speaking("en"):
        tables = [answers_table(standings), *map(experiment_table, experiments)]
        languages = dict.fromkeys(one.language for one in standings)
        papers = {one.number: papers_table(one) for language in languages for one in papers_tables(language)}
    note = "Rouge-L in percent, with 95% intervals by drawing roles and questions anew."
    return latex_file([*(replace(one, notes=[note]) for one in tables), *papers.values()], DEMO_NOTE)
