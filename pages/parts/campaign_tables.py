"""The figures of a plan, as tables: what falls to models, scenes, languages, experts, and pairs of experts."""

from collections.abc import Mapping, Sequence

from annotations.balance import Balance, Load, Range, Share
from pages.parts.campaign_look import table
from pages.parts.campaign_words import LANGUAGE_NAMES, count, hours, languages, spread

SHOWN = 40
"""Rows of a table; the others are counted."""
FEWEST = 20
"""Pairs of experts that are listed, those who share least first."""


def figures(balance: Balance, minutes: float) -> dict[str, str]:
    """The plan in a few lines."""
    loads = [load for load in balance.loads if load.ratings] or list(balance.loads)
    each = hours(min(load.hours(minutes) for load in loads), max(load.hours(minutes) for load in loads))
    extends = balance.added < balance.ratings
    new = ", for what is new" if extends else ""
    repeats = f", {balance.repeats:,} of them hidden repeats" if balance.repeats else ""
    linked = "yes" if balance.connected else f"no: {count(len(balance.groups), 'group')} that share no items"
    return {
        "Items": f"{balance.items:,}",
        "Ratings": f"{balance.ratings:,}{repeats}",
        **({"New ratings": f"{balance.added:,}"} if extends else {}),
        "Raters per item": spread(balance.raters_per_item),
        "Items per expert": spread(balance.load),
        f"Hours per expert{new}": each,
        f"Hours in all{new}": f"{balance.hours(minutes):,.1f} h",
        "Shared by two experts": spread(balance.shared),
        "All experts linked": linked,
    }


def model_table(balance: Balance) -> str:
    """What falls to each model, and how evenly it is spread over the experts."""
    rows = [
        (share.name, share.items, share.ratings, spread(_met(balance.loads, share.name))) for share in balance.models
    ]
    return _table(("Model", "Items", "Ratings", "Per expert"), rows)


def scene_table(balance: Balance) -> str:
    """What falls to each scene."""
    return _table(("Scene", "Items", "Ratings"), _shares(balance.scenes))


def language_table(balance: Balance) -> str:
    """What falls to each language."""
    rows = [(LANGUAGE_NAMES.get(name, name), items, ratings) for name, items, ratings in _shares(balance.languages)]
    return _table(("Language", "Items", "Ratings"), rows)


def expert_table(balance: Balance, names: Mapping[str, str], minutes: float) -> str:
    """What falls to each expert; what is new is told apart where not all is."""
    extends = balance.added < balance.ratings
    rows: list[list[str | int]] = []
    for load in balance.loads:
        reads = languages(list(load.languages)) or "none of the campaign's"
        numbers: list[str | int] = [load.items, load.repeats, *([load.added] if extends else [])]
        figures = [spread(load.per_model), f"{load.hours(minutes):,.1f}"]
        rows.append([names.get(load.rater, load.rater), reads, *numbers, *figures])
    head = ["Expert", "Reads", "Items", "Repeats", *(["New"] if extends else []), "Of each model", "Hours"]
    return _table(head, sorted(rows, key=lambda row: str(row[0])))


def pair_table(balance: Balance, names: Mapping[str, str]) -> str:
    """How many items each two experts share, the fewest first."""
    shared = [
        (" and ".join(sorted(names.get(id, id) for id in pair)), number) for pair, number in balance.shared_by.items()
    ]
    rows = sorted(shared, key=lambda row: (row[1], row[0]))
    return _table(("Pair of experts", "Items shared"), rows, FEWEST)


def _met(loads: Sequence[Load], model: str) -> Range | None:
    """How many items of a model the experts have who could meet it."""
    numbers = [load.models[model] for load in loads if model in load.models]
    return Range(min(numbers), max(numbers)) if numbers else None


def _shares(shares: Sequence[Share]) -> list[tuple[str, int, int]]:
    return [(share.name, share.items, share.ratings) for share in shares]


def _table(head: Sequence[str], rows: Sequence[Sequence[str | int]], most: int = SHOWN) -> str:
    more = f'<p class="cb-quiet">and {len(rows) - most:,} more</p>' if len(rows) > most else ""
    return table(head, rows[:most]) + more
