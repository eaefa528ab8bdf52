"""`characterbox crosscheck`: have a second narrator decide once more, and say how far both agree."""

import argparse
import asyncio
import json
from collections.abc import Sequence

from annotations.confirmed import take_from_pingouin
from annotations.cross_check import cross_check
from characterbox.commands.database import open_store
from characterbox.judging.crosscheck import Checked, check_story, left_out, table_of
from characterbox.judging.crosscheck_text import as_json, as_text
from characterbox.llm.endpoint import Endpoint
from characterbox.stage.client import open_client
from characterbox.store import Store
from characterbox.store.stories import Story


def run(options: argparse.Namespace) -> int:
    """Ask the second narrator about the stories, and print the agreement."""
    take_from_pingouin()
    narrator = Endpoint.parse(options.narrator)
    store = open_store(options)
    try:
        stories = [store.stories.story(id) for id in dict.fromkeys(options.stories)]
        checked = asyncio.run(_check(store, narrator, stories))
    finally:
        store.close()
    found = cross_check(table_of(zip(stories, checked, strict=True)))
    gone = left_out(checked)
    improvised = narrator.is_modelless or any(story.casting.improvised for story in stories)
    if options.json:
        print(json.dumps(as_json(found, gone, improvised=improvised), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(as_text(found, gone, improvised=improvised))
    return 0


async def _check(store: Store, narrator: Endpoint, stories: Sequence[Story]) -> list[list[Checked]]:
    client = open_client(store, for_owner=True)
    try:
        return [await check_story(store, client, story, narrator) for story in stories]
    finally:
        await client.close()
