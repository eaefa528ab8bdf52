"""CharacterBox: see, rate and trust role-play by language models.

From a script or a notebook: open a `Database`, play and judge stories in it, and read its figures as pandas frames; or
put any table of ratings into `stats`. What is named here is public; all else may change.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotations.errors import AnnotationError
    from characterbox.api.database import Database, stats
    from characterbox.errors import CharacterBoxError
    from characterbox.judging.judge import Judge
    from characterbox.play.events import Event
    from characterbox.play.settings import Settings
    from characterbox.scenes.scene import Scene
    from characterbox.store.stories.story import Story

__version__ = "0.1.0"
__all__ = [
    "AnnotationError",
    "CharacterBoxError",
    "Database",
    "Event",
    "Judge",
    "Scene",
    "Settings",
    "Story",
    "__version__",
    "stats",
]

_HOMES = {
    "AnnotationError": "annotations.errors",
    "CharacterBoxError": "characterbox.errors",
    "Database": "characterbox.api.database",
    "Event": "characterbox.play.events",
    "Judge": "characterbox.judging.judge",
    "Scene": "characterbox.scenes.scene",
    "Settings": "characterbox.play.settings",
    "Story": "characterbox.store.stories.story",
    "stats": "characterbox.api.database",
}
"""Where the public names are from. They are imported as they are first used: pandas alone takes half a second."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
