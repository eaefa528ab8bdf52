"""Table 4: how scenes score by crafter, extracted and generated side by side, and the paper's figures."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

from annotations.published import TABLE_4, PublishedSceneScore
from annotations.rubric import load_rubric
from annotations.scene_crafting import CraftingScore
from annotations.table import Cell, Column, Content, Group, Part, Row, Table, labelled
from annotations.undefined import Undefined
from annotations.wording import say, to_say, tongue
from characterbox.components.figures.words import counted, decimal

WAYS: Mapping[str, str] = {"extracted": to_say("extracted"), "generated": to_say("generated")}
NOT_PUBLISHED = to_say("The paper gives no creativity of extracted scenes")
_RUBRIC = load_rubric("scene")
Score = TypeVar("Score")


def crafting_scores_table(cells: Iterable[CraftingScore], improvised: Collection[str]) -> Table:
    """Our table; crafters in which no language model had a part of the work are marked."""
    found = {(one.crafter, one.metric, one.origin): one for one in cells}
    crafters = dict.fromkeys(crafter for crafter, _, _ in found)
    rows = [_row(crafter, found, _cell, improvised=crafter in improvised) for crafter in crafters]
    return _table(say("Scene crafting"), rows)


def papers_crafting_table() -> Table:
    """The paper's table 4."""
    found = {(one.screenwriter, one.metric, str(one.origin)): one for one in TABLE_4}
    writers = dict.fromkeys(one.screenwriter for one in TABLE_4)
    return _table(say("The paper, table 4"), [_row(writer, found, _published) for writer in writers])


def _row(
    crafter: str,
    found: Mapping[tuple[str, str, str], Score],
    cell: Callable[[Score | None], Content],
    *,
    improvised: bool = False,
) -> Row:
    cells = [cell(found.get((crafter, metric, way))) for metric in _RUBRIC.keys for way in WAYS]
    return Row(labelled(crafter, improvised), cells)


def _cell(one: CraftingScore | None) -> Content:
    if one is None:
        return Cell((say("no score"),), "quiet")
    between = "" if one.low is None or one.high is None else f"[{decimal(one.low)}, {decimal(one.high)}]"
    return Cell(
        (
            Part(decimal(one.mean), "mean"),
            "" if one.sd is None else Part(f"±{decimal(one.sd)}", "deviation"),
            Part(between or say("no interval"), "interval"),
            Part(counted(one.scenes, "scene"), "counted"),
        )
    )


def _published(one: PublishedSceneScore | None) -> Content:
    if one is None:
        return Undefined(say(NOT_PUBLISHED))
    return Cell((decimal(one.mean), Part(f"±{decimal(one.sd)}", "deviation")))


def _table(title: str, rows: list[Row]) -> Table:
    columns = [
        Column(say(way), _RUBRIC.metric(key).name.text(tongue()), kind="unbroken")
        for key in _RUBRIC.keys
        for way in WAYS.values()
    ]
    return Table(title, columns, [Group(rows)], look="board")
