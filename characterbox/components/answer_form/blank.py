"""A reply that a person is to write: the fields for it, what they begin with, and the reply that they make.

A person writes all that one reply tells, also where several events come of it, and with the names that the one who
answers has for the others.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any

from characterbox.components.answer_form.labels import CHOICES, HINTS, LABELS, PARTS
from characterbox.errors import ReplyError
from characterbox.llm.request import Form
from characterbox.pause_reasons import Reason
from characterbox.play.events import (
    Action,
    ActionInfluence,
    ByWhom,
    CharacterUpdate,
    Dialogue,
    EnvironmentUpdate,
    Event,
    InteractionResult,
)
from characterbox.play.paths import parse_path
from characterbox.play.replies import forms
from characterbox.play.world import Cast, Script, World, world_after
from characterbox.prompts import words
from characterbox.scenes.scene import Scene, slug_of

Values = Mapping[str, Any]
"""What stands in the fields, by name. A field that nobody has touched is not there, nor is a text that is empty."""
Field = dict[str, Any]
"""A field as the browser is given it."""

FORMS: Mapping[str, Form] = {
    "action": forms.ACTION,
    "influence": forms.INFLUENCE,
    "result": forms.RESULT,
    "updates": forms.UPDATES,
    "update": forms.CHARACTER_UPDATE,
    "environment": forms.ENVIRONMENT_UPDATE,
    "self-belief": forms.SELF_BELIEF,
    "environment-belief": forms.ENVIRONMENT_BELIEF,
}
"""The form of each step that has one, by the name of the step in its path."""

PROSE = "text"
"""The one field of a reply without a form."""
_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("affected", "to"), "choice"),
    "importance": "scale",
    **dict.fromkeys(("concluded", "whispered", "unseen"), "toggle"),
    **dict.fromkeys(("seen_by", "heard_by"), "some"),
    **dict.fromkeys(("recognised", "hidden"), "checks"),
    **dict.fromkeys(("position", "visible", "other_position", "other_visible", "time", "location"), "line"),
}
"""The kind of each field; the others take a text."""
_PLAIN: Mapping[str, Any] = {
    **dict.fromkeys(("concluded", "whispered", "unseen"), False),
    **dict.fromkeys(("to", "seen_by", "heard_by")),
    "recognised": [],
}
"""What goes without saying."""
_MAY_BE_NONE = ("dialogue", "to", "felt", "seen_by", "heard_by")
"""What is told to be none where it is left empty."""
_OTHER = "other_"
"""What the fields of an update begin with that are about the one whom the turn affected."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A reply that is to be written."""

    path: str
    names: tuple[str, ...]
    """The fields of its form; PROSE alone where it has none."""
    scene: Scene
    now: World
    """The world in which it is given."""
    affected: str | None
    """Whom the turn affects, as far as it has come."""

    @classmethod
    def at(cls, path: str, script: Script, before: Sequence[Event]) -> "Blank":
        """The reply at a path, after these events. The first stories ask for an action without a form."""
        step, scene = parse_path(path)[0].step, script.scene
        influences = (event.affected for event in reversed(before) if isinstance(event, ActionInfluence))
        form = None if step == "action" and script.settings.prompts == 1 else FORMS.get(step)
        names = (PROSE,) if form is None else tuple(form.schema["properties"])
        blank = cls(path, names, scene, world_after(scene, before), next(influences, None))
        return blank._of(*(name for name in names if blank._is_asked(name)))

    @classmethod
    def behind(cls, events: Sequence[Event], path: str, script: Script, before: Sequence[Event]) -> "Blank":
        """The reply that stands at a path and made these events: an action that came without words gets none."""
        blank = cls.at(path, script, before)
        match events:
            case [Action(unseen=unseen)]:
                return blank._of("action", "unseen") if unseen else blank._of(PROSE)
            case _:
                return blank

    @property
    def fields(self) -> list[Field]:
        """Its fields, as the browser is given them."""
        return [self._field(name) for name in self.names]

    @property
    def begin(self) -> dict[str, Any]:
        """What the fields hold before anybody touches them: how things are now, and what goes without saying."""
        return self._fitting({**_PLAIN, **self._texts_now, "hidden": self._hidden_now})

    def values_in(self, events: Iterable[Event]) -> dict[str, Any]:
        """What the reply said that made these events."""
        values = self.begin
        for event in events:
            values |= self._told_by(event)
        return self._fitting(values)

    def written(self, values: Values) -> str:
        """The reply that these values make, as a model would give it."""
        if self.names == (PROSE,):
            return str(values.get(PROSE, "")).strip()
        told = {name: values[name] for name in self.names if name in values}
        told |= {name: None for name in _MAY_BE_NONE if name in self.names and name not in values}
        told |= {name: self._by_whom(name, values.get(name)) for name in ("recognised", "hidden") if name in self.names}
        if self._step == "updates":
            told |= self._changes(values)
        return json.dumps(told, ensure_ascii=False)

    def read_draft(self, draft: str) -> dict[str, Any]:
        """The values of a draft, which is their JSON; of another form, only what fits into the fields."""
        values = json.loads(draft)
        if PROSE in values:  # of an app that asked for the action alone
            values.setdefault("action", values[PROSE])
        return {name: values[name] for name in self.names if name in values}

    def first_empty(self, values: Values) -> str | None:
        """The first field without a text that the reply has to tell; None if there is none."""
        if self._step == "updates":
            return None
        texts = [name for name in self.names if _KINDS.get(name, "line") == "line" and name not in _MAY_BE_NONE]
        return next((name for name in texts if not str(values.get(name) or "").strip()), None)

    def field_at_fault(self, error: ReplyError) -> str | None:
        """The field that is wrong, and first; None if it is the whole."""
        reason = Reason.of(error)
        while reason.code == "several":
            reason = Reason.of(reason.values["first"])
        named = _ALWAYS_OF.get(reason.code) or reason.values.get("field")
        return next((name for name in self.names if name == named), None)

    @property
    def _step(self) -> str:
        return parse_path(self.path)[0].step

    @property
    def _name(self) -> str:
        """Who acts or is noted, or whose turn it is."""
        names = {slug_of(name): name for name in self.scene.names}
        return names[parse_path(self.path)[0].character]

    @property
    def _others(self) -> list[str]:
        return [name for name in self.scene.names if name != self._name]

    def _of(self, *names: str) -> "Blank":
        return Blank(self.path, names, self.scene, self.now, self.affected)

    def _is_asked(self, name: str) -> bool:
        """Whether there is anything to be said in a field."""
        if name in forms.OF_THE_AFFECTED:
            return self.affected is not None
        if name in ("to", "whispered"):
            return bool(self._called)
        least = {"some": 2, "checks": 1}.get(_KINDS.get(name, ""), 0)
        return len(self._options(name)) >= least

    @property
    def _called(self) -> dict[str, str]:
        """The others whom the one who answers perceives, by the names that it has for them."""
        view = self.now.characters[self._name].view
        return {
            self.now.names.name(self._name, other, view.recognised): other
            for other in self.now.characters
            if other in view.met
        }

    @property
    def _texts_now(self) -> dict[str, str]:
        """How the character, the one affected and the environment are, where that is asked."""
        match self._step:
            case "update" | "updates":
                told = {"": self._name, **({} if self.affected is None else {_OTHER: self.affected})}
                people = {
                    f"{prefix}{field}": getattr(self.now.characters[name], field)
                    for prefix, name in told.items()
                    for field in ("position", "state", "visible")
                }
                return people | self.now.environment.model_dump()
            case "environment":
                return self.now.environment.model_dump()
            case _:
                return {}

    @property
    def _hidden_now(self) -> list[list[str]]:
        return [option for option in self._pairs("hidden") if option[1] in self.now.characters[option[0]].unseen_by]

    def _fitting(self, values: Values) -> dict[str, Any]:
        """The values of its fields, as the browser tells them: no text that is empty, pairs in the order of options."""
        fitting = {name: values[name] for name in self.names if name in values and values[name] != ""}
        for name in ("recognised", "hidden"):
            if name in fitting:
                fitting[name] = [pair for pair in self._pairs(name) if pair in fitting[name]]
        return fitting

    def _told_by(self, event: Event) -> dict[str, Any]:
        """What the reply said of an event."""
        match event:
            case Action():
                return {"action": event.text, PROSE: event.text, "unseen": event.unseen}
            case Dialogue():
                called = {who: name for name, who in self._called.items()}
                silence = words(self.scene.language).silence
                spoken = {"dialogue": event.text, PROSE: event.text or silence, "whispered": event.whispered}
                return {**spoken, "to": None if event.to is None else called.get(event.to)}
            case ActionInfluence() | InteractionResult():
                content = event.model_dump(mode="json", exclude={"importance"} if event.importance is None else None)
                lists = {name: content.get(name) for name in ("seen_by", "heard_by")}
                told = {**content, **lists, "effect": event.text, "result": event.text}
                recognised = event.recognised if isinstance(event, InteractionResult) else ()
                return {**told, "recognised": _as_pairs(recognised)}
            case CharacterUpdate():
                prefix = "" if event.character == self._name else _OTHER
                return {f"{prefix}{field}": getattr(event, field) for field in ("position", "state", "visible")}
            case EnvironmentUpdate():
                hidden = {} if event.hidden is None else {"hidden": _as_pairs(event.hidden)}
                return {**event.model_dump(mode="json", exclude={"hidden"}), **hidden}
            case _:
                return event.model_dump(mode="json")

    def _changes(self, values: Values) -> dict[str, str | None]:
        """The texts of an update: null for what stays as it is, or is left empty; nothing to be seen is a change."""
        told: dict[str, str | None] = {}
        for name, before in self._texts_now.items():
            if name in self.names:
                text = values.get(name, "")
                nothing = "" if name.endswith("visible") else None
                told[name] = None if text == before else text or nothing
        return told

    def _by_whom(self, name: str, chosen: Any) -> list[dict[str, Any]] | None:
        """The pairs that are chosen, as a reply tells them; null where nobody is recognised, or hidden as before."""
        pairs = [pair for pair in self._pairs(name) if isinstance(chosen, list) and pair in chosen]
        if pairs == (self._hidden_now if name == "hidden" else []):
            return None
        listed: dict[str, list[str]] = {}
        for who, by in pairs:
            listed.setdefault(who, []).append(by)
        return [{"who": who, "by": by} for who, by in listed.items()]

    def _pairs(self, name: str) -> list[list[str]]:
        """Who can be recognised, or hidden, and by whom: a character, and another one."""
        pairs = [[who, by] for who in self.scene.names for by in self.scene.names if by != who]
        if name == "hidden":
            return pairs
        return [[who, by] for who, by in pairs if (by, who) in self.now.names.hidden and who not in self.now.known(by)]

    def _options(self, name: str) -> list[Field]:
        """What can be chosen in a field."""
        told = CHOICES[self.scene.language]
        match name:
            case "importance":
                return [_option(str(one), one) for one in range(1, 11)]
            case "to":
                return [*map(_option, self._called), _option(told["everybody"], None)]
            case "affected":
                return [*map(_option, self._others), _option(told["nobody"], None)]
            case "seen_by" | "heard_by":
                there = [one for one in self._others if self._step != "result" or one != self.affected]
                return [_option(self._unless_told(name), None), *map(_option, there)]
            case "recognised" | "hidden":
                return [_option(self._sentence(name, *pair), pair) for pair in self._pairs(name)]
            case _:
                return []

    def _sentence(self, name: str, who: str, by: str) -> str:
        """What a pair of those who can be recognised, or hidden, would mean."""
        told = CHOICES[self.scene.language]
        if name == "hidden":
            return _filled(told["is hidden"], who=who, by=by)
        return _filled(told["recognises"], who=who, by=by, alias=self.now.names.hidden[by, who])

    def _unless_told(self, name: str) -> str:
        """Who perceives the action, or the words, where the narrator does not say it."""
        told, turn, there = CHOICES[self.scene.language], self.now.witnesses, self.now.present(self._name)
        meant: Cast = (
            there if turn is None or self._step == "result" else turn.seen if name == "seen_by" else turn.heard
        )
        if meant == there:
            return told["all there"]
        names = ", ".join(one for one in self.scene.names if one in meant) or told["nobody"]
        return _filled(told["as meant"], name=self._name, names=names)

    def _field(self, name: str) -> Field:
        labels, hints = LABELS[self.scene.language], HINTS[self.scene.language]
        label, hint = (self._step, f"{self._step} alone") if name == PROSE else (name, name)
        if self._step == "result" and name == "seen_by":
            label = "outcome_seen_by"
        title, folded = self._part(name)
        return {
            "name": name,
            "label": _filled(labels[label], name=self._name, other=self.affected or ""),
            "hint": _filled(hints.get(hint, ""), silence=words(self.scene.language).silence),
            "kind": _KINDS.get(name, "text"),
            "options": self._options(name),
            "part": title,
            "folded": folded,
        }

    def _part(self, name: str) -> tuple[str, bool]:
        """The title of the part in which a field stands, none for the first, and whether it is folded away."""
        titles = PARTS[self.scene.language]
        match name:
            case "whispered" | "unseen" | "seen_by" | "heard_by" | "recognised":
                return titles["more"], True
            case "hidden":
                return titles["hidden"], True
            case "time" | "location" | "description" if self._step == "updates":
                return titles["surroundings"], False
            case "position" | "state" | "visible" if self._step == "updates":
                return self._name, False
            case _:
                return (self.affected or "", False) if name in forms.OF_THE_AFFECTED else ("", False)


_ALWAYS_OF = {"nobody_known": "affected", "importance_alone": "result"}
"""The reasons that can be wrong with one field only."""


def _as_pairs(listed: Iterable[ByWhom]) -> list[list[str]]:
    return [[one.who, by] for one in listed for by in one.by]


def _option(label: str, value: Any = ...) -> Field:
    """Something that can be chosen; a name is its own value."""
    return {"label": label, "value": label if value is ... else value}


def _filled(text: str, **values: str) -> str:
    return Template(text).substitute(values)
