"""Samples for a new database: stories written by hand for this project, and a study (`study`).

The file of a story names its scene and the number of rounds, and gives the replies by their paths (see `llm.journal`):
prose as text, forms as their fields.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.errors import StoryError
from characterbox.llm.endpoint import HANDWRITTEN, Casting, Endpoint
from characterbox.llm.request import Request
from characterbox.play.algorithm import play
from characterbox.play.events import Event
from characterbox.play.world import Script
from characterbox.samples.study import STUDY, make_study
from characterbox.scenes.library import bundled_scene
from characterbox.stage.playback_control import written
from characterbox.store import Store
from characterbox.store.stories.stories import Story, StoryStore


@dataclass(frozen=True, slots=True)
class Sample:
    """One story as it was written."""

    script: Script
    replies: Mapping[str, str | dict[str, Any]]
    """By path: the text, or the fields of a form."""

    @property
    def id(self) -> str:
        """The id of the story that it becomes."""
        return "sample" + "".join(letter for letter in self.script.scene.id if letter.isalnum())


@cache
def samples() -> tuple[Sample, ...]:
    """All samples, English before Chinese, then by scene."""
    folder = files(__name__)
    found = [file for language in ("en", "zh") for file in (folder / language).iterdir() if file.name.endswith(".yaml")]
    read = [_sample(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in found]
    return tuple(sorted(read, key=lambda one: (one.script.scene.language, one.script.scene.id)))


def _sample(content: Mapping[str, Any]) -> Sample:
    script = Script(scene=bundled_scene(content["scene"]), rounds=content["rounds"])
    return Sample(script, content["replies"])


BY_HAND = Endpoint(url=HANDWRITTEN, model=HANDWRITTEN)


def bring_samples(store: Store) -> None:
    """Store the samples where there is nothing else, each once. Not to be called where an event loop runs.

    One that an earlier start of the app was ended in the middle of is completed; one that was removed stays away. What
    an earlier version has stored stays as it is: it was written for another script, and its replies are in its journal.
    """
    made, found = store.samples.made(), {story.id: story for story in store.stories.stories(limit=len(samples()) + 1)}
    datasets = {dataset.id for dataset in store.datasets.all()}
    if not found.keys() <= {sample.id for sample in samples()} or not datasets <= {STUDY}:
        return
    if STUDY not in made:
        if STUDY not in datasets:
            make_study(store)
        store.samples.note(STUDY)
    for sample in reversed(samples()):  # the newest story is listed first
        story = found.get(sample.id)
        if (story is None and sample.id not in made) or (
            story is not None and story.status == "running" and story.script == sample.script
        ):
            bring(store.stories, sample, story)
        store.samples.note(sample.id)


def samples_left(store: Store) -> list[str]:
    """The ids of the samples that are still there."""
    datasets = {dataset.id for dataset in store.datasets.all()}
    return [*store.stories.headings([sample.id for sample in samples()]), *({STUDY} & datasets)]


def remove_samples(store: Store, actor: Account) -> list[StoryError]:
    """Remove all samples but for stories on which something rests; why these stay comes back.

    Raises NotAllowed if the account may not do that.
    """
    require(actor, "direct")
    kept = []
    for id in samples_left(store):
        try:
            if id == STUDY:
                store.datasets.remove_sample(id, actor)
            else:
                store.families.delete(actor, id)
        except StoryError as error:
            kept.append(error)
    return kept


def bring(stories: StoryStore, sample: Sample, story: Story | None = None) -> None:
    """Store a sample as a story that has ended; `story` is what is there of it. Raises KeyError if it lacks a reply."""
    if story is None:
        casting = Casting(narrator=BY_HAND, characters=dict.fromkeys(sample.script.scene.names, BY_HAND))
        story = stories.create(sample.script, casting, "app", id=sample.id)
    with stories.claimed(story.id) as claimed:
        known, told = {reply.path for reply in stories.journal(story.id)}, len(stories.events(story.id))
        shown = 0

        async def ask(request: Request) -> str:
            reply = sample.replies[request.path]
            text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
            if request.path not in known:
                claimed.answered(written(request, text, story, 0))
            return text

        async def emit(event: Event) -> None:
            nonlocal shown
            shown += 1
            if shown > told:
                claimed.record(shown, event)

        async def perform() -> None:
            await play(sample.script, ask, emit)
            await claimed.move("ended")

        asyncio.run(perform())
