"""Did a training help? Base, tuned and teacher beside each other as tables, with the paper's values in grey."""

from collections.abc import Iterator, Mapping, Sequence

from annotations.errors import Undefined
from annotations.exchange.table import IMPROVISED, Cell, Column, Content, Group, Part, Row, Table
from annotations.i18n.messages import Readable, count_message, to_say
from annotations.i18n.translation import say, sentence, translate
from annotations.leaderboard.paired_scenes import PairedScenes
from annotations.leaderboard.standings import Standing
from annotations.reliability.narrator_agreement import AFFECTED, KAPPA, WORDING, CrossCheck, Nominal, Wording
from annotations.report.published import FIGURE_2, FIGURE_3
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import RESERVED, load_rubric
from annotations.validity.judge_expert_correlation import OVERALL
from annotations.validity.overlapping_correlations import INDEPENDENT
from characterbox.components.figures.tables.captions import JUDGES, published_pearson
from characterbox.components.figures.tables.narrators import MAXIMS, maxim_name
from characterbox.components.figures.tables.reliability_validity import one_reason, published_row
from characterbox.components.figures.tables.text import (
    N_ITEMS,
    counted,
    decimal,
    estimate_cell,
    language_name,
    limits,
    metric_label,
    p_value,
    value_cell,
)
from characterbox.training.evaluation.figures import (
    CharacterFigures,
    EvaluationFigures,
    Gains,
    NarratorFigures,
    ScoredCharacters,
)
from characterbox.training.evaluation.judge_figures import JudgeFigures, JudgesCompared, Standard
from characterbox.training.evaluation.plan import BASE, TEACHER, TUNED

PARTS: Mapping[str, str] = {BASE: to_say("Base"), TUNED: to_say("Tuned"), TEACHER: to_say("Teacher")}
GAINS: Mapping[str, str] = {TUNED: to_say("Tuned minus base"), TEACHER: to_say("Teacher minus base")}
PERCENT: Mapping[str, str] = {
    TUNED: to_say("Tuned minus base, % of base"),
    TEACHER: to_say("Teacher minus base, % of base"),
}
"""What the rows are called; to be said."""
N_REPLIES, N_DECISIONS = to_say("n = {n:,} replies"), to_say("n = {n:,} decisions")
PER_SCENE = to_say("Differences are means over scenes; their 95 % intervals take scenes as drawn.")
SAME_ITEMS = to_say(
    "Tuned minus base: r of tuned minus r of base, on the items that both scored; its interval and p take scenes as"
    " drawn."
)
PAPER_GAIN = to_say("Paper, figure 2: {base}")


def evaluation_tables(figures: EvaluationFigures) -> list[Table]:
    """All tables of an evaluation."""
    match figures.of:
        case NarratorFigures():
            found = [_readable(figures, figures.of), _agreement(figures, figures.of), *_maxims(figures, figures.of)]
        case JudgeFigures():
            found = [*_judges(figures, figures.of)]
        case CharacterFigures():
            found = [*_characters(figures, figures.of)]
    return found


def _table(
    figures: EvaluationFigures, title: str, heads: Sequence[str], rows: Sequence[Row], notes: Sequence[str]
) -> Table:
    """A table whose first rows are of this evaluation, below the mark where no language model did some of it."""
    own, beside = [row for row in rows if not row.beside], [row for row in rows if row.beside]
    groups = [Group(own, IMPROVISED if figures.demo else ""), *([Group(beside)] if beside else [])]
    return Table(title, [Column(head) for head in heads], groups, notes)


def _part(figures: EvaluationFigures, part: str) -> Content:
    """The label of a part, with its model."""
    model = figures.models.get(part)
    return Cell((say(PARTS[part]), Part(model, "quiet"))) if model else say(PARTS[part])


def _readable(figures: EvaluationFigures, found: NarratorFigures) -> Table:
    rows = [Row(_part(figures, part), [estimate_cell(share, of=N_REPLIES)]) for part, share in found.readable.items()]
    rows.append(Row(say(GAINS[TUNED]), [_gain(found.readable_gain)]))
    return _table(
        figures,
        say("Replies readable at the first try"),
        [say("Share of replies")],
        rows,
        [say("Share of a narrator's replies on the held-out scenes that could be read without asking again."),
         say(PER_SCENE)],
    )  # fmt: skip


