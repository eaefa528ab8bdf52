"""What a researcher should know before a plan starts, in sentences: what its ratings will not be able to tell."""

from collections.abc import Iterator, Sequence

from annotations.assignment import Candidate, Design, Rater
from annotations.balance import Balance
from annotations.order import FEWEST_TO_REPEAT

NAMED = 3
"""Raters, models and pairs that a sentence names; the others are counted."""
FEWEST_SHARED = 2
"""Items that two raters must share before anything can be said about how they agree."""


def cautions(balance: Balance, items: Sequence[Candidate], raters: Sequence[Rater], design: Design) -> tuple[str, ...]:
    """The sentences, what weighs most first; none where nothing is amiss."""
    return (
        *_agreement(balance),
        *_links(balance),
        *_models(balance, items),
        *_loads(balance, raters),
        *_languages(balance, raters),
        *_repeats(balance, design),
    )


def _agreement(balance: Balance) -> Iterator[str]:
    if balance.raters_per_item.high == 1:
        yield (
            "Every item has one rater: no agreement can be computed, and strict raters cannot be told from poor items."
            " Take at least 2 raters per item."
        )
        return
    if balance.raters_per_item.low == 1:
        yield "Some items have one rater: they tell nothing about agreement. Take at least 2 raters per item."
    few = [f"{one} and {other}: {count}" for (one, other), count in balance.shared_by.items() if count < FEWEST_SHARED]
    if few:
        yield (
            f"{_count(few, 'pair of raters shares', 'pairs of raters share')} fewer than {FEWEST_SHARED} items"
            f" ({_named(few)}): agreement cannot be computed pair by pair. Take more items or more raters per item."
        )


def _links(balance: Balance) -> Iterator[str]:
    if len(balance.groups) > 1 and balance.raters_per_item.high > 1:
        groups = [_named(group) for group in balance.groups]
        yield (
            f"The design is not connected: no shared items link {_named(groups, ' with ')}. Between them, strict"
            " raters cannot be told from poor items. Take more items, more raters per item, or more raters who read"
            " several languages."
        )


def _models(balance: Balance, items: Sequence[Candidate]) -> Iterator[str]:
    least, most = (pick(balance.models, key=lambda share: share.items) for pick in (min, max))
    if least.items < most.items:
        yield (
            f"Models do not have equally many items: {least.name} has {least.items}, {most.name} {most.items}."
            " Means over items give some models more weight."
        )
    met = {(item.model, item.scene) for item in items}
    partial = [
        share.name for share in balance.models if any((share.name, scene.name) not in met for scene in balance.scenes)
    ]
    if partial:
        yield (
            f"{_count(partial, 'model is', 'models are')} not in every scene ({_named(partial)}): compare models over"
            " the scenes that they have in common, since some scenes are harder than others."
        )
    usual = max(1, most.items - least.items)
    uneven = [load for load in balance.loads if load.per_model is not None and load.per_model.spread > usual]
    if uneven:
        names = [f"{load.rater}: {load.per_model.low} to {load.per_model.high}" for load in uneven if load.per_model]
        yield (
            f"{_count(uneven, 'rater sees', 'raters see')} some models oftener than others ({_named(names)} items of a"
            " model): their severity weighs on the models unequally."
        )


def _loads(balance: Balance, raters: Sequence[Rater]) -> Iterator[str]:
    if gone := [rater.id for rater in raters if not rater.languages]:
        has = _count(gone, "rater has", "raters have")
        yield (
            f"{has} left ({_named(gone)}): nothing new can be given to them. What they were assigned counts as theirs,"
            " also where they did not rate it."
        )
    if strangers := [load.rater for load in balance.loads if not load.languages and load.rater not in gone]:
        reads = _count(strangers, "rater reads", "raters read")
        yield f"{reads} no language of the campaign ({_named(strangers)}): nothing new can be given to them."
    if idle := [load.rater for load in balance.loads if load.languages and not load.items]:
        yield f"{_count(idle, 'rater has', 'raters have')} no item ({_named(idle)}): there are more raters than work."
    busy = [load for load in balance.loads if load.items]
    least, most = (pick(busy, key=lambda load: load.items) for pick in (min, max))
    if most.items - least.items > 1:
        yield (
            f"Loads are uneven: {least.rater} has {_items(least.items)}, {most.rater} {most.items}. Languages, or what"
            " was assigned before, allow no better."
        )


def _languages(balance: Balance, raters: Sequence[Rater]) -> Iterator[str]:
    languages = [share.name for share in balance.languages]
    partial = [
        f"{rater.id}: {', '.join(read)}"
        for rater in raters
        if (read := [language for language in languages if language in rater.languages]) and len(read) < len(languages)
    ]
    if partial:
        yield (
            f"{_count(partial, 'rater reads', 'raters read')} only a part of the languages {', '.join(languages)}"
            f" ({_named(partial)}): differences between languages are partly differences between raters."
        )


def _repeats(balance: Balance, design: Design) -> Iterator[str]:
    without = [load.rater for load in balance.loads if load.items and not load.repeats]
    if design.repeats and without:
        yield (
            f"{_count(without, 'rater has', 'raters have')} no hidden repeat ({_named(without)}): it takes at least"
            f" {FEWEST_TO_REPEAT} items."
        )


def _count(things: Sequence[object], one: str, many: str) -> str:
    return f"1 {one}" if len(things) == 1 else f"{len(things):,} {many}"


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def _named(names: Sequence[str], between: str = ", ") -> str:
    """The first names, and how many more there are."""
    more = len(names) - NAMED
    return between.join([*names[:NAMED], *([f"{more:,} more"] if more > 0 else [])])
