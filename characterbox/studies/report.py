"""The texts of a study's results: what became of the hypotheses, how the study was made, and what is in the folder."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from annotations.errors import AnnotationError, Undefined
from annotations.exchange.csv_file import csv_of
from annotations.exchange.markdown import escaped
from annotations.exchange.table import IMPROVISED, Cell, Column, Content, Group, Part, Row, Table
from annotations.marking.rating import any_improvised
from annotations.rubrics.rubric_file import read_toml
from characterbox import __version__
from characterbox.campaigns.rater_statistics import Board
from characterbox.components.figures.files.downloads import ratings_csv
from characterbox.components.figures.files.methods import methods, quoted
from characterbox.components.figures.tables.text import (
    capital,
    counted,
    decimal,
    interval,
    language_name,
    p_value,
    value_cell,
)
from characterbox.components.settings_text import played_with
from characterbox.judging.provenance import DEMO_NOTE, NOT_A_RESULT
from characterbox.llm.endpoint import label_of
from characterbox.store.campaigns.campaign import Campaign
from characterbox.studies.changes import Changes
from characterbox.studies.design import Hypothesis, StudyFile
from characterbox.studies.folder import STUDY, Study, names_of
from characterbox.studies.hypotheses import Evidence, Outcome
from characterbox.studies.ratings import Analysed
from characterbox.studies.registration import Registered, told_date
from characterbox.sweeps.sweep import Sweep

CSV = (
    *("number", "hypothesis", "figure", "outcome", "estimate", "low", "high", "interval", "n", "counts", "p"),
    *("adjusted_p", "why", "registered", "note"),
)
OF_P = (
    "p: two-sided, against the value that was named; the figure on its scale (Fisher's z for r, the logarithm of 1 -"
    " alpha) divided by its jackknife standard error, with Student's t"
)
VERDICTS = (
    "Supported: p, adjusted as the design says, is below the level, and the figure lies on the expected side;"
    " contradicted: it lies on the other side; undecided: the ratings do not tell, which is no evidence that there is"
    " no effect."
)
FILES: Mapping[str, str] = {
    "tables/hypotheses.*": "What became of each hypothesis (CSV, LaTeX, Markdown)",
    "methods.md": "How it was made: the design, then what each statistic is, for a methods section",
    "changes.md": "What was changed after the registration",
    "registered/": "The design as it was registered, with hashes and a date",
    "design/": "The design as it was in the end",
    "figures/": "Charts (SVG)",
    "tables/": "Reliability, validity and standings (LaTeX, Markdown, CSV); every figure; what was left out",
    "recompute/": "Ratings, figures and code: `uv run recompute.py` computes every figure anew",
    "ratings.jsonl": "What each expert said of each item, click by click, with comments as they were written",
    "sweep/": "The stories, the judges' ratings, every call and what it cost; it can be run again and compared",
    "SHA256SUMS": "The SHA-256 of each file, as `sha256sum -c SHA256SUMS` takes it",
}


@dataclass(frozen=True, eq=False)
class Reported:
    """All that the texts tell of."""

    study: Study
    sweep: Sweep
    campaign: Campaign
    found: Analysed
    outcomes: Sequence[Outcome]
    registered: Registered | None
    changes: Changes | None
    board: Board
    """How far the experts are."""
    unread: int
    """Events of the stories that stand for replies that could not be read."""

    @cached_property
    def expected(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that were registered, as they were then; none where none were."""
        copy = None if self.registered is None else self.registered.file(STUDY)
        if copy is None or self.registered is None or sha256(copy).hexdigest() != self.registered.content.files[STUDY]:
            return ()
        try:
            return read_toml(copy.decode("utf-8-sig"), StudyFile, file=STUDY).hypotheses
        except (AnnotationError, UnicodeDecodeError):
            return ()

    def was_registered(self, one: Outcome) -> bool:
        """Whether a hypothesis was registered, word for word and with the same test."""
        return one.hypothesis in self.expected

    @property
    def dropped(self) -> list[Hypothesis]:
        """The hypotheses that were registered, and are not among those of now."""
        now = [one.hypothesis for one in self.outcomes]
        return [one for one in self.expected if one not in now]

    @property
    def improvised(self) -> bool:
        """Whether no language model made a part of it."""
        return any_improvised(self.found.part)


def hypotheses_table(of: Reported) -> Table:
    """A hypothesis a row, in their order."""
    analysis = of.study.analysis
    notes = [
        VERDICTS,
        "Brackets: 95 % intervals, not adjusted for the number of tests.",
        f"{OF_P}. Level {analysis.level:g}.",
    ]
    if analysis.multiplicity == "Holm":
        notes.append("Adjusted p: after Holm (1979), for the number of hypotheses that have a p.")
    rows = [
        Row(_label(number, one), [*_cells(one), "yes" if of.was_registered(one) else "no"])
        for number, one in enumerate(of.outcomes, 1)
    ]
    columns = [Column(head) for head in ("Figure", "p", "Adjusted p", "Outcome", "Registered")]
    return Table("Hypotheses", columns, [Group(rows)], notes, label="hypotheses")


