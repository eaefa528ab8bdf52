"""A story that was played, for tests of what is read of it."""

from characterbox.play.events import Action, Dialogue
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from tests.fakes.stories import a_story


async def played(store: Store, scene: Scene) -> Story:
    """A story in which Ann acts and speaks, ended."""
    story = a_story(store, scene)
    at = {"round": 1, "turn": "Ann", "character": "Ann"}
    events = [
        Action(path="r1/ann/action", text="Ann bows.", **at),
        Dialogue(path="r1/ann/dialogue", text="你好", **at),
    ]
    with store.stories.claimed(story.id) as claimed:
        for number, event in enumerate(events, 1):
            await claimed.record(number, event)
    store.stories.move(story.id, "ended")
    return store.stories.story(story.id)
