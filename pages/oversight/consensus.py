"""The consensus on a metric of an item: the experts' scores, what counts, and the form in which it is decided."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.errors import RatingError
from annotations.i18n.translation import say, translate
from annotations.marking.disagreement import Disagreement
from annotations.marking.marks import MOST_TEXT
from annotations.rubrics.rubric import Rubric
from characterbox.campaigns.assignments import Row
from characterbox.campaigns.oversight import Oversight
from characterbox.components.figures.tables.html import data
from characterbox.components.figures.tables.text import decimal
from characterbox.errors import CampaignError
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.store.campaigns.verdicts import Ruling, Verdict
from characterbox.values import Language
from pages.oversight.links import permitted, zone
from pages.oversight.tables import notice, said, table
from pages.oversight.text import STATES, moment, points
from pages.shared.current_user import current_user


def called(row: Row, names: Mapping[str, str]) -> str:
    """Whose row it is; of a hidden repeat that it is one."""
    name = names.get(row.assignment.rater, row.assignment.rater)
    return say("{name} (repeat)", name=name) if row.assignment.take else name


def score_table(
    known: Oversight,
    rows: Sequence[Row],
    names: Mapping[str, str],
    verdicts: Mapping[str, int | float | None],
    metric: str,
) -> str:
    """The rows of an item as HTML; `metric` is lit, and `verdicts` are the last ones by metric, None if taken back."""
    keys = known.rubric.keys
    lines = [
        [data(called(row, names)), *(_score(row, key, metric) for key in keys), _state(row, known.rubric)]
        for row in rows
    ]
    if rows:
        lines.append([say("Range"), *(_range(known, rows[0].assignment.item, key) for key in keys), ""])
    lines.append([say("Consensus"), *(_consensus(verdicts.get(key)) for key in keys), ""])
    return table((say("Expert"), *keys, say("State")), lines, fold=False)


def _score(row: Row, key: str, lit: str) -> str:
    score = row.sheet.scores.get(key)
    if score is None:
        return _none()
    return f'<span class="ov-lit">{points(score)}</span>' if key == lit else points(score)


def _state(row: Row, rubric: Rubric) -> str:
    state = row.state(rubric)
    if state == "begun" and row.sheet.counts:  # in logs of the time when a score could be taken back after submitting
        return say(STATES[state]) + _small(say("a score was removed after submission"))
    if state == "begun":
        return say(STATES[state]) + _small(say("not counted yet"))
    return f'<span class="ov-int">{say(STATES[state])}</span>'


def _range(known: Oversight, item: str, metric: str) -> str:
    cell = known.dispute(item, metric)
    if cell is None:
        return _small(say("fewer than two scores"))
    apart = say("mean absolute difference {distance}", distance=decimal(cell.mean_difference))
    return points(cell.range) + _small(apart) + _small(f"n = {len(cell.scores)}")


def _consensus(score: int | float | None) -> str:
    return _none() if score is None else f"<b>{points(score)}</b>"


def _none() -> str:
    none = say("none")
    return f'<span class="ov-quiet">{none}</span>'


def _small(text: str) -> str:
    return f"<small>{text}</small>"


MOST_BUTTONS = 10
"""Levels of a scale that are buttons; on a longer one the score is written."""


def show_verdict(
    store: Store, campaign: Campaign, known: Oversight, cell: tuple[str, str], history: Sequence[Verdict]
) -> None:
    """What was decided on a metric (`cell`) so far, and the form to decide."""
    item, metric = cell
    rubric, language = known.rubric, known.items[item].language
    asked = rubric.metric(metric)
    st.subheader(say("Consensus on {metric}", metric=metric), anchor=False)
    st.html(f'<p class="ov-said" lang="{language}">{data(asked.question.text(language))}</p>')
    _offered(known.dispute(item, metric))
    _anchors(rubric, metric, language)
    _decide(store, campaign, rubric, cell, history)
    _history(history)


def _offered(dispute: Disagreement | None) -> None:
    if dispute is None:
        said(say("Fewer than two experts have a score that counts here."))
        return
    scores = say(", ").join(points(score) for _, score in dispute.scores)
    said(
        say(
            "Expert scores: {scores}; median {median}, n = {n}.",
            scores=scores,
            median=points(dispute.median),
            n=len(dispute.scores),
        )
    )


def _anchors(rubric: Rubric, metric: str, language: Language) -> None:
    lines = "".join(
        f"<li><b>{anchor.score}</b> {data(anchor.text.text(language))}</li>" for anchor in rubric.metric(metric).anchors
    )
    st.html(f'<ul class="ov-list ov-quiet" lang="{language}">{lines}</ul>')


def _decide(
    store: Store, campaign: Campaign, rubric: Rubric, cell: tuple[str, str], history: Sequence[Verdict]
) -> None:
    """The form; it is empty again after each decision of one's own, and keeps what is in it when it is refused."""
    item, metric = cell
    counted = history[-1].score if history else None
    own = f"decided-{campaign.id}-{item}-{metric}"
    key = f"{campaign.id}-{item}-{metric}-{st.session_state.get(own, 0)}"
    before = st.session_state.get(f"seen-{key}", len(history))
    st.session_state[f"seen-{key}"] = len(history)
    with st.form(f"verdict-{key}", border=False):
        score = _score_field(rubric, key)
        reason = st.text_area(say("Reason"), max_chars=MOST_TEXT, key=f"reason-{key}")
        with st.container(horizontal=True):
            decided = st.form_submit_button(say("Record consensus"), type="primary", key=f"record-{key}")
            taken_back = counted is not None and st.form_submit_button(say("Withdraw"), key=f"take-back-{key}")
    ruling = Ruling(item=item, metric=metric, score=score if decided else None, reason=reason)
    if decided and score is None:
        notice(say("Choose the consensus score."))
    elif (decided or taken_back) and before != len(history):
        notice(
            say(
                "Somebody else has decided in the meantime: see below. Your entry is still in the form; record"
                " it again if you want it to count."
            )
        )
    elif (decided or taken_back) and _recorded(store, campaign, ruling):
        st.session_state[own] = st.session_state.get(own, 0) + 1
        st.rerun()


