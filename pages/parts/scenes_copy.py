"""Copies of scenes, under ids that no other scene has."""

from collections.abc import Collection, Sequence

from annotations.wording import say
from characterbox.errors import AccountError
from characterbox.scenes.bounds import MOST_HEADING
from characterbox.scenes.finding import Heading
from characterbox.scenes.scene import Scene, slug_of
from characterbox.stage.stage import Stage
from characterbox.values import Language
from pages.parts.who import allowed, who

COPY: dict[Language, str] = {"en": " (copy)", "zh": "（副本）"}
"""What the title of a copy ends with, in the language of the scene."""
LONGEST = 40
"""Characters of an id that is made of a title."""


def duplicate(stage: Stage, scene: Scene, headings: Sequence[Heading]) -> str:
    """Store a copy of a scene as one of its own, and name its place. Raises AccountError for one who may only read."""
    check_writes()
    ending = COPY[scene.language]
    title = scene.title.removesuffix(ending)[: MOST_HEADING - len(ending)] + ending
    id = free_id(f"{scene.id}-copy" if not scene.id.endswith("-copy") else scene.id, {one.id for one in headings})
    return stage.store.scenes.start(scene.model_copy(update={"id": id, "title": title}), who().id)


def check_writes() -> None:
    """Raises AccountError unless the one who uses the page may write scenes."""
    if not allowed("direct"):
        raise AccountError(say("scenes are written by researchers and admins"))


def id_of_title(title: str, taken: Collection[str]) -> str:
    """An id for a new scene, made of its title."""
    return free_id(slug_of(title)[:LONGEST].strip("-") or "scene", taken)


def free_id(wanted: str, taken: Collection[str]) -> str:
    """The id, or where it is taken, with the first number behind it with which it is not."""
    number, free = 1, wanted
    while free in taken:
        number += 1
        free = f"{wanted}-{number}"
    return free
