"""What the rehearsal can say in a language: frames with `$variables`, and the things it knows by name."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from characterbox.prompts import fill
from characterbox.values import Language, Value

Frames = tuple[str, ...]
_WORD = re.compile(r"\w+")


class Props(Value):
    """Things that a scene may name."""

    solid: Frames
    """Can be touched and leaned on."""
    landmark: Frames
    """Can be stood by."""
    small: Frames
    """Can be held."""


class Critique(Value):
    """How a critique is put together."""

    opening: Frames
    quoted: str
    plain: str


class Metric(Value):
    """What can be said of a metric."""

    name: str
    strong: str
    mixed: str
    weak: str


class Grammar(Value):
    """All that the rehearsal can say in one language."""

    now: str
    here: str
    plain: str
    """A description for an environment that the prompt does not describe."""
    someone: str
    space: str
    """What stands between two sentences."""
    stop: str
    """What ends a sentence."""
    articles: Frames
    prepositions: Frames
    """Words by which a location that cannot stand after "in" is known."""
    unknown: str
    the: str
    one_of: str
    state: str
    acts: Frames
    lines: Frames
    reactions: Frames
    stock_acts: Frames
    """What fits any scene, also as a reaction."""
    stock_lines: Frames
    effects: Frames
    effects_nobody: Frames
    results: Frames
    positions: Frames
    positions_alone: Frames
    moods: Frames
    bodies: Frames
    drifts: Frames
    """What may change in an environment; at most one of them stands in a description."""
    belief: Frames
    desire: Frames
    intention: Frames
    others: Frames
    scene: Frames
    bearing: Frames
    critique: Critique
    metrics: dict[str, Metric]
    props: Props

    def things(self, text: str) -> "Things":
        """The things that the text names, as they stand in a sentence."""
        return Things(
            solid=self._named(text, self.props.solid),
            landmark=self._named(text, self.props.landmark),
            small=self._named(text, self.props.small),
        )

    def _named(self, text: str, props: Frames) -> Frames:
        lower = text.lower()
        told = frozenset(_WORD.findall(lower))
        forms = _forms(props, self.the, self.one_of)
        found = (thing for form, thing in forms.items() if (form in told if form.isascii() else form in lower))
        return tuple(dict.fromkeys(found))


@cache
def _forms(props: Frames, the: str, one_of: str) -> dict[str, str]:
    """The words that name a thing, and how the thing then stands in a sentence; a plural is one of several."""
    forms: dict[str, str] = {}
    for word in props:
        forms[word] = fill(the, thing=word)
        if word.isascii():
            forms |= {plural: fill(one_of, thing=plural) for plural in (f"{word}s", f"{word}es")}
    return forms


@dataclass(frozen=True)
class Things:
    """The things that a text names."""

    solid: Frames
    landmark: Frames
    small: Frames

    @cached_property
    def fixed(self) -> Frames:
        """Everything that can be stood by."""
        return self.solid + self.landmark


@cache
def grammar(language: Language) -> Grammar:
    """The grammar of a language."""
    source = files(__package__).joinpath(f"grammar_{language}.toml").read_text(encoding="utf-8")
    return Grammar.model_validate(tomllib.loads(source))
