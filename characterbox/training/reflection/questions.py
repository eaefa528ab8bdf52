"""What a model is asked about its own part in a story, from the stable to the volatile.

All questions about a part begin with the same rules, profile and trajectory, so that a server with a prefix cache
computes them once. What was rewritten so far only grows at its end.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import number_alone, read_fields
from characterbox.llm.request import ChatMessage, Form, Request
from characterbox.pause_reasons import Reason
from characterbox.play.events import Action, EnvironmentBelief, Event, Reaction, SelfBelief
from characterbox.play.questions import as_known_to, opening, profile_of
from characterbox.play.replies.form_reading import checked_form
from characterbox.play.replies.forms import Flag, OptionalText, Text, objects
from characterbox.play.trajectory import Step, as_lines, as_text, steps_of_narration, steps_of_trajectory
from characterbox.play.world import Script
from characterbox.prompts import fill, render, words
from characterbox.training.reflection.own_replies import OwnReply
from characterbox.values import Language, Value

FOUND = "inconsistencies"
"""Where it is asked what is wrong, within the place of a reflection."""
REWRITE, CHECK = "rewrite/", "check/"
"""What stands there before the path of a reply that is rewritten, or whose rewriting is checked."""


def _number(value: Any) -> Any:
    return number_alone(value, 0)


class Inconsistency(Value):
    """Where a part is not in character, or could be deeper."""

    step: Annotated[int, Field(ge=1), BeforeValidator(_number)]
    """The number of the reply."""
    what: Text


class InconsistenciesReply(Value):
    """All that a model finds wrong with its own part."""

    found: Annotated[tuple[Inconsistency, ...], BeforeValidator(objects)]


class CheckReply(Value):
    """Whether a rewriting can stand where the original stood."""

    fits: Flag
    reason: OptionalText = None


_FOUND_FORM = Form.of("inconsistencies", InconsistenciesReply)
_CHECK_FORM = Form.of("rewriting_check", CheckReply)
_LABELS = {"found": ("inconsistencies", "发现", "不一致之处")}
_CHECK_LABELS = {"fits": ("fit", "是否相符", "相符"), "reason": ("because", "理由", "原因")}


def read_inconsistencies(text: str, most: int) -> tuple[Inconsistency, ...]:
    """What is found, of replies up to number `most`. Raises ReplyError if it can't be read, or names no reply."""
    reply = checked_form(text, InconsistenciesReply, read_fields(text, _LABELS))
    if any(one.step > most for one in reply.found):
        raise ReplyError(Reason("field_less_than_equal", field="found.step", most=most), reply=text)
    return reply.found


def read_check(text: str) -> CheckReply:
    """The answer to whether a rewriting fits. Raises ReplyError if it can't be read."""
    return checked_form(text, CheckReply, read_fields(text, _CHECK_LABELS))


@dataclass(frozen=True)
class Questions:
    """All that is asked about a character's part; `place` is where it is filed."""

    script: Script
    events: Sequence[Event]
    name: str
    own: Sequence[OwnReply]
    place: str

    def inconsistencies(self) -> Request:
        """What is wrong with the part?"""
        return self._request(FOUND, self._task("inconsistencies"), _FOUND_FORM)

    def rewriting(self, own: OwnReply, found: Iterable[Inconsistency], so_far: Iterable[tuple[int, str]]) -> Request:
        """How ought a reply to have been? `so_far` are the replies that were rewritten, by their numbers."""
        phrases = words(self._language).reflection
        lines = [fill(phrases.inconsistency, number=str(one.step), what=one.what) for one in found]
        before = [fill(phrases.reply, number=str(number), text=text) for number, text in so_far]
        task = self._task(
            "rewrite",
            number=str(own.number),
            found="\n".join(lines) or phrases.nothing,
            rewritten="\n".join(before) or phrases.nothing,
            original=own.text,
        )
        return self._request(f"{REWRITE}{own.path}", task, own.form)

    def check(self, own: OwnReply, rewriting: str) -> Request:
        """Does a rewriting fit what was before and what came after?"""
        task = self._task(
            "check",
            number=str(own.number),
            original=own.text,
            rewriting=rewriting,
            afterwards=self._after(own) or words(self._language).reflection.nothing,
        )
        return self._request(f"{CHECK}{own.path}", task, _CHECK_FORM)

    def _request(self, path: str, task: str, form: Form | None) -> Request:
        messages = (self._rules, ChatMessage("user", f"{self._shown}\n\n{task}"))
        sampling = self.script.settings.characters
        return Request(f"{self.place}{path}", self.name, self._language, messages, form, sampling=sampling)

    def _task(self, task: str, **values: str) -> str:
        return render(f"reflect_{task}", self._language, name=self.name, **values)

    @property
    def _language(self) -> Language:
        return self.script.scene.language

    @cached_property
    def _rules(self) -> ChatMessage:
        return opening("reflect", as_known_to(self.name, self.script.scene))

    @cached_property
    def _shown(self) -> str:
        """Profile and trajectory, with which all questions begin."""
        shown = render("reflect_trajectory", self._language, trajectory=self._trajectory())
        return f"{profile_of(self.script.scene, self.name)}\n\n{shown}"

    def _trajectory(self) -> str:
        """What the character perceived, did, said and believed, its replies numbered."""
        phrases = words(self._language)
        numbers = {event.path: str(one.number) for one in self.own for event in one.events}
        known = {event.path: step for event, step in steps_of_trajectory(self.events, self.name, self.script.scene)}

        def labelled(event: Event, step: Step) -> tuple[Step, str]:
            names = phrases.reflection if step.kind in ("self_belief", "environment_belief") else phrases.trajectory
            label: str = getattr(names, step.kind)
            number = numbers.get(event.path)
            return step, label if number is None else fill(phrases.reflection.numbered, number=number, kind=label)

        told = ((event, known.get(event.path) or self._believed(event)) for event in self.events)
        return as_lines((labelled(event, step) for event, step in told if step is not None), self._language)

    def _believed(self, event: Event) -> Step | None:
        """What the character believes, which only itself knows of."""
        if not isinstance(event, SelfBelief | EnvironmentBelief) or event.character != self.name:
            return None
        template = getattr(words(self._language).blocks, event.kind)
        fields = ("belief", "desire", "intention") if isinstance(event, SelfBelief) else ("others", "scene", "bearing")
        text = fill(template, **{field: getattr(event, field) for field in fields})
        return Step(event.round, event.kind, text, event.degraded)

    def _after(self, own: OwnReply) -> str:
        """What the narrator decided and everybody did after a reply, up to the character's next act."""
        places = {event.path: number for number, event in enumerate(self.events)}
        last = places[own.events[-1].path]
        acts = (
            places[event.path]
            for event in self.events[last + 1 :]
            if isinstance(event, Action | Reaction) and event.character == self.name
        )
        until = next(acts, len(self.events))
        steps = [step for event, step in self._narration if last < places[event.path] < until]
        return as_text(steps, self._language)

    @cached_property
    def _narration(self) -> Sequence[tuple[Event, Step]]:
        return [*steps_of_narration(self.events, self.script.scene)]
