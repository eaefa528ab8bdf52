"""Models ranked by the votes on pairs of their stories."""

import streamlit as st

from annotations.bradley_terry import Tally, bradley_terry, comparable, tally
from annotations.resampling import USUAL
from annotations.undefined import Undefined, or_undefined
from annotations.wording import say, say_count, to_say
from characterbox.accounts.rights import PAGES
from characterbox.components.address import in_address
from characterbox.components.figures.cells import data
from characterbox.components.figures.prose import listed, said
from characterbox.components.figures.vote_tables import strengths_table, tally_table
from characterbox.components.figures.words import counted, in_a_row
from characterbox.judging.pairwise import ModelVotes, model_votes
from characterbox.store import Store
from pages.parts.who import allowed

ALL, BLIND = to_say("All votes"), to_say("Blind votes only")
TOLD = to_say(
    "Strengths after Bradley and Terry: the log odds of being held better are the difference of two strengths; a tie is"
    " half a win for each. The win rate is the share of points to be expected against a model of the mean strength"
    " among those shown. In brackets, 95 % of {draws:,} draws of scenes from seed {seed}; votes of one rater are taken"
    " as independent."
)


def show_votes(store: Store, sweep: str | None, language: str | None) -> None:
    """The models by the votes on all stories or those of a sweep, on scenes in any language or in one."""
    blind, keeping = in_address("votes", (ALL, BLIND), ALL)
    st.segmented_control(say("Votes"), [ALL, BLIND], format_func=say, required=True, **keeping)
    votes = model_votes(store, sweep=sweep, language=language, blind=blind == BLIND)
    if votes.frame.empty:
        st.html(
            said(
                say(
                    "There is no vote on two models here. Open a story in Playback, compare it with another model's"
                    " story of the same scene, and say which is better."
                )
            )
        )
        if allowed(PAGES["playback"]):
            st.page_link("playback.py", label=say("Playback"), icon=":material/auto_stories:")
    else:
        _standings(votes)
    _left_out(votes)


def _standings(votes: ModelVotes) -> None:
    found = tally(votes.frame)
    blind = int(votes.frame["blind"].sum())
    st.html(
        said(
            in_a_row(
                say(
                    "{votes} on {models} in {scenes}, {blind:,} of them blind.",
                    votes=say_count("{count:,} vote", "{count:,} votes", found.votes),
                    models=counted(len(found.models), "model"),
                    scenes=counted(found.scenes, "scene"),
                    blind=blind,
                ),
                say(TOLD, draws=USUAL.draws, seed=USUAL.seed),
            )
        )
    )
    _tell_improvised(votes)
    order = _ranked(votes, found)
    st.subheader(say("Who was better than whom"))
    st.html(tally_table(found, order, votes.improvised))


def _ranked(votes: ModelVotes, found: Tally) -> list[str]:
    """Draws what the votes determine, and gives the models in the order in which they are shown."""
    ranked = or_undefined(bradley_terry, votes.frame)
    if not isinstance(ranked, Undefined):
        st.html(strengths_table(ranked, votes.improvised))
        return [one.model for one in ranked]
    _notice(say("There is no ranking of all models: {reason}.", reason=ranked.reason))
    order: list[str] = []
    for group in comparable(found):
        if len(group) == 1:
            order += group
            continue
        within = votes.frame[votes.frame["one"].isin(group) & votes.frame["other"].isin(group)]
        among = bradley_terry(within)
        title = say("Among {models}", models=say(", ").join(group))
        st.html(f'<h4 class="cb-title">{data(title)}</h4>')
        st.html(strengths_table(among, votes.improvised))
        order += [one.model for one in among]
    return order


def _tell_improvised(votes: ModelVotes) -> None:
    made = int(votes.frame["improvised"].sum())
    if made == len(votes.frame):
        _notice(say("All these votes are on stories made without a language model: not a result."))
    elif made:
        told = say(
            "{made:,} of the {votes:,} votes are on stories made without a language model: not a result.",
            made=made,
            votes=len(votes.frame),
        )
        _notice(told)


def _notice(told: str) -> None:
    """What must not be overlooked, though nothing is wrong."""
    st.html(f'<p class="cb-notice">{data(told)}</p>')


def _left_out(votes: ModelVotes) -> None:
    """How many votes tell nothing of two models, and why."""
    if not votes.left_out:
        return
    count = sum(votes.left_out.values())
    st.html(said(say_count("{count:,} vote is left out:", "{count:,} votes are left out:", count)))
    st.html(listed([say("{count:,}: {reason}", count=n, reason=say(why)) for why, n in votes.left_out.items()]))
