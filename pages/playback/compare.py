"""Two or three stories of one scene side by side, with their scores and a vote. The address says which."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from annotations.exchange.table import NO_FIGURE
from annotations.i18n.translation import say, say_count, tongue, translate
from annotations.marking.rating import IMPROVISED
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import MAX_NAME
from characterbox.components.mounts import show_comparison
from characterbox.errors import CharacterBoxError
from characterbox.judging.provenance import DEMO_NOTE, marked
from characterbox.stage.live.player_data import events_to_show
from characterbox.stage.stage import Stage
from characterbox.store.ratings.ratings import item_of
from characterbox.store.ratings.votes import MOST_REASON, Vote
from characterbox.store.stories.stories import Story
from pages.shared.current_user import allowed, current_user
from pages.shared.text import plain, quiet
from pages.story.list import to_library
from pages.story.side_by_side import MOST, names_of

TIE = "-"
"""The choice that none is better."""


def has_voted(stage: Stage, stories: Sequence[Story]) -> bool:
    """Whether the one who looks has voted on each of these stories."""
    return {story.id for story in stories} <= {id for one in _mine(stage, stories) for id in (one.one, one.other)}


def vote(stage: Stage, stories: Sequence[Story], names: Sequence[str], *, blind: bool) -> None:
    """The form of a vote; another vote is one more, and the first stays."""
    st.subheader(say("Which story is better?"))
    mine = _mine(stage, stories)
    if mine:
        quiet(
            say_count(
                "You have voted on {count:,} pair of stories.",
                "You have voted on {count:,} pairs of stories.",
                len(mine),
            )
        )
    ids = [story.id for story in stories]
    known = dict(zip(ids, names, strict=True))
    with st.form(f"vote-{len(mine)}", border=False):
        best = st.radio(
            say("Better story"), [*ids, TIE], index=None, horizontal=True,
            format_func=lambda id: plain(known[id]) if id in known else say("tie"),
        )  # fmt: skip
        rater = current_user().name
        if current_user().id is None:
            rater = st.text_input(say("Your name"), st.session_state.get("voter", ""), max_chars=MAX_NAME)
        reason = st.text_area(say("Reason (optional)"), max_chars=MOST_REASON)
        pressed = st.form_submit_button(say("Vote"), type="primary")
    if not pressed:
        return
    if best is None or not rater.strip():
        st.error(say("Choose a story or a tie, and enter your name."))
        return
    st.session_state["voter"] = rater.strip()
    unseen = blind and not has_voted(stage, stories)  # who has come back under the same name has seen the models
    try:
        stage.store.votes.cast(
            ids,
            None if best == TIE else best,
            rater=rater.strip(),
            account=current_user().id,
            blind=unseen,
            reason=reason,
        )
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return
    st.rerun()


def votes(stage: Stage, stories: Sequence[Story], names: Sequence[str]) -> None:
    """How often each story was held to be better than another one."""
    cast = stage.store.votes.among([story.id for story in stories])
    if not cast:
        return
    better = Counter(one.better for one in cast)
    named = zip(stories, names, strict=True)
    told = [say("{name}: {count:,}", name=name, count=better[story.id]) for story, name in named]
    told.append(say("ties: {count:,}", count=better[None]))
    st.subheader(say("Votes"))
    quiet(say_count("{count:,} pair: {told}", "{count:,} pairs: {told}", len(cast), told=say(", ").join(told)))


def _mine(stage: Stage, stories: Sequence[Story]) -> list[Vote]:
    account, name = current_user().id, st.session_state.get("voter")
    cast = stage.store.votes.among([story.id for story in stories])
    return [one for one in cast if (one.account == account if account else one.rater == name)]


LETTERS = "ABC"


def comparison(stage: Stage, ids: str) -> None:
    """The stories with these ids, side by side."""
    st.title(say("Compare side by side"))
    to_library("playback")
    stories = _stories(stage, list(dict.fromkeys(id.strip() for id in ids.split(","))))
    if stories is None:
        return
    blind = st.query_params.get("blind") == "yes"
    order = _shuffled(stories) if blind else stories
    shown = not blind or has_voted(stage, order)
    scene = order[0].script.scene
    quiet(f"{scene.title} · {scene.work}")
    going = any(story.status == "running" for story in order)
    names = st.fragment(_columns, run_every=AGAIN if going else None)(stage, order, shown=shown)
    if shown:
        if allowed("direct"):
            _scores(stage, order, names)
        votes(stage, order, names)
    if allowed("rate"):
        vote(stage, order, names, blind=not shown)


AGAIN = 3.0
"""Seconds after which stories that are being played are read again."""


def _columns(stage: Stage, stories: Sequence[Story], *, shown: bool) -> list[str]:
    """The stories as they are now, from the first step on in which they differ, and what they are called."""
    now = [stage.store.stories.story(story.id) for story in stories]
    if [one.status for one in now] != [one.status for one in stories]:
        st.rerun()
    names = names_of(stage, now) if shown else [say("Story {letter}", letter=one) for one in LETTERS[: len(now)]]
    events = [events_to_show(stage.store.stories, story) for story in now]
    told = [{"name": name, "events": own} for name, own in zip(names, events, strict=True)]
    place = ",".join(story.id for story in now)
    show_comparison(now[0].script.scene, told, equal_steps(events), key=f"compare-{place}-{tongue()}")
    return names


def equal_steps(stories: Sequence[Sequence[Mapping[str, Any]]]) -> int:
    """How many steps all stories begin with that are the same, whoever may know of them; their ends are no steps."""
    same = 0
    for first, *others in zip(*stories, strict=False):
        if first["kind"] == "story_ended" or any({**one, "known": None} != {**first, "known": None} for one in others):
            break
        same += 1
    return same


def _stories(stage: Stage, ids: Sequence[str]) -> list[Story] | None:
    """The stories; None, with the reason shown, if they can't be compared."""
    try:
        stories = [stage.store.stories.story(id) for id in ids[: MOST + 1]]
    except CharacterBoxError as error:
        st.error(plain(translate(error)))
        return None
    if not 2 <= len(stories) <= MOST or len({story.script.scene.model_dump_json() for story in stories}) > 1:
        st.error(say("Only two or three stories of the same scene can be compared. Open one and choose the others."))
        return None
    return stories


