"""What is told to those who watch a story: what has happened, how it stands, what it costs and what is under way."""

from dataclasses import replace

from characterbox.llm.request import Request
from characterbox.play.paths import KINDS, parse_path, step_path
from characterbox.scenes.scene import Scene, slug_of
from characterbox.stage.live.hub import Notice
from characterbox.store.stories.stories import StoryStore


def event_notices(stories: StoryStore, id: str, after: int) -> list[Notice]:
    """The stored events of a story behind number `after`, as notices."""
    events = stories.events(id, after)
    return [Notice("event", event.model_dump(mode="json"), seq) for seq, event in enumerate(events, after + 1)]


def status_notice(stories: StoryStore, id: str) -> Notice:
    """How the story stands, and who is played by people, as a notice."""
    return Notice("status", stories.standing(id))


def costs_notice(stories: StoryStore, id: str) -> Notice:
    """What the story has cost so far, as a notice. What is under way has no reply yet: it is not told as unanswered."""
    return Notice("costs", {"costs": replace(stories.costs(id), unanswered=0)})


def asking_notice(scene: Scene, request: Request) -> Notice:
    """That a step is being worked on."""
    return Notice("asking", _step(scene, request))


def token_notice(scene: Scene, request: Request, piece: str) -> Notice:
    """A piece of the text of a step that is being worked on."""
    return Notice("token", {**_step(scene, request), "text": piece})


def _step(scene: Scene, request: Request) -> dict[str, str]:
    place, _ = parse_path(request.path)
    names = {slug_of(name): name for name in scene.names}
    return {"path": step_path(request.path), "kind": KINDS[place.step], "character": names[place.character]}
