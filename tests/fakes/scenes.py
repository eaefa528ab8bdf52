"""Small scenes whose private parts carry marks that can be searched for in prompts."""

from characterbox.scenes.scene import Alias, Environment, Profile, Scene
from characterbox.values import Language

PLOT = "PLOT-MARK: the safe was empty all along"


def secret_of(name: str) -> str:
    """The mark in the private description of a character."""
    return f"SECRET-MARK-OF-{name.upper()}"


def a_scene(*names: str, language: Language = "en") -> Scene:
    """A scene with these characters, Ann and Bob when none are named."""
    return Scene(
        id="watch",
        title="A watch goes missing",
        work="The Hotel",
        language=language,
        origin="original",
        environment=Environment(time="Midnight", location="The lobby", description="An open safe."),
        cast=tuple(
            Profile(name=name, description=secret_of(name), position=f"place of {name}", state=f"state of {name}")
            for name in names or ("Ann", "Bob")
        ),
        plot=PLOT,
    )


def masked_scene() -> Scene:
    """A scene in which Bob does not know Ann by her name, which her position gives away."""
    ann, bob = a_scene().cast
    masks = {"public_face": "A woman in grey.", "known_as": (Alias(name="the clerk", by=("Bob",)),)}
    return a_scene().model_copy(update={"cast": (ann.model_copy(update=masks), bob)})
