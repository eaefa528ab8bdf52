"""`characterbox judge`: have a story judged."""

import argparse
import asyncio
import json

from characterbox.commands.database import open_store
from characterbox.errors import RecordMismatch, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.protocol import Protocol
from characterbox.judging.registry import registered
from characterbox.stage.client import open_client
from characterbox.store import Store


def run(options: argparse.Namespace) -> int:
    """Judge the story, and print its ratings as JSON, one a line."""
    judge = judge_of(options)
    store = open_store(options)
    try:
        judge = registered(store, judge)
        asyncio.run(_judge(store, judge, options))
    except RecordMismatch as error:
        raise StoryError(f"judge {judge.rater}: {error}: --anew") from None
    finally:
        store.close()
    return 0


def judge_of(options: argparse.Namespace) -> Judge:
    """The judge that the options name, and how it is to judge."""
    judge = Judge.parse(options.judge)
    wanted = {name: value for name in Protocol.model_fields if (value := getattr(options, name)) is not None}
    return judge.model_copy(update={"protocol": judge.protocol.model_copy(update=wanted)})


async def _judge(store: Store, judge: Judge, options: argparse.Namespace) -> None:
    story = store.stories.story(options.story)
    client = open_client(store)
    try:
        for rating in await judge_story(store, client, story, judge, anew=options.anew):
            print(json.dumps(rating.model_dump(), ensure_ascii=False), flush=True)
    finally:
        await client.close()
