"""Evaluations of models that were trained, as they are planned."""

from collections.abc import Sequence

from characterbox.llm.endpoint import Endpoint
from characterbox.scenes.scene import Scene
from characterbox.training.evaluation.plan import EvaluationPlan
from tests.fakes.scenes import a_scene


def two_scenes() -> tuple[Scene, Scene]:
    """Scenes that differ in their ids."""
    first, second = (a_scene().model_copy(update={"id": f"watch-{number}"}) for number in (1, 2))
    return first, second


def narrator_plan(url: str, story: str, scenes: Sequence[Scene]) -> EvaluationPlan:
    """Of a narrator, on these scenes, its models behind one address; a story of one of them is held out."""
    return EvaluationPlan(
        base=Endpoint(url=url, model="base"),
        tuned=Endpoint(url=url, model="tuned"),
        characters=Endpoint(url=url, model="all"),
        rounds=1,
        name="nr",
        kind="narrator",
        dataset="d" * 64,
        stories=(story,),
        scenes=tuple(scenes),
        improvised=True,
    )
