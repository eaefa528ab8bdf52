"""Table 4 of what was crafted here: how scenes score by method and models, extracted and generated apart."""

from collections.abc import Collection, Iterable

import pandas as pd

from annotations.scene_crafting import CraftingScore, crafting_scores
from characterbox.crafting.wish import RUBRIC
from characterbox.llm.crafters import crafter_of
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.items import Item
from characterbox.store.scene_ratings import key_of

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
