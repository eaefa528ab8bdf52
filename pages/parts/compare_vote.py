"""Voting on stories that stand side by side: which is the best, as pairwise ratings that are stored."""

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from annotations.wording import say, say_count
from characterbox.accounts.account import MAX_NAME
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import Stage
from characterbox.store.stories import Story
from characterbox.store.votes import MOST_REASON, Vote
from pages.parts.look import plain, quiet
from pages.parts.who import who

TIE = "-"
"""The choice that none is better."""


def has_voted(stage: Stage, stories: Sequence[Story]) -> bool:
    """Whether the one who looks has voted on each of these stories."""
    return {story.id for story in stories} <= {id for one in _mine(stage, stories) for id in (one.one, one.other)}


def vote(stage: Stage, stories: Sequence[Story], names: Sequence[str], *, blind: bool) -> None:
    """The form of a vote; another vote is one more, and the first stays."""
    st.subheader(say("Which is the better story?"))
    mine = _mine(stage, stories)
    if mine:
        quiet(say_count("You have voted: {count:,} pair.", "You have voted: {count:,} pairs.", len(mine)))
    ids = [story.id for story in stories]
    known = dict(zip(ids, names, strict=True))
    with st.form(f"vote-{len(mine)}", border=False):
        best = st.radio(
            say("The better story"), [*ids, TIE], index=None, horizontal=True,
            format_func=lambda id: plain(known[id]) if id in known else say("none is better"),
        )  # fmt: skip
        rater = who().name
        if who().id is None:
            rater = st.text_input(say("Your name"), st.session_state.get("voter", ""), max_chars=MAX_NAME)
        reason = st.text_area(say("Why (if you like)"), max_chars=MOST_REASON)
        pressed = st.form_submit_button(say("Vote"), type="primary")
    if not pressed:
        return
    if best is None or not rater.strip():
        st.error(say("Choose a story, or none, and give your name."))
        return
    st.session_state["voter"] = rater.strip()
    unseen = blind and not has_voted(stage, stories)  # who has come back under the same name has seen the models
    try:
        stage.store.votes.cast(
            ids, None if best == TIE else best, rater=rater.strip(), account=who().id, blind=unseen, reason=reason
        )
    except CharacterBoxError as error:
        st.error(plain(str(error)))
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
    account, name = who().id, st.session_state.get("voter")
    cast = stage.store.votes.among([story.id for story in stories])
    return [one for one in cast if (one.account == account if account else one.rater == name)]
