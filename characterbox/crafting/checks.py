"""What is looked at in a crafted scene besides its scores: how much is copied, and what known scenes it is close to."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from characterbox.crafting.copied import Copied, Wording
from characterbox.crafting.nearness import Near, nearest
from characterbox.crafting.standing import Crafting
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.values import Language


@dataclass(frozen=True, slots=True)
class Checks:
    """What was found in one scene."""

    copied: Copied | None
    """None where there is no source."""
    near: Near | None
    """The known scene that is most like it; None where no other is known in its language."""


def known_scenes(store: Store) -> list[Scene]:
    """All scenes that one may be close to: the bundled ones, and the library's."""
    return [*bundled(), *store.scenes.all()]


def check(store: Store, crafting: Crafting, scene: Scene, known: Sequence[Scene]) -> Checks:
    """Look at a scene of a crafting, accepted or not, beside the known ones (see `known_scenes`)."""
    copied = None
    if crafting.source is not None:
        copied = _READY.wording(store, crafting.source, crafting.wish.language).copied(scene)
    found = nearest(scene, known, 1)
    return Checks(copied, found[0] if found else None)


class _Ready:
    """The wording of the source that was asked last. To make it takes seconds, and it has up to 400 MB: never two."""

    def __init__(self) -> None:
        self._making = Lock()
        self._of: tuple[str, Language] | None = None
        self._wording: Wording | None = None

    def wording(self, store: Store, digest: str, language: Language) -> Wording:
        """That of the text with this digest, which is the same text in every store."""
        with self._making:
            if self._wording is None or self._of != (digest, language):
                self._wording = None
                self._wording = Wording(store.craftings.text(digest), language)
                self._of = (digest, language)
            return self._wording


_READY = _Ready()
