"""Where ratings come from: whether a language model was at work in what was rated, and in the judge that rated it."""

import pandas as pd

from annotations.wording import to_say
from characterbox.scenes.scene import slug_of
from characterbox.store import Store

NOT_A_RESULT = to_say("made without a language model: not a result")

IMPROVISED = "improvised"
"""The column of a table of ratings that tells what the rehearsal improvised: "", or one of the three below."""
STORY, JUDGE, BOTH = "story", "judge", "story and judge"


def rated(store: Store) -> pd.DataFrame:
    """The ratings that count, as a table for `annotations` with the column `improvised`; empty if there are none.

    There a rater has one name, whatever its kind: a judge that is called like an expert is told apart by "(judge)".
    """
    frame = store.ratings.frame().astype({"score": float})
    stories = [item.partition(":")[0] for item in frame["item"]]
    ids = set(stories)
    played = {id for id, casting in store.stories.castings(ids).items() if casting.improvised}
    judged = {f"{id}:{_judge_and_character(path)}" for id, path in store.stories.rehearsed_paths(ids, "judge/")}
    columns = zip(frame["item"], stories, frame["rater"], frame["kind"], strict=True)
    frame[IMPROVISED] = [
        improvised_part(story in played, kind == "judge" and _place(item, rater) in judged)
        for item, story, rater, kind in columns
    ]
    return told_apart(frame)


def told_apart(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with " (judge)" behind the name of a judge that is called like an expert."""
    judge = frame["kind"] == "judge"
    namesake = judge & frame["rater"].isin(frame.loc[~judge, "rater"])
    frame.loc[namesake, "rater"] += " (judge)"
    return frame


def improvised_part(story: bool, judge: bool) -> str:
    """What of a rating no language model made: the value in the column `improvised`."""
    if story and judge:
        return BOTH
    return STORY if story else JUDGE if judge else ""


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


def _place(item: str, rater: str) -> str:
    """`<story>:<judge>/<character>`, as the judge's replies are filed."""
    story, _, character = item.partition(":")
    return f"{story}:{slug_of(rater)}/{character}"


def _judge_and_character(path: str) -> str:
    return "/".join(path.split("/")[1:3])
