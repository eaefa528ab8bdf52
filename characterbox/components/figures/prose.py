"""What stands around the figures, as HTML: which ratings they are of, what was left out, what the names mean."""

import re
from collections.abc import Sequence

import pandas as pd

from annotations.improvised import improvised_items
from annotations.rating import Dropped
from annotations.report import Report, dimension_name
from annotations.report_text import dropped_groups
from annotations.wording import say
from characterbox.components.figures.html_table import data
from characterbox.components.figures.words import capital, counted, metric_label


def summary(frame: pd.DataFrame) -> str:
    """How much was rated, by whom, and from what to what the scores go."""
    experts, judges = (frame.loc[frame["kind"] == kind, "rater"].nunique() for kind in ("expert", "judge"))
    scores = frame["score"].dropna()
    counts = [
        counted(len(frame), "rating"),
        counted(frame["item"].nunique(), "item"),
        counted(frame["scene"].nunique(), "scene"),
        counted(frame["model"].nunique(), "model"),
        counted(experts, "expert"),
        counted(judges, "judge"),
    ]
    told = say(", ").join(counts)
    if not len(scores):
        return said(say("{counts}. None has a score.", counts=told))
    return said(say("{counts}. Scores go from {low:g} to {high:g}.", counts=told, low=scores.min(), high=scores.max()))


def improvised_notice(frame: pd.DataFrame) -> str:
    """The sentence that must stand by figures of stories that no language model played; nothing if there are none."""
    improvised, all_items = len(improvised_items(frame)), frame["item"].nunique()
    if not improvised:
        return ""
    if improvised == all_items:
        told = say("All rated items are made without a language model: not a result.")
    else:
        told = say(
            "{improvised:,} of the {items:,} rated items are made without a language model: not a result.",
            improvised=improvised,
            items=all_items,
        )
    return f'<p class="cb-notice">{told}</p>'


def fault(message: str) -> str:
    """An error beside what caused it."""
    return f'<p class="cb-notice" role="alert">{data(message)}</p>'


def said(text: str) -> str:
    """A quiet sentence."""
    return f'<p class="cb-said">{data(text)}</p>'


def nothing_to_draw(reason: str) -> str:
    """What stands in the place of a chart."""
    return said(say("There is nothing to draw: {reason}.", reason=reason))


def listed(sentences: Sequence[str]) -> str:
    """Quiet sentences, one a line."""
    lines = (f"<li>{data(sentence)}</li>" for sentence in sentences)
    return f'<ul class="cb-list cb-said">{"".join(lines)}</ul>'


def dropped_list(dropped: Sequence[Dropped]) -> str:
    """What was left out, by reason, rater and statistic, with the first few items of each."""
    lines = (
        say(
            "{reason}: {rater}, {metric}: {items}",
            reason=f"<b>{data(reason)}</b>",
            rater=data(rater),
            metric=data(dimension_name(dimension) if dimension else metric_label(metric)),
            items=data(items),
        )
        for reason, rater, dimension, metric, items in dropped_groups(dropped)
    )
    return f'<ul class="cb-list">{"".join(f"<li>{line}</li>" for line in lines)}</ul>'


def definitions(report: Report) -> str:
    """What the names in the tables stand for."""
    lines = "".join(f"<li>{_defined(definition)}</li>" for definition in report.definitions)
    return f'<ul class="cb-list">{lines}</ul>'


def _defined(definition: str) -> str:
    """A definition as a sentence (HTML), with the name before the colon, if there is one, in bold."""
    name, *text = map(data, re.split(": |：", definition, maxsplit=1))
    bold = f"<b>{capital(name)}</b>"
    return say("{name}: {text}.", name=bold, text=text[0]) if text else say("{sentence}.", sentence=bold)
