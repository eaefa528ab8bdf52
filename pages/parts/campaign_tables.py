"""The figures of a plan, as tables: what falls to models, scenes, languages, experts, and pairs of experts."""

import html
from collections.abc import Mapping, Sequence

from annotations.balance import Balance, Load, Range, Share
from annotations.undefined import Undefined
from annotations.wording import say, say_count
from characterbox.values import LANGUAGES
from pages.parts.campaign_look import Cell, table
from pages.parts.campaign_words import hours, languages, spread

SHOWN = 40
"""Rows of a table; the others are counted."""
FEWEST = 20
"""Pairs of experts that are listed, those who share least first."""


def figures(balance: Balance, minutes: float) -> dict[str, str]:
    """The plan in a few lines."""
    loads = [load for load in balance.loads if load.ratings] or list(balance.loads)
    each = hours(min(load.hours(minutes) for load in loads), max(load.hours(minutes) for load in loads))
    extends = balance.added < balance.ratings
    one, all = say("Hours per expert"), say("Hours in all")
    new_one, new_all = say("Hours per expert, for what is new"), say("Hours in all, for what is new")
    return {
        say("Items"): f"{balance.items:,}",
        say("Ratings"): _ratings(balance),
        **({say("New ratings"): f"{balance.added:,}"} if extends else {}),
        say("Raters per item"): spread(balance.raters_per_item),
        say("Items per expert"): spread(balance.load),
        new_one if extends else one: each,
        new_all if extends else all: say("{hours} h", hours=f"{balance.hours(minutes):,.1f}"),
        say("Shared by two experts"): _shared(balance.shared),
        say("All experts linked"): _linked(balance),
    }


def _ratings(balance: Balance) -> str:
    if not balance.repeats:
        return f"{balance.ratings:,}"
    return say("{count:,}, {repeats:,} of them hidden repeats", count=balance.ratings, repeats=balance.repeats)


def _linked(balance: Balance) -> str:
    if balance.connected:
        return say("yes")
    return say_count(
        "no: {count:,} group that shares no items", "no: {count:,} groups that share no items", len(balance.groups)
    )


def _shared(range: Range | None) -> str:
    return say("no two read a language in common") if range is None else spread(range)


def model_table(balance: Balance) -> str:
    """What falls to each model, and how evenly it is spread over the experts."""
    rows = [(share.name, share.items, share.ratings, _met(balance.loads, share.name)) for share in balance.models]
    return _table((say("Model"), say("Items"), say("Ratings"), say("Per expert")), rows)


def scene_table(balance: Balance, titles: Mapping[str, str]) -> str:
    """What falls to each scene, by its title where that is known."""
    rows = [(titles.get(name, name), items, ratings) for name, items, ratings in _shares(balance.scenes)]
    return _table((say("Scene"), say("Items"), say("Ratings")), rows)


def language_table(balance: Balance) -> str:
    """What falls to each language."""
    shares = _shares(balance.languages)
    rows = [(say(LANGUAGES.get(name, name)), items, ratings) for name, items, ratings in shares]
    return _table((say("Language"), say("Items"), say("Ratings")), rows)


def expert_table(balance: Balance, names: Mapping[str, str], minutes: float) -> str:
    """What falls to each expert; what is new is told apart where not all is."""
    extends = balance.added < balance.ratings
    rows: list[list[Cell]] = []
    for load in balance.loads:
        reads = languages(list(load.languages)) or say("none of the campaign's")
        numbers = [load.items, load.repeats, *([load.added] if extends else [])]
        per_model = (
            Undefined(say("no item is in a language that this expert reads"))
            if load.per_model is None
            else spread(load.per_model)
        )
        rows.append([names.get(load.rater, load.rater), reads, *numbers, per_model, f"{load.hours(minutes):,.1f}"])
    new = [say("New")] if extends else []
    head = [say("Expert"), say("Reads"), say("Items"), say("Repeats"), *new, say("Of each model"), say("Hours")]
    return _table(head, sorted(rows, key=lambda row: str(row[0])))


def pair_table(balance: Balance, names: Mapping[str, str]) -> str:
    """How many items each two experts share, the fewest first."""
    pairs = [(sorted(names.get(id, id) for id in pair), number) for pair, number in balance.shared_by.items()]
    shared = [(say("{one} and {other}", one=one, other=other), number) for (one, other), number in pairs]
    rows = sorted(shared, key=lambda row: (row[1], row[0]))
    return _table((say("Pair of experts"), say("Items shared")), rows, FEWEST)


def _met(loads: Sequence[Load], model: str) -> str | Undefined:
    """How many items of a model the experts have who could meet it."""
    numbers = [load.models[model] for load in loads if model in load.models]
    if not numbers:
        return Undefined(say("no expert reads the languages of this model's items"))
    return spread(Range(min(numbers), max(numbers)))


def _shares(shares: Sequence[Share]) -> list[tuple[str, int, int]]:
    return [(share.name, share.items, share.ratings) for share in shares]


def _table(head: Sequence[str], rows: Sequence[Sequence[Cell]], most: int = SHOWN) -> str:
    more = html.escape(say("and {count:,} more", count=len(rows) - most))
    return table(head, rows[:most]) + (f'<p class="cb-quiet">{more}</p>' if len(rows) > most else "")
