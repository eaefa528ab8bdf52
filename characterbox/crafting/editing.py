"""What people do to what was crafted: a draft is written over, a scene sent back, a translation kept."""

import asyncio
from dataclasses import replace

from annotations.i18n.messages import Message
from characterbox.crafting.draft import draft_of, read_draft
from characterbox.crafting.progress import Crafted, Crafting, Wished, look, record, scene_in, so_far
from characterbox.crafting.request import Wish
from characterbox.crafting.running import store_accepted
from characterbox.crafting.translation import Translation, read_translation, translation_of
from characterbox.errors import SceneError, StoryError
from characterbox.llm.asking import RecordedAsk
from characterbox.scenes.file_reading import parse_json
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.store import Store

MOST_WRITTEN = 40_000
"""Characters of a draft that a person writes."""


def edit(store: Store, id: str, path: str, scene: Scene, seen: int, *, person: str | None = None) -> None:
    """Put a scene that a person wrote, with this account, in the place of a draft; what rests on it is asked anew.

    `seen` is the number of the reply that the person saw there (`Crafting.take`). Raises StoryError if there is another
    one by now, nothing was drafted there, another process is at it, or it is a translation that is kept already, and
    ReplyError if it is no scene that the wish allows.
    """
    with store.craftings.claimed(id) as journal:
        crafting = look(store, id)
        wish, number = crafting.wish, int(scene_in(path).removeprefix("scene-"))
        text = written(wish, scene)
        read_written(text, wish, id, number)
        if isinstance(wish, Translation) and kept(store, crafting) is not None:
            raise StoryError("the translation is in the library; edit it there")
        recorded = RecordedAsk(record(wish, crafting.replies, "keep"))
        asyncio.run(so_far(recorded, wish, id, number))
        if (found := recorded.found.get(path)) is None:
            raise StoryError("there is no draft at {path}", path=path)
        if crafting.take(path) != seen:
            raise StoryError("the draft has changed in the meantime; review it, then edit it again")
        request, reply = found
        edited = reply.edited(text, person)
        journal.put(replace(edited, take=seen + 1, digest=request.digest(wish.seed), messages=request.messages))
        journal.settle("paused" if isinstance(wish, Wish) else "ended")


def send_back(store: Store, id: str, number: int) -> None:
    """Have a rejected scene written once more, with the evaluator's last reasons; it is asked as it goes on.

    Raises StoryError if the scene is not rejected by now, is written once only, or another process is at it.
    """
    with store.craftings.claimed(id) as journal:
        crafting = look(store, id)
        wish = crafting.wish
        if isinstance(wish, Translation) or not can_be_sent_back(wish, crafting.scenes[number - 1]):
            raise StoryError("scene {number} is not rejected at the moment; check its status", number=number)
        further = wish.model_copy(update={"further": (*wish.further, number)})
        journal.wish_for(further.model_dump(mode="json"))


def can_be_sent_back(wish: Wished, crafted: Crafted) -> bool:
    """Whether a scene is rejected that can be written once more: what is written directly can't."""
    return isinstance(wish, Wish) and wish.method == "three-stage" and crafted.rejected


def keep(store: Store, id: str, made_by: str | None = None) -> str:
    """Put a translation into the library, and name the chain that it begins; once, however often it is asked for.

    Raises StoryError if there is none yet, or another process is at it.
    """
    with store.craftings.claimed(id):
        scene = look(store, id).scenes[0].scene
        if scene is None:
            raise StoryError("there is no translation to keep yet")
        store_accepted(store, scene, made_by)
    return store.scenes.known([scene])[fingerprint(scene)]


def kept(store: Store, crafting: Crafting) -> str | None:
    """The chain of a translation in the library; None if it was not kept."""
    scene = crafting.scenes[0].scene
    return None if scene is None else store.scenes.known([scene]).get(fingerprint(scene))


def written(wish: Wished, scene: Scene) -> str:
    """A scene as it is edited by hand: what `read_written` reads."""
    return translation_of(scene, wish.scene) if isinstance(wish, Translation) else draft_of(scene)


def read_written(text: str, wish: Wished, id: str, number: int) -> Scene:
    """What was written as scene `number`. Raises ReplyError if it is no scene that the wish allows."""
    if isinstance(wish, Translation):
        return read_translation(text, wish, id)
    return read_draft(text, wish, id, number)


def read_by_hand(text: str, wish: Wished, id: str, number: int) -> Scene:
    """What a person wrote as scene `number`, in JSON.

    Raises SceneError where it is none, or too long to be sent to a model, and ReplyError if it is no scene that the
    wish allows.
    """
    if len(text) > MOST_WRITTEN:
        told = Message(
            "the draft has {count:,} characters; the limit is {most:,}; shorten it", count=len(text), most=MOST_WRITTEN
        )
        raise SceneError(told)
    parse_json(Message("the draft"), text.encode())
    return read_written(text, wish, id, number)
