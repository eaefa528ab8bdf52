"""Figures in words: two decimals, the interval in brackets, n."""

import re
import textwrap
import unicodedata
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Literal

from annotations.reliability import BETWEEN_RATERS, FELDT, Alpha
from annotations.report import Report
from annotations.rubric import load_rubric
from annotations.validity import OVERALL, RATED_OVERALL, ROW_MEAN_OVERALL, Correlation
from annotations.wording import say, say_count, to_say, tongue
from characterbox.components.figures.selection import Selection
from characterbox.values import LANGUAGES

Noun = Literal["expert", "item", "judge", "metric", "model", "rating", "row", "scene"]

N_ITEMS, N_MODELS = to_say("n = {n:,} items"), to_say("n = {n:,} models")
N_PAIRS, N_ROWS = to_say("n = {n:,} pairs"), to_say("n = {n:,} rows")
"""What is said of an n, by what it counts."""
LONGEST_PART = 48
"""Bytes of a part of the name of a file, which may have 255."""
_WIDE = r"\u2e80-\u9fff\uff00-\uffef"
"""Characters that are as wide as two letters, and beside which a line may break."""
_COUNTED: Mapping[Noun, Callable[[int], str]] = {
    "expert": lambda number: say_count("{count:,} expert", "{count:,} experts", number),
    "item": lambda number: say_count("{count:,} item", "{count:,} items", number),
    "judge": lambda number: say_count("{count:,} judge", "{count:,} judges", number),
    "metric": lambda number: say_count("{count:,} metric", "{count:,} metrics", number),
    "model": lambda number: say_count("{count:,} model", "{count:,} models", number),
    "rating": lambda number: say_count("{count:,} rating", "{count:,} ratings", number),
    "row": lambda number: say_count("{count:,} row", "{count:,} rows", number),
    "scene": lambda number: say_count("{count:,} scene", "{count:,} scenes", number),
}


def decimal(value: float) -> str:
    """Two decimals, without a minus before zero."""
    return f"{value + 0.0:.2f}".replace("-0.00", "0.00")


def interval(statistic: Alpha | Correlation) -> str:
    """The 95 % interval in brackets."""
    return f"[{decimal(statistic.interval.low)}, {decimal(statistic.interval.high)}]"


def n_of(statistic: Alpha | Correlation) -> str:
    """The n of a figure, with what it counts."""
    rows = isinstance(statistic, Alpha) and statistic.definition != BETWEEN_RATERS
    return say(N_ROWS if rows else N_ITEMS, n=statistic.n)


def in_full(statistic: Alpha | Correlation) -> str:
    """Estimate, interval and n in one line."""
    return f"{decimal(statistic.estimate)} {interval(statistic)}, n = {statistic.n:,}"


def metric_name(key: str) -> str:
    """What a metric is called in full: the rubric's name where it is one of the rubric's."""
    rubric = load_rubric()
    if key in rubric.keys:
        return rubric.metric(key).name.text(tongue())
    return say("Overall") if key == OVERALL else key


def metric_label(key: str) -> str:
    """What a metric is called at the head of a column."""
    return say("Overall") if key == OVERALL else key


def language_name(language: str) -> str:
    """What a language is called; a code that is not known stands for itself."""
    return say(LANGUAGES[language]) if language in LANGUAGES else language


def overall_in_words(report: Report) -> str:
    """What `overall` stands for in this report."""
    return say(ROW_MEAN_OVERALL if report.design.overall else RATED_OVERALL)


def made_of_alpha(alpha: Alpha) -> str:
    """How the interval of an alpha was made, whatever scenes and models it is over."""
    if alpha.interval.way == FELDT:
        return interval_in_words(alpha)
    return say("{way}, seed {seed}", way=say(alpha.interval.way), seed=alpha.interval.seed)


def interval_in_words(statistic: Alpha | Correlation) -> str:
    """How the interval of an alpha, or of a correlation, was made."""
    match statistic.interval.way:
        case "feldt":
            return say("Feldt's interval, which takes the rows as independent and is too narrow if they are not")
        case "two-way cluster bootstrap":
            message = to_say("{way} over {scenes} and {models}, seed {seed}")
        case "one-way cluster bootstrap by scenes":
            message = to_say("{way} over {scenes}, with the {models} as given, seed {seed}")
        case "one-way cluster bootstrap by models":
            message = to_say("{way} over {models}, with the {scenes} as given, seed {seed}")
        case "fisher":
            return say("Fisher's interval, which takes the items as independent and is too narrow if they are not")
        case _:
            message = to_say("{way} over {items}, seed {seed}")
    return say(
        message,
        way=say(statistic.interval.way),
        scenes=counted(statistic.scenes, "scene"),
        models=counted(statistic.models, "model"),
        items=counted(statistic.n, "item"),
        seed=statistic.interval.seed,
    )


def file_name(*parts: str) -> str:
    """The name of a file that tells all parts, long ones by their start, in signs that any file system takes."""
    return "-".join(filter(None, map(_in_a_name, parts)))


def _in_a_name(part: str) -> str:
    cut = re.sub(r"[^\w.+]+", "-", part).strip("-.").encode()[:LONGEST_PART]
    return cut.decode(errors="ignore").strip("-.")


def part_in_words(selection: Selection) -> str:
    """Of which part of the ratings something is; "" for all."""
    language = [] if selection.language is None else [language_name(selection.language)]
    models = [say("only {models}", models=say(", ").join(selection.models))] if selection.models else []
    return say("; ").join([*language, *models])


def counted(number: int, noun: Noun) -> str:
    """A number with its noun."""
    return _COUNTED[noun](number)


def capital(sentence: str) -> str:
    """With a capital at the start."""
    return sentence[:1].upper() + sentence[1:]


def in_a_row(*sentences: str) -> str:
    """Sentences one after the other, without the empty ones."""
    return reduce(lambda one, other: say("{sentence} {next}", sentence=one, next=other), filter(None, sentences))


def wrapped(text: str, letters: int) -> list[str]:
    """A text in lines of so many letters at most; a Chinese character has the room of two."""
    if not re.search(f"[{_WIDE}]", text):
        return textwrap.wrap(text, letters)
    lines = [""]
    for piece in re.findall(rf"[{_WIDE}][，。：；、）]*|[^\s{_WIDE}]{{1,{letters}}}|\s+", text):
        if lines[-1] and _breadth(lines[-1] + piece) > letters:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines]


def _breadth(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def shortened(name: str, letters: int) -> str:
    """A name in so many letters at most."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"
