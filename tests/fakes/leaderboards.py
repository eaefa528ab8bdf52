"""Stories that judges and experts have scored, for leaderboards."""

import random
from collections.abc import Iterable, Sequence
from typing import Any

from annotations.rubrics.rubric import load_rubric
from characterbox.llm.endpoint import Endpoint
from characterbox.play.events import StoryEnded
from characterbox.play.paths import END
from characterbox.play.world import Script
from characterbox.store import Store
from characterbox.store.ratings.ratings import rating_of
from characterbox.store.stories.stories import Story
from characterbox.store.tables.columns import now
from characterbox.values import Language
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at

KEYS = load_rubric().keys
URL = "http://127.0.0.1:8000/v1"


def played(
    store: Store,
    models: Sequence[str],
    scenes: int = 6,
    *,
    language: Language = "en",
    url: str = URL,
    **told: Any,
) -> list[Story]:
    """Each scene once with each model in all parts; every other scene has three characters. `told` names the model that
    narrates, where it is not the same, and the rounds after which the stories ended."""
    stories = []
    for number in range(scenes):
        scene = a_scene(*("Ann", "Bob", "Cy")[: 2 + number % 2], language=language)
        scene = scene.model_copy(update={"id": f"{language}-{number}"})
        for model in models:
            narrator = Endpoint(url=url, model=told.get("narrator", model))
            casting = casting_at(Endpoint(url=url, model=model), scene).model_copy(update={"narrator": narrator})
            story = Story(
                id=store.stories.new_id(),
                title=scene.title,
                script=Script(scene=scene),
                casting=casting,
                status="ended",
                reason=None,
                launched_from="command line",
                created_at=now(),
            )
            end = StoryEnded(path=END, round=told.get("rounds", 3), because="rounds")
            store.stories.bring(story, [end], [], [])
            stories.append(story)
    return stories


def judge(store: Store, stories: Iterable[Story], rater: str, seed: int, *, missing: float = 0.05) -> None:
    """Scores by chance, the better the earlier a model comes in the alphabet; some are missing, each with a reason."""
    chance = random.Random(seed)
    ratings = []
    for story in stories:
        for name in story.script.scene.names:
            model = story.casting.characters[name].model
            level = 4.5 - 0.6 * (ord(model[0].casefold()) % 4)
            for metric in KEYS:
                score = None if chance.random() < missing else min(5, max(1, round(chance.gauss(level, 0.9))))
                reason = a_reason("no score") if score is None else None
                ratings.append(rating_of(story, name, rater=rater, metric=metric, score=score, reason=reason))
    store.ratings.add(ratings)


def judge_narrators(store: Store, stories: Iterable[Story], rater: str, rubric: str, seed: int = 1) -> None:
    """Scores of narrators by chance, the better the earlier a narrator comes in the alphabet."""
    chance = random.Random(seed)
    ratings = []
    for story in stories:
        level = 4.5 - 0.8 * (ord(story.casting.narrator.model[0].casefold()) % 4)
        for metric in load_rubric(rubric).keys:
            score = min(5, max(1, round(chance.gauss(level, 0.9))))
            ratings.append(rating_of(story, None, rubric, rater=rater, metric=metric, score=score))
    store.ratings.add(ratings)


def sweep(store: Store, name: str, stories: Iterable[Story]) -> None:
    """A sweep to which these stories belong."""
    store.sweeps.put(name, {}, "app")
    store.sweeps.add(name, {story.id: place for place, story in enumerate(stories, 1)})
