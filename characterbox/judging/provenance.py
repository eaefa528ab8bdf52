"""Where ratings come from: whether a language model was at work in what was rated, and in the judge that rated it."""

from collections.abc import Callable, Collection

import pandas as pd

from annotations.wording import to_say
from characterbox.scenes.scene import slug_of
from characterbox.store import Store

NOT_A_RESULT = to_say("made without a language model: not a result")

NAMESAKE = " (judge)"
"""Tells a judge from an expert of the same name."""

IMPROVISED = "improvised"
"""The column of a table of ratings that tells what the rehearsal improvised: "", or one of the three below."""
STORY, JUDGE, BOTH = "story", "judge", "story and judge"


def rated(store: Store) -> pd.DataFrame:
    """The ratings that count, as a table for `annotations` with the column `improvised`; empty if there are none.

    There a rater has one name, whatever its kind: a judge that is called like an expert is told apart by "(judge)".
    """
    frame = marked(store, store.ratings.frame().astype({"score": float}))
    judge = frame["kind"] == "judge"
    namesake = judge & frame["rater"].isin(frame.loc[~judge, "rater"])
    frame.loc[namesake, "rater"] += NAMESAKE
    return frame


def marked(store: Store, frame: pd.DataFrame) -> pd.DataFrame:
    """A table of ratings of this store with the column `improvised`."""
    told = provenance(store, {story_of(item) for item in frame["item"]})
    columns = zip(frame["item"], frame["rater"], frame["kind"], strict=True)
    return frame.assign(**{IMPROVISED: [told(*column) for column in columns]})


def provenance(store: Store, stories: Collection[str]) -> Callable[[str, str, str], str]:
    """What tells for the item, rater and kind of a rating, in these stories, what the rehearsal improvised of it."""
    played = {id for id, casting in store.stories.castings(stories).items() if casting.improvised}
    judged = {f"{id}:{_judge_and_character(path)}" for id, path in store.stories.rehearsed_paths(stories, "judge/")}

    def told(item: str, rater: str, kind: str) -> str:
        return _improvised(story_of(item) in played, kind == "judge" and _place(item, rater) in judged)

    return told


def story_of(item: str) -> str:
    """The id of the story that an item is of."""
    return item.partition(":")[0]


def improvised_judges(frame: pd.DataFrame) -> frozenset[str]:
    """The judges of whose ratings the rehearsal gave at least one."""
    if IMPROVISED not in frame:
        return frozenset()
    return frozenset(frame.loc[(frame["kind"] == "judge") & frame[IMPROVISED].isin([JUDGE, BOTH]), "rater"])


def improvised_items(frame: pd.DataFrame) -> frozenset[str]:
    """The items of stories that the rehearsal played, at least in part."""
    if IMPROVISED not in frame:
        return frozenset()
    return frozenset(frame.loc[frame[IMPROVISED].isin([STORY, BOTH]), "item"])


def _improvised(story: bool, judge: bool) -> str:
    if story and judge:
        return BOTH
    return STORY if story else JUDGE if judge else ""


def _place(item: str, rater: str) -> str:
    """`<story>:<judge>/<character>`, as the judge's replies are filed."""
    story, _, character = item.partition(":")
    return f"{story}:{slug_of(rater)}/{character}"


def _judge_and_character(path: str) -> str:
    return "/".join(path.split("/")[1:3])