def _label(number: int, one: Outcome) -> Content:
    """H1, H2 ..., with what it says among the notes."""
    decided = f" Decided by: {one.figure}" if one.figure else ""
    return Cell((Part(f"H{number}", notes=(f"{one.hypothesis.says}{decided}",)), IMPROVISED if one.improvised else ""))


def _cells(one: Outcome) -> Iterator[Content]:
    match one.evidence:
        case Evidence() as evidence:
            yield value_cell(evidence.estimate, evidence.interval, f"n = {evidence.n:,} {evidence.counts}")
            yield evidence.p if isinstance(evidence.p, Undefined) else p_value(evidence.p)
        case undefined:
            yield from (undefined, "")
    yield "" if one.adjusted is None else p_value(one.adjusted)
    yield one.verdict


def hypotheses_csv(of: Reported) -> bytes:
    """The same at full precision."""
    return csv_of(CSV, (_csv_row(number, one, of) for number, one in enumerate(of.outcomes, 1)))


def _csv_row(number: int, one: Outcome, of: Reported) -> tuple[object, ...]:
    estimate, low, high, way, n, counts, p = None, None, None, "", None, "", None
    if isinstance(one.evidence, Evidence):
        found = one.evidence
        estimate, n, counts = found.estimate, found.n, found.counts
        if isinstance(found.interval, Undefined):
            way = f"none: {found.interval.reason}"
        else:
            low, high, way = found.interval.low, found.interval.high, found.interval.way
        p = None if isinstance(found.p, Undefined) else found.p
    note = DEMO_NOTE if one.improvised else ""
    figures = (estimate, low, high, way, n, counts, p, one.adjusted)
    return (number, one.hypothesis.says, one.figure, one.verdict, *figures, one.why, of.was_registered(one), note)


def readme_text(of: Reported) -> str:
    """`README.md` of the results."""
    file = of.study.file
    lines = [f"# {escaped(file.title)}", ""]
    if file.authors:
        lines += [escaped(", ".join(file.authors)), ""]
    if of.improvised:
        lines += [f"**This is {NOT_A_RESULT}.** The rehearsal plays or judges in it.", ""]
    lines += [_registration(of), ""]
    if of.outcomes or of.dropped:
        lines += ["## Hypotheses", ""]
        for number, one in enumerate(of.outcomes, 1):
            late = "" if of.was_registered(one) else ", not registered"
            lines.append(f"- **H{number}, {one.verdict}{late}.** {_in_a_line(one)}")
        lines += [f"- **Registered, and not among them any more.** {escaped(one.says)}" for one in of.dropped]
        lines += ["", VERDICTS, *([f"† {DEMO_NOTE}."] if of.improvised else []), ""]
    lines += [
        "## Files",
        "",
        f"Written by CharacterBox {__version__}.",
        "",
        "| File | What is in it |",
        "| --- | --- |",
    ]
    lines += [f"| `{name}` | {what} |" for name, what in FILES.items()]
    lines += ["", "Experts are rater-1, rater-2 and so on, in the order of their first marks; no file names them."]
    return "\n".join(lines) + "\n"


def _in_a_line(one: Outcome) -> str:
    """What a hypothesis says, and what the ratings have for it."""
    says = escaped(one.hypothesis.says)
    if not isinstance(one.evidence, Evidence):
        return f"{says} ({escaped(one.why)}.)"
    found = one.evidence
    p = "no p" if isinstance(found.p, Undefined) else f"p {_equal(p_value(found.p))}"
    adjusted = "" if one.adjusted is None else f", adjusted {_equal(p_value(one.adjusted))}"
    ends = escaped(interval(found.interval))
    told = f"{decimal(found.estimate)} {ends}, n = {found.n:,} {found.counts}, {p}{adjusted}"
    why = f"; {escaped(one.why)}" if one.why else ""
    return f"{says} {escaped(capital(one.figure))}: {told}{why}.{' †' if one.improvised else ''}"


def _equal(p: str) -> str:
    return escaped(p) if p.startswith("<") else f"= {p}"


def _registration(of: Reported) -> str:
    if of.registered is None or of.changes is None:
        return "**Not registered**: hypotheses, design and analysis could have been chosen after the data were seen."
    count = len(of.changes.sentences)
    changed = "nothing was changed after that" if not count else f"{_number_of('thing', count)} changed after that"
    return (
        f"Registered on {told_date(of.registered.content.registered_at)} (SHA-256 of `registered/registration.toml`:"
        f" `{of.registered.hash}`); {changed}; see `changes.md`."
    )


def _number_of(what: str, count: int) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def methods_text(of: Reported) -> str:
    """`methods.md`: the design of the study, then its statistics."""
    digest = sha256(ratings_csv(of.found.part)).hexdigest()
    statistics = methods(of.found.frame, of.found.report, of.found.selection, digest)
    head, _, rest = statistics.partition("\n\n")
    paragraphs = [head, "## Design", *_design(of), "## Ratings", _raters(of), "## Hypotheses", *_tests(of)]
    return "\n\n".join([*paragraphs, "## Statistics", rest])


