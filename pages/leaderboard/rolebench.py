"""RoleBench: how models answer as roles, and experiments on how roles are put on, with the RoleLLM paper's tables."""

from collections.abc import Iterable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, translate
from annotations.resampling.draws import USUAL_DRAWS
from characterbox.components.figures.background.role_answers import compared, standing_of
from characterbox.components.figures.background.source import awaited
from characterbox.components.figures.tables.captions import fault, said
from characterbox.components.figures.tables.html import html_of
from characterbox.components.figures.tables.role_answers import (
    PAPERS,
    Experiment,
    answers_table,
    experiment_table,
    papers_table,
    papers_tables,
    published,
    standings_csv,
    tables_latex,
)
from characterbox.components.figures.tables.text import file_name, in_a_row, language_name
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.rolebench.answers.standings import AnswersStanding
from characterbox.rolebench.published import PublishedTable
from characterbox.store import Store
from characterbox.store.craftings import Head
from characterbox.values import LANGUAGES, Language
from pages.leaderboard.choice import chosen_table_language
from pages.shared.folded import show_how
from pages.shared.text import plain
from pages.validity.links import offer

NOBODY = to_say(
    "No answers in this language have been scored yet. Have a model answer with {answer}, or compare conditions with"
    " {experiment}; this view then shows both beside the paper's figures."
)
ROUGE = to_say(
    "Rouge-L in percent against the benchmark's references: CUS by the answers of the role, RAW by the plain answer,"
    " SPE by the answer about the role. Average: the mean of the three, each of which counts the same."
)
BRACKETS = to_say(
    "Brackets: 95 % intervals over {draws:,} bootstrap resamples of roles and questions; differences resample both"
    " conditions together."
)
STRATEGIES = to_say(
    "zsp: the description and catchphrases of the role alone, which is the system instruction of trained models. fsp:"
    " with example rounds in the prompt. fsd: with example rounds as a dialogue, which is the retrieval of trained"
    " models."
)
LEFT_OUT = to_say("Unreadable replies are not scored: {unread:,}. Answers cut off are scored as they are: {cut_off:,}.")
BEHIND = to_say("References and tokenizer: {references}; {tokenizer}.")
LANGUAGE = to_say("Language")
_WIDTHS = (3, 2)
"""Of our table and of the paper's beside it."""
_FIRST: dict[Language, str] = {"en": "3a", "zh": "4a"}
"""The table of the paper that stands beside ours."""


def show_rolebench(store: Store, choices: DeltaGenerator, notes: DeltaGenerator) -> None:
    """Our table in one language, the experiments, files, and all tables of the paper."""
    with choices:
        language = _language(chosen_table_language([*LANGUAGES], notes, LANGUAGE))
    heads = {head.id: head for head in store.craftings.heads(("answers",))}
    known = [one for one in _standings(heads.values()) if one.language == language]
    experiments = _experiments(known, heads)
    shown = [_FIRST[language]]
    if known:
        with _beside(published(shown[0])):
            st.html(html_of(answers_table(known)))
            if any(one.improvised for one in known):
                st.html(said(say("Scores of the marked models are {mark}.", mark=say(NOT_A_RESULT))))
            show_how(_explained(known))
        for one in experiments:
            shown.append(PAPERS[one.of, language])
            table = experiment_table(one)
            st.subheader(plain(table.title), anchor=False)
            with _beside(published(shown[-1])):
                st.html(html_of(table))
        _files(known, experiments, language)
    else:
        commands = {"answer": "characterbox rolebench answer", "experiment": "characterbox rolebench experiment"}
        st.html(said(say(NOBODY, **commands)))
        shown = []
    _papers([one for one in papers_tables(language) if one.number not in shown])


def _language(code: str) -> Language:
    return "zh" if code == "zh" else "en"


def _standings(heads: Iterable[Head]) -> list[AnswersStanding]:
    """How the answers of each generation stand; those that can't be read are told."""
    found = []
    for future in [*map(standing_of, heads)]:
        try:
            found.append(awaited(future, say("Scoring the answers")))
        except CharacterBoxError as error:
            st.html(fault(translate(error)))
    return found


def _experiments(known: Sequence[AnswersStanding], heads: dict[str, Head]) -> list[Experiment]:
    """Those of which each condition has answers, the newest first."""
    of: dict[str, list[AnswersStanding]] = {}
    for one in known:
        if one.batch is not None and one.trial is not None and one.given:
            of.setdefault(one.batch, []).append(one)
    return [found for those in of.values() if (found := _experiment(those, heads)) is not None]


def _experiment(those: Sequence[AnswersStanding], heads: dict[str, Head]) -> Experiment | None:
    trial = those[0].trial
    by_name = {one.trial.condition: one for one in those if one.trial is not None}
    if trial is None or {*trial.conditions} != {*by_name}:
        return None
    conditions = [by_name[name] for name in trial.conditions]
    above = awaited(compared([heads[one.id] for one in conditions]), say("Comparing the conditions"))
    return Experiment(conditions, above)


def _beside(paper: PublishedTable) -> DeltaGenerator:
    """The place for our table, beside one of the paper's."""
    left, right = st.columns(_WIDTHS, gap="large")
    with right:
        _paper(paper)
    return left


def _paper(one: PublishedTable) -> None:
    table = papers_table(one)
    st.html(said(say("RoleLLM paper. {title}", title=table.title)) + html_of(table))
    show_how(table.notes)


def _papers(tables: Sequence[PublishedTable]) -> None:
    """The tables of the paper, two beside each other."""
    st.subheader(say("Published (paper)"), anchor=False)
    for at in range(0, len(tables), 2):
        for place, one in zip(st.columns(2, gap="large"), tables[at : at + 2], strict=False):
            with place:
                _paper(one)


def _explained(known: Sequence[AnswersStanding]) -> list[str]:
    """What the figures are, and what they rest on."""
    unread, cut_off = sum(one.unread for one in known), sum(one.cut_off for one in known)
    behind = dict.fromkeys(
        say(
            BEHIND,
            references=say(", ").join(f"{part.upper()} {told}" for part, told in one.references.items()),
            tokenizer=one.tokenizer,
        )
        for one in known
        if one.references
    )
    left_out = say(LEFT_OUT, unread=unread, cut_off=cut_off) if unread or cut_off else ""
    brackets = say(BRACKETS, draws=USUAL_DRAWS.number)
    return [in_a_row(say(ROUGE), brackets), say(STRATEGIES), *behind, *filter(None, [left_out])]


def _files(known: Sequence[AnswersStanding], experiments: Sequence[Experiment], language: Language) -> None:
    offer(
        file_name("rolebench", language_name(language)),
        (
            (say("Scores (CSV)"), "csv", lambda: standings_csv(known)),
            (say("Tables (LaTeX)"), "tex", lambda: tables_latex(known, experiments).encode()),
        ),
    )
