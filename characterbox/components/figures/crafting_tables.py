"""Table 4 as HTML: how scenes score by crafter, extracted and generated side by side, and the paper's figures."""

from collections.abc import Collection, Mapping, Sequence

from annotations.published import TABLE_4, PublishedSceneScore
from annotations.rubric import load_rubric
from annotations.scene_crafting import CraftingScore
from annotations.wording import say, to_say, tongue
from characterbox.components.figures.cells import Notes, data, no_figure
from characterbox.components.figures.estimate_cells import mark
from characterbox.components.figures.words import counted, decimal

WAYS: Mapping[str, str] = {"extracted": to_say("extracted"), "generated": to_say("generated")}
NOT_PUBLISHED = to_say("The paper gives no creativity of extracted scenes")
_RUBRIC = load_rubric("scene")


def crafting_scores_table(cells: Sequence[CraftingScore], improvised: Collection[str]) -> str:
    """Our table; crafters in which no language model had a part of the work are marked."""
    found = {(one.crafter, one.metric, one.origin): one for one in cells}
    rows = []
    for crafter in dict.fromkeys(one.crafter for one in cells):
        told = "".join(_cell(found.get((crafter, metric, way))) for metric in _RUBRIC.keys for way in WAYS)
        sign = mark() if crafter in improvised else ""
        rows.append(f'<tr><th scope="row">{data(crafter)}{sign}</th>{told}</tr>')
    return _table(say("Scene crafting"), rows, Notes())


def papers_crafting_table() -> str:
    """The paper's table 4."""
    found: dict[tuple[str, str, str], PublishedSceneScore] = {
        (one.screenwriter, one.metric, one.origin): one for one in TABLE_4
    }
    rows, notes = [], Notes()
    for writer in dict.fromkeys(one.screenwriter for one in TABLE_4):
        told = ""
        for metric in _RUBRIC.keys:
            for way in WAYS:
                one = found.get((writer, metric, way))
                mean = (
                    no_figure(say(NOT_PUBLISHED), notes) if one is None else f"{decimal(one.mean)} ±{decimal(one.sd)}"
                )
                told += f"<td>{mean}</td>"
        rows.append(f'<tr><th scope="row">{data(writer)}</th>{told}</tr>')
    return _table(say("The paper, table 4"), rows, notes)


def _cell(one: CraftingScore | None) -> str:
    if one is None:
        return f'<td class="cb-quiet-cell">{say("no score")}</td>'
    sd = "" if one.sd is None else f' <span class="cb-sd">±{decimal(one.sd)}</span>'
    between = "" if one.low is None or one.high is None else f"[{decimal(one.low)}, {decimal(one.high)}]"
    limits = between or say("no interval")
    return (
        f'<td><span class="cb-mean">{decimal(one.mean)}</span>{sd}<span class="cb-interval">{limits}</span>'
        f'<span class="cb-n">{data(counted(one.scenes, "scene"))}</span></td>'
    )


def _table(caption: str, rows: Sequence[str], notes: Notes) -> str:
    metrics = "".join(
        f'<th scope="colgroup" colspan="{len(WAYS)}" class="cb-dimension">'
        f"<span>{data(_RUBRIC.metric(key).name.text(tongue()))}</span></th>"
        for key in _RUBRIC.keys
    )
    ways = "".join(
        f'<th scope="col" class="cb-unbroken">{data(say(way))}</th>' for _ in _RUBRIC.keys for way in WAYS.values()
    )
    return (
        f'<div class="cb-figures cb-board"><div class="cb-scroll" tabindex="0" role="region"'
        f' aria-label="{data(caption)}"><table><thead><tr><td></td>{metrics}</tr><tr><td></td>{ways}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{notes.as_html()}</div>"
    )
