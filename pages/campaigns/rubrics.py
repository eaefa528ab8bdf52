"""Rubrics: the list, one with its metrics and anchors, and adding one from a file."""

import html
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from annotations.errors import EncodingError, RatingError
from annotations.exchange.decoding import decode
from annotations.i18n.translation import say, say_count, tongue, translate
from annotations.rubrics.rubric import Anchor, Language, Metric, Rubric, Wording, bundled_rubrics, parse_rubric
from annotations.rubrics.rubric_file import Fault, FaultyFile
from characterbox.campaigns.lifecycle import add_rubric as keep_rubric
from characterbox.errors import AccountError, TooHeavy
from characterbox.processes.limited import run_limited_once
from characterbox.store import Store
from pages.campaigns.text import SUBJECTS
from pages.shared.current_user import current_user
from pages.shared.form import MOST_PASTED, fault
from pages.shared.links import go, place_link
from pages.shared.text import lines, plain


def rubric_list(store: Store) -> None:
    """All rubrics, each with the way to it."""
    st.title(say("Rubrics"))
    st.caption(say("The questions for experts, the scale, and what the levels of the scale mean."))
    for number, (name, version) in enumerate(store.rubrics.names()):
        with st.container(key=f"campaign-row-{number}"):
            _row(store, name, version)
    with st.container(horizontal=True, vertical_alignment="center"):
        add, icon = say("Add rubric"), ":material/add:"
        st.button(add, key="rubric-new", type="primary", icon=icon, on_click=go, kwargs={"rubric": "new"})
        place_link(say("All campaigns"), ":material/arrow_back:")


def scale_of(rubric: Rubric) -> str:
    """The scale in words."""
    low, high = rubric.scale.low, rubric.scale.high
    if rubric.scale.fractions:
        return say("numbers from {low} to {high}, decimals allowed", low=low, high=high)
    return say("whole numbers from {low} to {high}", low=low, high=high)


def about(rubric: Rubric) -> list[str]:
    """A rubric in two lines."""
    required = rubric.evidence == "required"
    evidence = say("evidence required for each score") if required else say("evidence optional")
    name, subject = f"{rubric.name} {rubric.version}", say(SUBJECTS[rubric.subject])
    bundled = say("{rubric}, bundled · rates {subject}", rubric=name, subject=subject)
    added = say("{rubric}, custom · rates {subject}", rubric=name, subject=subject)
    metrics = say_count(
        "{count:,} metric: {names}",
        "{count:,} metrics: {names}",
        len(rubric.metrics),
        names=say(", ").join(rubric.keys),
    )
    return [
        bundled if rubric.name in bundled_rubrics() else added,
        f"{metrics} · {scale_of(rubric)} · {evidence}",
    ]


def _row(store: Store, name: str, version: str) -> None:
    title, told = st.columns([2, 3], vertical_alignment="center")
    try:
        rubric = store.rubrics.rubric(name, version)
    except RatingError as error:
        with title:
            lines([f"{name} {version}"])
        with told:
            fault(translate(error))
        return
    with title:
        place_link(f"**{plain(rubric.title.text(tongue()))}**", rubric=name, version=version)
    with told, st.container(gap=None):
        lines(about(rubric))


RUBRIC_STYLE = """
<style>
.cb-both { display: grid; grid-template-columns: 1fr 1fr; gap: .2rem 2.5rem; max-width: var(--cb-table);
  line-height: 1.5; }
.cb-both > div { min-width: 0; overflow-wrap: anywhere; white-space: pre-line; }
.cb-both h3 { grid-column: 1 / -1; font-size: 1.05rem; padding: 0; margin: 1.4rem 0 .1rem; }
.cb-both .cb-level { display: grid; grid-template-columns: 2.2rem 1fr; font-size: .9375rem; }
.cb-both .cb-level b { font-variant-numeric: tabular-nums; }
.cb-both .cb-question { font-style: italic; }
@media (max-width: 640px) { .cb-both { grid-template-columns: 1fr; } }
</style>
"""
BOTH: tuple[Language, Language] = ("en", "zh")


def show_rubric(store: Store, name: str, version: str) -> None:
    """All that a rubric says. Raises RatingError if there is none of this name and version."""
    rubric = store.rubrics.rubric(name, version)
    st.title(plain(rubric.title.text(tongue())))
    lines([*(rubric.title.text(language) for language in BOTH if language != tongue()), *about(rubric)])
    st.subheader(say("Metrics"))
    st.html(RUBRIC_STYLE + metrics_as_html(rubric))
    st.subheader(say("Rating guide"))
    st.html(guide_as_html(rubric))
    place_link(say("All rubrics"), ":material/arrow_back:", rubrics="all")


def metrics_as_html(rubric: Rubric) -> str:
    """The metrics by dimension, each with its question and anchors, in both languages side by side. All is data."""
    dimension = {key: one.name.text(tongue()) for one in rubric.dimensions for key in one.metrics}
    return f'<div class="cb-both">{"".join(_metric(metric, dimension[metric.key]) for metric in rubric.metrics)}</div>'


def guide_as_html(rubric: Rubric) -> str:
    """What a rater reads before starting, in both languages side by side. All is data."""
    guide = rubric.guide
    fields = [_heading(say("What you see")) if guide.fields else ""]
    for one in guide.fields:
        fields += [
            _cell(f"<b>{_data(one.name, language)}</b>: {_data(one.meaning, language)}", language) for language in BOTH
        ]
    steps = [_heading(say("What to do")) if guide.steps else "", *_pairs(guide.steps)]
    return f'<div class="cb-both">{"".join([*_pairs([guide.background]), *fields, *steps])}</div>'


