"""Narrators on Grice's maxims, by kind of step: the table, and its files, which are in English."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from annotations.errors import Undefined
from annotations.exchange.csv_file import csv_of
from annotations.exchange.latex import latex_file
from annotations.exchange.table import Cell, Column, Content, Group, Part, Row, Table, labelled
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, speaking, tongue
from annotations.leaderboard.narrators import NarratorScore, by_narrator, steps_of
from annotations.report.published import FIGURE_3
from annotations.rubrics.rubric import NarratorStep, load_rubric
from characterbox.components.figures.tables.text import counted, value_cell
from characterbox.judging.narrator_scores import ComparedNarrators
from characterbox.judging.provenance import DEMO_NOTE

STEPS: Mapping[NarratorStep, str] = {
    "action_influence": to_say("Action influences"),
    "interaction_result": to_say("Results"),
    "character_update": to_say("Character updates"),
    "environment_update": to_say("Environment updates"),
}
"""What the kinds of step are called; to be said."""
ALL_STEPS = to_say("All steps")
MEANS = to_say("Means over stories.")
BRACKETS = to_say(
    "Brackets: 95 % intervals (jackknife by scenes, Student's t); the models that play the characters are fixed."
)
MEAN_OF_STEPS = to_say("All steps: for each story, the mean over the kinds of step that were scored.")
MAXIMS = load_rubric("narrator").keys


def step_name(step: NarratorStep | None) -> str:
    """What a kind of step, or all of them, is called."""
    return say(ALL_STEPS if step is None else STEPS[step])


def maxim_name(key: str) -> str:
    """What a maxim is called."""
    return load_rubric("narrator").metric(key).name.text(tongue())


def narrators_table(scores: Iterable[NarratorScore], improvised: Collection[str]) -> Table:
    """A group for all steps and for each kind, a row a narrator; those in which no language model had a part of the
    work are marked."""
    known = [*scores]
    groups = [
        Group(
            [
                _row(narrator, of, improvised=narrator in improvised)
                for narrator, of in by_narrator(known, step).items()
            ],
            step_name(step),
        )
        for step in steps_of(known)
    ]
    columns = [*(Column(maxim_name(key)) for key in MAXIMS), Column("n")]
    return Table(say("Narrators on Grice's maxims"), columns, groups, corner=say("Narrator"), look="board")


def _row(narrator: str, found: Mapping[str, NarratorScore], *, improvised: bool) -> Row:
    cells: list[Content] = [_cell(found[key]) if key in found else say("no score") for key in MAXIMS]
    most = max(found.values(), key=lambda one: one.stories)
    stories = say_count("{count:,} story", "{count:,} stories", most.stories)
    players = say_count("{count:,} set of character models", "{count:,} sets of character models", most.players)
    below = say("{scenes}, {players}", scenes=counted(most.scenes, "scene"), players=players)
    return Row(labelled(narrator, improvised), [*cells, Cell((stories, Part(below, "counted")))])


def _cell(one: NarratorScore) -> Content:
    return value_cell(one.mean, one.interval)


def narrators_told(scores: Iterable[NarratorScore]) -> list[str]:
    """What the figures are, sentence by sentence; of intervals only where there is one at least."""
    known = [*scores]
    told = {MEANS: True, BRACKETS: has_interval(known), MEAN_OF_STEPS: len(steps_of(known)) > 1}
    return [say(sentence) for sentence, holds in told.items() if holds]


def has_interval(scores: Iterable[NarratorScore]) -> bool:
    """Whether an interval is defined for one of them at least."""
    return any(not isinstance(one.interval, Undefined) for one in scores)


@dataclass(frozen=True)
class NarratorFigures:
    """What the files tell: whose scores, by which rubric, and the figures."""

    scores: str
    """Whose they are."""
    rubric: str
    compared: ComparedNarrators
    judged_without_model: bool
    """Whether no language model gave these scores, or some of them."""

    def note(self, narrator: str) -> str:
        """What keeps the figures of a narrator from being results; empty where nothing does."""
        return DEMO_NOTE if self.judged_without_model or narrator in self.compared.improvised else ""


_CSV = (
    *("narrator", "step", "maxim", "mean", "low", "high", "interval", "stories", "scenes", "players"),
    *("scores", "rubric", "note"),
)


def narrators_csv(figures: NarratorFigures) -> bytes:
    """One row a figure at full precision; `step` is empty for all of them, and an interval that is not defined has its
    reason in its place."""

    def row(one: NarratorScore) -> tuple[object, ...]:
        ends = (None, None, str(one.interval.reason)) if isinstance(one.interval, Undefined) else (
            one.interval.low, one.interval.high, one.interval.way
        )  # fmt: skip
        counts = (one.stories, one.scenes, one.players)
        of = (figures.scores, figures.rubric, figures.note(one.narrator))
        return (one.narrator, one.step, one.maxim, one.mean, *ends, *counts, *of)

    return csv_of(_CSV, map(row, figures.compared.scores))


def stories_csv(figures: NarratorFigures) -> bytes:
    """The scores behind it, one row a story."""
    stories = figures.compared.stories
    rows = stories.itertuples(index=False, name=None)
    at = [*stories.columns].index("narrator")
    return csv_of((*stories.columns, "scores", "note"), ((*row, figures.scores, figures.note(row[at])) for row in rows))


def narrators_latex(figures: NarratorFigures) -> str:
    """The table, in English, as papers are."""
    marked = [one.narrator for one in figures.compared.scores if figures.note(one.narrator)]
    with speaking("en"):
        table = narrators_table(figures.compared.scores, marked)
        notes = [*narrators_told(figures.compared.scores), say(FIGURE_3)]
    title = f"Narrators on Grice's maxims, as scored by {figures.scores}"
    return latex_file([replace(table, title=title, notes=notes, label="narrators")], DEMO_NOTE)
