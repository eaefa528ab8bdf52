"""The places of a story: each step has one path, such as `r2/ron/reaction/hermione`, and so has the event it makes."""

import re
from collections.abc import Container, Mapping
from typing import NamedTuple

from characterbox.llm.request import AGAIN
from characterbox.play.events import CharacterUpdate, EnvironmentBelief, Event, Reaction, SelfBelief, StoryEnded
from characterbox.scenes.scene import slug_of

END = "end"
"""Where a story ends: no step, for nobody is asked."""
JUDGES = "judge/"
"""What the paths of all that judges are asked begin with: `judge/<judge>/<character>/<step>`."""
CHECKS = "check/"
"""What the paths of all that second narrators are asked begin with."""
REFLECTIONS = "self-reflection/"
"""What the paths begin with of all that is asked of a model that rewrites its own part:
`self-reflection/<model>/<character>/<step>`."""
READERS = (JUDGES, CHECKS, REFLECTIONS)
"""What the paths begin with of all that is asked about a story once it has ended: it is none of the story's own."""

KINDS: Mapping[str, str] = {
    "action": "action",
    "dialogue": "dialogue",
    "influence": "action_influence",
    "reaction": "reaction",
    "result": "interaction_result",
    "updates": "updates",
    "update": "character_update",
    "environment": "environment_update",
    "self-belief": "self_belief",
    "environment-belief": "environment_belief",
}
"""The kind of event that a step makes, by its name in the path; `updates` makes those of all that a turn changed."""
_STEPS = {kind: step for step, kind in KINDS.items()}
NARRATED = ("influence", "result", "updates", "update", "environment")
"""The steps that the narrator takes; the others are those of a character."""
_ABOUT = ("reaction", "update")
"""The steps whose path ends with the one they are about."""
_ALONE = "|".join(step for step in KINDS if step not in _ABOUT)
_PATH = re.compile(rf"r(\d+)/([^/]+)/(?:({_ALONE})|({'|'.join(_ABOUT)})/([^/]+))({AGAIN})?")


class Place(NamedTuple):
    """The parts of a step's path; names as they stand in it."""

    round: int
    turn: str
    """The slug of whose turn it is or, between turns, of who is asked."""
    step: str
    other: str | None
    """The slug of whom the step is about, where that is said."""

    @property
    def character(self) -> str:
        """The slug of whom the event of the step tells: the one whom it is about, else the one on turn."""
        return self.turn if self.other is None else self.other


def path_of(round: int, name: str, step: str, other: str | None = None) -> str:
    """The path of a step: of whose turn it is or, between turns, who is asked; of its name; and of whom it is about."""
    return "/".join([f"r{round}", slug_of(name), step, *([] if other is None else [slug_of(other)])])


def parse_path(path: str) -> tuple[Place, bool]:
    """The place of a step, and whether its question is put once more there. Raises ValueError for any other path.

    Parts are told by where they stand, never by what they are called: a character may be called like a step.
    """
    found = _PATH.fullmatch(path)
    if found is None:
        raise ValueError(f"{path!r} is no path of a step")
    round, turn, step, about, other, again = found.groups()
    return Place(int(round), turn, step or about, other), again is not None


def reply_paths(path: str) -> tuple[str, ...]:
    """Where the reply behind an event can stand: at the event's own path, or at that of the step that made it along
    with others."""
    place, _ = parse_path(path)
    shared = _SHARED.get(place.step)
    return (path,) if shared is None else (path, f"r{place.round}/{place.turn}/{shared}")


def reply_path(path: str, replies: Container[str]) -> str:
    """Where the reply behind an event stands, among those that there are; its own path where there is none."""
    return next((one for one in reply_paths(path) if one in replies), path)


_SHARED: Mapping[str, str] = {"dialogue": "action", "update": "updates", "environment": "updates"}
"""The step whose reply can tell what another step makes, too."""


def step_path(path: str) -> str:
    """The path of the step to which a reply belongs: without `AGAIN` where the question was put once more."""
    return path[: -len(AGAIN)] if parse_path(path)[1] else path


def asked_at(path: str) -> str | None:
    """The slug of the character who is asked at the path of a step; None for the narrator."""
    place, _ = parse_path(path)
    return None if place.step in NARRATED else place.character


def judge_and_work(path: str) -> tuple[str, str]:
    """The judge who is asked at a path, and what about, as both stand in it: a character's slug, `~narrator`, `~scene`;
    of a path that ends before, empty."""
    _, judge, work, *_ = f"{path}//".split("/")
    return judge, work


def place_of(event: Event) -> str:
    """The one path at which an event can stand. What happens on a turn has to say on whose."""
    match event:
        case StoryEnded():
            return END
        case SelfBelief() | EnvironmentBelief():
            return path_of(event.round, event.character, _STEPS[event.kind])
        case Reaction() | CharacterUpdate():
            return path_of(event.round, str(event.turn), _STEPS[event.kind], event.character)
        case _:
            return path_of(event.round, str(event.turn), _STEPS[event.kind])