def _metric(metric: Metric, dimension: str) -> str:
    name = " · ".join(map(html.escape, (metric.key, metric.name.en, metric.name.zh)))
    told = [f"<h3>{name} <small>({html.escape(dimension)})</small></h3>"]
    told += [
        f'<div class="cb-question" lang="{language}">{_data(metric.question, language)}</div>' for language in BOTH
    ]
    told += [_level(anchor, language) for anchor in metric.anchors for language in BOTH]
    return "".join(told)


def _level(anchor: Anchor, language: Language) -> str:
    text = _data(anchor.text, language)
    return f'<div class="cb-level" lang="{language}"><b>{anchor.score}</b><span>{text}</span></div>'


def _heading(text: str) -> str:
    return f"<h3>{html.escape(text)}</h3>"


def _pairs(texts: Iterable[Wording]) -> list[str]:
    return [_cell(_data(text, language), language) for text in texts for language in BOTH]


def _cell(inner: str, language: Language) -> str:
    return f'<div lang="{language}">{inner}</div>'


def _data(text: Wording, language: Language) -> str:
    return html.escape(text.text(language))


TEMPLATE = Path(__file__).parent / "rubric_template.toml"
AROUND = 1
"""Lines that are shown before and after a faulty one."""
WIDEST = 160
"""Characters of a line that are shown."""
FAULTS_STYLE = """
<style>
.cb-lines { border-collapse: collapse; width: 100%;
  font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.cb-lines td { border: 0; padding: 0 .8rem 0 0; vertical-align: top; white-space: pre-wrap; overflow-wrap: anywhere; }
.cb-lines td:first-child { text-align: right; opacity: .6; user-select: none; width: 3.5rem; white-space: nowrap; }
.cb-lines .cb-reason td { font-family: "Source Sans", sans-serif; font-size: .875rem; padding-bottom: .4rem;
  color: light-dark(#9a3b26, #e08a72); }
.cb-lines .cb-gap td { opacity: .6; }
</style>
"""


def add_rubric(store: Store) -> None:
    """The form, and what is wrong with what was written."""
    st.title(say("Add rubric"))
    st.caption(
        say(
            "A rubric is a TOML file with all texts in English and Chinese. A version cannot be changed after"
            " it has been added, because ratings refer to it. Every change needs a new version."
        )
    )
    st.download_button(
        say("Download template"),
        TEMPLATE.read_bytes,
        "rubric.toml",
        "application/toml",
        key="rubric-template",
        on_click="ignore",
    )
    given = st.file_uploader(say("File"), type="toml", max_upload_size=1, key="rubric-file")
    written = st.text_area(
        say("Or paste it here"), height=320, key="rubric-text", max_chars=MOST_PASTED, persist_state="session"
    )
    content = written.encode() if given is None else given.getvalue()
    pressed = st.button(say("Add rubric"), type="primary", key="rubric-add")
    if pressed:
        _add(store, content, say("the pasted text") if given is None else given.name)
    place_link(say("All rubrics"), ":material/arrow_back:", rubrics="all")


def _add(store: Store, content: bytes, file: str) -> None:
    try:
        text, _ = decode(content, "UTF-8")
    except EncodingError as error:
        fault(say("The rubric was not added: {error}.", error=error))
        return
    if not text.strip():
        fault(say("Choose a file, or paste its text."))
        return
    try:
        run_limited_once(partial(parse_rubric, text, file=file))  # what takes too long is not read here
        rubric = keep_rubric(store, current_user(), text, file)
    except FaultyFile as faulty:
        fault(
            say_count(
                "The rubric was not added: {count:,} error in {file}.",
                "The rubric was not added: {count:,} errors in {file}.",
                len(faulty.faults),
                file=file,
            )
        )
        st.html(FAULTS_STYLE + faults_as_html(text, faulty.faults))
    except (AccountError, RatingError, TooHeavy) as error:
        fault(say("The rubric was not added: {error}.", error=error))
    else:
        st.session_state.pop("rubric-text", None)
        go(rubric=rubric.name, version=rubric.version)
        st.rerun()


def faults_as_html(text: str, faults: Sequence[Fault]) -> str:
    """The faulty lines with those around them, numbered, and each reason under its line. All of it is data."""
    lines = text.removeprefix("\ufeff").split("\n")
    reasons: dict[int, list[Fault]] = defaultdict(list)
    for one in faults:
        reasons[min(one.line, len(lines))].append(one)
    shown = sorted(
        {near for line in reasons for near in range(line - AROUND, line + AROUND + 1) if 0 < near <= len(lines)}
    )
    rows = []
    for before, line in zip([0, *shown], shown, strict=False):
        if line > before + 1:
            rows.append('<tr class="cb-gap"><td></td><td>…</td></tr>')
        told = lines[line - 1].rstrip("\r")
        cut = told if len(told) <= WIDEST else f"{told[:WIDEST]} …"
        rows.append(f"<tr><td>{line}</td><td>{html.escape(cut)}</td></tr>")
        for one in reasons.get(line, []):
            said = f"{one.field}: {translate(one.reason)}" if one.field else translate(one.reason)
            rows.append(f'<tr class="cb-reason" role="alert"><td></td><td>{html.escape(said)}</td></tr>')
    return f'<table class="cb-lines"><tbody>{"".join(rows)}</tbody></table>'
