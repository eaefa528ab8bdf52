"""Baselines: how would a judge fare that looks at no item?

A figure of a judge says little by itself. Beside it stands what the same figure comes to for judges that know nothing
of the single item: one that gives everything the same score, one that gives the experts' mean of the scene's other
items, one that counts the characters of the text, and one that gives the judge's own scores to items at random. A judge
that does no better has not been shown to judge.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from annotations.i18n.messages import Message, to_say
from annotations.marking.rating import LENGTH
from annotations.validity.judge_expert_correlation import Sides

Baseline = Literal["constant", "scene mean", "length", "shuffled"]
NAMES: Mapping[Baseline, str] = {
    "constant": to_say("one score for all items"),
    "scene mean": to_say("the scene's mean"),
    "length": to_say("the text's length"),
    "shuffled": to_say("the judge's scores, shuffled"),
}
"""As sentences and tables call them."""
BY_CONSTRUCTION: Mapping[Baseline, tuple[str, str]] = {
    "scene mean": (
        to_say("within a scene it differs only by the item that is left out"),
        to_say("by construction, the mean of the other models is lower the higher the model's own mean is"),
    )
}
"""Where r within scenes and r between models tell how a baseline was made, and nothing else: why."""
TOLD = to_say(
    "Baselines, in gray: one score for all items (the experts' mean); the mean of the experts' scores of the"
    " other items in the scene; the number of characters of the text, rescaled to the experts' mean and"
    " standard deviation; the judge's own scores, assigned to items at random (of 99 shuffles, the one with the"
    " median r)."
)
WITHOUT_LENGTH = to_say(
    "Text length is not available as a baseline: these ratings do not include it, or it is the same for all items."
)
SEED, SHUFFLES = 0, 99


def baselines(sides: Sides) -> dict[Baseline, Sides]:
    """Judges that look at no item, on the items that this judge scored; without `length` where no text is known."""
    there = sides.judged.notna()
    experts = sides.experts.reindex(columns=sides.judged.columns).astype(float)
    found: dict[Baseline, pd.DataFrame] = {
        "constant": pd.DataFrame(dict(experts.mean()), index=sides.items.index),
        "scene mean": _of_others(experts, sides.items["scene"]),
        "shuffled": _shuffled(sides.judged, experts),
    }
    if LENGTH in sides.items and sides.items[LENGTH].std() > 0:
        scaled = {name: _scaled(sides.items[LENGTH], of) for name, of in experts.items()}
        found["length"] = pd.DataFrame(scaled, index=sides.items.index)
    return {
        name: replace(sides, judge=name, judged=found[name].where(there), improvised=False, name=Message(NAMES[name]))
        for name in NAMES
        if name in found
    }


def _of_others(experts: pd.DataFrame, scene: pd.Series) -> pd.DataFrame:
    """The mean of the other items of the scene; that of all items where there are none."""
    in_scene, own = experts.groupby(scene, observed=True), experts.notna()
    others = in_scene.transform("count") - own
    return ((in_scene.transform("sum") - experts.fillna(0)) / others.where(others > 0)).fillna(experts.mean())


def _scaled(length: pd.Series, experts: pd.Series) -> pd.Series:
    """The lengths with the mean and the spread of the experts' scores, over the items that have such a score."""
    rated = length[experts.notna()]
    return experts.mean() + experts.std() * (length - rated.mean()) / (rated.std() or 1)


def _shuffled(judged: pd.DataFrame, experts: pd.DataFrame) -> pd.DataFrame:
    """The scores of items that have any, dealt out anew, those of an item together: of many shuffles the one with the
    median r, as a single one may go with the experts' by chance."""
    rows = judged.notna().any(axis=1).to_numpy()
    scores, random = judged.to_numpy(dtype=float)[rows], np.random.default_rng(SEED)
    orders = [random.permutation(len(scores)) for _ in range(SHUFFLES)]
    means = experts.mean(axis=1).to_numpy(dtype=float)[rows]
    own = judged.mean(axis=1).to_numpy(dtype=float)[rows]
    there = ~np.isnan(means)
    if not there.any():
        return judged
    drawn = np.stack([own[order][there] for order in orders])
    centred = drawn - drawn.mean(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = centred @ (means[there] - means[there].mean()) / centred.std(axis=1)  # but for a factor
    typical = orders[int(np.argsort(np.nan_to_num(r), kind="stable")[SHUFFLES // 2])]
    shuffled = judged.copy()
    shuffled.loc[rows] = scores[typical]
    return shuffled
