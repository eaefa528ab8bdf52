"""`characterbox judge`: have a story judged."""

import argparse
import asyncio
import json

from characterbox.commands.database import open_store
from characterbox.errors import RecordMismatch, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.stage.client import open_client
from characterbox.store import Store


def run(options: argparse.Namespace) -> int:
    """Judge the story, and print its ratings as JSON, one a line."""
    judge = Judge.parse(options.judge)
    store = open_store(options)
    try:
        asyncio.run(_judge(store, judge, options))
    except RecordMismatch as error:
        raise StoryError(f"judge {judge.name}: {error}: --anew") from None
    finally:
        store.close()
    return 0


async def _judge(store: Store, judge: Judge, options: argparse.Namespace) -> None:
    story = store.stories.story(options.story)
    client = open_client(store)
    try:
        for rating in await judge_story(store, client, story, judge, anew=options.anew):
            print(json.dumps(rating.model_dump(), ensure_ascii=False), flush=True)
    finally:
        await client.close()
