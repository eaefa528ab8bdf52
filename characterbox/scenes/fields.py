"""The prose of a scene by field: what is counted, compared and looked at."""

from characterbox.scenes.scene import Scene


def prose_of(scene: Scene) -> dict[str, str]:
    """The texts of a scene by the names of their fields, in house form. Names, work, gender and author are none."""
    place = scene.environment
    found = {"title": scene.title, "time": place.time, "location": place.location, "description": place.description}
    for number, one in enumerate(scene.cast):
        found |= {
            f"cast[{number}].description": one.description,
            f"cast[{number}].position": one.position,
            f"cast[{number}].state": one.state,
        }
        for kind, notes in (("knowledge", one.knowledge), ("unaware", one.unaware)):
            found |= {f"cast[{number}].{kind}[{place}]": text for place, text in enumerate(notes)}
    return found if scene.plot is None else found | {"plot": scene.plot}
