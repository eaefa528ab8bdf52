"""The rating page: what the browser is told of campaigns, items and rubrics. Never which model it was.

What it is given is one JSON object, made by `desk_data`, `list_data` or `item_data`; the rubric is in the language of
the interface, which is chosen in the header. Each mark goes to
`POST /marks` at once and without a rerun; what could not be sent waits in the browser. To go elsewhere, the component
names the place.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from annotations.design.order import chance
from annotations.design.practice import feedback
from annotations.errors import UndefinedStatistic
from annotations.marking.marks import MOST_TEXT, Sheet
from annotations.marking.pace import ItemTime, pace
from annotations.rubrics.rubric import Rubric
from characterbox.accounts.account import Account
from characterbox.campaigns.assignments import Row, Training, practice_item
from characterbox.campaigns.blinded_item import headings_of, shown_assignment
from characterbox.campaigns.workload import RaterWorkload
from characterbox.components.web import Component
from characterbox.store import Store
from characterbox.store.campaigns.campaign import OPEN, Assignment, Campaign
from characterbox.store.stories.stories import Heading
from characterbox.values import Language

_RUBRIC = Component(
    "rubric",
    (
        "player/nodes.js",
        "rubric_panel/words.js",
        "rubric_panel/outbox.js",
        "rubric_panel/sheet.js",
        "rubric_panel/trajectory.js",
        "rubric_panel/questions.js",
        "rubric_panel/panel.js",
        "rubric_panel/views.js",
        "rubric_panel/rubric.js",
    ),
    ("theme.css", "rubric_panel/rubric.css"),
)
# Streamlit leaves much room below a page: without it, a part and its rubric fill the window and nothing scrolls away.
_ROOM = "<style>.stMainBlockContainer { padding-bottom: 1.5rem; }</style>"


def show_rubric(data: Mapping[str, Any], on_go: Callable[[Mapping[str, Any]], None]) -> None:
    """Show a desk, a list or an item on the Streamlit page that is running, in the place of what was shown before.

    It is the only one on the page, so that a key has one meaning. `on_go` is called with the query parameters of the
    place where the rater wants to go, as the browser says them.
    """
    import streamlit as st  # noqa: PLC0415 - the routes work without Streamlit

    st.html(_ROOM)

    def hear(place: object) -> None:
        if isinstance(place, Mapping):
            on_go(place)

    _RUBRIC.mount("rubric", data, go=hear)


Told = dict[str, Any]
"""As JSON."""


def desk_data(rater: Account, desks: Sequence[RaterWorkload], language: Language, *, local: bool) -> Told:
    """The campaigns of a rater, with how far the rater is."""
    campaigns = [
        {
            "id": desk.campaign.id,
            "name": desk.campaign.settings.name,
            "status": desk.campaign.status,
            "deadline": _deadline(desk.campaign),
            "done": desk.done,
            "skipped": desk.skipped,
            "total": len(desk.work),
            "left": _time_left(desk),
        }
        for desk in desks
    ]
    return {**_common(rater, language, local), "view": "desk", "campaigns": campaigns}


def list_data(
    store: Store, rater: Account, desk: RaterWorkload, language: Language, *, alone: bool, local: bool
) -> Told:
    """What a rater has to do in one campaign: the practice set first, if there is one, then the items."""
    told = desk.items.values() if desk.campaign.id == OPEN else ()
    headings = headings_of(store, told)
    return {
        **_common(rater, language, local),
        **_of_campaign(desk),
        "view": "list",
        "alone": alone,
        "name": desk.campaign.settings.name,
        "done": desk.done,
        "skipped": desk.skipped,
        "total": len(desk.work),
        "left": _time_left(desk),
        "onward": desk.onward(),
        "training": _training(desk.training),
        "rows": [_row(row, place, desk, headings) for place, row in enumerate(desk.rows, 1)],
    }


def item_data(store: Store, rater: Account, desk: RaterWorkload, row: Row, language: Language, *, local: bool) -> Told:
    """One item with all that is shown of it, what the rater has said, and the items before and after it."""
    sheet, assignment = row.sheet, row.assignment
    ids = [other.assignment.id for other in desk.beside(row)]
    place = ids.index(assignment.id)
    asks = desk.campaign.settings.asks_model and assignment.purpose != "practice"
    read = shown_assignment(store, assignment, desk.rubric)
    return {
        **_common(rater, language, local),
        **_of_campaign(desk),
        "view": "item",
        "item": assignment.id,
        "purpose": "practice" if assignment.purpose == "practice" else "rate",
        "place": place + 1,
        "count": len(ids),
        "previous": ids[place - 1] if place else None,
        "next": ids[place + 1] if place + 1 < len(ids) else None,
        "onward": desk.onward(assignment.id) if row in desk.rows else None,
        "left": _time_left(desk),
        "shown": read,
        "sheet": _sheet(sheet),
        "asks_model": asks,
        "models": _models(desk, assignment) if asks and sheet.submitted is not None else None,
        "feedback": _feedback(assignment, sheet, desk.rubric),
        "most_text": MOST_TEXT,
        "as_of": milliseconds(desk.as_of),
    }


def milliseconds(moment: datetime) -> int:
    """A moment of the server in milliseconds: tells a browser which of two states of a score is the newer one."""
    return int(moment.timestamp() * 1000)


def _common(rater: Account, language: Language, local: bool) -> Told:
    return {"rater": {"id": rater.id, "name": rater.name}, "language": language, "local": local}


def _of_campaign(desk: RaterWorkload) -> Told:
    """What list and item are told of their campaign. That a story is improvised is said of none: it tells the model."""
    fields = {"subject", "evidence", "scale", "guide", "dimensions", "metrics"}
    return {
        "campaign": desk.campaign.id,
        "status": desk.campaign.status,
        "improvised": desk.improvised,
        "rubric": desk.rubric.model_dump(mode="json", include=fields),
    }


def _row(row: Row, place: int, desk: RaterWorkload, headings: Mapping[str, Heading]) -> Told:
    """A line of the list. In a campaign it has a number alone, or attention checks and repeats could be told by it."""
    assignment = row.assignment
    known = desk.items.get(assignment.item)
    heading: Told = {"title": None, "work": None, "language": desk.language_of(assignment), "character": None}
    if desk.campaign.id == OPEN and known is not None:
        heading = {**headings[known.item]._asdict(), "character": known.character}
    return {
        **heading,
        "item": assignment.id,
        "place": place,
        "scored": len(row.sheet.scores),
        "state": row.state(desk.rubric),
    }


def _models(desk: RaterWorkload, assignment: Assignment) -> list[str]:
    """The models to guess from, in an order of its own for each item, so that none is favoured by where it stands."""
    order = chance(desk.campaign.settings.seed, "models to guess", assignment.id).permutation(len(desk.models))
    return [desk.models[number] for number in order]


def _sheet(sheet: Sheet) -> Told:
    return {
        "scores": dict(sheet.scores),
        "evidence": {metric: list(steps) for metric, steps in sheet.evidence.items()},
        "comment": sheet.comment or None,
        "unknown_work": sheet.unknown_work or None,
        "skipped": sheet.skipped,
        "submitted": sheet.submitted is not None,
        "guess": None if sheet.guess is None else {"model": sheet.guess.model},
    }


def _feedback(assignment: Assignment, sheet: Sheet, rubric: Rubric) -> Told | None:
    """After a practice item: the scores that were agreed on, and why."""
    if assignment.purpose != "practice" or sheet.submitted is None:
        return None
    lessons = feedback(practice_item(assignment, rubric), sheet.scores)
    metrics = [
        {
            "metric": lesson.metric,
            "gold": lesson.gold,
            "difference": lesson.difference,
            "reason": lesson.reason.model_dump(mode="json"),
        }
        for lesson in lessons
    ]
    exact = sum(lesson.difference == 0 for lesson in lessons)
    near = sum(lesson.close for lesson in lessons)
    return {"metrics": metrics, "exact": exact, "near": near, "all": len(lessons)}


def _training(training: Training | None) -> Told | None:
    if training is None:
        return None
    told = {"state": training.state, "attempt": training.attempt, "attempts": training.attempts}
    if (outcome := training.outcome) is None:
        return told
    misread = [*outcome.misread, *(metric for metric in outcome.unvaried if metric not in outcome.misread)]
    return {**told, "share": outcome.close, "threshold": outcome.threshold, "misread": misread}


def _time_left(desk: RaterWorkload) -> float | None:
    """Seconds that the rest will take at the rater's own pace; None as long as that is not known."""
    times: Mapping[str, ItemTime] = {
        row.assignment.id: ItemTime(row.sheet.reading / 1000, row.sheet.idle / 1000) for row in desk.work
    }
    finished = [row.assignment.id for row in desk.work if row.state(desk.rubric) == "done"]
    left = len(desk.work) - desk.done
    try:
        return left * pace(times, finished).median if left else None
    except UndefinedStatistic:
        return None


def _deadline(campaign: Campaign) -> str | None:
    deadline = campaign.settings.deadline
    return None if deadline is None else deadline.isoformat()
