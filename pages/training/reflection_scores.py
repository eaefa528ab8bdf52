"""What judges say of rewritten parts, before and after: known before anything is trained on them."""

from collections.abc import Sequence
from statistics import fmean

import streamlit as st

from annotations.exchange.table import NO_FIGURE
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, sentence, tongue, translate
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.permissions import require
from characterbox.components.figures.tables.html import data, mark
from characterbox.components.figures.tables.text import decimal
from characterbox.errors import CharacterBoxError, RecordMismatch
from characterbox.judging.judge import Judge
from characterbox.stage.jobs.reflection_jobs import ReflectionJudging
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.ratings.ratings import Rating
from characterbox.store.stories.stories import Story
from characterbox.training.reflection.judging import JudgedReflection, judgings_of
from characterbox.training.reflection.rewriting import Reflection
from pages.shared.current_user import current_user
from pages.shared.form import fault
from pages.shared.text import quiet
from pages.story.actions import do
from pages.story.judgements import judge_form

EVERY = 1.0
"""Seconds between two looks at a judge at work."""
JUDGE = to_say("Judge before and after")


def show_scores(stage: Stage, story: Story, parts: Sequence[Reflection], shown: Reflection) -> None:
    """Have a judge score all accepted rewritings of a story; and the scores of the part that is shown."""
    st.subheader(say("Judges"))
    accepted = [one for one in parts if one.events]
    if not accepted:
        quiet(say("There is nothing to judge until a rewriting is accepted."))
        return
    jobs = stage.jobs.of(ReflectionJudging, story.id)
    if moving := [one for one in jobs if one.under_way]:
        st.fragment(_follow, run_every=EVERY)(stage, story.id, len(moving))
    for one in jobs:
        if (error := one.last_error) is not None:
            known = isinstance(error, CharacterBoxError)
            told = translate(error) if known else say("An error interrupted the judge. See the app's log for details.")
            fault(sentence(say("{name}: {what}", name=one.judge.called, what=told)))
            if isinstance(error, RecordMismatch):
                key, given = f"reflection-anew-{one.judge.rater}", (_start, story.id, accepted, one.judge, True)
                st.button(say("Judge again"), key=key, on_click=do, args=given)
    if (wanted := judge_form(stage, JUDGE, primary=False, characters_only=True)) is not None:
        do(_start, story.id, accepted, wanted[0])
        st.rerun()
    for judged in judgings_of(stage.store, story, shown):
        st.html(_table(judged))


def _start(id: str, parts: Sequence[Reflection], judge: Judge, anew: bool = False) -> None:
    stage = open_stage()
    story = stage.store.stories.story(id)
    stage.jobs.start(ReflectionJudging.by(current_user(), stage.store, story, parts, judge, anew=anew))


def _stop(id: str) -> None:
    require(current_user(), "direct")
    for one in open_stage().jobs.of(ReflectionJudging, id):
        one.stop()


def _follow(stage: Stage, id: str, drawn: int) -> None:
    jobs = [one for one in stage.jobs.of(ReflectionJudging, id) if one.under_way]
    if len(jobs) != drawn:
        st.rerun()
    done, whole = sum(one.done for one in jobs), sum(one.whole or 0 for one in jobs)
    st.progress(
        done / whole if whole else 0.0,
        say("{count:,} of {all:,} rewritten parts judged", count=done, all=whole),
    )
    st.button(say("Stop"), key="reflection-judging-stop", on_click=do, args=(_stop, id))


def _table(judged: JudgedReflection) -> str:
    """The scores of one judge by metric, with their differences and the mean of these (HTML)."""
    rubric, apart = load_rubric(), judged.differences
    rows = [
        (
            f"{rubric.metric(key).name.text(tongue())} ({key})",
            _score(judged.before.get(key)),
            _score(judged.after.get(key)),
            _signed(apart[key], 0) if key in apart else NO_FIGURE,
        )
        for key in rubric.keys
    ]
    if apart:
        before, after = (fmean(side[key].score or 0 for key in apart) for side in (judged.before, judged.after))
        rows.append((say("Mean"), decimal(before), decimal(after), _signed(after - before, 2)))
    judge = data(judged.judge.called) + (f" {mark()}" if judged.judge.endpoint.is_modelless else "")
    head = "".join(f'<th scope="col">{one}</th>' for one in (judge, say("Before"), say("After"), say("Difference")))
    body = "".join(
        f'<tr><th scope="row">{data(name)}</th>{"".join(f"<td>{one}</td>" for one in cells)}</tr>'
        for name, *cells in rows
    )
    return f'<table class="cb-prices"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _score(rating: Rating | None) -> str:
    return NO_FIGURE if rating is None or rating.score is None else f"{rating.score}"


def _signed(difference: float, decimals: int) -> str:
    told = f"{difference:+.{decimals}f}"
    return told[1:] if not float(told) else told
