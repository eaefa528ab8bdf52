"""`characterbox servers`: the servers that are registered, with the names of their keys."""

import argparse

from pydantic import ValidationError

from annotations.i18n.messages import wrong_with
from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.database import open_store
from characterbox.errors import StoreError
from characterbox.llm.server import Server
from characterbox.store import Store


def run(options: argparse.Namespace) -> int:
    """List the servers, or add or remove one."""
    with open_store(options) as store:
        match options.action:
            case "add":
                _add(store, options)
            case "remove":
                if store.servers.find(options.url) is None:
                    raise StoreError(f"there is no server at {options.url}; characterbox servers lists them")
                store.servers.remove(COMMAND_LINE, options.url)
            case _:
                for server in store.servers.all():
                    print(server.url, server.name, server.key or "-", sep="\t")
    return 0


def _add(store: Store, options: argparse.Namespace) -> None:
    """Register an API, or change the name and the key of the server at its address."""
    known = store.servers.find(options.url)
    settings = {"kind": "api"} if known is None else known.model_dump()
    try:
        server = Server.model_validate({**settings, "url": options.url, "name": options.name, "key": options.key})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        where = first["loc"][0] if first["loc"] else "server"
        raise StoreError(f"{where}: {wrong_with(first)}") from None
    store.servers.save(COMMAND_LINE, server)
