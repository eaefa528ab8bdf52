"""How far a record reaches beyond what was played: each reply counts once, also where it tells of several events."""

import pytest

from characterbox.llm.asking import JournaledAsk, OpenDoor
from characterbox.llm.calls.client import Completion
from characterbox.llm.journal import Record
from characterbox.play.paths import END, reply_path
from characterbox.play.world import Script
from characterbox.stage.branching import outlook
from tests.fakes.asking import played
from tests.fakes.journal import MemoryJournal
from tests.fakes.replies import next_in, reply_to
from tests.fakes.scenes import a_scene
from tests.fakes.stories import AT

SCRIPT = Script(scene=a_scene(), rounds=1)


class Answering:
    """A client whose replies are those of a whole story, but for an action of Bob's without words."""

    def prompt_room(self, endpoint):
        return None

    async def complete(self, endpoint, request, **_):
        prose = request.path == "r1/bob/action"
        return Completion("Bob nods." if prose else reply_to(request, SCRIPT.scene, next_in(SCRIPT.scene)), "stop")


async def story():
    """The events of a story, and its replies."""
    journal = MemoryJournal()
    record = Record(replies={}, endpoint_of=lambda _: AT, seed=1, on_mismatch="stop")
    events = await played(SCRIPT, JournaledAsk(journal, record, Answering(), OpenDoor()))
    return events, journal.replies()


@pytest.mark.parametrize(
    "after", [None, "r0/bob/self-belief", "r1/ann/action", "r1/ann/update/ann", "r1/bob/action", END]
)
async def test_replies_behind_what_was_played_are_not_counted_again(after):
    events, replies = await story()
    count = 0 if after is None else 1 + [event.path for event in events].index(after)
    behind = {reply_path(event.path, replies) for event in events[:count] if event.path != END}
    record = Record(replies=replies, endpoint_of=lambda _: AT, seed=1, on_mismatch="stop")
    seen = await outlook(SCRIPT, record, events[:count])
    assert (seen.known, [*seen.next]) == (len(replies.keys() - behind), [])
