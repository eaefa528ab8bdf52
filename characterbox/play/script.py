"""What is to be played: a scene and the settings of the story."""

from typing import Annotated

from pydantic import Field

from characterbox.scenes.scene import Scene
from characterbox.values import Value


class Script(Value):
    """A scene with all that the events depend on besides the replies."""

    scene: Scene
    rounds: Annotated[int, Field(ge=1, le=100)] = 3
    seed: int = 1
    """Sent with each request, so that models that honour it repeat themselves."""
    may_conclude: bool = False
    """Whether the story ends early when the narrator holds it to be concluded."""
