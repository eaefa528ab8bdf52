"""`characterbox mcp`: the functions of the API for an assistant, over standard input and output."""

import argparse
from importlib import import_module

from characterbox.commands.database import chosen_url
from characterbox.errors import AccountError, CharacterBoxError
from characterbox.settings import settings


def run(options: argparse.Namespace) -> int:
    """Serve until the assistant ends it."""
    if options.account is None and settings().auth != "off":
        raise AccountError("--account is missing; this app has accounts, so name the one whose rights count")
    try:
        served = import_module("characterbox.api.mcp_server")
    except ModuleNotFoundError as error:
        if error.name != "mcp":
            raise
        raise CharacterBoxError("the package mcp is not installed; pip install 'characterbox[mcp]' gets it") from None
    served.serve(chosen_url(options), options.account, writes=options.write)
    return 0
