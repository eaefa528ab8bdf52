"""Dialogues with roles that have ended, for tests of what is made of them."""

from collections.abc import Sequence
from typing import Any

from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.events import Dialogue, Event, StoryEnded
from characterbox.play.paths import END, path_of
from characterbox.play.world import Script
from characterbox.roles.dialogue import Conversation, dialogue_scene
from characterbox.roles.role import Role
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from characterbox.store.tables.columns import now
from tests.fakes.roles import FERRYMAN, MERCHANT

PERSON = "Ana"


def talked(
    store: Store, said: Sequence[tuple[str, str]], model: str = "m", role: Role = FERRYMAN, **changes: Any
) -> Story:
    """A dialogue of Ana with a role: in each round, what she says and what the model answers."""
    script = Script(
        scene=dialogue_scene([role], PERSON), rounds=100, conversation=Conversation(strategy="zsp", roles=(role,))
    )
    turns = [(PERSON, role.name)[at] for _ in said for at in (0, 1)]
    return _stored(store, script, {role.name: model, PERSON: model}, turns, [t for one in said for t in one], **changes)


def two_roles(store: Store, *texts: str, models: tuple[str, str] = ("m", "m")) -> Story:
    """A dialogue of the merchant with the ferryman, in turns."""
    roles = (MERCHANT, FERRYMAN)
    script = Script(scene=dialogue_scene(roles), rounds=len(texts), conversation=Conversation(roles=roles))
    names = [one.name for one in roles]
    casting = dict(zip(names, models, strict=True))
    return _stored(store, script, casting, [names[at % 2] for at in range(len(texts))], texts, people=())


def _stored(
    store: Store, script: Script, models: dict[str, str], turns: Sequence[str], texts: Sequence[str], **changes: Any
) -> Story:
    events: list[Event] = []
    for number, (name, text) in enumerate(zip(turns, texts, strict=True)):
        round = number // 2 + 1
        path = path_of(round, name, "dialogue")
        events.append(Dialogue(path=path, round=round, turn=name, character=name, text=text))
    events.append(StoryEnded(path=END, round=max(len(texts) // 2, 1), because="concluded"))
    endpoints = {name: Endpoint(url="http://127.0.0.1:8000/v1", model=model) for name, model in models.items()}
    last = endpoints[turns[-1]]
    fields: dict[str, Any] = {
        "id": store.stories.new_id(),
        "title": script.scene.title,
        "script": script,
        "casting": Casting(narrator=last, characters=endpoints),
        "status": "ended",
        "reason": None,
        "launched_from": "app",
        "created_at": now(),
        "people": (PERSON,),
    }
    story = Story(**{**fields, **changes})
    store.stories.bring(story, events, [], [])
    return story
