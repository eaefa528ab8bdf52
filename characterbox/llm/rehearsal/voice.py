"""Chooses frames and fills them with what the brief tells, without repeating what was told already."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from characterbox.llm.rehearsal.brief import Brief
from characterbox.llm.rehearsal.chance import Chance
from characterbox.llm.rehearsal.grammar import Frames, Grammar, Things, grammar
from characterbox.llm.rehearsal.shape import Shape
from characterbox.prompts import fill, variables

_LONGEST_PLACE = 40


class Voice:
    """One improvised answer in the making."""

    def __init__(self, brief: Brief, chance: Chance) -> None:
        self.brief = brief
        self.chance = chance
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
