"""`characterbox serve`: serve a trained adapter with vLLM, beside its base, until interrupted."""

import argparse
import time

from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.database import open_store
from characterbox.commands.exits import say
from characterbox.errors import EndpointError
from characterbox.llm.server import Server
from characterbox.llm.vllm.servers import Servers, State
from characterbox.stage.jobs.vllm_jobs import open_starter
from characterbox.training.serving import to_serve

_LINES = 30
"""Of the log that are told where the server has ended."""
_LOOK = 1.0
"""Seconds between two looks at the server."""


def run(options: argparse.Namespace) -> int:
    """Register the adapter, start its server, say under which name it answers, and wait.

    A server that runs already is left running, and one that runs without the adapter is left as it is: somebody may use
    it.
    """
    servers = open_starter().servers
    with open_store(options) as store:
        served = to_serve(store, options.run, options.port)
        before = servers.state(served.server.url).name
        try:
            servers.start(served.server)
            store.servers.save(COMMAND_LINE, served.server)
            _wait_until_ready(servers, served.server)
            print(f"base\t{served.base}\ntuned\t{served.tuned}", flush=True)
            while (state := servers.state(served.server.url)).name == "ready":
                time.sleep(_LOOK)
            raise _ended(servers, served.server, state)
        finally:
            if before in ("stopped", "failed"):
                servers.stop(served.server.url)


def _wait_until_ready(servers: Servers, server: Server) -> None:
    told = None
    while (state := servers.state(server.url)).name == "starting":
        if state.phase != told:
            told = state.phase
            say(f"vLLM is starting: {told}")
        time.sleep(_LOOK)
    if state.name != "ready":
        raise _ended(servers, server, state)


def _ended(servers: Servers, server: Server, state: State) -> EndpointError:
    """Why a server has ended; the end of its log stands before."""
    say(servers.log(server.url, _LINES))
    why = state.faults[-1] if state.faults else state.name
    return EndpointError("the vLLM server has ended: {why}", why=why)
