"""A trained adapter back on the stage: a vLLM server that the app starts loads it, beside its base.

The adapter is then a model with a name of its own, which launches, narrates and judges like any other. vLLM knows
adapters by their names: so that of each run ends in the beginning of the run's identity.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count, pairwise
from pathlib import Path

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import TrainingError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.command import HOST, plain_name
from characterbox.llm.vllm.servers import is_free
from characterbox.store import Store
from characterbox.training.recipe import check_base

FIRST_PORT = 8001
"""Ports are looked for from here on: vLLM's own is often taken."""
_NAMED = "--served-model-name"


@dataclass(frozen=True)
class Served:
    """An adapter on a server that is registered."""

    server: Server
    base: Endpoint
    tuned: Endpoint


def adapter_name(name: str, identity: str) -> str:
    """What the adapter of a run is called: no other version of it has this name."""
    return f"{name}-{identity[:8]}"


def serve(store: Store, actor: Account, folder: Path, port: int | None = None) -> Served:
    """Register the adapter in the folder of a run that is done with the app's server of its base, or with a new one.

    The server is not started, or started anew: whoever has it does that. Raises TrainingError for a folder without the
    adapter of a run that is done, and NotAllowed but for admins.
    """
    require(actor, "administer")
    served = to_serve(store, folder, port)
    store.servers.save(actor, served.server)
    return served


def to_serve(store: Store, folder: Path, port: int | None = None) -> Served:
    """What `serve` would register; nothing is changed. Raises TrainingError as `serve` does."""
    name, base, adapter = _trained(folder)
    server, launch = _with(store.servers.all(), base, name, adapter, port)
    return Served(server, Endpoint(url=server.url, model=_served_as(launch)), Endpoint(url=server.url, model=name))


def _trained(folder: Path) -> tuple[str, str, Path]:
    """The name of the adapter that was trained in a folder, its base, which is still what it was, and where it is."""
    try:
        run, result = (json.loads((folder / name).read_bytes()) for name in ("run.json", "result.json"))
        name, base = adapter_name(run["recipe"]["name"], result["identity"]), str(run["recipe"]["base"])
        digest = run["recipe"]["base_digest"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise TrainingError(
            "{folder}: there is no finished training here; name the folder of a run that is done", folder=folder
        ) from None
    adapter = (folder / "adapter").absolute()
    if not (adapter / "adapter_config.json").is_file():
        raise TrainingError("{folder}: the adapter is gone; train it again", folder=folder)
    check_base(base, digest)
    return name, base, adapter


def _with(servers: Iterable[Server], base: str, name: str, adapter: Path, port: int | None) -> tuple[Server, Launch]:
    """The started server of the base with the adapter, or a new one, and how it is started."""
    known = [server for server in servers if server.launch is not None]
    for server in sorted(known, key=lambda one: one.launch is None or name not in one.launch.adapters):
        launch = server.launch
        if launch is not None and launch.model == base and port in (None, launch.port):
            launch = launch.model_copy(update={"adapters": {**launch.adapters, name: str(adapter)}})
            models = tuple(dict.fromkeys((*server.models, name)))
            return server.model_copy(update={"launch": launch, "models": models}), launch
    taken = {server.launch.port for server in known if server.launch is not None}
    port = port or next(number for number in count(FIRST_PORT) if number not in taken and is_free(number))
    called = Path(base).name
    launch = Launch(model=base, port=port, adapters={name: str(adapter)}, flags=(_NAMED, called))
    url = f"http://{HOST}:{port}/v1"
    return Server(url=url, name=called, kind="started", models=(called, name), launch=launch), launch


def _served_as(launch: Launch) -> str:
    """The name under which a server has its base."""
    for word, following in pairwise((*launch.flags, "")):
        flag, equals, value = word.partition("=")
        if plain_name(flag) == _NAMED:
            return value if equals else following
    return launch.model