def _agreement(figures: EvaluationFigures, found: NarratorFigures) -> Table:
    heads = [
        *(say("Same one affected"), say("Kappa"), say("Importance of influences"), say("Importance of results")),
        *(say("Wording of influences"), say("Wording of results")),
    ]
    rows = [Row(_part(figures, part), _agreed(one)) for part, one in found.agreement.items()]
    gain = estimate_cell(found.agreement_gain, of=N_DECISIONS)
    rows.append(Row(say(GAINS[TUNED]), [gain, *[""] * (len(heads) - 1)]))
    notes = [
        say("The teacher's decisions in the held-out stories; base and tuned were asked the same prompts."),
        say("Importance: ICC(A,1)."),
        say("Tuned minus base counts a reply that could not be read as a wrong decision."),
        *(sentence(say(told)) for told in (KAPPA, AFFECTED, WORDING)),
    ]
    for part, reasons in found.left_out.items():
        notes += [
            say("{part}: {count:,} left out: {why}", part=say(PARTS[part]), count=count, why=say(why))
            for why, count in reasons.items()
        ]
    notes += _unended(found.unended)
    return _table(figures, say("Agreement with the teacher"), heads, rows, notes)


def _unended(count: int) -> list[str]:
    """The note on held-out stories of which nothing is shown."""
    told = count_message(
        "{count} held-out story was deleted or has not ended",
        "{count} held-out stories were deleted or have not ended",
        count,
    )
    return [translate(told)] if count else []


def _agreed(found: CrossCheck) -> list[Content]:
    who = found.affected
    alike: list[Content] = (
        [estimate_cell(who.share, of=N_DECISIONS), estimate_cell(who.kappa, of=N_DECISIONS)]
        if isinstance(who, Nominal)
        else [who, who]
    )
    steps = ("influence", "result")
    importance = [estimate_cell(found.importance[step], of=N_DECISIONS) for step in steps]
    return [*alike, *importance, *(_near(found.wording[step]) for step in steps)]


def _near(found: Wording | Undefined) -> Content:
    return found if isinstance(found, Undefined) else estimate_cell(found.similarity, of=N_DECISIONS)


def _maxims(figures: EvaluationFigures, found: NarratorFigures) -> Iterator[Table]:
    for judge, one in found.scored.items():
        rows = []
        for part, scores in one.scores.items():
            stories = max((score.stories for score in scores.values()), default=0)
            cells: list[Content] = [
                value_cell(scores[key].mean, scores[key].interval) if key in scores else say("no score")
                for key in MAXIMS
            ]
            rows.append(Row(_part(figures, part), [*cells, "", str(stories)]))
        rows += _gain_rows(one.gains, (*MAXIMS, RESERVED), extra=1)
        heads = [*map(maxim_name, MAXIMS), say("Overall"), "n"]
        title = say("Narrators on Grice's maxims, scored by {judge}", judge=judge)
        yield _table(figures, title, heads, rows, [say(PER_SCENE), say(FIGURE_3)])


def _gain_rows(gains: Gains, metrics: Sequence[str], *, extra: int = 0) -> list[Row]:
    """A row in points and one in per cent for each part."""
    rows = []
    for part, by_metric in gains.items():
        blank = [""] * extra
        rows.append(Row(say(GAINS[part]), [*(_gain(by_metric[metric]) for metric in metrics), *blank]))
        rows.append(Row(say(PERCENT[part]), [*(_percent(by_metric[metric]) for metric in metrics), *blank]))
    return rows


def _gain(found: PairedScenes | Undefined) -> Content:
    if isinstance(found, Undefined):
        return found
    return value_cell(found.difference.estimate, found.difference.interval, counted(found.difference.n, "scene"))


def _percent(found: PairedScenes | Undefined) -> Content:
    percent: Estimate | Undefined = found if isinstance(found, Undefined) else found.percent
    if isinstance(percent, Undefined):
        return percent
    return Cell((Part(_in_percent(percent.estimate), "figure"), limits(percent.interval, _in_percent)))


def _in_percent(value: float) -> str:
    return f"{value:+.1f} %".replace("-0.0 %", "+0.0 %")


