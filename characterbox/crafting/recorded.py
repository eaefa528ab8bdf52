"""What the journal of a crafting answers: which of its replies still hold, and which are to be asked anew."""

from collections.abc import Sequence
from dataclasses import dataclass

from characterbox.crafting.stages import Undecided
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Found, OnMismatch, Record, Reply
from characterbox.llm.request import AGAIN, Request

_ORDER = ("screenwriter", "director", "evaluator", "translator")


@dataclass
class CraftingRecord(Record):
    """A record that asks anew what rests on a draft that a person has changed since.

    Any other reply whose prompt is not the one that is asked now raises RecordMismatch, unless it is to be kept.
    """

    stale: frozenset[str] = frozenset()
    """Paths whose replies were given before one that they rest on: a draft that was changed, a reply asked anew."""

    def find(self, request: Request) -> Found:
        """What is known of a request. Raises RecordMismatch where a record belongs to another prompt or model."""
        if request.path in self.stale and request.path not in self.anew:
            return Record(self.replies, self.endpoint_of, self.seed, "ask").find(request)
        return super().find(request)


def record_of(
    replies: Sequence[Reply], endpoints: dict[str, Endpoint], seed: int, on_mismatch: OnMismatch = "stop"
) -> CraftingRecord:
    """The record of the replies of a crafting, in the order in which they came."""
    last = {reply.path: reply for reply in replies}

    def endpoint_of(role: str | None) -> Endpoint:
        return endpoints[str(role)]

    return CraftingRecord(last, endpoint_of, seed, on_mismatch, stale=_stale(replies))


def undecided(steps: Sequence[object]) -> str | None:
    """The path at which an evaluator was asked in vain, if that is where a scene has come to."""
    return steps[-1].path if steps and isinstance(steps[-1], Undecided) else None


def scene_in(path: str) -> str:
    """The scene that a reply is about, as its path names it."""
    return path.partition("/")[0]


def _stale(replies: Sequence[Reply]) -> frozenset[str]:
    """Of each scene, what comes after a draft in the order of the stages, and came before its last edit in time; and
    what was asked once more after a reply that was itself asked anew since."""
    last = {reply.path: number for number, reply in enumerate(replies)}
    found = {path for path, since in last.items() if since < last.get(path.removesuffix(AGAIN), since)}
    for number, edit in enumerate(replies):
        if edit.author == "edit":
            found |= {
                path
                for path, since in last.items()
                if since < number and scene_in(path) == scene_in(edit.path) and _place(path) > _place(edit.path)
            }
    return frozenset(found)


def _place(path: str) -> tuple[int, int]:
    """When a path comes in the crafting of its scene; judges come last."""
    parts = path.split("/")
    if len(parts) < 3 or not parts[1].isdigit():
        return 1_000, 0
    return int(parts[1]), _ORDER.index(parts[2]) if parts[2] in _ORDER else len(_ORDER)
