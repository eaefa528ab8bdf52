"""The ratings behind a board, one a row: those of the judge, of each expert, or of both."""

import pandas as pd

from annotations.improvised import IMPROVISED, improvised_part
from characterbox.judging.board import Wanted, scores_of
from characterbox.judging.provenance import told_apart
from characterbox.store import Store
from characterbox.store.scores import JUDGED, NARRATOR, PLAYED, ROUNDS


def ratings_behind(store: Store, wanted: Wanted) -> pd.DataFrame:
    """The ratings that count, in long form with the columns `narrator`, `rounds` and `improvised`: all that a board is
    worked out of.

    They are read one by one, and not from the table of scores by trajectory that the board is made of.
    """
    frame = store.ratings.frame().astype({"score": float})
    judge, expert = (frame["kind"] == "judge") & (frame["rater"] == wanted.judge), frame["kind"] == "expert"
    mine = {"judge": judge, "experts": expert, "corrected": judge | expert}[wanted.whose]
    frame = frame[mine & (frame["language"] == wanted.language)]
    story = frame["owner"]
    table = scores_of(store, wanted.sweep)
    here = ~story.isin(table.left_out["story"])
    if wanted.sweep is not None:
        here &= story.isin(store.scores.stories_of(wanted.sweep))
    scores, experts = table.judged, table.experts
    told = pd.concat([scores, experts])[["story", NARRATOR, ROUNDS]].drop_duplicates("story").set_index("story")
    if wanted.narrator is not None:
        here &= story.map(told[NARRATOR]) == wanted.narrator
    frame, story = frame[here], story[here]
    played = {*scores.loc[scores[PLAYED], "story"], *experts.loc[experts[PLAYED], "story"]}
    judged = {*scores.loc[scores[JUDGED] & (scores["rater"] == wanted.judge), "item"]}
    rows = zip(frame["item"], story, frame["kind"], strict=True)
    parts = [improvised_part(id in played, kind == "judge" and item in judged) for item, id, kind in rows]
    of_stories = {name: story.map(told[name]) for name in (NARRATOR, ROUNDS)}
    return told_apart(frame.assign(**of_stories, **{IMPROVISED: parts}).reset_index(drop=True))
