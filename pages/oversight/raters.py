"""How each expert rates, and whether they could tell which model they read."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.blinding.guesses import READINGS, Blinding
from annotations.errors import Undefined
from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, tongue
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.rater_statistics import Blinded, Standing
from characterbox.components.figures.tables.html import Notes, data
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from pages.oversight import text as oversight_text
from pages.oversight.links import names_of
from pages.oversight.tables import folded, listed, notes, said, table
from pages.oversight.text import estimated

SHOWN = 40
"""Pairs of experts that are listed."""
HEADS = (
    to_say("Expert"),
    to_say("Severity"),
    to_say("Spread"),
    to_say("r with the other experts"),
    to_say("Exact agreement"),
    to_say("Hidden repeats"),
    to_say("Attention checks"),
    to_say("Practice"),
    to_say("Reading time"),
    to_say("Most used score"),
)
MEANINGS = {
    "Severity": to_say(
        "the expert's scores minus the mean of the other experts' scores on the same metrics of the same items,"
        " in points of the scale. Negative means stricter. Brackets: 95 % interval; the interval and the"
        " standard error (SE) treat items, not scores, as independent. In an incomplete design, severity is"
        " relative to the experts who rated the same items."
    ),
    "Spread": to_say(
        "the standard deviation of all scores that the expert gave, and its ratio to the mean standard"
        " deviation of the other experts. Below 1, the expert uses less of the scale."
    ),
    "r with the other experts": to_say(
        "Pearson's r of the expert's scores with the means of the other experts, over the metrics of the items"
        " that they share. A low value means that the expert judges by other criteria or rates at random."
        " Within metrics: the mean over the metrics of r on each metric, which is not affected by differences"
        " in level between metrics."
    ),
    "Exact agreement": to_say(
        "how often the expert's score equals another expert's, and how often it is at most one point away, over"
        " all pairs of scores on the same metric of the same item."
    ),
    "Hidden repeats": to_say(
        "the same agreement between the expert's own first and second scores on items that were shown again"
        " without notice (stability). Second minus first is the mean change, in points; below 0, the expert has"
        " become stricter."
    ),
    "Attention checks": to_say("how many attention checks (items with obvious scores) the expert scored correctly."),
    "Practice": to_say(
        "the share of practice scores at most one point from the gold score, in the last attempt. A high share is"
        " not enough if a metric is misread or gets the same score throughout."
    ),
    "Reading time": to_say("the median time per finished item, without idle time. Brackets show the quartiles."),
    "Most used score": to_say(
        "the score that the expert gives most often. A share near 100 %, or one score throughout on many items,"
        " indicates straight-lining."
    ),
}


def show_raters(store: Store, campaign: Campaign) -> None:
    """The figures of all experts, by name."""
    known, names, remarks = overseer_of(store).of(campaign), names_of(store), Notes()
    standings = sorted(known.standings, key=lambda one: names.get(one.line.rater, "").casefold())
    rows = [_row(one, names.get(one.line.rater, one.line.rater), remarks) for one in standings]
    st.html(table([say(head) for head in HEADS], rows) + notes(remarks))
    if pairs := _pairs(standings, names, remarks):
        with st.expander(say("Pairs of experts")):
            st.html(table((say("Experts"), say("Exact agreement")), pairs[:SHOWN]))
            said(
                say_count(
                    "The first {shown:,} of {count:,} pair, lowest agreement first.",
                    "The first {shown:,} of {count:,} pairs, lowest agreement first.",
                    len(pairs),
                    shown=min(SHOWN, len(pairs)),
                )
            )
    lines = "".join(f"<li>{_meaning(name, meaning)}</li>" for name, meaning in MEANINGS.items())
    st.html(folded(say("What the statistics mean"), f'<ul class="ov-list">{lines}</ul>'))


def _meaning(name: str, meaning: str) -> str:
    return say("{name}: {what}", name=f"<b>{data(say(name))}</b>", what=data(say(meaning)))


def _pairs(standings: Sequence[Standing], names: Mapping[str, str], remarks: Notes) -> list[list[str]]:
    """How often each two experts agree who scored the same things; those who agree least first."""
    pairs = [
        (figures.match_with[other], rater, other)
        for one in standings
        if not isinstance(figures := one.figures, Undefined)
        for rater in [one.line.rater]
        for other in figures.match_with
        if rater < other
    ]
    ranked = sorted(pairs, key=lambda pair: (pair[0].exact, pair[0].within_one, pair[1:]))
    return [
        [data(say(" and ").join(sorted(names.get(id, id) for id in both))), oversight_text.agreement(match, remarks)]
        for match, *both in ranked
    ]


def _row(one: Standing, name: str, remarks: Notes) -> list[str]:
    figures = one.figures
    if isinstance(figures, Undefined):
        own = [oversight_text.undefined(figures, remarks)] * 4
        most_used = own[0]
    else:
        own = [
            oversight_text.severity(figures.severity, remarks) + oversight_text.alone(figures.alone, remarks),
            oversight_text.spread(figures.spread, remarks),
            oversight_text.correlation(figures.correlation, remarks)
            + oversight_text.within_metrics(figures.within_metrics, remarks),
            oversight_text.agreement(figures.match, remarks),
        ]
        most_used = oversight_text.most_used(figures.most_used) + oversight_text.flat_items(figures.flat_items, remarks)
    return [
        data(name),
        *own,
        oversight_text.stability(one.repeats, remarks),
        oversight_text.checks(one.checks, remarks),
        oversight_text.practice(one.line.training, remarks),
        oversight_text.reading_time(one.line.pace, remarks),
        most_used,
    ]


HOW_TO_READ = (
    to_say(
        "James' index, over all models: 0 if all are recognized, 0.5 if models are guessed at chance level, 1"
        " if nobody can tell."
    ),
    to_say(
        "Bang's index, per model: 1 if the model is always recognized, 0 at chance level, negative if it is"
        " mistaken for others. Values from -0.2 to 0.2 are usually interpreted as successful blinding."
    ),
    to_say(
        "If experts name a model out of habit, its Bang's index is above 0 even though they do not recognize"
        " it. In the mean over models, such habits cancel out."
    ),
    to_say(
        "Discrimination: the share of answers about the model that name it, minus the share of answers about"
        " other models that name it. It is 0 at chance level, whichever models the experts prefer to name. The"
        " interpretation is based on it."
    ),
    to_say(
        "One interval in forty lies entirely above 0 by chance alone, so among many models a single such"
        " interval is weak evidence."
    ),
)


def show_blinding(store: Store, campaign: Campaign) -> None:
    """The blinding indices of a campaign that asks its experts for the model."""
    known = overseer_of(store).of(campaign).blinded
    if isinstance(known.blinding, Undefined):
        said(say("No blinding index can be computed: {reason}.", reason=known.blinding.reason))
    else:
        _show(known.blinding)
    _left_out(known)


def _show(found: Blinding) -> None:
    st.html(f'<p class="ov-said">{data(READINGS[found.reading].text(tongue()))}</p>')
    said(
        say(
            "{answers} by {experts} about {models}, of which {cannot_tell:,} “cannot tell”.",
            answers=_answers(found.n),
            experts=say_count("{count:,} expert", "{count:,} experts", found.raters),
            models=say_count("{count:,} model", "{count:,} models", len(found.by_model)),
            cannot_tell=found.cannot_tell,
        )
    )
    remarks = Notes()
    rows = [
        [say("James' index"), estimated(found.james, remarks), "0.5"],
        [say("Bang's index (mean over models)"), estimated(found.bang, remarks), "0"],
        [say("Correct among models named"), estimated(found.right, remarks), f"{found.chance:.2f}"],
    ]
    head = (say("All models"), say("Estimate"), say("By chance"))
    st.html(f'<div class="ov-narrow">{table(head, rows)}{notes(remarks)}</div>')
    of_models = Notes()
    lines = [
        [
            data(one.model),
            estimated(one.bang, of_models),
            f"{one.right:,}",
            f"{one.wrong:,}",
            f"{one.cannot_tell:,}",
            estimated(one.told_apart, of_models),
            data(READINGS[one.reading].text(tongue())),
        ]
        for one in found.by_model
    ]
    heads = (
        say("Model"),
        say("Bang's index"),
        say("Correct"),
        say("Wrong"),
        say("Cannot tell"),
        say("Discrimination"),
        say("Interpretation"),
    )
    st.html(table(heads, lines) + notes(of_models))
    listed(map(say, HOW_TO_READ))


def _left_out(known: Blinded) -> None:
    told = []
    if known.unasked:
        told.append(
            say_count(
                "{count:,} finished rating without an answer to this question",
                "{count:,} finished ratings without an answer to this question",
                known.unasked,
            )
        )
    if known.strange:
        told.append(
            say_count(
                "{count:,} answer that names no model of the campaign",
                "{count:,} answers that name no model of the campaign",
                known.strange,
            )
        )
    if told:
        said(say("Left out: {what}.", what=say("; ").join(told)))


def _answers(number: int) -> str:
    return say_count("{count:,} answer", "{count:,} answers", number)
