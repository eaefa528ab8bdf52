"""How long the headings of a scene may be: they stand in lists, on buttons and in the heads of tables."""

from collections.abc import Iterator

from characterbox.scenes.scene import Scene

MOST_HEADING = 200
"""Characters of a title or the name of a work, at most."""
MOST_NAME = 80
"""Characters of the name of a character, at most: as many as the label of a story has."""


def overlong(scene: Scene) -> Iterator[tuple[str, int]]:
    """The fields that are too long, in house form, and how many characters each may have."""
    bounds = {"title": (scene.title, MOST_HEADING), "work": (scene.work, MOST_HEADING)}
    bounds |= {f"cast[{place}].name": (one.name, MOST_NAME) for place, one in enumerate(scene.cast)}
    for field, (text, most) in bounds.items():
        if len(text) > most:
            yield field, most
