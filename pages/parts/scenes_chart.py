"""How many characters scenes have, extracted ones and generated ones apart (paper, figure 4), as a chart."""

from collections.abc import Mapping

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from annotations.wording import say
from characterbox.components.figures.theme import Tokens, shown_tokens, template
from characterbox.scenes.census import Census
from pages.parts.look import quiet
from pages.parts.scenes_words import ORIGINS

ROW = 150
"""Pixels of the bars of one origin."""
ROOM = 1.25
"""How much higher the axis is than the highest bar, for the number above it."""
AROUND = 64
"""Pixels for the axis."""


def cast_sizes(found: Census) -> None:
    """The distribution of the number of characters, by origin, in shares, with the number of scenes at each bar."""
    st.subheader(say("Characters in a scene"), anchor=False)
    in_order = sorted(found.casts.items(), key=lambda one: [*ORIGINS].index(one[0]))
    casts = {say(ORIGINS[origin]): sizes for origin, sizes in in_order}
    told = say("; ").join(
        say(
            "{origin}: {counts}", origin=origin, counts=", ".join(f"{size}: {count:,}" for size, count in sizes.items())
        )
        for origin, sizes in casts.items()
    )
    st.plotly_chart(
        cast_chart(casts, shown_tokens()),
        theme=None,
        config={"displayModeBar": False},
        alt=say("Scenes by their number of characters. {counts}", counts=told),
        key="cast-sizes",
    )
    quiet(say("At each bar: scenes with so many characters. The axis: their share of the scenes of that origin."))


def cast_chart(casts: Mapping[str, Mapping[int, int]], colours: Tokens) -> go.Figure:
    """One row of bars for each origin, all over the same axis; `casts` says how many scenes have so many characters."""
    least, most = min(min(sizes) for sizes in casts.values()), max(max(sizes) for sizes in casts.values())
    heads = [f"{origin} ({sum(sizes.values()):,})" for origin, sizes in casts.items()]
    space = 0.3 / len(casts)
    figure = make_subplots(
        rows=len(casts), shared_xaxes=True, shared_yaxes="all", subplot_titles=heads, vertical_spacing=space
    )
    for row, sizes in enumerate(casts.values(), start=1):
        scenes = sum(sizes.values())
        bars = go.Bar(
            x=[*sizes],
            y=[count / scenes for count in sizes.values()],
            text=[f"{count:,}" for count in sizes.values()],
            textposition="outside",
            cliponaxis=False,
            marker={"color": colours.accent},
            width=0.6,
            hoverinfo="skip",
        )
        figure.add_trace(bars, row=row, col=1)
    height = ROW * len(casts) + AROUND
    figure.update_layout(template=template(colours), height=height, margin={"t": 32, "l": 44, "r": 8, "b": 44})
    figure.update_annotations(x=0, xanchor="left", font={"size": 13, "color": colours.quiet})
    highest = max(max(sizes.values()) / sum(sizes.values()) for sizes in casts.values())
    figure.update_yaxes(tickformat=".0%", range=[0, highest * ROOM], nticks=4)
    figure.update_xaxes(dtick=1 if most - least < 20 else None, range=[least - 0.6, most + 0.6], showgrid=False)
    figure.update_xaxes(title_text=say("characters"), row=len(casts), col=1)
    return figure
