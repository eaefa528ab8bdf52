"""The plan of a campaign before it starts: in brief, and as tables by model, scene, language and expert."""

import html
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from annotations.design.balance import Balance, Load, Range, Share
from annotations.errors import AnnotationError, Undefined
from annotations.i18n.messages import Message, Readable
from annotations.i18n.translation import say, say_count, sentence
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.blinded_item import headings_of
from characterbox.campaigns.lifecycle import Outlook, outlook_of
from characterbox.campaigns.plan import at_work, still_assigned
from characterbox.errors import CampaignError
from characterbox.store.campaigns.campaign import Assignment
from characterbox.store.tables.columns import now
from characterbox.values import LANGUAGES
from pages.campaigns.blinding_scan import new_items, scan_cautions
from pages.campaigns.editing import Edit
from pages.campaigns.experts import names_of
from pages.campaigns.text import Cell, cautions, hours, languages, name_betrays, spread, table
from pages.shared.form import fault
from pages.shared.text import facts, quiet

SHOWN = 40
"""Rows of a table; the others are counted."""
FEWEST = 20
"""Pairs of experts that are listed, those who share least first."""


def figures(balance: Balance, minutes: float) -> dict[str, str]:
    """The plan in a few lines."""
    loads = [load for load in balance.loads if load.ratings] or list(balance.loads)
    each = hours(min(load.hours(minutes) for load in loads), max(load.hours(minutes) for load in loads))
    extends = balance.added < balance.ratings
    one, all = say("Hours per expert"), say("Total hours")
    new_one, new_all = say("Hours per expert, new items only"), say("Total hours, new items only")
    return {
        say("Items"): f"{balance.items:,}",
        say("Ratings"): _ratings(balance),
        **({say("New ratings"): f"{balance.added:,}"} if extends else {}),
        say("Raters per item"): spread(balance.raters_per_item),
        say("Items per expert"): spread(balance.load),
        new_one if extends else one: each,
        new_all if extends else all: say("{hours} h", hours=f"{balance.hours(minutes):,.1f}"),
        say("Items shared by two experts"): _shared(balance.shared),
        say("All experts linked by shared items"): _linked(balance),
    }


def _ratings(balance: Balance) -> str:
    if not balance.repeats:
        return f"{balance.ratings:,}"
    return say("{count:,}, including {repeats:,} hidden repeats", count=balance.ratings, repeats=balance.repeats)


def _linked(balance: Balance) -> str:
    if balance.connected:
        return say("yes")
    return say_count(
        "no: {count:,} group that shares no items", "no: {count:,} groups without shared items", len(balance.groups)
    )


def _shared(range: Range | None) -> str:
    return say("no two experts read the same language") if range is None else spread(range)


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
        reads = languages(list(load.languages)) or say("no language of the campaign")
        numbers = [load.items, load.repeats, *([load.added] if extends else [])]
        per_model = (
            Undefined(Message("no item is in a language this expert reads"))
            if load.per_model is None
            else spread(load.per_model)
        )
        rows.append([names.get(load.rater, load.rater), reads, *numbers, per_model, f"{load.hours(minutes):,.1f}"])
    new = [say("New")] if extends else []
    head = [
        say("Expert"),
        say("Languages read"),
        say("Items"),
        say("Repeats"),
        *new,
        say("Items per model"),
        say("Hours"),
    ]
    return _table(head, sorted(rows, key=lambda row: str(row[0])))


def pair_table(balance: Balance, names: Mapping[str, str]) -> str:
    """How many items each two experts share, the fewest first."""
    pairs = [(sorted(names.get(id, id) for id in pair), number) for pair, number in balance.shared_by.items()]
    shared = [(say("{one} and {other}", one=one, other=other), number) for (one, other), number in pairs]
    rows = sorted(shared, key=lambda row: (row[1], row[0]))
    return _table((say("Expert pair"), say("Shared items")), rows, FEWEST)


def _met(loads: Sequence[Load], model: str) -> str | Undefined:
    """How many items of a model the experts have who could meet it."""
    numbers = [load.models[model] for load in loads if model in load.models]
    if not numbers:
        return Undefined(Message("no expert reads a language of this model's items"))
    return spread(Range(min(numbers), max(numbers)))


def _shares(shares: Sequence[Share]) -> list[tuple[str, int, int]]:
    return [(share.name, share.items, share.ratings) for share in shares]


def _table(head: Sequence[str], rows: Sequence[Sequence[Cell]], most: int = SHOWN) -> str:
    more = html.escape(say("and {count:,} more", count=len(rows) - most))
    return table(head, rows[:most]) + (f'<p class="cb-quiet">{more}</p>' if len(rows) > most else "")


QUICK = 6_000
"""Items times experts up to which the plan is made at each change; that of more is made where it is asked for."""


