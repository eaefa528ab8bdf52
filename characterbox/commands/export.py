"""`characterbox export`: print a story."""

import argparse
import json

from characterbox.commands.database import open_store
from characterbox.components.player.page import story_page
from characterbox.stage.view import packed_journal, player_data, story_json


def run(options: argparse.Namespace) -> int:
    """Print the story, as JSON or as one HTML page."""
    store = open_store(options)
    try:
        story = store.stories.story(options.story)
        if options.format == "html":
            data = player_data(store.stories, story, "playback")
            print(story_page({**data, "journal": packed_journal(store.stories, story)}))
        else:
            print(json.dumps(story_json(store.stories, story), ensure_ascii=False, indent=1))
    finally:
        store.close()
    return 0
