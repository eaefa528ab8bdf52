"""How the census of scenes is set: tables of counts and lengths, and lists with links. All text of scenes is data."""

import html
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from annotations.wording import say, say_count
from characterbox.scenes.census import Census, Gap, Lack, Pair, Spread
from characterbox.scenes.finding import Heading
from characterbox.values import LANGUAGES
from pages.parts.scenes_ways import address_of_scene
from pages.parts.scenes_words import FIELDS, ORIGINS

MOST_WORKS = 12
"""Works that are listed, those with the most scenes."""
MOST_LINKS = 30
"""Scenes that are listed of one kind."""
LACKS: Mapping[Lack, Callable[[int], str]] = {
    "name": lambda count: say_count(
        "{count:,} scene with a placeholder for a name", "{count:,} scenes with a placeholder for a name", count
    ),
    "description": lambda count: say_count(
        "{count:,} scene with a very short description", "{count:,} scenes with a very short description", count
    ),
    "state": lambda count: say_count(
        "{count:,} scene with a state that is not described",
        "{count:,} scenes with a state that is not described",
        count,
    ),
    "plot": lambda count: say_count(
        "{count:,} scene that does not say how its source goes on",
        "{count:,} scenes that do not say how their source goes on",
        count,
    ),
    "gender": lambda count: say_count(
        "{count:,} scene in which a gender is left open", "{count:,} scenes in which a gender is left open", count
    ),
    "knowledge": lambda count: say_count(
        "{count:,} scene in which somebody has no notes of what they know",
        "{count:,} scenes in which somebody has no notes of what they know",
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
    head = "".join(f'<th scope="col">{_data(name)}</th>' for name in heads)
    bodies = "".join(
        f'<tbody><tr><th scope="rowgroup" colspan="5">{_data(say(LANGUAGES[language]))}</th></tr>'
        f"{''.join(_length(field, spread) for field, spread in fields.items())}</tbody>"
        for language, fields in found.lengths.items()
    )
    told = _data(say("Lengths in characters"))
    return f'<table class="cb-census"><caption>{told}</caption><thead><tr>{head}</tr></thead>{bodies}</table>'


def identical_html(groups: Sequence[Sequence[str]], headings: Headings) -> str:
    """The scenes that are the same but for case, punctuation and blanks."""
    if not groups:
        return ""
    told = say_count(
        "{count:,} scene is there more than once", "{count:,} scenes are there more than once", len(groups)
    )
    return _listed(told, (" = ".join(_link(place, headings) for place in group) for group in groups), len(groups))


def alike_html(pairs: Sequence[Pair], headings: Headings) -> str:
    """The scenes that have much of their wording in common."""
    if not pairs:
        return ""
    told = say_count("{count:,} pair has much in common", "{count:,} pairs have much in common", len(pairs))
    lines = (f"{one.share:.0%}: {_link(one.one, headings)} ≈ {_link(one.other, headings)}" for one in pairs)
    return _listed(told, lines, len(pairs))


def gaps_html(gaps: Sequence[Gap], headings: Headings) -> str:
    """The scenes that lack something, by what they lack."""
    by_lack: dict[Lack, dict[str, None]] = defaultdict(dict)
    for gap in gaps:
        by_lack[gap.lack][gap.scene] = None
    lists = (
        (told, [_link(place, headings) for place in by_lack[lack]]) for lack, told in LACKS.items() if lack in by_lack
    )
    return "".join(_listed(told(len(links)), links, len(links)) for told, links in lists)


def _counts(name: str, rows: Iterable[tuple[str, int]]) -> str:
    body = "".join(f'<tr><th scope="row">{_data(told)}</th><td>{count:,}</td></tr>' for told, count in rows)
    return f'<table class="cb-census"><caption>{_data(name)}</caption><tbody>{body}</tbody></table>'


def _length(field: str, spread: Spread) -> str:
    cells = (f"{spread.texts:,}", f"{spread.least:,}", f"{spread.median:,.0f}", f"{spread.most:,}")
    values = "".join(f"<td>{value}</td>" for value in cells)
    return f'<tr><th scope="row">{_data(_field(field))}</th>{values}</tr>'


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
    more = f"<li>{_data(say('and {count:,} more', count=count - MOST_LINKS))}</li>" if count > MOST_LINKS else ""
    return (
        f'<details class="cb-found"><summary>{_data(told)}</summary><ul class="cb-report">{shown}{more}</ul></details>'
    )


def _link(place: str, headings: Headings) -> str:
    one = headings[place]
    return f'<a href="{_data(address_of_scene(place))}" lang="{one.language}">{_data(one.title)}</a>'


def _data(text: str) -> str:
    return html.escape(text)
