"""What may be shown of a story while people play in it.

While people play characters, only what each of those characters perceives is shown. Events that are not perceived keep
their place in the sequence, veiled, so that their numbers stay the same for all.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import partial
from types import UnionType
from typing import Any

from characterbox.pause_reasons import Reason, seen, stored
from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    Reaction,
)
from characterbox.play.observations import retold
from characterbox.play.perception import addressee, knowers
from characterbox.play.world import Appearance, World
from characterbox.scenes.scene import Scene, slug_of
from characterbox.stage.live.hub import Notice
from characterbox.store.stories.stories import StoryStore

Perspective = frozenset[str]
"""The characters who all have to perceive what is shown; nobody, when everything may be shown."""

EVERYTHING: Perspective = frozenset()


def perspective_of(agents: Iterable[str | None]) -> Perspective:
    """The eyes of these agents; the narrator, None, perceives all, and takes nothing away from the others."""
    return frozenset(agent for agent in agents if agent is not None)


class Telling:
    """The events of one story, one after another, as these eyes may see them.

    What is done and said on a turn is told once the narrator has said who perceives it, with influence or result, as it
    is only then known whether the eyes do. Events that they do not perceive are of the kind `veiled`. Characters have,
    throughout, the names by which the eyes knew them as the scene began; texts have those that they know by then.
    """

    def __init__(self, scene: Scene, eyes: Perspective) -> None:
        self._eyes = eyes
        self._scene = scene
        self._world = World.opening(scene)
        self._keys = _keys(scene, eyes)
        self._unmet = self._strangers()
        self._turn: list[tuple[int, Event, World]] = []
        """The events of the turn under way, each with its number and the world after it."""
        self._held = 0
        """How many of them, the last ones, are not told yet."""
        self.heard = 0
        """How many events have happened."""

    def hear(self, event: Event) -> list[tuple[int, dict[str, Any]]]:
        """What there is to tell once one more event has happened, with the numbers of the events."""
        if self._turn and (self._turn[-1][1].round, self._turn[-1][1].turn) != (event.round, event.turn):
            self._turn, self._unmet = [], self._strangers()
        before, self._world = self._world, self._world.after(event)
        self.heard += 1
        self._turn.append((self.heard, event, self._world))
        self._held += 1
        if self._waits(event):
            return []
        told = self._turn[-self._held :]
        self._held = 0
        seen = [(number, one, then, self._perceived(one, then)) for number, one, then in told]
        for *_, perceived in seen:
            if perceived["kind"] in _OWN_STEPS:
                self._unmet.pop(perceived["character"], None)  # it is heard, and known by its voice
        content = [(number, self._told(one, then, perceived)) for number, one, then, perceived in seen]
        if corrected := self._corrected(event):
            content[-1][1]["corrected"] = corrected
        if isinstance(event, EnvironmentUpdate) and (appeared := [*self._appeared(before)]):
            content[-1][1]["appeared"] = appeared
        return content

    def _waits(self, event: Event) -> bool:
        if not self._eyes or not isinstance(event, _UNSURE):
            return False
        # how somebody is now is told with who gets out of sight: one's own change would bring those of others with it
        return isinstance(event, CharacterUpdate) or self._eyes != {event.character}

    def _perceived(self, event: Event, then: World) -> dict[str, Any]:
        """The event as the eyes perceive it, with true names; all of it, and who knows of it, where there are none."""
        known = knowers(event, self._world)
        if not self._eyes:
            return {**event.model_dump(mode="json"), "known": known}
        return self._seen(event, then, {known[one] for one in self._eyes})

    def _told(self, event: Event, then: World, perceived: dict[str, Any]) -> dict[str, Any]:
        if not self._eyes:
            return perceived
        content = self._renamed(perceived)
        learnt = [one.who for one in event.recognised] if isinstance(event, InteractionResult) else []
        called = {self._keys[who]: who for who in learnt if _name_to(self._eyes, who, then) == who != self._keys[who]}
        return {**content, "called": called} if called else content

    def _seen(self, event: Event, then: World, shares: Set[str]) -> dict[str, Any]:
        """The event without what the eyes do not perceive; `then` is the world after it."""
        content = event.model_dump(mode="json")
        if "none" in shares:
            kept = {name: content[name] for name in ("path", "round", "turn")}
            return {"kind": "veiled", **kept, "degraded": False, "reason": None}
        told = {name: value for name, value in content.items() if name not in _UNTOLD}
        told |= {name: value for name, value in _WITHHELD.items() if name in told}
        if isinstance(event, CharacterUpdate) and "part" in shares:
            told["state"] = None
        if isinstance(event, InteractionResult) and event.felt and shares == {"whole"}:
            told["felt"] = event.felt
        if "to" in told and not all(addressee(event, one, then) for one in self._eyes):
            told["to"] = None
        if not isinstance(event, Dialogue):
            first, *others = sorted(self._eyes)
            for field in _TEXTS & told.keys():
                told[field] = _in_names_of(others, then, retold(told[field], event, first, then))
        return told

    def _appeared(self, before: World) -> Iterator[dict[str, Any]]:
        """Those who have come into the sight of the eyes, as they see them."""
        for profile in self._scene.cast:
            seen = _seen_by(self._eyes, profile.name, self._world)
            if seen is not None and seen != _seen_by(self._eyes, profile.name, before):
                texts = {"position": seen.position, "visible": seen.visible}
                told = {field: _in_names_of(self._eyes, self._world, text) for field, text in texts.items()}
                yield {"character": self._keys[profile.name], **told, "public_face": profile.public_face}

    def passed_on(self, notice: Notice) -> Notice | None:
        """A notice that tells of no event, as the eyes may see it; None if nothing of it is left.

        A step under way is seen only by whose own it is: who perceives it is not known yet.
        """
        content = notice.content
        if notice.kind == "status":
            known = [one for one in content["people"] if _is_met(self._eyes, one, self._world)]
            reason = content["reason"] and readable_by(self._eyes, Reason.read(content["reason"]))
            told = {"people": called_by(known, self._keys), "reason": reason and reason.as_json()}
            return replace(notice, content={**content, **told})
        if not self._eyes or notice.kind == "costs":
            return notice
        own = self._eyes == {content["character"]} and content["kind"] in _OWN_STEPS
        return replace(notice, content=self._renamed(content)) if own else None

    def _corrected(self, event: Event) -> dict[str, Mapping[str, str]]:
        """Who knows what of the events of the turn that were told before it was said who perceives them, by path."""
        kinds = _SETTLES.get(type(event))
        if self._eyes or kinds is None:
            return {}
        return {one.path: knowers(one, self._world) for _, one, _ in self._turn if isinstance(one, kinds)}

    def _renamed(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """What is told of a step, with the names by which the eyes know those of whom it tells.

        Those whom the eyes have not met as the turn begins are not named, but for who is heard or comes into sight.
        """
        begun = {**self._keys, **self._unmet}
        now = {name: self._keys[name] if self._has_met(name) else key for name, key in begun.items()}
        fields = {"character": now, "affected": now, "to": now, "turn": begun}
        named = {field: keys[name] for field, keys in fields.items() if (name := content.get(field)) in keys}
        slugs = {slug_of(name): key.strip() if name in self._unmet else slug_of(key) for name, key in begun.items()}
        parts = content["path"].split("/")
        path = [slugs.get(part, part) if at in _NAMED_IN_PATHS else part for at, part in enumerate(parts)]
        return {**content, **named, "path": "/".join(path)}

    def _has_met(self, name: str) -> bool:
        return _is_met(self._eyes, name, self._world)

    def _strangers(self) -> dict[str, str]:
        """What stands for those whom the eyes have not met: `~`, a number and a blank, with which no name ends."""
        return {name: f"~{place} " for place, name in enumerate(self._keys, 1) if not self._has_met(name)}


_NAMED_IN_PATHS = (1, 3)
"""The places in a path at which a character stands."""
_SETTLES: Mapping[type, type | UnionType] = {
    ActionInfluence: Action | Dialogue,
    InteractionResult: Reaction,
    EnvironmentUpdate: Reaction | InteractionResult | CharacterUpdate,
}
"""With which event the narrator says who perceives those before it."""
_UNSURE = Action | Dialogue | Reaction | CharacterUpdate
"""Of what it is only known then who perceives it."""
_WITHHELD = {"reason": None, "importance": None, "concluded": False}
"""What the eyes of characters never see of an event."""
_UNTOLD = ("seen_by", "heard_by", "unseen", "hidden", "recognised", "felt")
_TEXTS = {"text", "felt", "position", "visible", "time", "description", "location"}


def _keys(scene: Scene, eyes: Perspective) -> dict[str, str]:
    """The names by which all the eyes know the cast as the scene begins, by the true names."""
    world = World.opening(scene)
    return {name: _name_to(eyes, name, world) for name in scene.names} if eyes else {}


def known_cast(scene: Scene, eyes: Perspective) -> Mapping[str, str]:
    """Those of the cast whom all the eyes perceive as the scene begins, and how these call them, by the true names."""
    if not eyes:
        return {name: name for name in scene.names}
    world, keys = World.opening(scene), _keys(scene, eyes)
    return {name: keys[name] for name in scene.names if _is_met(eyes, name, world)}


def _in_names_of(eyes: Iterable[str], world: World, text: str) -> str:
    """A text in the names that the eyes know, so that none reads the true name of one whom it does not know."""
    for one in sorted(eyes):
        text = world.names.retold(text, None, one, frozenset(), world.known(one))
    return text


def readable_by(eyes: Perspective, reason: Reason) -> Reason | None:
    """A reason, unless it names a step or who is asked: the eyes may not know whose turn that is."""
    return None if eyes and _names_a_step(reason) else reason


def _names_a_step(reason: Reason) -> bool:
    inner = (one for one in reason.values.values() if isinstance(one, Reason))
    return not reason.values.keys().isdisjoint({"path", "agent"}) or any(map(_names_a_step, inner))


def called_by(people: Iterable[str | None], keys: Mapping[str, str]) -> list[str | None]:
    """The people, characters and the narrator (None), by the names that these keys have for them."""
    return [None if one is None else keys.get(one, one) for one in people]


def _is_met(eyes: Perspective, who: str | None, world: World) -> bool:
    """Whether each of the eyes is that character, or has perceived it; the narrator is known to be there."""
    return who is None or all(who == one or who in world.characters[one].view.met for one in eyes)


def _name_to(eyes: Perspective, who: str, world: World) -> str:
    """The name by which all the eyes know somebody: what one of them calls it who does not know its name."""
    names = {world.names.name(one, who, world.known(one)) for one in eyes}
    return min(names - {who}, default=who)


def _seen_by(eyes: Perspective, who: str, world: World) -> Appearance | None:
    """How all the eyes see somebody else, or saw it last; None where one of them never has."""
    views = [world.characters[one].view.others.get(who) for one in eyes if one != who]
    return views[0] if views and None not in views else None


def telling_of(stories: StoryStore, id: str, eyes: Perspective, after: int) -> Telling:
    """The telling of a story whose first events have been told."""
    telling = Telling(stories.story(id).script.scene, eyes)
    for event in stories.events(id)[:after]:
        telling.hear(event)
    return telling


def redact_scene(scene: Scene, eyes: Perspective) -> dict[str, Any]:
    """The scene as JSON-ready values; profiles and states only of the character whose eyes they are, and of the others
    those whom the eyes perceive, by the names that they have for them."""
    content = scene.model_dump(mode="json")
    if not eyes:
        return content
    world, keys = World.opening(scene), _keys(scene, eyes)

    told = partial(_in_names_of, eyes, world)
    met = known_cast(scene, eyes)
    cast = [
        _own(profile, met)
        if eyes == {profile["name"]}
        else _outside(profile) | {"name": keys[profile["name"]], "position": told(profile["position"])}
        for profile in content["cast"]
        if profile["name"] in met
    ]
    environment = {field: told(text) for field, text in content["environment"].items()}
    return {**content, "environment": environment, "cast": cast, "plot": None}


def _own(profile: dict[str, Any], met: Mapping[str, str]) -> dict[str, Any]:
    """A profile as the character itself may read it, who knows those whom it has met by the names that are given."""
    shown = {name: value for name, value in profile.items() if name not in ("unaware", "unseen_by", "known_as")}
    aliases = [(one["name"], one.get("by", [])) for one in profile.get("known_as", ())]
    known_as = [
        {"name": name, "by": [met[who] for who in by if who in met]}
        for name, by in aliases
        if not by or met.keys() & by
    ]
    return {**shown, "known_as": known_as} if known_as else shown


def _outside(profile: dict[str, Any]) -> dict[str, Any]:
    """A profile as others may read it."""
    shown = {name: value for name, value in profile.items() if name in ("name", "position", "public_face")}
    return {**shown, "gender": None, "description": "", "state": None}


_OWN_STEPS = frozenset({"action", "dialogue", "reaction", "self_belief", "environment_belief"})
"""The kinds of steps that characters take."""


def as_shown(scene: Scene, events: Iterable[Event], eyes: Perspective = EVERYTHING) -> list[dict[str, Any]]:
    """Events of a scene as JSON-ready values, with their reasons as the words of the player name them."""
    telling, told = Telling(scene, eyes), dict[str, dict[str, Any]]()
    for event in events:
        for _, content in telling.hear(event):
            for path, known in content.pop("corrected", {}).items():
                told[path]["known"] = known
            reason = content["reason"] and reason_to_tell(event.reason)
            told[content["path"]] = {**content, "reason": reason}
    return [*told.values()]


def reason_to_tell(reason: Reason | None) -> str | None:
    """A reason as the player gets it, whose words have the sentence for it."""
    return None if reason is None else stored(seen(reason))
