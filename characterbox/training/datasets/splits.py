"""Which scenes a dataset is learnt from, and which it is tested with: no scene stands in two splits.

All versions and translations of a scene are one family, and so are scenes that read nearly alike. A family is never
parted.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotations.i18n.messages import cited
from characterbox.crafting.originality import near_pairs
from characterbox.errors import TrainingError
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.training.datasets.example import Split

VALIDATION = 0.1
"""The share of what is not tested that is validated with (paper, table 7)."""


class Families:
    """Scenes that belong together, by their ids (a union-find)."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def join(self, *ids: str) -> None:
        """Let these be of one family."""
        for id in ids:
            first, second = sorted((self.of(ids[0]), self.of(id)))
            self._above[second] = first

    def of(self, id: str) -> str:
        """The name of a family: the same for all who are of it."""
        above = self._above.setdefault(id, id)
        while above != self._above[above]:
            above = self._above[above]
        self._above[id] = above
        return above


@dataclass(frozen=True)
class Splits:
    """The split of each scene."""

    of_scene: Mapping[str, Split]
    """By the scene's fingerprint."""
    near: Sequence[tuple[str, str, float]]
    """Scenes of different ids that read nearly alike, and were kept together: both ids, and how alike they are."""
    scenes: Mapping[Split, tuple[str, ...]]
    """The ids of the scenes of each split, in order."""


def split_scenes(scenes: Sequence[Scene], weights: Mapping[str, int], test: Collection[str]) -> Splits:
    """Put scenes into splits. The same scenes, weights and names give the same splits.

    `weights` are the stories of each scene, by its fingerprint. `test` names the scenes to be tested with, by id or
    title: with them go their families. Of the others, so many families that they come nearest to a tenth of the stories
    are validated with, at least one where there are two.

    Raises TrainingError where no scene has a name that is given.
    """
    families, near = _families(scenes)
    family = {fingerprint(scene): families.of(scene.id) for scene in scenes}
    tested = {family[fingerprint(scene)] for scene in _called(scenes, test)}
    heavy: dict[str, int] = {}
    for scene in scenes:
        key = fingerprint(scene)
        if family[key] not in tested:
            heavy[family[key]] = heavy.get(family[key], 0) + weights[key]
    validated = _validated(heavy)
    of_scene: dict[str, Split] = {
        key: "test" if name in tested else "validation" if name in validated else "train"
        for key, name in family.items()
    }
    listed: dict[Split, tuple[str, ...]] = {
        split: tuple(sorted({scene.id for scene in scenes if of_scene[fingerprint(scene)] == split}))
        for split in ("train", "validation", "test")
    }
    return Splits(of_scene, near, listed)


def _families(scenes: Sequence[Scene]) -> tuple[Families, list[tuple[str, str, float]]]:
    """The families of scenes: by id, which all versions share, by the id of the scene that they translate, and by
    wording."""
    families = Families()
    for scene in scenes:
        families.join(scene.id)
        if scene.pair is not None:
            families.join(scene.id, scene.pair)
    near = [(scene.id, other.scene.id, round(other.similarity, 2)) for scene, other in near_pairs(scenes)]
    for one, other, _ in near:
        families.join(one, other)
    return families, sorted(near)


def _called(scenes: Sequence[Scene], names: Iterable[str]) -> list[Scene]:
    found = []
    for name in names:
        called = [scene for scene in scenes if name.strip().casefold() in (scene.id.casefold(), scene.title.casefold())]
        if not called:
            raise TrainingError(
                "test scene {name!r}: no chosen story was played from a scene with this id or title; the scenes are"
                " {scenes}",
                name=cited(name),
                scenes=", ".join(sorted({scene.id for scene in scenes})),
            )
        found += called
    return found


def _validated(weights: Mapping[str, int]) -> set[str]:
    """The families to validate with: taken in the order of hashes of their names, while that comes nearer to the
    share."""
    if len(weights) < 2:
        return set()
    order = sorted(weights, key=lambda name: hashlib.sha256(name.encode()).digest())
    aim, weight, chosen = VALIDATION * sum(weights.values()), 0, set[str]()
    for name in order:
        if abs(weight + weights[name] - aim) < abs(weight - aim):
            weight += weights[name]
            chosen.add(name)
    return chosen or {min(order, key=lambda name: weights[name])}
