"""How each expert rates: figures with what they rest on, and what each of them means."""

from collections.abc import Mapping, Sequence

import streamlit as st

from annotations.undefined import Undefined
from annotations.wording import say, say_count, to_say
from characterbox.campaigns.oversight import overseer_of
from characterbox.campaigns.standing import Standing
from characterbox.components.figures.html_table import Notes
from characterbox.store import Store
from characterbox.store.campaign import Campaign
from pages.parts import oversight_words as words
from pages.parts.oversight_look import data, notes, said, table
from pages.parts.oversight_ways import names_of

SHOWN = 40
"""Pairs of experts that are listed."""
HEADS = (
    to_say("Expert"),
    to_say("Severity"),
    to_say("Spread"),
    to_say("r with the others"),
    to_say("Same scores"),
    to_say("Hidden repeats"),
    to_say("Attention checks"),
    to_say("Practice"),
    to_say("Reading time"),
    to_say("Most used score"),
)
MEANINGS = {
    "Severity": to_say(
        "the expert's scores minus the mean of the others' on the same metrics of the same items, in points of the"
        " scale. Negative is stricter. Brackets hold the 95 % interval; it and the standard error (SE) take items, not"
        " scores, as independent. In an incomplete design it is relative to those whom the expert happened to meet."
    ),
    "Spread": to_say(
        "the standard deviation of all scores that the expert gave, and its ratio to the mean of the others'. Below 1"
        " the expert uses less of the scale."
    ),
    "r with the others": to_say(
        "Pearson's correlation of the expert's scores with the means of the others', over the metrics of the items that"
        " they share. Low: the expert sees other things, or rates at random. Within metrics: the mean of r over the"
        " metrics, each correlated by itself; that metrics differ in level adds nothing to it."
    ),
    "Same scores": to_say(
        "how often the expert's score is another expert's, and how often it is at most one point away, over all pairs"
        " of scores for the same metric of the same item."
    ),
    "Hidden repeats": to_say(
        "the same for the expert's own scores on items that came back unannounced: stability. Second minus first is the"
        " mean change, in points; below 0 the expert has become stricter."
    ),
    "Attention checks": to_say("how many of the items that anybody who reads scores alike were scored so."),
    "Practice": to_say(
        "the share of practice scores at most one point from the gold, in the last attempt. It is not enough where one"
        " metric is misread, or gets the same score throughout."
    ),
    "Reading time": to_say("the median time at an item that is done, idling left out. Brackets hold the quartiles."),
    "Most used score": to_say(
        "the score that the expert gives most often. A share near 100 % is straight-lining, and so is one score"
        " throughout on many items."
    ),
}


def show_raters(store: Store, campaign: Campaign) -> None:
    """The figures of all experts, by name."""
    known, names, remarks = overseer_of(store).of(campaign), names_of(store), Notes()
    standings = sorted(known.standings, key=lambda one: names.get(one.line.rater, "").casefold())
    rows = [_row(one, names.get(one.line.rater, one.line.rater), remarks) for one in standings]
    st.html(table([say(head) for head in HEADS], rows) + notes(remarks.as_html()))
    if pairs := _pairs(standings, names, remarks):
        with st.expander(say("Each two experts")):
            st.html(table((say("Experts"), say("Same scores")), pairs[:SHOWN]))
            said(
                say_count(
                    "The first {shown:,} of {count:,} pair: who agree least come first.",
                    "The first {shown:,} of {count:,} pairs: who agree least come first.",
                    len(pairs),
                    shown=min(SHOWN, len(pairs)),
                )
            )
    lines = "".join(f"<li>{_meaning(name, meaning)}</li>" for name, meaning in MEANINGS.items())
    label = say("What the figures mean")
    st.html(f'<ul class="ov-list" aria-label="{data(label)}">{lines}</ul>')


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
        [data(say(" and ").join(sorted(names.get(id, id) for id in both))), words.agreement(match, remarks)]
        for match, *both in ranked
    ]


def _row(one: Standing, name: str, remarks: Notes) -> list[str]:
    figures = one.figures
    if isinstance(figures, Undefined):
        own = [words.undefined(figures, remarks)] * 4
        most_used = own[0]
    else:
        own = [
            words.severity(figures.severity, remarks) + words.alone(figures.alone, remarks),
            words.spread(figures.spread, remarks),
            words.correlation(figures.correlation, remarks) + words.within_metrics(figures.within_metrics, remarks),
            words.agreement(figures.match, remarks),
        ]
        most_used = words.most_used(figures.most_used) + words.flat_items(figures.flat_items, remarks)
    return [
        data(name),
        *own,
        words.stability(one.repeats, remarks),
        words.checks(one.checks, remarks),
        words.practice(one.line.training, remarks),
        words.reading_time(one.line.pace, remarks),
        most_used,
    ]
