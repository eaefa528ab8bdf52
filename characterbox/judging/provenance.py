"""Where ratings come from: whether a language model was at work in what was rated, and in the judge that rated it."""

from collections.abc import Callable, Collection

import pandas as pd

from annotations.improvised import IMPROVISED, improvised_part
from annotations.wording import to_say
from characterbox.judging.registry import rehearsed_raters
from characterbox.llm.crafters import is_improvised
from characterbox.play.paths import JUDGES
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.ratings import SCENE

NOT_A_RESULT = to_say("made without a language model: not a result")

DEMO = to_say("Demo")
"""The one badge of all that no language model made."""
DEMO_NOTE = to_say("Demo, made without a language model: not a result")
"""The badge with what it means: for figures and files, in which nothing can be pointed at."""

NAMESAKE = " (judge)"
"""Tells a judge from an expert of the same name."""


def rated(store: Store) -> pd.DataFrame:
    """The ratings that count, as a table for `annotations` with the column `improvised`; empty if there are none.

    There a rater has one name, whatever its kind: a judge that is called like an expert is told apart by "(judge)".
    """
    return told_apart(marked(store, store.ratings.frame().astype({"score": float})))


def told_apart(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with " (judge)" behind the name of a judge that is called like an expert."""
    judge = frame["kind"] == "judge"
    namesake = judge & frame["rater"].isin(frame.loc[~judge, "rater"])
    frame.loc[namesake, "rater"] += NAMESAKE
    return frame


def marked(store: Store, frame: pd.DataFrame) -> pd.DataFrame:
    """A table of ratings of this store with the column `improvised`."""
    told = provenance(store, {story_of(item) for item in frame["item"]})
    columns = zip(frame["item"], frame["rater"], frame["kind"], frame["model"], strict=True)
    return frame.assign(**{IMPROVISED: [told(*column) for column in columns]})


def provenance(store: Store, stories: Collection[str]) -> Callable[[str, str, str, str], str]:
    """What tells for the item, rater, kind and model of a rating, in these stories, what the rehearsal improvised of
    it. Of a scene that is rated itself it may have played a role in the crafting."""
    played = {id for id, casting in store.stories.castings(stories).items() if casting.improvised}
    judged = {(id, *path.split("/")[1:3]) for id, path in store.stories.reply_paths(stories, JUDGES, rehearsed=True)}
    judges_of_scenes = rehearsed_raters(store, "scene")

    def told(item: str, rater: str, kind: str, model: str) -> str:
        story, place = _parts(item)
        by_rehearsal = (story, slug_of(rater), place) in judged if story else rater in judges_of_scenes
        made = story in played if story else is_improvised(model)
        return improvised_part(made, kind == "judge" and by_rehearsal)

    return told


def story_of(item: str) -> str:
    """The id of the story that an item is of; empty for a scene, which is the same in all its stories."""
    return _parts(item)[0]


def _parts(item: str) -> tuple[str, str]:
    """The story that an item is of, and where a judge's replies about it are filed within the judge's place."""
    if item.startswith(SCENE):
        return "", "~scene"
    story, colon, character = item.partition(":")
    return (story, character) if colon else (item.removesuffix("/narrator"), "~narrator")