def quick_outlook(edit: Edit, rubric: Rubric) -> Outlook | None:
    """The plan at this moment; None where it takes too long to be made at each change."""
    draft = edit.draft
    return whole_outlook(edit, rubric) if len(draft.items) * len(draft.raters) <= QUICK else None


def whole_outlook(edit: Edit, rubric: Rubric) -> Outlook:
    """The plan at this moment."""
    store, campaign = edit.stage.store, edit.campaign
    assigned: tuple[Assignment, ...] = ()
    try:
        draft = at_work(store, campaign, edit.draft)
        if campaign.status != "draft":
            assigned = tuple(still_assigned(store, campaign, draft, store.campaigns.assignments(campaign=campaign.id)))
    except (AnnotationError, CampaignError) as error:
        return Outlook(None, error.message, "practice")
    return outlook_of(draft, rubric, assigned)


def refused_for(edit: Edit, outlook: Outlook | None) -> dict[str, str]:
    """Why there is no plan, by what it fails for; nothing while there is nothing to rate, or nobody to."""
    if outlook is None or outlook.refusal is None or outlook.cause is None:
        return {}
    if not (edit.draft.items and edit.draft.raters):
        return {}
    beside = (outlook.cause, "experts") if outlook.cause == "raters_per_item" else (outlook.cause,)
    return dict.fromkeys(beside, sentence(outlook.refusal))


def plan_in_brief(edit: Edit, outlook: Outlook | None) -> None:
    """The plan in a few lines."""
    st.subheader(say("Current plan"))
    draft, settings = edit.draft, edit.draft.settings
    if outlook is None:
        ratings = len(draft.items) * settings.raters_per_item
        facts(
            {
                say("Items"): f"{len(draft.items):,}",
                say("Experts"): f"{len(draft.raters):,}",
                say("Ratings"): say("about {count:,}", count=ratings),
            }
        )
        quiet(say("A plan of this size takes a few seconds. It is computed when you open Plan."))
    elif outlook.plan is None:
        _no_plan(edit, outlook)
    else:
        facts(figures(outlook.plan.balance, settings.minutes))
        told = len(_cautions(edit, outlook))
        some = say_count("{count:,} warning: see Plan.", "{count:,} warnings: see Plan.", told)
        quiet(some if told else say("No warnings."))


def whole_plan(edit: Edit, outlook: Outlook, finish: Callable[[Edit, Outlook], None]) -> None:
    """All figures of the plan, and what they will not be able to tell; `finish` shows how to carry it out."""
    if outlook.plan is None:
        _no_plan(edit, outlook)
        return
    balance, minutes, names = outlook.plan.balance, edit.draft.settings.minutes, names_of(edit.stage.store)
    left, right = st.columns(2, gap="large")
    with left:
        facts(figures(balance, minutes))
        if edit.draft.settings.practice or edit.draft.settings.checks:
            quiet(say("Hours count the items only; practice and attention checks take extra time."))
    with right:
        cautions(_cautions(edit, outlook))
        finish(edit, outlook)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader(say("Models"))
        st.html(model_table(balance))
        st.subheader(say("Languages"))
        st.html(language_table(balance))
        st.subheader(say("Scenes"))
        st.html(scene_table(balance, _titles(edit)))
    with right:
        st.subheader(say("Experts"))
        st.html(expert_table(balance, names, minutes))
        if balance.shared_by:
            st.subheader(say("Expert pairs"))
            st.html(pair_table(balance, names))


def _titles(edit: Edit) -> dict[str, str]:
    """The titles of the draft's scenes with the works that they are of, by the names that the plan has for scenes."""
    scenes = {item.scene: item for item in edit.draft.items}
    headings = headings_of(edit.stage.store, scenes.values())
    found = {name: headings.get(item.item) for name, item in scenes.items()}
    return {name: f"{heading.title} · {heading.work}" for name, heading in found.items() if heading is not None}


def _no_plan(edit: Edit, outlook: Outlook) -> None:
    if not edit.draft.items:
        quiet(say("There is no plan yet: select what to rate."))
    elif not edit.draft.raters:
        quiet(say("There is no plan yet: select experts."))
    else:
        fault(say("No plan is possible with these settings. {why}", why=sentence(outlook.refusal or "")))


def _cautions(edit: Edit, outlook: Outlook) -> list[Readable]:
    """What weighs on the blinding and on the time, and then what the plan warns of."""
    told: list[Readable] = [said] if (said := name_betrays(edit.draft)) is not None else []
    told += scan_cautions(edit.stage.store, edit.draft, new_items(edit))
    if (until := edit.draft.settings.deadline) is not None and until <= now():
        told.append(say("The deadline has passed."))
    if outlook.plan is not None:
        told += outlook.plan.warnings
    return told
