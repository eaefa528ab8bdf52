"""Stories of the rehearsal, in little scenes: what narrators, judges and characters are trained with."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.rehearsal.grammar import MODELS
from characterbox.play.world import Script
from characterbox.scenes.scene import Scene
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.training.datasets.example import Kind
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.training.datasets.writing import write_dataset
from characterbox.training.reflection.running import reflect_on
from tests.fakes.in_process_servers import ToNearby
from tests.training.end_to_end.little_scenes import HELD_OUT, LEARNT

REHEARSAL = Endpoint.parse("rehearsal")
GOOD, PLAIN, WOODEN = (Endpoint.parse(f"rehearsal#{name}") for name in MODELS)
TEACHER = "GPT-4=rehearsal"
"""The judge that is learnt from, which tells the three models of the rehearsal apart."""
FEW = 2
"""Scenes in which characters are learnt and tried out."""


@dataclass(frozen=True)
class Journals:
    """What was played, by what is learnt from it: the ids of the stories."""

    narrated: tuple[str, ...]
    """Forty to be learnt from, and two of each held-out scene: so many decisions that intervals tell base and tuned
    apart."""
    judged: tuple[str, ...]
    """By each of the three models, all judged."""
    rewritten: tuple[str, ...]
    """Some by the best model, all parts rewritten by itself."""


async def played(store: Store) -> Journals:
    """Play all of it."""
    client = Client(transport=ToNearby())
    try:
        narrated = [await _play(store, client, scene, GOOD, 1, seed) for seed in range(1, 5) for scene in LEARNT]
        narrated += [await _play(store, client, scene, GOOD, 2, seed) for seed in (1, 2) for scene in HELD_OUT]
        seeds = [(seed, scene) for seed in range(21, 29) for scene in (*LEARNT, *(HELD_OUT if seed < 23 else ()))]
        judge = registered(store, Judge.parse(TEACHER))
        judged = []
        for seed, scene in seeds:
            for model in (GOOD, PLAIN, WOODEN):
                judged.append(await _play(store, client, scene, model, 2, seed))
                await judge_story(store, client, store.stories.story(judged[-1]), judge)
        rewritten = [narrated[number] for number in (*range(FEW + 2), *range(40, 40 + FEW))]
        for id in rewritten:
            story = store.stories.story(id)
            for name in story.script.scene.names:
                await reflect_on(store, client, story, name)
    finally:
        await client.close()
    return Journals(tuple(narrated), tuple(judged), tuple(rewritten))


async def _play(store: Store, client: Client, scene: Scene, model: Endpoint, rounds: int, seed: int) -> str:
    """Play a story, whose id hangs on what is played: datasets are in the order of ids, and weights hang on it."""
    casting = Casting(narrator=REHEARSAL, characters=dict.fromkeys(scene.names, model))
    script = Script(scene=scene, rounds=rounds, seed=seed)
    id = hashlib.sha256(f"{scene.id} {model} {rounds} {seed}".encode()).hexdigest()[:12]
    story = store.stories.create(script, casting, "command line", id=id)
    await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
    return story.id


def datasets_of(store: Store, journals: Journals, folder: Path) -> dict[Kind, Path]:
    """A dataset of each kind, what is held out being the test."""

    def written(kind: Kind, stories: Sequence[str], test: Sequence[Scene], **recipe: object) -> Path:
        named = {"stories": tuple(stories), "test": tuple(scene.id for scene in test), "improvised": True, **recipe}
        write_dataset(store, DatasetRecipe(kind=kind, **named), folder / kind)
        return folder / kind

    few = [id for id in journals.judged if store.stories.story(id).script.scene in (*LEARNT[:FEW], *HELD_OUT[:FEW])]
    return {
        "narrator": written("narrator", journals.narrated, HELD_OUT),
        "judge": written("judge", journals.judged, HELD_OUT, judge="GPT-4"),
        "guided": written("guided", few, HELD_OUT[:FEW], judge="GPT-4"),
        "reflective": written("reflective", journals.rewritten, HELD_OUT[:FEW]),
    }


def journals_in(store: Store) -> Journals:
    """All stories of a new database, played on the spot."""
    return asyncio.run(played(store))
