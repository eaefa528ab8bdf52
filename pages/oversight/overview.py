"""What is seen of a campaign at first: how far each expert is, and on what the experts disagree most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from annotations.errors import Undefined
from annotations.i18n.translation import say, say_count, tongue
from annotations.marking.disagreement import Disagreement
from annotations.marking.pace import behind
from annotations.rubrics.rubric import Scale
from characterbox.campaigns.oversight import Oversight
from characterbox.campaigns.pace import ends
from characterbox.campaigns.rater_statistics import RaterLine
from characterbox.components.figures.tables.html import data
from characterbox.store.campaigns.campaign import Campaign
from pages.oversight.links import kept, place_of
from pages.oversight.text import day, item_address, points, training
from pages.shared.examples import example_html

EXPERTS = 10
"""Experts that are shown, those with most left first: all of them are in the table below."""
CELLS = 5
"""Metrics of items that are shown, the most disputed first."""


@dataclass(frozen=True)
class Viewer:
    """Who looks, and when."""

    now: datetime
    zone: ZoneInfo
    names: Mapping[str, str]
    """What the experts are called, by id."""


def disputed(known: Oversight) -> Sequence[Disagreement]:
    """What is shown of the disagreements."""
    return () if isinstance(known.disputes, Undefined) else known.disputes.cells[:CELLS]


def overview(known: Oversight, campaign: Campaign, viewer: Viewer, titles: Mapping[str, str]) -> str:
    """Both, side by side where there is room (HTML); `titles` are those of the items that are disputed."""
    return (
        '<div class="ov ov-first">'
        f"<section>{_progress(known, campaign, viewer)}</section>"
        f"<section>{_disagreement(known, campaign, viewer, titles)}</section></div>"
    )


def _progress(known: Oversight, campaign: Campaign, viewer: Viewer) -> str:
    board = known.board
    title = say("{done:,} of {total:,} ratings are done", done=board.all.done, total=board.all.total)
    full = sum(line.count.total > 0 and line.count.done == line.count.total for line in board.items)
    told = [
        say_count(
            "{full:,} of {count:,} item has all its ratings",
            "{full:,} of {count:,} items have all their ratings",
            len(board.items),
            full=full,
        )
    ]
    if none := sum(line.count.total > 0 and not line.count.done for line in board.items):
        told.append(say_count("{count:,} has none yet", "{count:,} have none yet", none))
    days = ends(board, viewer.now, viewer.zone) if campaign.status == "running" else {}
    lines = sorted(board.raters, key=lambda line: (-line.count.left, viewer.names.get(line.rater, line.rater)))
    rows = "".join(_expert(line, campaign, viewer, days.get(line.rater)) for line in lines[:EXPERTS])
    if more := len(lines[EXPERTS:]):
        told.append(say_count("{count:,} more expert below", "{count:,} more experts below", more))
    about = data(say("; ").join(told))
    return f'<h2>{data(title)}</h2><ul class="ov-experts">{rows}</ul><p class="ov-said ov-quiet">{about}</p>'


def _expert(line: RaterLine, campaign: Campaign, viewer: Viewer, end: date | Undefined | None) -> str:
    count, whole = line.count, line.count.total or 1
    done, begun = (f"width: {100 * part / whole:.0f}%" for part in (count.done, count.skipped + count.begun))
    state = [] if line.training is None else [training(line.training)[0]]
    late = ""
    if not count.left:
        state.append(say("finished"))
    elif isinstance(end, date):
        deadline = campaign.settings.deadline
        if deadline is not None and behind(end, viewer.now, deadline, viewer.zone):
            late = ' class="ov-late"'
            state.append(say("done by {day} at this pace, after the deadline", day=day(end)))
        else:
            state.append(say("done by {day} at this pace", day=day(end)))
    elif not count.done and not count.begun:
        state.append(say("not started"))
    told = say("{done:,} of {total:,}", done=count.done, total=count.total)
    name = viewer.names.get(line.rater, line.rater)
    return (
        f"<li><b>{data(name)}</b>"
        f'<span class="ov-track" aria-hidden="true"><i style="{done}"></i>'
        f'<i class="ov-begun" style="{begun}"></i></span>'
        f"<span>{told}</span><small{late}>{data(say('; ').join(state))}</small></li>"
    )


def _disagreement(known: Oversight, campaign: Campaign, viewer: Viewer, titles: Mapping[str, str]) -> str:
    cells = disputed(known)
    if not cells:
        return _nothing_disputed(known)
    first, scale = cells[0], known.rubric.scale
    title = (
        say(
            "Largest disagreement: {metric} of {item}, {low} to {high}",
            metric=_metric(known, first),
            item=titles[first.item],
            low=points(first.scores[0][1]),
            high=points(first.scores[-1][1]),
        )
        if first.range
        else say("Experts agree wherever two or more of them scored the same item")
    )
    rows = "".join(_cell(known, campaign, viewer, titles, cell) for cell in cells)
    more = item_address({**kept(), "campaign": campaign.id, "oversight": "Disagreements"})
    about = data(say("Each point is an expert's score; a larger point means that several experts gave the same score."))
    every = data(say("All disagreements"))
    ends = f"<span>{points(scale.low)}</span><span>{points(scale.high)}</span>"
    return (
        f'<h2>{data(title)}</h2><p class="ov-scale" aria-hidden="true">{ends}</p><ul class="ov-cells">{rows}</ul>'
        f'<p class="ov-said ov-quiet">{about}'
        f' <a href="{more}" target="_self">{every}</a></p>'
    )


def _cell(known: Oversight, campaign: Campaign, viewer: Viewer, titles: Mapping[str, str], cell: Disagreement) -> str:
    where = item_address(place_of(campaign.id, cell.item, cell.metric))
    told = say(", ").join(f"{viewer.names.get(rater, rater)} {points(score)}" for rater, score in cell.scores)
    return (
        f'<li><a href="{where}" target="_self">{data(_metric(known, cell))}<small>{data(titles[cell.item])}</small></a>'
        f'<span class="ov-strip" role="img" aria-label="{data(told)}" title="{data(told)}">'
        f"{_dots([score for _, score in cell.scores], known.rubric.scale)}</span></li>"
    )


def _dots(scores: Sequence[float], scale: Scale) -> str:
    """A point for each score, larger where several experts gave it, and a line from the lowest to the highest."""
    at = {score: 100 * (score - scale.low) / (scale.high - scale.low) for score in scores}
    low, high = min(at.values()), max(at.values())
    counts = Counter(scores)
    dots = "".join(
        f'<i style="left: {place:.1f}%{"; scale: 1.5" if counts[score] > 1 else ""}"></i>'
        for score, place in at.items()
    )
    return f'<s style="left: {low:.1f}%; width: {high - low:.1f}%"></s>{dots}'


def _metric(known: Oversight, cell: Disagreement) -> str:
    return known.rubric.metric(cell.metric).name.text(tongue())


def _nothing_disputed(known: Oversight) -> str:
    told = say("Disagreements appear here once two experts have scored the same item.")
    metric, scale = known.rubric.metrics[0].name.text(tongue()), known.rubric.scale
    scores = (scale.low, scale.high)
    heard = say("{name}: {what}", name=metric, what=say(" and ").join(map(points, scores)))
    strip = f'<li><span>{data(metric)}</span><span class="ov-strip">{_dots(scores, scale)}</span></li>'
    return (
        f"<h2>{data(say('Disagreements'))}</h2>{example_html(heard, f'<ul>{strip}</ul>')}"
        f'<p class="ov-said ov-quiet">{data(told)}</p>'
    )
