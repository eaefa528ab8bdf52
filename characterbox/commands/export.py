"""`characterbox export`: print a story."""

import argparse
import json

from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.database import open_store
from characterbox.components.player.html_file import story_page
from characterbox.components.player.markdown import markdown
from characterbox.components.player.screenplay import screenplay
from characterbox.pause_reasons import in_full
from characterbox.share.story_file import file_of
from characterbox.stage.live.player_data import packed_journal, player_data


def run(options: argparse.Namespace) -> int:
    """Print the story, as one file that can be imported again, one HTML page, a screenplay, or Markdown."""
    with open_store(options) as store, in_full():
        story = store.stories.story(options.story)
        scene, events = story.script.scene, store.stories.events(story.id)
        match options.format:
            case "html":
                data = player_data(store.stories, story, "playback")
                print(story_page({**data, "journal": packed_journal(store.stories, story)}))
            case "text":
                print(screenplay(scene, events, story.casting), end="")
            case "markdown":
                refused = store.stories.refused(story.id, under="r")
                print(markdown(scene, events, story.casting, story.script.settings, refused), end="")
            case _:
                print(json.dumps(file_of(store.stories, story), ensure_ascii=False, indent=1))
        store.audit.add(COMMAND_LINE, "story.exported", story.id, {"form": options.format})
    return 0
