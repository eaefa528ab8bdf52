"""What a researcher should know before a plan starts, in sentences: what its ratings will not be able to tell."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotations.design.balance import Balance
from annotations.design.order import FEWEST_TO_REPEAT
from annotations.design.settings import UNNAMED, Candidate, Design, Names, Rater
from annotations.i18n.messages import COMMA, Message, Readable, count_message, joined, listed

NAMED = 3
"""Raters, models and pairs that a sentence names; the others are counted."""
FEWEST_SHARED = 2
"""Items that two raters must share before anything can be said about how they agree."""


def plan_warnings(
    balance: Balance, items: Sequence[Candidate], raters: Sequence[Rater], design: Design, names: Names = UNNAMED
) -> tuple[Message, ...]:
    """The sentences, what weighs most first; none where nothing is amiss."""
    balance = _called(balance, names)
    raters = [replace(rater, id=names.rater(rater.id)) for rater in raters]
    return (
        *_agreement(balance),
        *_links(balance),
        *_numbers(balance),
        *([] if design.rates_scenes else _scenes(balance, items)),
        *_severity(balance),
        *_loads(balance, raters),
        *_languages(balance, raters, names),
        *_repeats(balance, design),
    )


def _called(balance: Balance, names: Names) -> Balance:
    """The same with the names of raters in the place of their ids."""
    name = names.rater
    return replace(
        balance,
        loads=tuple(replace(load, rater=name(load.rater)) for load in balance.loads),
        shared_by={(name(one), name(other)): shared for (one, other), shared in balance.shared_by.items()},
        groups=tuple(tuple(map(name, group)) for group in balance.groups),
    )


def _agreement(balance: Balance) -> Iterator[Message]:
    if balance.raters_per_item.high == 1:
        yield Message(
            "Every item has only one rater: agreement cannot be computed, and strict raters cannot be"
            " distinguished from poor items. Use at least 2 raters per item."
        )
        return
    if balance.raters_per_item.low == 1:
        yield Message(
            "Some items have only one rater and provide no information on agreement. Use at least 2 raters per item."
        )
    few = [
        Message("{one} and {other}: {shared}", one=one, other=other, shared=shared)
        for (one, other), shared in balance.shared_by.items()
        if shared < FEWEST_SHARED
    ]
    if few:
        yield count_message(
            "{count:,} pair of raters shares fewer than {fewest} items ({named}): pairwise agreement cannot be"
            " computed for it. Use more items or more raters per item.",
            "{count:,} pairs of raters share fewer than {fewest} items ({named}): pairwise agreement cannot be"
            " computed for them. Use more items or more raters per item.",
            len(few),
            fewest=FEWEST_SHARED,
            named=_named(few),
        )


def _links(balance: Balance) -> Iterator[Message]:
    if len(balance.groups) > 1 and balance.raters_per_item.high > 1:
        between = Message(" with ")
        groups = [_named(group) for group in balance.groups]
        yield Message(
            "The design is not connected: no shared items link {groups}. Across these groups, strict raters"
            " cannot be distinguished from poor items. Use more items, more raters per item, or more raters who"
            " read several languages.",
            groups=_named(groups, between),
        )


def _numbers(balance: Balance) -> Iterator[Message]:
    least, most = (pick(balance.models, key=lambda share: share.items) for pick in (min, max))
    if least.items < most.items:
        yield Message(
            "Models have different numbers of items: {least} has {fewest}, {most} has {greatest}. Means over"
            " items weight some models more.",
            least=least.name,
            fewest=least.items,
            most=most.name,
            greatest=most.items,
        )


def _scenes(balance: Balance, items: Sequence[Candidate]) -> Iterator[Message]:
    met = {(item.model, item.scene) for item in items}
    partial = [
        share.name for share in balance.models if any((share.name, scene.name) not in met for scene in balance.scenes)
    ]
    if partial:
        yield count_message(
            "{count:,} model is not in every scene ({named}). Some scenes are harder than others, so compare"
            " models over shared scenes only.",
            "{count:,} models are not in every scene ({named}). Some scenes are harder than others, so compare"
            " models over shared scenes only.",
            len(partial),
            named=_named(partial),
        )


def _severity(balance: Balance) -> Iterator[Message]:
    numbers = [share.items for share in balance.models]
    usual = max(1, max(numbers) - min(numbers))
    uneven = [load for load in balance.loads if load.per_model is not None and load.per_model.spread > usual]
    if uneven:
        names = [
            Message("{rater}: {low} to {high}", rater=load.rater, low=load.per_model.low, high=load.per_model.high)
            for load in uneven
            if load.per_model
        ]
        yield count_message(
            "{count:,} rater sees some models more often than others ({named} items per model), so this rater's"
            " severity affects the models unequally.",
            "{count:,} raters see some models more often than others ({named} items per model), so their"
            " severity affects the models unequally.",
            len(uneven),
            named=_named(names),
        )


def _loads(balance: Balance, raters: Sequence[Rater]) -> Iterator[Message]:
    if gone := [rater.id for rater in raters if not rater.languages]:
        yield count_message(
            "{count:,} rater has left ({named}) and gets no new items. Items already assigned still count as"
            " theirs, rated or not.",
            "{count:,} raters have left ({named}) and get no new items. Items already assigned still count as"
            " theirs, rated or not.",
            len(gone),
            named=_named(gone),
        )
    if strangers := [load.rater for load in balance.loads if not load.languages and load.rater not in gone]:
        yield count_message(
            "{count:,} rater reads no language of the campaign ({named}) and gets no new items.",
            "{count:,} raters read no language of the campaign ({named}) and get no new items.",
            len(strangers),
            named=_named(strangers),
        )
    if idle := [load.rater for load in balance.loads if load.languages and not load.items]:
        yield count_message(
            "{count:,} rater has no items ({named}): there are more raters than needed.",
            "{count:,} raters have no items ({named}): there are more raters than needed.",
            len(idle),
            named=_named(idle),
        )
    busy = [load for load in balance.loads if load.items]
    least, most = (pick(busy, key=lambda load: load.items) for pick in (min, max))
    if most.items - least.items > 1:
        yield count_message(
            "Workloads are uneven: {least} has {count} item, {most} has {greatest}. Languages or earlier"
            " assignments prevent a better balance.",
            "Workloads are uneven: {least} has {count} items, {most} has {greatest}. Languages or earlier"
            " assignments prevent a better balance.",
            least.items,
            least=least.rater,
            most=most.rater,
            greatest=most.items,
        )


def _languages(balance: Balance, raters: Sequence[Rater], names: Names) -> Iterator[Message]:
    languages = [share.name for share in balance.languages]
    partial = [
        Message("{rater}: {languages}", rater=rater.id, languages=listed(map(names.language, read)))
        for rater in raters
        if (read := [language for language in languages if language in rater.languages]) and len(read) < len(languages)
    ]
    if partial:
        yield count_message(
            "{count:,} rater reads only some of the languages {languages} ({named}): differences between"
            " languages are partly differences between raters.",
            "{count:,} raters read only some of the languages {languages} ({named}): differences between"
            " languages are partly differences between raters.",
            len(partial),
            languages=listed(map(names.language, languages)),
            named=_named(partial),
        )


def _repeats(balance: Balance, design: Design) -> Iterator[Message]:
    without = [load.rater for load in balance.loads if load.items and not load.repeats]
    if design.repeats and without:
        yield count_message(
            "{count:,} rater has no hidden repeat ({named}): a rater needs at least {fewest} items.",
            "{count:,} raters have no hidden repeat ({named}): a rater needs at least {fewest} items.",
            len(without),
            named=_named(without),
            fewest=FEWEST_TO_REPEAT,
        )


def _named(names: Sequence[Readable], between: Message = COMMA) -> Message:
    """The first names, and how many more there are."""
    more = len(names) - NAMED
    told = [*names[:NAMED], *([Message("{more:,} more", more=more)] if more > 0 else [])]
    return joined(told, between)
