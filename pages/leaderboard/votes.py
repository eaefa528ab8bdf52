"""Models ranked by the votes on pairs of their stories."""

from collections.abc import Sequence

import streamlit as st

from annotations.errors import Undefined
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count
from annotations.resampling.draws import USUAL_DRAWS
from characterbox.accounts.permissions import PAGES
from characterbox.components.figures.tables.captions import listed, said
from characterbox.components.figures.tables.html import data, html_of
from characterbox.components.figures.tables.text import counted, file_name, language_name
from characterbox.components.figures.tables.votes import (
    ranking_csv,
    ranking_json,
    ranking_latex,
    strengths_table,
    tally_table,
    votes_csv,
)
from characterbox.components.url_state import segments_in_address
from characterbox.judging.pairwise import ModelVotes, Ranking, model_votes, ranking_of
from characterbox.store import Store
from pages.shared.current_user import allowed
from pages.shared.folded import show_how
from pages.validity.links import offer

ALL, BLIND = to_say("All votes"), to_say("Blind votes only")
STRENGTHS = to_say(
    "Bradley-Terry strengths: the difference of two strengths is the log odds that one model is judged better"
    " than the other; a tie counts as half a win for each. The win rate is the expected share of points against"
    " a model of mean strength among those shown. Votes of the same rater are treated as independent."
)
INTERVALS = to_say("Brackets after a strength or a win rate: its 95 % interval (jackknife by scenes).")
RANKS = to_say(
    "Brackets after a rank: its 95 % range (2.5th to 97.5th percentile) over {draws:,} bootstrap resamples of scenes"
    " (seed {seed})."
)


def show_votes(store: Store, sweep: str | None, language: str | None) -> None:
    """The models by the votes on all stories or those of a sweep, on scenes in any language or in one."""
    blind, keeping = segments_in_address("votes", (ALL, BLIND), ALL)
    st.segmented_control(say("Votes"), [ALL, BLIND], format_func=say, required=True, **keeping)
    votes = model_votes(store, sweep=sweep, language=language, blind=blind == BLIND)
    if votes.frame.empty:
        st.html(
            said(
                say(
                    "There are no votes between two models yet. Open a story in Playback, compare it with"
                    " another model's story of the same scene, and vote for the better one."
                )
            )
        )
        if allowed(PAGES["playback"]):
            st.page_link("playback/page.py", label=say("Playback"), icon=":material/menu_book:")
    else:
        ranking = ranking_of(votes)
        _standings(ranking)
        _files(votes, [part for part in (sweep, language and language_name(language)) if part])
    _left_out(votes)


def _standings(ranking: Ranking) -> None:
    votes, found = ranking.votes, ranking.tally
    blind = int(votes.frame["blind"].sum())
    st.html(
        said(
            say(
                "{votes} on {models} in {scenes}, {blind:,} of them blind.",
                votes=say_count("{count:,} vote", "{count:,} votes", found.votes),
                models=counted(len(found.models), "model"),
                scenes=counted(found.scenes, "scene"),
                blind=blind,
            )
        )
    )
    _tell_improvised(votes)
    order = _ranked(ranking)
    show_how(_explained(ranking))
    st.subheader(say("Pairwise results"))
    st.html(html_of(tally_table(found, order, votes.improvised)))


def _explained(ranking: Ranking) -> list[str]:
    """What the figures are; of intervals and of ranges of ranks only where there is one at least."""
    found = [one for group in ranking.groups for one in group]
    told = [say(STRENGTHS)]
    if any(not isinstance(one.interval, Undefined) for one in found):
        told.append(say(INTERVALS))
    if any(one.best_rank is not None for one in found):
        told.append(say(RANKS, draws=USUAL_DRAWS.number, seed=USUAL_DRAWS.seed))
    return told


def _ranked(ranking: Ranking) -> list[str]:
    """Draws what the votes determine, and gives the models in the order in which they are shown."""
    if ranking.undefined is not None:
        _notice(say("The models cannot all be ranked together: {reason}.", reason=ranking.undefined))
    order = []
    for group in ranking.groups:
        names = [one.model for one in group]
        if ranking.undefined is not None:
            title = say("Among {models}", models=say(", ").join(sorted(names)))
            st.html(f'<h4 class="cb-title">{data(title)}</h4>')
        st.html(html_of(strengths_table(group, ranking.votes.improvised)))
        order += names
    return [*order, *ranking.alone]


def _files(votes: ModelVotes, of: Sequence[str]) -> None:
    st.subheader(say("Download"), anchor=False)
    offer(
        file_name("votes", *of),
        (
            (say("Ranking (CSV)"), "csv", lambda: ranking_csv(votes)),
            (say("Ranking (LaTeX)"), "tex", lambda: ranking_latex(votes).encode()),
            (say("Ranking (JSON)"), "json", lambda: ranking_json(votes).encode()),
        ),
    )
    offer(file_name("votes", *of, "behind"), ((say("Underlying votes (CSV)"), "csv", lambda: votes_csv(votes)),))


def _tell_improvised(votes: ModelVotes) -> None:
    made = int(votes.frame["improvised"].sum())
    if made == len(votes.frame):
        _notice(say("All these votes are on demo output (no language model); do not report."))
    elif made:
        told = say(
            "{made:,} of the {votes:,} votes are on demo output (no language model); do not report.",
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
