"""What stands around figures: which ratings they are of, what was left out, the paper's figures."""

import re
from collections.abc import Sequence

import pandas as pd

from annotations.i18n.messages import Message, Readable
from annotations.i18n.translation import say, translate
from annotations.marking.rating import Dropped, improvised_items
from annotations.report.published import TABLE_1, TABLE_2, TABLE_3, PublishedScore
from annotations.report.report import Report, dimension_name
from annotations.report.text import dropped_groups
from annotations.rubrics.rubric import load_rubric
from characterbox.components.figures.tables.html import data
from characterbox.components.figures.tables.text import capital, counted, metric_label


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
        return said(say("{counts}. No scores.", counts=told))
    return said(
        say("{counts}. Scores range from {low:g} to {high:g}.", counts=told, low=scores.min(), high=scores.max())
    )


def improvised_notice(frame: pd.DataFrame) -> str:
    """The sentence that must stand by figures of stories that no language model played; nothing if there are none."""
    improvised, all_items = len(improvised_items(frame)), frame["item"].nunique()
    if not improvised:
        return ""
    if improvised == all_items:
        told = say("All rated items are demo output (no language model); do not report.")
    else:
        told = say(
            "{improvised:,} of the {items:,} rated items are demo output (no language model); do not report.",
            improvised=improvised,
            items=all_items,
        )
    return f'<p class="cb-notice">{told}</p>'


def fault(message: Readable) -> str:
    """An error beside what caused it."""
    return f'<p class="cb-notice" role="alert">{data(message)}</p>'


def said(text: Readable) -> str:
    """A quiet sentence."""
    return f'<p class="cb-said">{data(text)}</p>'


def nothing_to_draw(reason: Readable) -> str:
    """What stands in the place of a chart."""
    return said(say("Not enough data for a chart: {reason}.", reason=reason))


def listed(sentences: Sequence[Readable]) -> str:
    """Quiet sentences, one a line."""
    lines = (f"<li>{data(sentence)}</li>" for sentence in sentences)
    return f'<ul class="cb-list cb-said">{"".join(lines)}</ul>'


def folded(title: Readable, sentences: Sequence[Readable]) -> str:
    """Quiet sentences behind a line that opens on a click."""
    return f'<details class="cb-folded"><summary>{data(title)}</summary>{listed(sentences)}</details>'


def dropped_list(dropped: Sequence[Dropped]) -> str:
    """What was left out, by reason, rater and statistic, with the first few items of each."""
    lines = (
        say(
            "{reason}: {rater}, {metric}: {items}",
            reason=f"<b>{data(reason)}</b>",
            rater=data(rater),
            metric=data(dimension_name(dimension) if dimension else _called(metric)),
            items=data(items),
        )
        for reason, rater, dimension, metric, items in dropped_groups(dropped)
    )
    return f'<ul class="cb-list">{"".join(f"<li>{line}</li>" for line in lines)}</ul>'


def definitions(report: Report) -> str:
    """What the names in the tables stand for."""
    lines = "".join(f"<li>{_defined(definition)}</li>" for definition in report.definitions)
    return f'<ul class="cb-list">{lines}</ul>'


def _called(metric: Readable) -> Readable:
    return metric_label(metric) if isinstance(metric, str) else metric


def _defined(definition: Message) -> str:
    """A definition as a sentence (HTML), with the name before the colon, if there is one, in bold."""
    name, *text = map(data, re.split(": |：", translate(definition), maxsplit=1))
    bold = f"<b>{capital(name)}</b>"
    return say("{name}: {text}.", name=bold, text=text[0]) if text else say("{sentence}.", sentence=bold)


_ALPHAS: dict[tuple[str, str], float] = {
    (published.dimension, published.language): published.alpha for published in TABLE_2
}
_SCORES: dict[tuple[str, str, str], PublishedScore] = {
    (published.model, published.language, published.metric): published for published in TABLE_1
}
_PEARSONS = {(published.judge.casefold(), published.metric): published.pearson for published in TABLE_3}

JUDGES = tuple(dict.fromkeys(published.judge for published in TABLE_3))


def follows_paper(report: Report) -> bool:
    """Whether the ratings are on the paper's rubric, so that its figures are about the same metrics."""
    return set(report.design.metrics) >= set(load_rubric().keys)


def published_alpha(dimension: str, language: str) -> float | None:
    """The paper's alpha of a dimension over the scenes of one language."""
    return _ALPHAS.get((dimension, language))


def published_pearson(judge: str, metric: str) -> float | None:
    """The paper's r of a judge that is called so, in whatever case and version."""
    return _PEARSONS.get((without_version(judge), metric))


def without_version(judge: str) -> str:
    """The name of a judge, whatever its version, in small letters."""
    return re.sub(r" v\d+$", "", judge.casefold())


def published_score(row: str | None, language: str, metric: str) -> PublishedScore | None:
    """How the paper scores the model of a row of its table 1, in the scenes of one language."""
    return None if row is None else _SCORES.get((row, language, metric))


def published_models(language: str) -> list[str]:
    """The models of the paper's table 1 for one language, in its order; none where it has none."""
    return list(dict.fromkeys(published.model for published in TABLE_1 if published.language == language))


def published_languages() -> list[str]:
    """The languages of the scenes for which the paper has a table 1, in its order."""
    return list(dict.fromkeys(published.language for published in TABLE_1))
