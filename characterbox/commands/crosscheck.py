"""`characterbox crosscheck`: have a second narrator decide once more, and say how far both agree."""

import argparse
import json

from annotations.reliability.narrator_agreement import cross_check
from annotations.reliability.pingouin_check import take_from_pingouin
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.judging.cross_check import Checked, as_json, as_text, check_story, left_out, table_of
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint


def run(options: argparse.Namespace) -> int:
    """Ask the second narrator about the stories, and print the agreement."""
    take_from_pingouin()
    narrator = Endpoint.parse(options.narrator)
    with open_store(options) as store:
        stories = [store.stories.story(id) for id in dict.fromkeys(options.stories)]

        async def check(client: Client) -> list[list[Checked]]:
            return [await check_story(store, client, story, narrator) for story in stories]

        checked = with_client(store, check)
    found = cross_check(table_of(zip(stories, checked, strict=True)))
    gone = left_out(checked)
    improvised = narrator.is_modelless or any(story.casting.improvised for story in stories)
    if options.json:
        print(json.dumps(as_json(found, gone, improvised=improvised), ensure_ascii=False, indent=1, allow_nan=False))
    else:
        print(as_text(found, gone, improvised=improvised))
    return 0
