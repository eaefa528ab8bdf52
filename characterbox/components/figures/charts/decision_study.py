"""Curves of a decision study: the reliability that more scenes and more experts would bring."""

import math
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from annotations.design.planning import MOST_SCENES, Design, design_table
from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.i18n.messages import count_message
from annotations.i18n.translation import say
from annotations.reliability.variance_components import VarianceComponents
from characterbox.components.figures.charts.theme import Tokens, in_chart, template
from characterbox.components.figures.tables.text import counted, decimal, metric_name
from characterbox.judging.provenance import DEMO_NOTE

HEIGHT = 440
TOP, BOTTOM = 40, 52
PLOT = HEIGHT - TOP - BOTTOM
"""Pixels from generalizability 0 to 1."""
LABEL = 17
"""Pixels that a label takes in height."""
SUBTITLE = 22
"""Pixels of a line below the title."""
LIMITS = (10, 20, 50, 100, 200, 500, MOST_SCENES)
"""Numbers of scenes at which the curves may end."""
LOW = 0.12
"""Below this generalizability a curve would touch a label at the bottom."""
ROOM = 0.55
"""Share of the axis beyond which a label has room on its left, also on a telephone."""
STEPS = 60
"""Points of a curve at most."""

Curve = tuple[Design, ...]


def present_design(components: VarianceComponents) -> tuple[int, int]:
    """The design of the ratings that there are, as experts and scenes.

    Raises UndefinedStatistic, with the reason, where it is none of those that the curves are of: each expert scores one
    item of each model in each scene.
    """
    found = components
    if found.n != found.items * found.raters:
        raise UndefinedStatistic(
            "each item has {ratings} ratings on average, but there are {experts} in all, so the design is incomplete",
            ratings=decimal(found.n / found.items),
            experts=count_message("{count:,} expert", "{count:,} experts", found.raters),
        )
    if found.items != found.models * found.scenes:
        raise UndefinedStatistic(
            "there are {items} instead of one for each of {models} in each of {scenes}",
            items=count_message("{count:,} item", "{count:,} items", found.items),
            models=count_message("{count:,} model", "{count:,} models", found.models),
            scenes=count_message("{count:,} scene", "{count:,} scenes", found.scenes),
        )
    return found.raters, found.scenes


def design_curves(
    components: VarianceComponents, wished: float, experts: Sequence[int], tokens: Tokens, *, improvised: bool
) -> go.Figure:
    """A curve for each number of experts, to where the lowest reaches the wished generalizability.

    The present design is marked where it is one that the curves are of. `improvised` says whether the rehearsal gave a
    part of the ratings: then the chart has the mark. Raises UndefinedStatistic, with the reason, where the components
    hold no differences between models, or nothing can have the reliability `wished`.
    """
    if not 0 < wished < 1:
        raise UndefinedStatistic("the target reliability must lie between 0 and 1, not at {wished:g}", wished=wished)
    now = or_undefined(present_design, components)
    limit = _limit(components, wished, min(experts), now)
    scenes = sorted({round(number) for number in np.geomspace(1, limit, STEPS)})
    curves = [design_table(components, [number], scenes) for number in sorted(experts, reverse=True)]
    figure = go.Figure(layout=_layout(components, limit, tokens, improvised))
    for curve in curves:
        _draw_curve(figure, curve, tokens)
    _draw_wished(figure, wished, tokens)
    _label_ends(figure, curves, wished, tokens)
    if not isinstance(now, Undefined):
        (present,) = design_table(components, [now[0]], [now[1]])
        _draw_now(figure, present, curves, tokens)
    return figure


def _limit(components: VarianceComponents, wished: float, fewest: int, now: tuple[int, int] | Undefined) -> int:
    """How many scenes are shown: up to those that the fewest experts need, and to those there are now."""
    present = 1 if isinstance(now, Undefined) else now[1]
    reaching = [
        design.scenes for design in design_table(components, [fewest], LIMITS) if design.generalizability >= wished
    ]
    needed = reaching[0] if reaching else MOST_SCENES
    return next((limit for limit in LIMITS if limit >= max(needed, present)), present)


