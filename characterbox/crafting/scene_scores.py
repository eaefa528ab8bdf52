"""Scores that judges give crafted scenes, and table 4 of them (paper, section 6.5).

What they are asked stands in the journal of the crafting, so that nothing is judged and paid for twice; and what one
of them has said of the same text already, where it was played or in another crafting, it is not asked.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from annotations.leaderboard.standings import CraftingScore, crafting_scores
from characterbox.crafting.progress import Crafting, CraftingRecord, look, scene_in
from characterbox.crafting.request import RUBRIC, place_of
from characterbox.judging.judge import Judge
from characterbox.judging.subject import Opening
from characterbox.judging.verdict import all_of, judge_work, place_of_judge
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, OpenDoor
from characterbox.llm.endpoint import crafter_of
from characterbox.llm.request import Request
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import held
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.ratings.ratings import scene_item_of
from characterbox.store.ratings.scene_ratings import SceneRating, key_of, title_of
from characterbox.store.tables.ratings import Item


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


EXPERTS = "~experts"
"""In the place of a judge: the mean over the experts."""
_LONG = ("scene", "rater", "metric", "score")


def is_written(scene: Scene) -> bool:
    """Whether models wrote the scene: a translation was written by whoever wrote its original."""
    return scene.crafted is not None and scene.crafted.method != "translated" and not scene.crafted.by_hand


def raters_of(store: Store, scenes: Iterable[Scene]) -> dict[str, bool]:
    """Who scored some of the scenes: judges in the order of their first scores, then the experts, if any did.

    Each with whether the rehearsal gave some of the scores: they are no result.
    """
    keys = [key_of(scene) for scene in scenes if is_written(scene)]
    raters: dict[str, bool] = {}
    for one in store.scene_ratings.of(keys):
        raters[one.rater] = raters.get(one.rater, False) or one.improvised
    return raters if by_experts(store, keys).empty else {**raters, EXPERTS: False}


def crafting_table(ratings: pd.DataFrame) -> list[CraftingScore]:
    """The cells of the table, of scores as `scores_behind` gives them."""
    return crafting_scores(ratings, RUBRIC.keys, (RUBRIC.scale.low, RUBRIC.scale.high))


def scores_behind(store: Store, scenes: Iterable[Scene], rater: str) -> pd.DataFrame:
    """The scores that one judge, or the experts, gave: one row a scene and rater, a column for each metric."""
    crafted = {key_of(scene): scene for scene in scenes if is_written(scene)}
    scores = by_experts(store, crafted) if rater == EXPERTS else _by_judge(store, crafted, rater)
    wide = scores.pivot(index=["scene", "rater"], columns="metric", values="score").reset_index()
    wide["crafter"] = [crafter_of(made) for key in wide["scene"] if (made := crafted[key].crafted) is not None]
    wide["origin"] = [crafted[key].origin for key in wide["scene"]]
    return wide.reindex(columns=["scene", "rater", "crafter", "origin", *RUBRIC.keys])


def by_experts(store: Store, keys: Iterable[str]) -> pd.DataFrame:
    """The scores that experts gave scenes in campaigns, by the scenes' keys: `scene`, `rater`, `metric`, `score`."""
    given = store.ratings.frame([Item(kind="scene", owner=key).label for key in keys], rubric=RUBRIC.name)
    given = given[given["kind"] == "expert"]
    return given.assign(scene=given["owner"], score=given["score"].astype(float))[[*_LONG]]


def _by_judge(store: Store, keys: Collection[str], judge: str) -> pd.DataFrame:
    ratings = (one for one in store.scene_ratings.of(keys) if one.rater == judge)
    rows = [(one.scene, one.rater, one.metric, one.score) for one in ratings]
    return pd.DataFrame(rows, columns=[*_LONG]).astype({"score": float})
