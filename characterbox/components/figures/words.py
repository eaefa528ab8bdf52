"""Figures in words: two decimals, the interval in brackets, n."""

import re

from annotations.reliability import BETWEEN_RATERS, FELDT, Alpha
from annotations.report import Report
from annotations.rubric import load_rubric
from annotations.validity import OVERALL, RATED_OVERALL, ROW_MEAN_OVERALL, Correlation
from characterbox.components.figures.selection import Selection

LONGEST_PART = 48
"""Bytes of a part of the name of a file, which may have 255."""
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


def made_of_alpha(alpha: Alpha) -> str:
    """How the interval of an alpha was made, whatever scenes and models it is over."""
    return interval_in_words(alpha) if alpha.interval == FELDT else f"{alpha.interval}, seed {alpha.seed}"


def interval_in_words(statistic: Alpha | Correlation) -> str:
    """How the interval of an alpha, or of a correlation, was made."""
    match statistic.interval:
        case "feldt":
            return "Feldt's interval, which takes the rows as independent and is too narrow if they are not"
        case "two-way cluster bootstrap":
            over = f"over {statistic.scenes} scenes and {statistic.models} models"
        case "one-way cluster bootstrap by scenes":
            over = f"over {counted(statistic.scenes, 'scene')}, with the {counted(statistic.models, 'model')} as given"
        case "one-way cluster bootstrap by models":
            over = f"over {counted(statistic.models, 'model')}, with the {counted(statistic.scenes, 'scene')} as given"
        case "fisher":
            return "Fisher's interval, which takes the items as independent and is too narrow if they are not"
        case _:
            over = f"over {counted(statistic.n, 'item')}"
    return f"{statistic.interval} {over}, seed {statistic.seed}"


def file_name(*parts: str) -> str:
    """The name of a file that tells all parts, long ones by their start, in signs that any file system takes."""
    return "-".join(filter(None, map(_in_a_name, parts)))


def _in_a_name(part: str) -> str:
    cut = re.sub(r"[^\w.+]+", "-", part).strip("-.").encode()[:LONGEST_PART]
    return cut.decode(errors="ignore").strip("-.")


def part_in_words(selection: Selection) -> str:
    """Of which part of the ratings something is; "" for all."""
    language = [] if selection.language is None else [language_name(selection.language)]
    models = [f"only {', '.join(selection.models)}"] if selection.models else []
    return "; ".join([*language, *models])


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def shortened(name: str, letters: int) -> str:
    """A name in so many letters at most."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"
