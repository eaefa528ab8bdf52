"""The one Plotly template of the house, in light and dark, made of the tokens of `.streamlit/config.toml`."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go
import streamlit as st

SANS = '"Source Sans", system-ui, "PingFang SC", "Noto Sans CJK SC", "Microsoft YaHei", sans-serif'
ThemeKind = Literal["light", "dark"]
Ends = tuple[float, float, float]
"""The lower end of an interval, the estimate, and the upper end."""


@dataclass(frozen=True)
class Tokens:
    """The colours that a figure is made of, as `#rrggbb`."""

    ink: str
    paper: str
    accent: str
    rule: str

    @property
    def point(self) -> str:
        """The accent of points that lie on each other, so thin that many show as more; quicker to draw than opacity."""
        red, green, blue = bytes.fromhex(self.accent[1:])
        return f"rgba({red}, {green}, {blue}, 0.4)"

    @property
    def quiet(self) -> str:
        """The ink of what stands beside our own figures: two thirds of the way from paper to ink."""
        return _mixed(self.paper, self.ink, 2 / 3)


def in_chart(text: str) -> str:
    """A text as plain text in a chart: its markup is escaped, but no quotes, as Plotly decodes no entities of them."""
    return html.escape(text, quote=False)


def shown_tokens() -> Tokens:
    """The tokens of the theme that the page has now."""
    return tokens(st.context.theme.type or "light")


def tokens(kind: ThemeKind) -> Tokens:
    """The tokens of the light or the dark theme, as the running app has them. Raises LookupError if one is not set."""
    names = {"ink": "textColor", "paper": "backgroundColor", "accent": "primaryColor", "rule": "borderColor"}
    found = {field: st.get_option(f"theme.{kind}.{name}") for field, name in names.items()}
    if missing := [f"theme.{kind}.{names[field]}" for field, value in found.items() if value is None]:
        raise LookupError(f".streamlit/config.toml: {', '.join(missing)} is not set; the figures are drawn in it")
    return Tokens(**found)


def template(tokens: Tokens) -> go.layout.Template:
    """What all charts share: paper and ink, thin rules, no frame, no legend, tabular figures."""
    axis: dict[str, Any] = {
        "gridcolor": tokens.rule,
        "zerolinecolor": tokens.rule,
        "linecolor": tokens.rule,
        "ticks": "",
        "tickfont": {"color": tokens.quiet, "size": 13},
        "title": {"font": {"color": tokens.quiet, "size": 13}, "standoff": 12},
        "fixedrange": True,
        "zeroline": False,
    }
    return go.layout.Template(
        layout={
            "font": {"family": SANS, "color": tokens.ink, "size": 13},
            "paper_bgcolor": tokens.paper,  # a saved picture has the paper, too
            "plot_bgcolor": tokens.paper,
            "xaxis": axis,
            "yaxis": axis,
            "showlegend": False,
            "hoverlabel": {
                "bgcolor": tokens.paper,
                "bordercolor": tokens.rule,
                "font": {"family": SANS, "color": tokens.ink, "size": 13},
                "align": "left",
            },
            "title": _title(tokens),
            "dragmode": False,
            "modebar": {"bgcolor": "rgba(0, 0, 0, 0)", "color": tokens.quiet, "activecolor": tokens.accent},
        }
    )


def rows_layout(names: Sequence[str], row: int, xaxis: Mapping[str, Any], note: str, tokens: Tokens) -> go.Layout:
    """A chart with a row for each name (HTML), the first on top, `row` pixels high, below a note where there is one."""
    top = 40 if note else 12
    return go.Layout(
        template=template(tokens),
        height=row * len(names) + 60 + top,
        margin={"l": 8, "r": 8, "t": top, "b": 52},
        title={"text": note, "font": {"size": 13, "color": tokens.quiet}},
        xaxis=xaxis,
        yaxis={
            "range": [len(names) - 0.4, -0.6],
            "tickvals": [*range(len(names))],
            "ticktext": [*names],
            "tickfont": {"color": tokens.ink},
            "showgrid": False,
            "automargin": True,
        },
    )


def interval_points(name: str, found: Mapping[int, Ends] | Mapping[float, Ends], tokens: Tokens) -> go.Scatter:
    """By row a point between the lower and the upper end of its interval."""
    return go.Scatter(
        name=name,
        x=[point for _, point, _ in found.values()],
        y=[*found],
        mode="markers",
        marker={"color": tokens.accent, "size": 9},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - point for _, point, high in found.values()],
            "arrayminus": [point - low for low, point, _ in found.values()],
            "color": tokens.accent,
            "thickness": 2,
            "width": 0,
        },
        hoverinfo="skip",
    )


_SIDE = 0.4
"""The share of an axis at either end where the figures of a point do not stand over its middle."""


def side_of(place: float) -> Literal["left", "center", "right"]:
    """By which side the figures of a point are placed that lies at this share of its axis: near an end they stand on
    the side of it that has room, on a telephone, too."""
    return "left" if place < _SIDE else "right" if place > 1 - _SIDE else "center"


def published_points(found: Mapping[int, float] | Mapping[float, float], tokens: Tokens) -> go.Scatter:
    """The paper's figures by row, as open diamonds; it gives no intervals."""
    marker = {"color": tokens.quiet, "size": 8, "symbol": "diamond-open"}
    x, y = [*found.values()], [*found]
    return go.Scatter(name="paper", x=x, y=y, mode="markers", marker=marker, hoverinfo="skip")


def _title(tokens: Tokens) -> dict[str, Any]:
    """On the left above the chart, with a quiet subtitle."""
    return {
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "pad": {"t": 6},
        "font": {"size": 14, "color": tokens.ink},
        "subtitle": {"font": {"size": 13, "color": tokens.quiet}},
    }


def _mixed(low: str, high: str, share: float) -> str:
    pairs = zip(bytes.fromhex(low[1:]), bytes.fromhex(high[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)
