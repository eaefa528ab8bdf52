"""Where a story that was brought in may send prompts and keys."""

from annotations.messages import Message
from characterbox.errors import StoryError
from characterbox.llm.endpoint import MODELLESS, Casting
from characterbox.store import Store
from characterbox.store.stories import Story


def check_addresses(store: Store, story: Story, casting: Casting) -> None:
    """Raises StoryError if a story from a file would be played at addresses that nobody has registered here."""
    registered = {server.url for server in store.servers.all()} | MODELLESS
    if story.launched_from == "file" and (alien := casting.urls - registered):
        raise StoryError(
            Message(
                "story {id}: it was brought in, and its models are at addresses that are not registered here"
                " ({addresses}); register them on the Models page, or branch it with another model",
                id=story.id,
                addresses=", ".join(sorted(alien)),
            )
        )