def _shuffled(stories: list[Story]) -> list[Story]:
    """In an order that is the same for one reader whenever they look, and tells nothing."""
    reader = current_user().id or ""
    return sorted(stories, key=lambda story: hashlib.sha256(f"{reader}/{story.id}".encode()).hexdigest())


def _scores(stage: Stage, stories: Sequence[Story], names: Sequence[str]) -> None:
    """The mean score of each metric in each story, of judges and of experts."""
    st.subheader(say("Scores"))
    items = [item_of(story, name).label for story in stories for name in story.script.rated]
    frame = marked(stage.store, stage.store.ratings.frame(items)).dropna(subset=["score"])
    if frame.empty:
        quiet(say("These stories have no scores yet."))
        return
    parts = {"judge": say("Judges"), "expert": say("Experts")}
    columns, improvised = {}, []
    for story, name in zip(stories, names, strict=True):
        for kind, part in parts.items():
            own = frame[(frame["owner"] == story.id) & (frame["kind"] == kind)]
            if not own.empty:
                column = say("{name}: {part}, n = {count:,}", name=name, part=part, count=len(own))
                columns[column] = own.groupby("metric")["score"].mean()
                improvised += [column] if (own[IMPROVISED] != "").any() else []
    rubric = load_rubric()
    table = pd.DataFrame(columns).reindex([*rubric.keys]).round(2)
    rows = table.rename_axis(say("Metric")).reset_index()
    st.dataframe(rows, hide_index=True, width="content", placeholder=NO_FIGURE)
    if table.isna().to_numpy().any():
        quiet(say("{dash}: no scores for this metric.", dash=NO_FIGURE))
    for column in improvised:
        quiet(say("{name}: {what}", name=column, what=say(DEMO_NOTE)))
