"""Figures, costs and intervals in words, and the cells of tables made of them."""

import math
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Literal

from annotations.errors import Undefined
from annotations.exchange.table import Cell, Content, Kind, Part
from annotations.i18n.messages import Readable, to_say
from annotations.i18n.translation import say, say_count, tongue, translate
from annotations.reliability.cronbach_alpha import Alpha
from annotations.report.report import Report
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.rubrics.rubric import load_rubric, metric_names
from annotations.validity.judge_expert_correlation import OVERALL, RATED_OVERALL, ROW_MEAN_OVERALL, Correlation
from characterbox.components.figures.background.selection import Selection
from characterbox.store.stories.call_costs import CallCosts, StoryCosts
from characterbox.store.stories.costs_across_stories import Model
from characterbox.values import LANGUAGES

Noun = Literal["expert", "item", "judge", "metric", "model", "rating", "row", "scene"]

N_ITEMS, N_MODELS = to_say("n = {n:,} items"), to_say("n = {n:,} models")
N_PAIRS, N_ROWS = to_say("n = {n:,} pairs"), to_say("n = {n:,} rows")
"""What is said of an n, by what it counts."""
LONGEST_PART = 48
"""Bytes of a part of the name of a file, which may have 255."""
_WIDE = r"\u2e80-\u9fff\uff00-\uffef"
"""Characters that are as wide as two letters, and beside which a line may break."""
_IN_WORDS = {
    "feldt": to_say("Feldt's interval, which assumes independent rows and is too narrow otherwise"),
    "fisher": to_say("Fisher's interval, which assumes independent items and is too narrow otherwise"),
    "jackknife by scenes": to_say("jackknife by scenes, with models and raters fixed"),
    "jackknife by scenes and by models": to_say("jackknife by scenes and by models, with raters fixed"),
    "jackknife by scenes and by experts": to_say("jackknife by scenes and by experts, with models fixed"),
}
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


def interval(found: Interval | Undefined) -> str:
    """The 95 % interval in brackets, or that there is none."""
    if isinstance(found, Undefined):
        return say("no interval")
    return f"[{decimal(found.low)}, {decimal(found.high)}]"


def in_full(statistic: Alpha | Correlation) -> str:
    """Estimate, interval and n in one line."""
    return f"{decimal(statistic.estimate)} {interval(statistic.interval)}, n = {statistic.n:,}"


def metric_name(key: str) -> str:
    """What a metric is called in full, where that is known."""
    if key == OVERALL:
        return say("Overall")
    name = metric_names().get(key)
    return key if name is None else name.text(tongue())


def metric_label(key: str) -> str:
    """What a metric is called at the head of a column."""
    return key if key in load_rubric().keys else metric_name(key)


def language_name(language: str) -> str:
    """What a language is called; a code that is not known stands for itself."""
    return say(LANGUAGES[language]) if language in LANGUAGES else language


def overall_in_words(report: Report) -> str:
    """What `overall` stands for in this report."""
    return say(ROW_MEAN_OVERALL if report.design.overall else RATED_OVERALL)


def interval_in_words(statistic: Alpha | Correlation) -> str:
    """How the interval of an alpha, or of a correlation, was made; "" where there is none."""
    if isinstance(statistic.interval, Undefined):
        return ""
    way = statistic.interval.way
    return say(_IN_WORDS.get(way, way))


def file_name(*parts: Readable) -> str:
    """The name of a file that tells all parts, long ones by their start, in signs that any file system takes."""
    return "-".join(filter(None, map(_in_a_name, parts)))


def _in_a_name(part: Readable) -> str:
    cut = re.sub(r"[^\w.+]+", "-", translate(part)).strip("-.").encode()[:LONGEST_PART]
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


def estimate_cell(found: Estimate | Undefined, *, of: str, remarks: Sequence[Readable | None] = ()) -> Content:
    """An estimate as a cell; `of` is what is said of its n, such as `N_ITEMS`, and may name other fields of it."""
    if isinstance(found, Undefined):
        return found
    return value_cell(found.estimate, found.interval, say(of, **vars(found)), remarks=remarks)


