"""Judges score the scenes of a crafting on the rubric of scenes (paper, section 6.5, table 4).

What they are asked stands in the journal of the crafting, so that nothing is judged and paid for twice; and what one
of them has said of the same text already, where it was played or in another crafting, it is not asked.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from characterbox.crafting.standing import Crafting, CraftingRecord, look, scene_in
from characterbox.crafting.wish import RUBRIC, place_of
from characterbox.judging.judge import Judge
from characterbox.judging.verdict import all_of, judge_work, place_of_judge
from characterbox.judging.work import Opening
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, OpenDoor
from characterbox.llm.request import Request
from characterbox.reasons import Reason
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.held import held
from characterbox.store.ratings import scene_item_of
from characterbox.store.scene_ratings import SceneRating, key_of, title_of


async def judge_crafting(
    store: Store, client: Asker, id: str, judge: Judge, *, door: Doorkeeper | None = None
) -> Sequence[SceneRating]:
    """Have a judge score each accepted scene of a crafting, and store its scores as they come.

    Raises StoryError if there is no such crafting, or somebody is at work on it, or this judge at one of the scenes
    elsewhere; EndpointError if the judge's endpoint fails, and RecordMismatch where a judge of this name was another
    one before.
    """
    async with held(store.craftings.claimed(id)) as journal:
        crafting = await asyncio.to_thread(look, store, id)
        record = CraftingRecord(
            {reply.path: reply for reply in crafting.replies},
            lambda _: judge.endpoint,
            crafting.wish.seed,
            stale=_of_other_scenes(crafting),
        )
        ask = JournaledAsk(journal, record, client, door or OpenDoor())

        async def asked(number: int, scene: Scene) -> list[SceneRating]:
            async def ask_here(request: Request) -> str:
                return await ask(replace(request, path=f"{place_of(number)}/{request.path}"))

            verdict = await judge_work(ask_here, judge.rater, judge.protocol, Opening(scene), RUBRIC)
            return [_rating(scene, judge, key, given) for key, given in verdict.items()]

        async def rate(number: int, scene: Scene) -> list[SceneRating]:
            async with held(store.stories.judging_scene(title_of(scene), judge.rater)):
                elsewhere = not _answers(record, number, judge)
                said = await asyncio.to_thread(_judged_elsewhere, store, scene, judge) if elsewhere else []
                ratings = said or await asked(number, scene)
                known = {*await asyncio.to_thread(store.scene_ratings.of, [key_of(scene)])}
                await asyncio.to_thread(store.scene_ratings.add, [one for one in ratings if one not in known])
                return ratings

        given = await all_of(rate(number, scene) for number, scene in _accepted(crafting))
    return [rating for ratings in given for rating in ratings]


def _answers(record: CraftingRecord, number: int, judge: Judge) -> bool:
    """Whether the journal of the crafting has replies of the judge about a scene as it is now."""
    own = f"{place_of(number)}/{place_of_judge(judge.rater)}"
    return any(path.startswith(own) for path in record.replies.keys() - record.stale)


def _judged_elsewhere(store: Store, scene: Scene, judge: Judge) -> list[SceneRating]:
    """What the judge has said of a scene with this text: as one that was played, or in another crafting."""
    ratings = store.ratings.of_judge(scene_item_of(scene).label, judge.rater).values()
    played = [
        _rating(scene, judge, one.metric, one.reason if one.score is None else one.score)
        for one in ratings
        if one.rubric_version == RUBRIC.version
    ]
    known = store.scene_ratings.of([key_of(scene)])
    return played or [one for one in known if one.rater == judge.rater and one.rubric_version == RUBRIC.version]


def _of_other_scenes(crafting: Crafting) -> frozenset[str]:
    """The paths of judgements that came before the last draft of their scene: they were of another one."""
    last = {reply.path: number for number, reply in enumerate(crafting.replies)}
    judged = {path for path in last if path.split("/")[1] == "judge"}
    return frozenset(
        path
        for path in judged
        if any(last[path] < last[other] for other in last.keys() - judged if scene_in(other) == scene_in(path))
    )


def _accepted(crafting: Crafting) -> list[tuple[int, Scene]]:
    """The accepted scenes with their numbers; of those that say the same, the first."""
    found: dict[str, tuple[int, Scene]] = {}
    for one in crafting.scenes:
        if one.scene is not None:
            found.setdefault(key_of(one.scene), (one.number, one.scene))
    return [*found.values()]


def _rating(scene: Scene, judge: Judge, metric: str, given: float | Reason | None) -> SceneRating:
    return SceneRating(
        scene=key_of(scene),
        rater=judge.rater,
        rubric_version=RUBRIC.version,
        metric=metric,
        score=int(given) if isinstance(given, (int, float)) else None,
        reason=given if isinstance(given, Reason) else None,
        improvised=judge.endpoint.is_modelless,
    )