def _draw_curve(figure: go.Figure, curve: Curve, tokens: Tokens) -> None:
    figure.add_trace(
        go.Scatter(
            name=counted(curve[0].experts, "expert"),
            x=[design.scenes for design in curve],
            y=[design.generalizability for design in curve],
            mode="lines",
            line={"color": tokens.accent, "width": 2},
            customdata=[[_in_words(design)] for design in curve],
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    )


def _draw_wished(figure: go.Figure, wished: float, tokens: Tokens) -> None:
    figure.add_shape(
        type="line",
        name="wished",
        xref="paper",
        x0=0,
        x1=1,
        y0=wished,
        y1=wished,
        line={"color": tokens.ink, "width": 1.5, "dash": "dash"},
    )


def _label_ends(figure: go.Figure, curves: Sequence[Curve], wished: float, tokens: Tokens) -> None:
    """Beside the end of each line, moved apart where the ends are near each other."""
    ends = [(curve[-1].generalizability, counted(curve[-1].experts, "expert"), tokens.ink) for curve in curves]
    ends = sorted(
        [*ends, (wished, say("target {figure}", figure=decimal(wished)), tokens.quiet)], key=lambda end: -end[0]
    )
    wanted = [_pixels(height) for height, _, _ in ends]
    for (height, text, colour), at, place in zip(ends, wanted, _spread(wanted), strict=True):
        figure.add_annotation(
            xref="paper",
            x=1,
            y=height,
            ax=18,
            ay=place - at,
            xanchor="left",
            text=text,
            font={"color": colour},
            **_leader(tokens),
        )


def _draw_now(figure: go.Figure, present: Design, curves: Sequence[Curve], tokens: Tokens) -> None:
    """The present design as a mark, with its label off the curves."""
    figure.add_trace(
        go.Scatter(
            name="now",
            x=[present.scenes],
            y=[present.generalizability],
            mode="markers",
            cliponaxis=False,
            marker={"color": tokens.ink, "size": 10, "symbol": "diamond", "line": {"color": tokens.paper, "width": 1}},
            customdata=[[say("current: {design}", design=_in_words(present))]],
            hovertemplate="%{customdata[0]}<extra></extra>",
        )
    )
    on_its_left = present.scenes > curves[0][-1].scenes ** ROOM
    side = "right" if on_its_left else "left"
    height = _label_height(curves, present, on_its_left=on_its_left)
    figure.add_annotation(
        x=math.log10(present.scenes),
        y=present.generalizability,
        ax=0,
        ay=height - _pixels(present.generalizability),
        xanchor=side,
        align=side,
        text=say("current {figure}", figure=f"<b>{decimal(present.generalizability)}</b>") + f"<br>{_design(present)}",
        font={"color": tokens.ink},
        **_leader(tokens),
    )


def _label_height(curves: Sequence[Curve], present: Design, *, on_its_left: bool) -> float:
    """In pixels from the top: at the bottom, or at the top where curves are low beside the label."""
    first = present.scenes / curves[0][-1].scenes ** (ROOM if on_its_left else 0)
    there = [design.generalizability for curve in curves for design in curve if design.scenes >= first]
    return PLOT - LABEL * 1.2 if min([*there, present.generalizability]) > LOW else LABEL


def _spread(wanted: Sequence[float]) -> list[float]:
    """Heights from the top down (pixels), the next a label's height below the one before, and none below the plot."""
    placed: list[float] = []
    for height in wanted:
        placed.append(max(height, placed[-1] + LABEL) if placed else height)
    lowest = float(PLOT)
    for at in range(len(placed) - 1, -1, -1):
        placed[at] = min(placed[at], lowest)
        lowest = placed[at] - LABEL
    return placed


def _pixels(generalizability: float) -> float:
    """From the top of the plot."""
    return PLOT * (1 - generalizability)


def _leader(tokens: Tokens) -> dict[str, object]:
    return {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": tokens.quiet}


def _in_words(design: Design) -> str:
    return say("{design}: generalizability {figure}", design=_design(design), figure=decimal(design.generalizability))


def _design(design: Design) -> str:
    return say(
        "{experts} x {scenes}", experts=counted(design.experts, "expert"), scenes=counted(design.scenes, "scene")
    )


def _layout(components: VarianceComponents, limit: int, tokens: Tokens, improvised: bool) -> go.Layout:
    marked = (1, 2, 5, 10, 20, 50, 100) if limit <= 100 else (1, 5, 10, 50, 100, limit)
    scenes = [number for number in marked if number <= limit]
    more = SUBTITLE if improvised else 0
    return go.Layout(
        template=template(tokens),
        height=HEIGHT + more,
        margin={"l": 8, "r": 92, "t": TOP + more, "b": BOTTOM},
        title={
            "text": in_chart(
                say(
                    "{metric}, n = {ratings}",
                    metric=metric_name(components.metric),
                    ratings=counted(components.n, "rating"),
                )
            ),
            "subtitle": {"text": say(DEMO_NOTE) if improvised else ""},
        },
        xaxis={
            "type": "log",
            "range": [0, math.log10(limit)],
            "tickvals": scenes,
            "ticktext": [f"{number:,}" for number in scenes],
            "title": {"text": say("scenes")},
            "showgrid": False,
            "showline": True,
        },
        yaxis={
            "range": [0, 1],
            "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1],
            "tickformat": ".1f",
            "title": {"text": say("generalizability")},
            "automargin": True,
        },
    )
