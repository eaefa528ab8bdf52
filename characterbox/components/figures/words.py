"""Figures in words: two decimals, the interval in brackets, n."""

from annotations.reliability import BETWEEN_RATERS, Alpha
from annotations.report import Report
from annotations.rubric import load_rubric
from annotations.validity import OVERALL, RATED_OVERALL, ROW_MEAN_OVERALL, Correlation

LANGUAGES = {"en": "English", "zh": "Chinese"}


def decimal(value: float) -> str:
    """Two decimals, without a minus before zero."""
    return f"{value + 0.0:.2f}".replace("-0.00", "0.00")


def estimate(statistic: Alpha | Correlation) -> float:
    """The figure itself: alpha or r."""
    return statistic.estimate if isinstance(statistic, Alpha) else statistic.pearson


def interval(statistic: Alpha | Correlation) -> str:
    """The 95 % interval in brackets."""
    return f"[{decimal(statistic.low)}, {decimal(statistic.high)}]"


def counts(statistic: Alpha | Correlation) -> str:
    """What the n of a figure counts."""
    return "rows" if isinstance(statistic, Alpha) and statistic.definition != BETWEEN_RATERS else "items"


def in_full(statistic: Alpha | Correlation) -> str:
    """Estimate, interval and n in one line."""
    return f"{decimal(estimate(statistic))} {interval(statistic)}, n = {statistic.n:,}"


def metric_name(key: str) -> str:
    """What a metric is called in full: the rubric's name where it is one of the rubric's."""
    rubric = load_rubric()
    if key in rubric.keys:
        return rubric.metric(key).name.en
    return "Overall" if key == OVERALL else key


def metric_label(key: str) -> str:
    """What a metric is called at the head of a column."""
    return "Overall" if key == OVERALL else key


def language_name(language: str) -> str:
    """What a language is called; a code that is not known stands for itself."""
    return LANGUAGES.get(language, language)


def overall_in_words(report: Report) -> str:
    """What `overall` stands for in this report."""
    return ROW_MEAN_OVERALL if report.design.overall else RATED_OVERALL


def interval_in_words(r: Correlation) -> str:
    """How the interval of a correlation was made."""
    match r.interval:
        case "two-way cluster bootstrap":
            over = f"over {r.scenes} scenes and {r.models} models"
        case "one-way cluster bootstrap by scenes":
            over = f"over {counted(r.scenes, 'scene')}, with the {counted(r.models, 'model')} as given"
        case "one-way cluster bootstrap by models":
            over = f"over {counted(r.models, 'model')}, with the {counted(r.scenes, 'scene')} as given"
        case "fisher":
            return "Fisher's interval, which takes the items as independent and is too narrow if they are not"
        case _:
            over = f"over {counted(r.n, 'item')}"
    return f"{r.interval} {over}, seed {r.seed}"


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"