def _design(of: Reported) -> Iterator[str]:
    sweep = of.sweep
    languages = sorted({scene.language for scene in sweep.scenes})
    counts = [f"{sum(one.language == each for one in sweep.scenes):,} in {language_name(each)}" for each in languages]
    casts = [len(scene.cast) for scene in sweep.scenes]
    span = f"{min(casts)} to {max(casts)}" if min(casts) < max(casts) else f"{casts[0]}"
    written = of.study.sweep_file.written
    models = ", ".join(map(quoted, names_of(written.characters, sweep.characters)))
    narrators = ", ".join(map(quoted, names_of(written.narrators, sweep.narrators)))
    at_most = "at most " if sweep.may_conclude else ""
    repeats = "" if sweep.repeats == 1 else f", {sweep.repeats} times with each seed"
    seeds = ", ".join(map(str, sweep.seeds))
    yield (
        f"{counted(len(sweep.scenes), 'scene')} ({', '.join(counts)}; {span} characters each) were played by"
        f" {counted(len(sweep.characters), 'model')} ({models}), each of which played all characters of a story,"
        f" with the narrator {narrators}, for {at_most}{_number_of('round', sweep.rounds)}, with the"
        f" seed{'' if len(sweep.seeds) == 1 else 's'} {seeds}{repeats}: {sweep.size:,} stories. Stories went through"
        f" Algorithm 1 of the CharacterBox paper with the prompts of version {sweep.prompts}."
    )
    yield f"Settings: {'; '.join(played_with(sweep.settings, {}, label_of(sweep.memory)))}."
    if of.unread:
        yield (
            f"Replies that could not be read, though asked for twice: {of.unread:,}. A neutral outcome stands in the"
            " place of each."
        )
    judging = names_of([one.endpoint for one in written.judges], [one.endpoint for one in sweep.judges])
    for judge, model in zip(sweep.judges, judging, strict=True):
        manner = {
            "critique": "wrote a critique first, which went into the prompt that asked for the scores",
            "direct": "scored at once, with the experts' guide",
            "brief": "scored at once, asked by a short prompt",
        }[judge.protocol.manner]
        replies = "in one reply" if judge.protocol.replies == "one" else "each in a reply of its own"
        yield (
            f"The judge {quoted(judge.name)}, for which {quoted(model)} replied, {manner}; it gave all metrics"
            f" {replies}."
        )
    yield _registration(of)


def _raters(of: Reported) -> str:
    settings, draw = of.campaign.settings, of.study.campaign.items
    scenes = "all scenes" if draw.scenes is None else f"{counted(draw.scenes, 'scene')} of each language"
    who = "all characters"
    if draw.characters is not None:
        who = "one character a scene" if draw.characters == 1 else f"up to {draw.characters} characters a scene"
    drawn = "" if draw.scenes is None and draw.characters is None else ", drawn at random before anything was played"
    rated = of.board.all
    skipped = f", {rated.skipped:,} skipped" if rated.skipped else ""
    parts = [
        f"{counted(len(of.board.raters), 'expert')} were given the parts of {who} in {scenes}{drawn}, as all models"
        f" played them ({counted(len(of.board.items), 'item')}), to score blind to the model on the rubric"
        f" {quoted(settings.rubric)} {settings.rubric_version}, each item to"
        f" {counted(settings.raters_per_item, 'expert')}. Of these {rated.total:,} assignments {rated.done:,} were"
        f" scored{skipped}. Who scored what, and in which order, was planned with the seed {settings.seed}, so that"
        " each expert met all models about equally often."
    ]
    if settings.practice:
        parts.append(
            f"A practice set came first, of whose scores {settings.threshold:.0%} had to lie within one point of the"
            f" agreed ones, in at most {settings.attempts} attempts."
        )
    if settings.repeats:
        parts.append(f"{settings.repeats:.0%} of each expert's items came back unannounced.")
    if settings.checks:
        parts.append(f"{settings.checks} attention checks stood among the items of each.")
    rules = [f"{one.rule}: {one.found:,} found, {one.ratings:,} ratings left out" for one in of.found.excluded]
    parts.append(f"Left out, as the design says: {'; '.join(rules)}." if rules else "The design leaves no ratings out.")
    return " ".join(parts)


def _tests(of: Reported) -> Iterator[str]:
    tested = [one for one in of.outcomes if one.hypothesis.test is not None]
    if not tested:
        yield "No hypothesis names a test."
        return
    analysis = of.study.analysis
    adjusted = "after Holm (1979)" if analysis.multiplicity == "Holm" else "not at all"
    yield (
        f"{_number_of('test', len(tested))}, each of one figure; p is adjusted {adjusted} and"
        f" counts below {analysis.level:g}. {OF_P}. A difference of models is the mean over scenes of their difference"
        " in each, of items with a score on all metrics, each the mean of its raters."
    )
    yield "\n".join(
        f"- H{number}: {escaped(one.hypothesis.says)} Decided by: {escaped(one.figure)}."
        for number, one in enumerate(of.outcomes, 1)
        if one.hypothesis.test is not None
    )
