"""The paper's tables 2 and 3 by themselves, for where there are no ratings of ours beside which they could stand."""

from annotations.published import TABLE_2, TABLE_3
from annotations.report import dimension_name
from annotations.wording import say
from characterbox.components.figures.cells import Notes, data, published_row, table
from characterbox.components.figures.published import JUDGES, published_alpha, published_pearson
from characterbox.components.figures.words import language_name, metric_label


def paper_reliability() -> str:
    """Cronbach's alpha of the paper's experts, by dimension and language (HTML)."""
    languages = tuple(dict.fromkeys(published.language for published in TABLE_2))
    rows = [
        published_row(data(dimension_name(name)), [published_alpha(name, language) for language in languages])
        for name in dict.fromkeys(published.dimension for published in TABLE_2)
    ]
    return table(say("The paper, table 2"), list(map(language_name, languages)), [_body(rows)], Notes())


def paper_validity() -> str:
    """Pearson's r of the paper's judges with its experts' mean, by metric (HTML)."""
    metrics = tuple(dict.fromkeys(published.metric for published in TABLE_3))
    rows = [published_row(judge, [published_pearson(judge, metric) for metric in metrics]) for judge in JUDGES]
    return table(say("The paper, table 3"), list(map(metric_label, metrics)), [_body(rows)], Notes())


def _body(rows: list[str]) -> str:
    return f"<tbody>{''.join(rows)}</tbody>"
