"""A model in the place of a client that plays stories, and rewrites its parts in them as a test has it written."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from characterbox.errors import EndpointError
from characterbox.llm.calls.answers import Completion
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Request
from characterbox.play.paths import JUDGES, REFLECTIONS
from characterbox.play.settings import Settings
from characterbox.scenes.scene import Scene
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from tests.fakes.replies import next_in, reply_to
from tests.fakes.stories import a_story

FOUND = [{"step": 1, "what": "too tame"}, {"step": 3, "what": "out of voice"}]
_TEXTS = ("action", "dialogue", "belief", "desire", "intention", "others", "scene", "bearing")
Step = Callable[[str, str], str]
"""Gives the reply at the path of a step of the story, of the original."""


def touched(path: str, original: str) -> str:
    """The original with a word more in each of its texts."""
    try:
        fields = json.loads(original)
    except ValueError:
        return f"{original}, gently"
    return json.dumps({key: f"{text}, gently" if key in _TEXTS and text else text for key, text in fields.items()})


@dataclass
class ReflectingModel:
    """Stands where a client does; counts what it is asked."""

    scene: Scene
    found: str = field(default_factory=lambda: json.dumps({"found": FOUND}))
    rewrite: Step = touched
    check: Step = lambda path, rewriting: json.dumps({"fits": True, "reason": "It does."})
    instead: Mapping[str, str] = field(default_factory=dict)
    """What it replies instead, by the end of a path; the question may be put once more."""
    cut_off: str | None = None
    """The end of the path of a reply that does not come to its end."""
    dies_after: int | None = None
    """After how many replies of a reflection it does not answer any more."""
    asked: list[Request] = field(default_factory=list)
    """What was asked about a story that has ended."""

    def prompt_room(self, endpoint: Endpoint) -> None:
        """Any prompt fits."""

    def paths(self) -> Counter[str]:
        """How often it was asked at each path, within the place of a reflection."""
        return Counter(request.path.split("/", 3)[3] for request in self.asked)

    async def complete(self, endpoint: Endpoint, request: Request, **_: Any) -> Completion:
        """The reply."""
        if not request.path.startswith((REFLECTIONS, JUDGES)):
            return Completion(reply_to(request, self.scene, next_in(self.scene)), "stop")
        if self.dies_after is not None and len(self.asked) >= self.dies_after:
            raise EndpointError("it is down")
        self.asked.append(request)
        cut = self.cut_off is not None and request.path.endswith(self.cut_off)
        return Completion(self._text(request), "length" if cut else "stop")

    def _text(self, request: Request) -> str:
        if request.path.startswith(JUDGES):
            assert request.form is not None
            gentle = request.messages[-1].content.count("gently")
            return json.dumps(dict.fromkeys(request.form.schema["required"], 4 if gentle else 2))
        for end, text in self.instead.items():
            if request.step.endswith(end):
                return text
        within = request.step.split("/", 3)[3]
        if within == "inconsistencies":
            return self.found
        kind, path = within.split("/", 1)
        shown = next(one.content for one in request.messages if one.role == "user")
        if kind == "rewrite":
            return self.rewrite(path, shown.partition("<original>\n")[2].partition("\n</original>")[0])
        return self.check(path, shown.partition("<rewriting>\n")[2].partition("\n</rewriting>")[0])


async def played(store: Store, model: ReflectingModel, rounds: int = 1, settings: Settings | None = None) -> Story:
    """A story that the model has played to its end."""
    more = {} if settings is None else {"settings": settings}
    story = a_story(store, model.scene, rounds=rounds, **more)
    await perform(store.stories, model, story, PlaybackControl(), on_event=lambda *_: None)
    return store.stories.story(story.id)
