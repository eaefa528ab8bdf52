"""`characterbox rehearsal`: serve the endpoint that improvises without a language model."""

import argparse

import uvicorn

from characterbox.commands.exits import check_free
from characterbox.llm.rehearsal.app import rehearsal_app


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, on 127.0.0.1."""
    check_free(options.port)
    app = rehearsal_app(options.latency, own_names_only=True)
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="warning")
    return 0
