"""What of a table of ratings no language model made, and what its judges are called for it.

The rehearsal plays, and judges, by the protocol of whatever model it stands for. A table tells so in its column
`improvised`; one without the column has nothing of the rehearsal. A judge keeps its name as an identifier; where people
read of it, it is called as `judge_called` says.
"""

from collections.abc import Callable

import pandas as pd

from annotations.wording import say

IMPROVISED = "improvised"
"""The column of a table of ratings that tells what the rehearsal improvised: "", or one of the three below."""
STORY, JUDGE, BOTH = "story", "judge", "story and judge"


def judge_called(judge: str, improvised: bool) -> str:
    """Who judged, as people read it: the judge's name, or, where the rehearsal gave some of its ratings, that it was
    the rehearsal, which judges by the protocol of that name."""
    return say("Rehearsal judge, {judge} protocol", judge=judge) if improvised else judge


def raters_called(frame: pd.DataFrame) -> Callable[[str], str]:
    """What each rater of a table of ratings is called where people read of it."""
    improvised = improvised_judges(frame)
    return lambda rater: judge_called(rater, rater in improvised)


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
    """The items that the rehearsal had a part in: it played in the story, or crafted the scene that is rated."""
    if IMPROVISED not in frame:
        return frozenset()
    return frozenset(frame.loc[frame[IMPROVISED].isin([STORY, BOTH]), "item"])
