"""What the scenes that are found consist of."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from html import escape

import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from annotations.i18n.translation import say, say_count
from characterbox.components.figures.background.process import Cache
from characterbox.components.figures.background.source import awaited
from characterbox.components.figures.charts.theme import Tokens, shown_tokens, template
from characterbox.components.mounts import show_linked
from characterbox.scenes.census import Census, Gap, Lack, Pair, Spread, census
from characterbox.scenes.search import Heading
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES
from pages.scenes.list import chosen_scenes, keep_place, scenes_of
from pages.scenes.text import FIELDS, ORIGINS, scene_link, to_scenes
from pages.shared.text import quiet

ROW = 150
"""Pixels of the bars of one origin."""
ROOM = 1.25
"""How much higher the axis is than the highest bar, for the number above it."""
AROUND = 64
"""Pixels for the axis."""


def cast_sizes(found: Census) -> None:
    """The distribution of the number of characters, by origin, in shares, with the number of scenes at each bar."""
    st.subheader(say("Characters per scene"), anchor=False)
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
        alt=say("Scenes by number of characters. {counts}", counts=told),
        key="cast-sizes",
    )
    quiet(
        say(
            "Number above each bar: scenes with that many characters. Vertical axis: share of all scenes of"
            " that origin."
        )
    )


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


MOST_WORKS = 12
"""Works that are listed, those with the most scenes."""
MOST_LINKS = 30
"""Scenes that are listed of one kind."""
LACKS: Mapping[Lack, Callable[[int], str]] = {
    "name": lambda count: say_count(
        "{count:,} scene with a placeholder name", "{count:,} scenes with a placeholder name", count
    ),
    "description": lambda count: say_count(
        "{count:,} scene with a very short description", "{count:,} scenes with a very short description", count
    ),
    "state": lambda count: say_count(
        "{count:,} scene with an undescribed state",
        "{count:,} scenes with an undescribed state",
        count,
    ),
    "plot": lambda count: say_count(
        "{count:,} scene with an empty “Source continuation”",
        "{count:,} scenes with an empty “Source continuation”",
        count,
    ),
    "gender": lambda count: say_count(
        "{count:,} scene with an empty “Gender”", "{count:,} scenes with an empty “Gender”", count
    ),
    "knowledge": lambda count: say_count(
        "{count:,} scene with an empty “Knows”",
        "{count:,} scenes with an empty “Knows”",
        count,
    ),
    "public_face": lambda count: say_count(
        "{count:,} scene with an empty “Appearance”",
        "{count:,} scenes with an empty “Appearance”",
        count,
    ),
}
"""What scenes may lack, the gravest first; to be told of so many scenes."""
Headings = Mapping[str, Heading]


def counts_html(found: Census) -> str:
    """How many scenes there are of each language, origin and work."""
    works = sorted(found.works.items(), key=lambda one: (-one[1], one[0]))
    more = works[MOST_WORKS:]
    rest = [(say("{count:,} other works", count=len(more)), sum(count for _, count in more))] if more else []
    parts = (
        (say("Language"), [(say(LANGUAGES[name]), count) for name, count in found.languages.items()]),
        (say("Origin"), [(say(ORIGINS[name]), count) for name, count in found.origins.items()]),
        (say("Work"), [*works[:MOST_WORKS], *rest]),
    )
    return "".join(_counts(name, rows) for name, rows in parts)


def lengths_html(found: Census) -> str:
    """How long the texts of each field are, language by language."""
    heads = (say("Field"), say("Texts"), say("Shortest"), say("Median"), say("Longest"))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    bodies = "".join(
        f'<tbody><tr><th scope="rowgroup" colspan="5">{escape(say(LANGUAGES[language]))}</th></tr>'
        f"{''.join(_length(field, spread) for field, spread in fields.items())}</tbody>"
        for language, fields in found.lengths.items()
    )
    told = escape(say("Lengths in characters"))
    return f'<table class="cb-census"><caption>{told}</caption><thead><tr>{head}</tr></thead>{bodies}</table>'


def identical_html(groups: Sequence[Sequence[str]], headings: Headings) -> str:
    """The scenes that are the same but for case, punctuation and blanks."""
    if not groups:
        return ""
    told = say_count("{count:,} scene occurs more than once", "{count:,} scenes occur more than once", len(groups))
    return _listed(told, (" = ".join(scene_link(headings[place]) for place in group) for group in groups), len(groups))


def alike_html(pairs: Sequence[Pair], headings: Headings) -> str:
    """The scenes that have much of their wording in common."""
    if not pairs:
        return ""
    told = say_count("{count:,} pair of similar scenes", "{count:,} pairs of similar scenes", len(pairs))
    lines = (f"{one.share:.0%}: {scene_link(headings[one.one])} ≈ {scene_link(headings[one.other])}" for one in pairs)
    return _listed(told, lines, len(pairs))


def gaps_html(gaps: Sequence[Gap], headings: Headings) -> str:
    """The scenes that lack something, by what they lack."""
    by_lack: dict[Lack, dict[str, None]] = defaultdict(dict)
    for gap in gaps:
        by_lack[gap.lack][gap.scene] = None
    links = {lack: [scene_link(headings[place]) for place in places] for lack, places in by_lack.items()}
    return "".join(
        _listed(told(len(links[lack])), links[lack], len(links[lack])) for lack, told in LACKS.items() if lack in links
    )


def _counts(name: str, rows: Iterable[tuple[str, int]]) -> str:
    body = "".join(f'<tr><th scope="row">{escape(told)}</th><td>{count:,}</td></tr>' for told, count in rows)
    return f'<table class="cb-census"><caption>{escape(name)}</caption><tbody>{body}</tbody></table>'


def _length(field: str, spread: Spread) -> str:
    cells = (f"{spread.texts:,}", f"{spread.least:,}", f"{spread.median:,.0f}", f"{spread.most:,}")
    values = "".join(f"<td>{value}</td>" for value in cells)
    return f'<tr><th scope="row">{escape(_field(field))}</th>{values}</tr>'


def _field(field: str) -> str:
    """The field in words; those of a character are told apart from those of the scene."""
    part, _, name = field.rpartition(".")
    if part == "cast":
        field = "account" if name == "description" else name
        called = say(FIELDS[field])
        return say("Cast: {name}", name=called)
    return say(FIELDS[name])


def _listed(told: str, lines: Iterable[str], count: int) -> str:
    """The first lines, which are HTML, folded away under what they are."""
    shown = "".join(f"<li>{line}</li>" for line, _ in zip(lines, range(MOST_LINKS), strict=False))
    more = f"<li>{escape(say('and {count:,} more', count=count - MOST_LINKS))}</li>" if count > MOST_LINKS else ""
    return (
        f'<details class="cb-found"><summary>{escape(told)}</summary><ul class="cb-report">{shown}{more}</ul></details>'
    )


KEPT = 16
"""Sets of which the census is kept."""
Key = frozenset[tuple[str, int | None]]
"""The places and versions of a set of scenes: a version never changes, nor does a bundled scene."""


def inspect_scenes(stage: Stage) -> None:
    """The census of the scenes that are found, with links to what one should look at."""
    st.title(say("Statistics"))
    chosen = chosen_scenes(stage)
    keep_place()
    quiet(say_count("{count:,} scene", "{count:,} scenes", len(chosen)) if chosen else say("No matching scenes."))
    if chosen:
        found = census_of(stage, chosen)
        headings = {one.place: one for one in chosen}
        left, right = st.columns(2, gap="large")
        with left:
            st.html(counts_html(found))
        with right:
            cast_sizes(found)
        st.subheader(say("Duplicates"), anchor=False)
        if found.identical or found.alike:
            show_linked(identical_html(found.identical, headings) + alike_html(found.alike, headings), key="duplicates")
        else:
            quiet(say("No duplicates found."))
        st.subheader(say("Missing or too short"), anchor=False)
        if found.gaps:
            show_linked(gaps_html(found.gaps, headings), key="gaps")
        else:
            quiet(say("Nothing is missing, and no description is too short."))
        st.subheader(say("Text lengths"), anchor=False)
        st.html(lengths_html(found))
    to_scenes()


def census_of(stage: Stage, headings: Sequence[Heading]) -> Census:
    """The census of the scenes under these headings, named by their places; it is worked out once for each set."""
    key = frozenset((one.place, one.version) for one in headings)
    if (known := _known().find(key)) is not None:
        return known
    return awaited(
        _thread().submit(_counted, stage, headings, key), say("Reading the scenes and comparing their texts")
    )


def _counted(stage: Stage, headings: Sequence[Heading], key: Key) -> Census:
    """The census, kept here: who asked for it may have left the page meanwhile, or asked twice."""
    if (known := _known().find(key)) is not None:
        return known
    scenes = scenes_of(stage, headings)
    # Ids are not enough: an imported scene may have the id of another one.
    found = census([scenes[one.place].model_copy(update={"id": one.place}) for one in headings if one.place in scenes])
    _known().keep(key, found)
    return found


@cache
def _known() -> Cache[Key, Census]:
    return Cache(KEPT)


@cache
def _thread() -> ThreadPoolExecutor:
    """One at a time: it takes seconds for thousands of scenes, and readers wait less if it is not done side by side."""
    return ThreadPoolExecutor(1, "census")
