"""Stories that the command line played through a real server, with what the server and the journal tell of them."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from characterbox.llm.journal import Reply
from characterbox.play.events import Event, event_adapter
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import Scene, slug_of
from characterbox.store import Store
from characterbox.store.stories.stories import Status
from tests.vllm.server import ADAPTERS, BASE, RealServer

ROUNDS = 3
ROOT = Path(__file__).parents[2]
_QUERIES, _HITS = "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"
_OF_CHARACTERS = ("action", "dialogue", "self-belief", "environment-belief")


@dataclass(frozen=True)
class Played:
    """A story that was played to its end."""

    id: str
    scene: Scene
    status: Status
    models: dict[str, str]
    """The model of each character."""
    events: Sequence[Event]
    """As the command told them."""
    replies: dict[str, Reply]
    """The journal, by path."""
    queries: int
    """Prompt tokens that the server looked for in its prefix cache."""
    hits: int
    """Those that it found there."""
    seconds: float

    def model_at(self, path: str) -> str:
        """The model that the casting has for a path."""
        place = path.removesuffix("/again").split("/")
        who = place[3] if place[2] == "reaction" else place[1] if place[2] in _OF_CHARACTERS else None
        return next((model for name, model in self.models.items() if slug_of(name) == who), BASE)

    def last_reply(self, path: str) -> Reply:
        """The reply that counts at a path: the one to the second asking, if there was one."""
        return self.replies.get(f"{path}/again") or self.replies[path]


def command(*words: str, database: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the project to its end."""
    whole = [sys.executable, "-m", "characterbox", *words, "--db", str(database)]
    done = subprocess.run(whole, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done


def play_story(server: RealServer, name: str, database: Path) -> Played:
    """Play a bundled scene: the base model is the narrator, the adapters take turns at the characters."""
    scene = bundled_scene(name)
    models = {who: ADAPTERS[number % len(ADAPTERS)] for number, who in enumerate(scene.names)}
    cast = [word for who, model in models.items() for word in ("--cast", f"{who}={server.at(model)}")]
    options = ["--rounds", str(ROUNDS), "--seed", "2", "--narrator", server.at(BASE), *cast]
    queries, hits, started = server.count(_QUERIES), server.count(_HITS), time.monotonic()
    done = command("play", f"bundled:{name}", *options, database=database)
    seconds = time.monotonic() - started
    id = done.stderr.splitlines()[0].removeprefix("characterbox: story ")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    store = Store(f"sqlite:///{database}")
    try:
        return Played(
            id=id,
            scene=scene,
            status=store.stories.story(id).status,
            models=models,
            events=[event_adapter.validate_python({k: v for k, v in line.items() if k != "story"}) for line in lines],
            replies={reply.path: reply for reply in store.stories.journal(id)},
            queries=server.count(_QUERIES) - queries,
            hits=server.count(_HITS) - hits,
            seconds=seconds,
        )
    finally:
        store.close()