def value_cell(
    value: float,
    interval: Interval | Undefined,
    n: str = "",
    *,
    remarks: Sequence[Readable | None] = (),
    written: Callable[[float], str] = decimal,
) -> Cell:
    """A figure as a cell, as it is `written`, with what is said of its n, and remarks on it among the notes."""
    figure = Part(written(value), "figure", tuple(filter(None, remarks)))
    return Cell((figure, limits(interval, written), Part(n, "counted") if n else ""))


def figure_cell(figure: str, n: str) -> Cell:
    """A figure without an interval, as it is written, with what it rests on."""
    return Cell((Part(figure, "figure"), Part(n, "counted")))


def limits(interval: Interval | Undefined, written: Callable[[float], str] = decimal, kind: Kind = "interval") -> Part:
    """An interval in brackets, its ends as `written`; why there is none is among the notes."""
    if isinstance(interval, Undefined):
        return Part(say("no interval"), kind, (say("no interval: {reason}", reason=interval.reason),))
    return Part(f"[{written(interval.low)}, {written(interval.high)}]", kind)


def p_value(p: float) -> str:
    """A p as journals write it."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


IMPROVISED_TOKENS = to_say(
    "The prompts are real and their tokens estimated; the replies, their tokens, prices and times do not come"
    " from a language model"
)
SECONDS = to_say("Time is the sum of waiting times for all replies; calls that run in parallel make a scene faster.")


def count(value: float) -> str:
    """A number of tokens or calls on average."""
    return f"{value:,.0f}"


def dollars(value: float, beside: float | None = None) -> str:
    """A price without its sign: two decimals from one dollar on, four below, more where only they tell something.

    A deviation stands beside its mean, and has as many decimals.
    """
    leading = value if beside is None else beside
    if leading >= 1 or leading == 0:
        return f"{value:,.2f}"
    return f"{value:,.{min(12, max(4, 1 - math.floor(math.log10(leading))))}f}"


def seconds(value: float) -> str:
    """A time."""
    if value < 59.5:
        return say("{seconds:.1f} s", seconds=value)
    if value < 59.95 * 60:
        return say("{minutes:.1f} min", minutes=value / 60)
    hours, rest = divmod(round(value / 60), 60)
    return say("{hours:,} h {minutes} min", hours=hours, minutes=rest) if rest else say("{hours:,} h", hours=hours)


def names(models: Iterable[Model]) -> str:
    """The names of models."""
    return say(", ").join(model.name for model in models) or say("nobody")


def costs_line(costs: StoryCosts) -> str:
    """The counts in one line; what is zero is left out, but for the calls."""
    replies = costs.replies
    parts = [
        calls_told(replies.calls),
        say("{count:,} reused", count=replies.reused) if replies.reused else "",
        say("{count:,} written by people", count=replies.by_people) if replies.by_people else "",
        say("{prompt} in, {reply:,} out", prompt=tokens_told(replies.prompt_tokens), reply=replies.completion_tokens)
        if replies.prompt_tokens
        else "",
        price_told(replies) if replies.calls else "",
        say_count("{count:,} retry", "{count:,} retries", replies.retries) if replies.retries else "",
        say_count("{count:,} call without reply", "{count:,} calls without reply", costs.unanswered)
        if costs.unanswered
        else "",
        say_count("{count:,} degraded step", "{count:,} degraded steps", costs.degraded) if costs.degraded else "",
    ]
    return " · ".join(part for part in parts if part)


def price_told(costs: CallCosts) -> str:
    """The price, or for how many calls it is not known."""
    if costs.dollars is not None:
        return f"${costs.dollars:,.4f}" if 0 < costs.dollars < 1 else f"${costs.dollars:,.2f}"
    return say("price unknown for {calls}", calls=calls_told(costs.unpriced))


def unanswered_told(number: int) -> str:
    """So many calls that have no reply, and what that may cost."""
    return say_count(
        "{count:,} call without reply, which may be charged twice",
        "{count:,} calls without reply, which may be charged twice",
        number,
    )


def tokens_told(number: int) -> str:
    """So many tokens."""
    return say_count("{count:,} token", "{count:,} tokens", number)


def calls_told(number: int) -> str:
    """So many calls."""
    return say_count("{count:,} call", "{count:,} calls", number)
