"""What stands around the figures, as HTML: which ratings they are of, what was left out, what the names mean."""

from collections.abc import Sequence

import pandas as pd

from annotations.rating import Dropped
from annotations.report import Report
from annotations.report_text import dropped_groups
from characterbox.components.figures.cells import data
from characterbox.components.figures.words import counted, metric_label
from characterbox.judging.provenance import NOT_A_RESULT, improvised_items


def summary(frame: pd.DataFrame) -> str:
    """How much was rated, by whom, and from what to what the scores go."""
    experts, judges = (frame.loc[frame["kind"] == kind, "rater"].nunique() for kind in ("expert", "judge"))
    scores = frame["score"].dropna()
    span = f" Scores go from {scores.min():g} to {scores.max():g}." if len(scores) else " None has a score."
    counts = [
        counted(len(frame), "rating"),
        counted(frame["item"].nunique(), "item"),
        counted(frame["scene"].nunique(), "scene"),
        counted(frame["model"].nunique(), "model"),
        counted(experts, "expert"),
        counted(judges, "judge"),
    ]
    return f'<p class="cb-said">{", ".join(counts)}.{span}</p>'


def improvised_notice(frame: pd.DataFrame) -> str:
    """The sentence that must stand by figures of stories that no language model played; nothing if there are none."""
    improvised, all_items = len(improvised_items(frame)), frame["item"].nunique()
    if not improvised:
        return ""
    share = "All" if improvised == all_items else f"{improvised:,} of the {all_items:,}"
    return f'<p class="cb-notice">{share} rated items are {NOT_A_RESULT}.</p>'


def fault(message: str) -> str:
    """An error beside what caused it."""
    return f'<p class="cb-notice" role="alert">{data(message)}</p>'


def said(text: str) -> str:
    """A quiet sentence."""
    return f'<p class="cb-said">{data(text)}</p>'


def listed(sentences: Sequence[str]) -> str:
    """Quiet sentences, one a line."""
    lines = (f"<li>{data(sentence)}</li>" for sentence in sentences)
    return f'<ul class="cb-list cb-said">{"".join(lines)}</ul>'


def dropped_list(dropped: Sequence[Dropped]) -> str:
    """What was left out, by reason, rater and statistic, with the first few items of each."""
    lines = (
        f"<li><b>{data(reason)}</b>: {data(rater)}, {data(metric_label(metric))}: {data(items)}</li>"
        for reason, rater, metric, items in dropped_groups(dropped)
    )
    return f'<ul class="cb-list">{"".join(lines)}</ul>'


def definitions(report: Report) -> str:
    """What the names in the tables stand for."""
    pairs = [definition.partition(": ") for definition in report.definitions]
    lines = [f"<li><b>{data(_capital(name))}</b>{data(': ' + text if text else '')}.</li>" for name, _, text in pairs]
    return f'<ul class="cb-list">{"".join(lines)}</ul>'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
