"""What the rehearsal can say in a language: frames with `$variables`, chosen and filled without repetition."""

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import TypeVar

from characterbox.llm.endpoint import REHEARSAL_MODELS
from characterbox.llm.rehearsal.brief import Brief, Shape
from characterbox.prompts import fill, variables
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


class Hindsight(Value):
    """What is said of a part by the one who played it, and what is added to it."""

    found: Frames
    """What is wrong with a reply."""
    gestures: Frames
    """Follow an act or a reaction."""
    spoken: Frames
    """Follow words that are spoken."""
    thoughts: Frames
    """Follow a belief."""
    fits: Frames
    """Why a rewriting fits the story."""
    unfit: Frames


class Interview(Value):
    """What is asked of a role that is none, and what it answers."""

    questions: Frames
    """$name $about"""
    topics: Frames
    """What a question can be about."""
    answers: Frames
    """$about"""
    high: Frames
    """Why the confidence in a question is high."""
    low: Frames


class Portrait(Value):
    """What is written of a role of which nothing is known."""

    answers: Frames
    """To questions about it: $name $work"""
    described: Frames
    """Of it, in the third person."""
    addressed: Frames
    """The same, told to it."""
    phrases: Frames
    """What it may be known to say."""
    levels: Frames
    """Why its way of speaking is as distinct as it is, from the least to the most."""
    added: str
    """What it has not said."""


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
    reflection: Hindsight
    interview: Interview
    portrait: Portrait
    props: Props

    def followed(self, text: str, sentence: str) -> str:
        """The text with a sentence behind it."""
        stem = text.rstrip()
        if stem and stem[-1] not in ".!?。！？…”\"'）)":
            stem += self.stop
        return f"{stem}{self.space}{sentence}".strip()

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


T = TypeVar("T")

MODELS: Mapping[str, int] = dict(zip(REHEARSAL_MODELS, (0, 55, 95), strict=True))
"""The models of the rehearsal, the best first, and how many in a hundred of a character's acts, words and reactions are
stock: each is worse than the one before, so that comparisons of models can be tried out.

Any other name stands for one that plays like the first.
"""
_LONGEST_PLACE = 40


class Chance:
    """Draws that depend on the key and the purpose alone: the same on every machine, with every version of Python."""

    def __init__(self, *key: str) -> None:
        self._key = hashlib.sha256("\0".join(key).encode("utf-8", "surrogatepass")).digest()

    def number(self, purpose: str, below: int) -> int:
        """A number from 0 up to, but not including, `below`."""
        digest = hashlib.sha256(self._key + purpose.encode()).digest()
        return int.from_bytes(digest[:8], "big") % below

    def pick(self, purpose: str, items: Sequence[T]) -> T:
        """One of the items. Raises ZeroDivisionError if there are none."""
        return items[self.number(purpose, len(items))]

    def shuffled(self, purpose: str, items: Sequence[T]) -> list[T]:
        """All items in an order of chance."""
        order = sorted(range(len(items)), key=lambda at: self.number(f"{purpose} {at}", 2**64))
        return [items[at] for at in order]


class Voice:
    """One improvised answer in the making."""

    def __init__(self, brief: Brief, chance: Chance, model: str) -> None:
        self.brief = brief
        self.chance = chance
        self.model = model
        self.grammar: Grammar = grammar(brief.language)

    @property
    def name(self) -> str:
        """The character that acts, or is updated."""
        return self.value("name")

    def value(self, key: str) -> str:
        """A variable of the task; a word for somebody where the prompt does not give it."""
        return self.brief.values.get(key, "").strip() or self.grammar.someone

    @cached_property
    def others(self) -> tuple[str, ...]:
        """The cast without the character that acts, or is updated."""
        return self.brief.others(self.brief.values.get("name") or self.brief.values.get("actor", ""))

    def addressed(self, names: Sequence[str] = ()) -> str:
        """The other that the turn under way names last, or else one by chance; empty when there is no other."""
        names = names or self.others
        text = self.brief.happening
        named = [name for name in names if name in text]
        if named:
            return max(named, key=text.rfind)
        return self.chance.pick("addressed", names) if names else ""

    @property
    def on_turn(self) -> str:
        """The other whose turn is under way, as it names that one first; else one by chance."""
        text = self.brief.happening
        named = [name for name in self.others if name in text]
        return min(named, key=text.find) if named else self.addressed()

    @cached_property
    def named(self) -> Things:
        """The things that the turn under way names."""
        return self.grammar.things(self.brief.happening)

    @cached_property
    def things(self) -> Things:
        """The things that the scene names."""
        brief = self.brief
        seen = (brief.environment["description"], brief.positions, brief.opening.get("description", ""))
        return self.grammar.things("\n".join(seen))

    def speak(self, purpose: str, frames: Frames, things: Things | None = None, **known: str) -> str:
        """A frame of which everything is known, filled in: one whose words were not told yet, if there is any."""
        values = self._scenery(purpose, things or self.things, {key: value for key, value in known.items() if value})
        order = self.chance.shuffled(purpose, [frame for frame in frames if variables(frame) <= values.keys()])
        fresh = next((frame for frame in order if self._is_fresh(frame)), None)
        frame = fresh or order[0]
        text = fill(frame, **{key: values[key] for key in variables(frame)})
        return text[:1].upper() + text[1:] if frame.startswith("$location") else text

    def stock(self, purpose: str, frames: Frames) -> str | None:
        """What a character does or says whatever the scene is; None where the model thinks of something better."""
        if self.chance.number(f"stock {purpose}", 100) >= MODELS.get(self.model, 0):
            return None
        frame = self.chance.pick(f"which {purpose}", frames)
        return fill(frame, **{key: self.value(key) for key in variables(frame)})

    def _scenery(self, purpose: str, things: Things, known: Mapping[str, str]) -> dict[str, str]:
        """What is known, with a thing of each kind, another character, a third one and the place, if there are any."""
        kinds = {"solid": things.solid, "fixed": things.fixed, "small": things.small, "other": self.others}
        found = {key: self.chance.pick(f"{purpose} {key}", items) for key, items in kinds.items() if items}
        values = {**found, "location": self._place, **known}
        company = [name for name in self.others if name not in values.values()]
        return {**values, "third": self.chance.pick(f"{purpose} third", company)} if company else values

    @cached_property
    def _place(self) -> str:
        """The location as it can stand in a sentence."""
        place = self.brief.environment["location"]
        for mark in (",", "，", ";", "；", "。", "."):
            place = place.split(mark)[0].strip()
        first, _, rest = place.partition(" ")
        if not place or first.lower() in self.grammar.prepositions or len(place) > _LONGEST_PLACE:
            return self.grammar.here
        return f"{first.lower()} {rest}" if first.lower() in self.grammar.articles else place

    def _is_fresh(self, frame: str) -> bool:
        longest = max(Shape.of(frame).texts, key=len).strip()
        return longest not in self.brief.told
