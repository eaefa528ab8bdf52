"""What the rehearsal can say in a language: frames with `$variables`, and the things it knows by name."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files

from characterbox.prompts import fill
from characterbox.values import Language, Value

Frames = tuple[str, ...]


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
        found: dict[str, None] = {}
        for word in props:
            if word.isascii():
                for match in re.finditer(rf"\b{word}(e?s)?\b", text, re.IGNORECASE):
                    found[fill(self.one_of if match[1] else self.the, thing=match[0].lower())] = None
            elif word in text:
                found[fill(self.the, thing=word)] = None
        return tuple(found)


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
