"""`characterbox judge`: have a story judged."""

import argparse
import asyncio
import json

from characterbox.commands.common import open_store
from characterbox.judging.judge import Judge, judge_story
from characterbox.llm.client import Client
from characterbox.settings import settings


def run(options: argparse.Namespace) -> int:
    """Judge the story, and print its ratings as JSON, one a line."""
    judge = Judge.parse(options.judge)
    store = open_store(options)

    async def run() -> None:
        client = Client(settings().api_key)
        try:
            for rating in await judge_story(store, client, store.stories.story(options.story), judge):
                print(json.dumps(rating.model_dump(), ensure_ascii=False), flush=True)
        finally:
            await client.close()

    try:
        asyncio.run(run())
    finally:
        store.close()
    return 0
