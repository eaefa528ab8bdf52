"""One rubric: its metrics with their anchors, and the guide, in both languages."""

import html
from collections.abc import Iterable

import streamlit as st

from annotations.rubric import Anchor, Language, Metric, Rubric, Wording
from annotations.wording import say, tongue
from characterbox.store import Store
from pages.parts.campaign_rubrics import about
from pages.parts.look import plain
from pages.parts.models_look import lines
from pages.parts.ways import way_to

STYLE = """
<style>
.cb-both { display: grid; grid-template-columns: 1fr 1fr; gap: .2rem 2.5rem; max-width: var(--cb-table);
  line-height: 1.5; }
.cb-both > div { min-width: 0; overflow-wrap: anywhere; white-space: pre-line; }
.cb-both h3 { grid-column: 1 / -1; font-size: 1.05rem; padding: 0; margin: 1.4rem 0 .1rem; }
.cb-both .cb-level { display: grid; grid-template-columns: 2.2rem 1fr; font-size: .9375rem; }
.cb-both .cb-level b { font-variant-numeric: tabular-nums; }
.cb-both .cb-question { font-style: italic; }
.cb-both .cb-question:lang(zh) { font-style: normal; }
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
    st.html(STYLE + metrics_as_html(rubric))
    st.subheader(say("Guide"))
    st.html(guide_as_html(rubric))
    way_to(say("All rubrics"), ":material/arrow_back:", rubrics="all")


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
