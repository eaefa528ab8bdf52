"""Whether the experts could tell which model they read."""

import streamlit as st

from annotations.blinding import READINGS, Blinding
from annotations.undefined import Undefined
from annotations.wording import say, say_count, to_say, tongue
from characterbox.campaigns.blinded import Blinded
from characterbox.campaigns.oversight import overseer_of
from characterbox.components.figures.html_table import Notes
from characterbox.store import Store
from characterbox.store.campaign import Campaign
from pages.parts.oversight_look import data, listed, notes, said, table
from pages.parts.oversight_words import estimated

HOW_TO_READ = (
    to_say(
        "James' index, over all models: 0 if all are recognised, 0.5 if models are named as by chance, 1 if nobody can"
        " tell."
    ),
    to_say(
        "Bang's index, per model: 1 if it is always recognised, 0 as by chance, negative if it is taken for others."
        " From -0.2 to 0.2 is usually taken to mean that the blinding held."
    ),
    to_say(
        "A model that experts name out of habit has a Bang's index above 0 without being recognised. In the mean over"
        " the models such a habit cancels out."
    ),
    to_say(
        "Told apart: the share of answers about the model that name it, less that share of the answers about other"
        " models. It is 0 as by chance, whatever the experts like to name; the reading follows it."
    ),
    to_say("One interval in forty lies above 0 by chance alone: among many models a single one is weak evidence."),
)


def show_blinding(store: Store, campaign: Campaign) -> None:
    """The blinding indices of a campaign that asks its experts for the model."""
    known = overseer_of(store).of(campaign).blinded
    if isinstance(known.blinding, Undefined):
        said(say("There is no blinding index: {reason}.", reason=known.blinding.reason))
    else:
        _show(known.blinding)
    _left_out(known)


def _show(found: Blinding) -> None:
    st.html(f'<p class="ov-said">{data(READINGS[found.reading].text(tongue()))}</p>')
    said(
        say(
            "{answers} of {experts} about {models}; {cannot_tell:,} of them “cannot tell”.",
            answers=_answers(found.n),
            experts=say_count("{count:,} expert", "{count:,} experts", found.raters),
            models=say_count("{count:,} model", "{count:,} models", len(found.by_model)),
            cannot_tell=found.cannot_tell,
        )
    )
    remarks = Notes()
    rows = [
        [say("James' index"), estimated(found.james, remarks), "0.5"],
        [say("Bang's index, mean over models"), estimated(found.bang, remarks), "0"],
        [say("Right among the models named"), estimated(found.right, remarks), f"{found.chance:.2f}"],
    ]
    head = (say("All models"), say("Estimate"), say("By chance"))
    st.html(f'<div class="ov-narrow">{table(head, rows)}{notes(remarks.as_html())}</div>')
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
        say("Right"),
        say("Wrong"),
        say("Cannot tell"),
        say("Told apart"),
        say("Reading"),
    )
    st.html(table(heads, lines) + notes(of_models.as_html()))
    listed(map(say, HOW_TO_READ))


def _left_out(known: Blinded) -> None:
    told = []
    if known.unasked:
        told.append(
            say_count(
                "{count:,} rating done without an answer to the question",
                "{count:,} ratings done without an answer to the question",
                known.unasked,
            )
        )
    if known.strange:
        told.append(
            say_count(
                "{count:,} answer that name no model of the campaign",
                "{count:,} answers that name no model of the campaign",
                known.strange,
            )
        )
    if told:
        said(say("Left out: {what}.", what=say("; ").join(told)))


def _answers(number: int) -> str:
    return say_count("{count:,} answer", "{count:,} answers", number)