def _score_field(rubric: Rubric, key: str) -> float | int | None:
    scale = rubric.scale
    if scale.fractions or len(scale.levels) > MOST_BUTTONS:
        step = 0.1 if scale.fractions else 1
        low, high = (float(scale.low), float(scale.high)) if scale.fractions else (scale.low, scale.high)
        return st.number_input(say("Score"), low, high, None, step, key=f"score-{key}", width=160)
    return st.segmented_control(say("Score"), list(scale.levels), key=f"score-{key}")


def _recorded(store: Store, campaign: Campaign, ruling: Ruling) -> bool:
    """Whether the decision is stored; a refusal is told."""
    if not permitted():
        return False
    try:
        store.verdicts.add(campaign.id, ruling, current_user())
    except (RatingError, CampaignError) as error:
        notice(translate(error))
        return False
    return True


def _history(history: Sequence[Verdict]) -> None:
    """All decisions, the last one first; only that counts."""
    if not history:
        said(say("No decision yet. Decisions never change the experts' scores."))
        return
    lines = "".join(f"<li>{_decision(one, last=one is history[-1])}</li>" for one in reversed(history))
    label = say("Decisions")
    st.html(f'<ul class="ov-list" aria-label="{data(label)}">{lines}</ul>')


def _decision(one: Verdict, *, last: bool) -> str:
    """One decision, by whom, when and why (HTML)."""
    what = say("withdrawn") if one.score is None else say("consensus {score}", score=points(one.score))
    told = {
        "what": f"<b>{data(what)}</b>",
        "who": data(one.adjudicator),
        "when": moment(one.at, zone()),
        "reason": data(one.reason),
    }
    if last and one.score is not None:
        return say("{what} (in effect), {who}, {when}: {reason}", **told)
    return say("{what}, {who}, {when}: {reason}", **told)
