"""The stories of a sweep: what each plays, and the id under which it is found again."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product

from characterbox import prompts
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.script import Script
from characterbox.scenes.scene import Scene
from characterbox.sweeps.sweep import Sweep

_JUDGES = ("critique", "judge", "score")
"""What the names of prompts begin with that only judges are asked."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One story of a sweep."""

    place: int
    """From 1, in the order of the plan: scenes within seeds, so that all models come far at the same time."""
    scene: Scene
    character: Endpoint
    """Plays all characters."""
    narrator: Endpoint
    seed: int
    repeat: int
    """From 1."""
    script: Script
    casting: Casting
    id: str
    """The id of its story. It follows from what is played, not from the sweep: what sweeps share is played once."""


def cells_of(sweep: Sweep) -> Iterator[Cell]:
    """The stories of a sweep, in order."""
    prompts = sweep.prompts or prompts_digest()
    whole = product(range(1, sweep.repeats + 1), sweep.seeds, sweep.scenes, sweep.narrators, sweep.characters)
    for place, (repeat, seed, scene, narrator, character) in enumerate(whole, 1):
        script = Script(scene=scene, rounds=sweep.rounds, seed=seed, may_conclude=sweep.may_conclude)
        casting = Casting(narrator=narrator, characters=dict.fromkeys(scene.names, character))
        id = _id(script, (character, narrator), repeat, prompts)
        yield Cell(place, scene, character, narrator, seed, repeat, script, casting, id)


@cache
def prompts_digest() -> str:
    """The version of the prompts that stories are played with: a fingerprint of their wording."""
    texts = {
        f"{folder.name}/{file.name}": file.read_text(encoding="utf-8")
        for folder in files(prompts).iterdir()
        if folder.name in ("en", "zh")
        for file in folder.iterdir()
        if not file.name.startswith(_JUDGES)
    }
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:12]


def _id(script: Script, played: tuple[Endpoint, Endpoint], repeat: int, prompts: str) -> str:
    """Where a model is reached makes no other story; other prompts do."""
    character, narrator = played
    played_by = [[one.model, one.is_rehearsal] for one in (character, narrator)]
    whole = [script.model_dump(mode="json"), played_by, repeat, prompts]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:12]