def _judges(figures: EvaluationFigures, found: JudgeFigures) -> Iterator[Table]:
    metrics = (*load_rubric().keys, OVERALL)
    standards: list[tuple[str, Standard, list[Row]]] = [
        (
            say("Pearson's r with the experts"),
            found.experts,
            [
                published_row(
                    say("Paper, table 3: {judge}", judge=judge), [published_pearson(judge, one) for one in metrics]
                )
                for judge in JUDGES
            ],
        )
    ]
    if found.teacher is not None:
        standards.append((say("Pearson's r with the teacher, {teacher}", teacher=found.taught_by), found.teacher, []))
    for title, standard, published in standards:
        rows = [
            Row(_part(figures, part), one_reason([estimate_cell(by_metric[metric], of=N_ITEMS) for metric in metrics]))
            for part, by_metric in standard.r.items()
        ]
        compared = [standard.compared[metric] for metric in metrics if standard.compared]
        if standard.compared:
            rows += [Row(say(label), one_reason([cell(one) for one in compared])) for label, cell in _COMPARED.items()]
        notes = [say(SAME_ITEMS), sentence(say(INDEPENDENT))] if standard.compared else []
        notes += _unended(found.unended)
        yield _table(figures, title, list(map(metric_label, metrics)), [*rows, *published], notes)


def _difference(one: JudgesCompared | Undefined) -> Content:
    return one if isinstance(one, Undefined) else estimate_cell(one.difference.difference, of=N_ITEMS)


def _p(one: JudgesCompared | Undefined) -> Content:
    if isinstance(one, Undefined):
        return one
    p = one.difference.p
    return p if isinstance(p, Undefined) else p_value(p)


def _williams(one: JudgesCompared | Undefined) -> Content:
    if isinstance(one, Undefined):
        return one
    if isinstance(one.williams, Undefined):
        return one.williams
    told = f"t({one.williams.df}) = {decimal(one.williams.t)}, p {_equals(p_value(one.williams.p))}"
    return Part(told, "figure")


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _zou(one: JudgesCompared | Undefined) -> Content:
    if isinstance(one, Undefined):
        return one
    return limits(one.zou) if isinstance(one.zou, Interval) else one.zou


_COMPARED = {
    to_say("Tuned minus base"): _difference,
    to_say("p of the difference"): _p,
    to_say("Williams' test"): _williams,
    to_say("Zou's interval"): _zou,
}


def _characters(figures: EvaluationFigures, found: CharacterFigures) -> Iterator[Table]:
    metrics = (*load_rubric().keys, RESERVED)
    for judge, languages in found.scored.items():
        for language, one in languages.items():
            title = say("Scores by {judge}, {language}", judge=judge, language=language_name(language))
            if isinstance(one, Undefined):
                rows = [Row(_part(figures, part), one) for part in figures.models]
            else:
                rows = _scored(figures, one, metrics)
            paper = [
                _published_gain(say(PAPER_GAIN, base=gain.base), gain.percent, len(metrics))
                for gain in FIGURE_2
                if (gain.kind, gain.language) == (figures.kind, language)
            ]
            heads = [*map(metric_label, metrics), say("Scenes")]
            yield _table(figures, title, heads, [*rows, *paper], [say(PER_SCENE)])


def _scored(figures: EvaluationFigures, one: ScoredCharacters, metrics: Sequence[str]) -> list[Row]:
    rows = [
        Row(_part(figures, part), [*(_standing(by_metric.get(metric)) for metric in metrics), _scenes(by_metric)])
        for part, by_metric in one.standings.items()
    ]
    return rows + _gain_rows(one.gains, metrics, extra=1)


def _scenes(by_metric: Mapping[str, Standing]) -> str:
    return str(max((standing.scenes for standing in by_metric.values()), default=0))


def _standing(one: Standing | None) -> Content:
    if one is None:
        return say("no score")
    ends = "" if one.low is None or one.high is None else f"[{decimal(one.low)}, {decimal(one.high)}]"
    return Cell((Part(decimal(one.mean), "figure"), Part(ends or say("no interval"), "interval")))


def _published_gain(label: Readable, percent: float, columns: int) -> Row:
    return Row(label, [*[""] * (columns - 1), _in_percent(percent), ""], beside=True)
