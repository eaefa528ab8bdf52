"""Where ratings come from: whether a language model was at work in what was rated, and in the judge that rated it."""

from collections.abc import Callable, Collection

import pandas as pd

from annotations.i18n.messages import to_say
from annotations.marking.rating import IMPROVISED, LENGTH, improvised_part
from characterbox.judging.judge import rehearsed_raters
from characterbox.llm.endpoint import is_improvised
from characterbox.play.paths import JUDGES, judge_and_work
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.tables.ratings import ITEM_COLUMNS, Item

NOT_A_RESULT = to_say("demo output (no language model); do not report")

DEMO = to_say("Demo")
"""The one badge of all that no language model made."""
DEMO_NOTE = to_say("Demo output (no language model); do not report")
"""The badge with what it means: for figures and files, in which nothing can be pointed at."""

NAMESAKE = " (judge)"
"""Tells a judge from an expert of the same name."""


def rated(store: Store) -> pd.DataFrame:
    """The ratings that count, as a table for `annotations`; empty if there are none. See `described`."""
    return described(store, store.ratings.frame())


def described(store: Store, frame: pd.DataFrame) -> pd.DataFrame:
    """Ratings of this store as a table for `annotations`, with the columns `improvised` and `length`.

    There a rater has one name, whatever its kind: a judge that is called like an expert is told apart by "(judge)".
    """
    frame = marked(store, frame.astype({"score": float}))
    lengths = store.scores.text_lengths(frame["owner"].unique())
    places = zip(frame["owner"], frame["slug"], strict=True)
    return told_apart(frame.assign(**{LENGTH: [float(lengths.get(place, 0)) for place in places]}))


def told_apart(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with " (judge)" behind the name of a judge that is called like an expert."""
    judge = frame["kind"] == "judge"
    namesake = judge & frame["rater"].isin(frame.loc[~judge, "rater"])
    frame.loc[namesake, "rater"] += NAMESAKE
    return frame


def marked(store: Store, frame: pd.DataFrame) -> pd.DataFrame:
    """A table of ratings of this store with the column `improvised`."""
    told = provenance(store, set(frame.loc[frame["item_kind"] != "scene", "owner"]))
    columns = zip(*(frame[name] for name in ITEM_COLUMNS), frame["rater"], frame["kind"], frame["model"], strict=True)
    told_of = [told(Item(kind=item_kind, owner=owner, slug=slug), *rest) for item_kind, owner, slug, *rest in columns]
    return frame.assign(**{IMPROVISED: told_of})


def provenance(store: Store, stories: Collection[str]) -> Callable[[Item, str, str, str], str]:
    """What tells for the item, rater, kind and model of a rating, in these stories, what the rehearsal improvised of
    it. Of a scene that is rated itself it may have played a role in the crafting."""
    played = {id for id, casting in store.stories.castings(stories).items() if casting.improvised}
    judged = {(id, *judge_and_work(path)) for id, path in store.stories.reply_paths(stories, JUDGES, rehearsed=True)}
    judges_of_scenes = rehearsed_raters(store, "scene")

    def told(item: Item, rater: str, kind: str, model: str) -> str:
        if item.kind == "scene":
            made, by_rehearsal = is_improvised(model), rater in judges_of_scenes
        else:
            made = item.owner in played
            by_rehearsal = (item.owner, slug_of(rater), item.slug or f"~{item.kind}") in judged
        return improvised_part(made, kind == "judge" and by_rehearsal)

    return told
