"""What was trained, with a dataset that the rehearsal's stories were written to: six scenes held out."""

import pytest

from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.play.world import Script
from characterbox.scenes.library import bundled
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.training.datasets.recipe import DatasetRecipe
from characterbox.training.datasets.writing import write_dataset
from characterbox.training.evaluation.folder import evaluated_in
from tests.fakes.in_process_servers import ToNearby
from tests.training.evaluation.run_folders import write_run

BEST, PLAIN, WOODEN = (
    Endpoint.parse(f"rehearsal#{name}") for name in ("rehearsal", "rehearsal-plain", "rehearsal-wooden")
)
HELD_OUT = 6


def scenes(language="en"):
    """Eight bundled scenes of a language with few characters."""
    return [scene for scene in bundled() if scene.language == language and len(scene.cast) in (2, 3)][: HELD_OUT + 2]


@pytest.fixture
async def client():
    client = Client(transport=ToNearby())
    yield client
    await client.close()


@pytest.fixture
def run_folder(store, client, tmp_path):
    """Makes the folder of a run, and its dataset: of eight scenes, all but the last two are held out."""

    async def made(kind, players=(BEST,), *, languages=("en",), **recipe):
        judge = registered(store, Judge.parse("GPT-4=rehearsal"))
        for scene in [scene for language in languages for scene in scenes(language)]:
            for player in players:
                casting = Casting(narrator=BEST, characters=dict.fromkeys(scene.names, player))
                story = store.stories.create(Script(scene=scene, rounds=1), casting, "command line")
                await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
                if kind in ("judge", "guided"):
                    await judge_story(store, client, store.stories.story(story.id), judge)
        test = tuple(scene.id for language in languages for scene in scenes(language)[:HELD_OUT])
        asked = DatasetRecipe(kind=kind, improvised=True, test=test, **recipe)
        write_dataset(store, asked, tmp_path / "data")
        folder = tmp_path / "run"
        write_run(folder, tmp_path / "data")
        return folder, evaluated_in(folder)

    return made
