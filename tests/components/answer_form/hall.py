"""A scene in which somebody is not who he seems, and somebody is not noticed."""

from characterbox.play.events import ActionInfluence
from characterbox.scenes.scene import Alias, Environment, Profile, Scene
from characterbox.values import Language

PENELOPE, ODYSSEUS, MAID = "Penelope", "Odysseus", "Eurycleia"


def hall(language: Language = "en", *, masked: bool = True) -> Scene:
    """A scene in which a guest is not who he seems, and a maid listens behind the door."""
    alias = {"en": "the beggar", "zh": "那个乞丐"}[language]
    return Scene(
        id="hall",
        title="The guest",
        work="Odyssey",
        language=language,
        origin="original",
        environment=Environment(time="Night", location="The hall", description="A fire burns low."),
        cast=(
            Profile(name=PENELOPE, description="She waits.", position="by the loom", state="wary"),
            Profile(
                name=ODYSSEUS,
                description="He has come home.",
                position="by the fire",
                state="tired",
                known_as=(Alias(name=alias, by=(PENELOPE,)),) if masked else (),
            ),
            Profile(
                name=MAID,
                description="She knows.",
                position="behind the door",
                state="breathless",
                unseen_by=(PENELOPE,),
            ),
        ),
    )


def influence(affected: str | None = PENELOPE) -> ActionInfluence:
    """What Odysseus does touches her, or nobody."""
    at = {"round": 1, "turn": ODYSSEUS, "character": ODYSSEUS}
    return ActionInfluence(path="r1/odysseus/influence", affected=affected, text="It tells.", importance=3, **at)
