"""The paper's figures by place, and whether they may stand beside ours."""

from annotations.published import TABLE_1, TABLE_2, TABLE_3, PublishedScore
from annotations.report import Report
from annotations.rubric import load_rubric

_ALPHAS: dict[tuple[str, str], float] = {
    (published.dimension, published.language): published.alpha for published in TABLE_2
}
_SCORES: dict[tuple[str, str, str], PublishedScore] = {
    (published.model.casefold(), published.language, published.metric): published for published in TABLE_1
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
    """The paper's r of a judge that is called so, in whatever case."""
    return _PEARSONS.get((judge.casefold(), metric))


def published_score(model: str, language: str, metric: str) -> PublishedScore | None:
    """How the paper scores a model that is called so, in whatever case, in the scenes of one language."""
    return _SCORES.get((model.casefold(), language, metric))


def published_models(language: str) -> list[str]:
    """The models of the paper's table 1 for one language, in its order; none where it has none."""
    return list(dict.fromkeys(published.model for published in TABLE_1 if published.language == language))


def published_languages() -> list[str]:
    """The languages of the scenes for which the paper has a table 1, in its order."""
    return list(dict.fromkeys(published.language for published in TABLE_1))
