"""Small sweeps."""

from typing import Any

from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.scene import Scene
from characterbox.sweeps.sweep import Sweep
from tests.fakes.mock_server import MockServer
from tests.fakes.scenes import a_scene

REHEARSAL = Endpoint.parse("rehearsal")
OTHER = Endpoint.parse("rehearsal#other")


def scenes(count: int) -> tuple[Scene, ...]:
    """Scenes that are told apart by their ids."""
    return tuple(a_scene().model_copy(update={"id": f"watch-{number}"}) for number in range(1, count + 1))


def a_sweep(**changes: Any) -> Sweep:
    """Two scenes, two models, one narrator and one judge, a round each; all of it the rehearsal's."""
    fields: dict[str, Any] = {
        "name": "small",
        "scenes": scenes(2),
        "characters": (REHEARSAL, OTHER),
        "narrators": (REHEARSAL,),
        "judges": (Judge(name="Strict", endpoint=Endpoint.parse("rehearsal#strict")),),
        "rounds": 1,
    }
    return Sweep(**{**fields, **changes})


def at_server(server: MockServer, **changes: Any) -> Sweep:
    """A sweep of which all is asked of one server."""
    asked = Endpoint(url=server.url, model="m")
    judge = Judge(name="Strict", endpoint=asked)
    return a_sweep(**{"characters": (asked,), "narrators": (asked,), "judges": (judge,), **changes})
