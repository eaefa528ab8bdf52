"""Reasons of any text, as tests want them."""

from characterbox.pause_reasons import Reason
from characterbox.reason_sentences import read_sentence


def a_reason(text: str) -> Reason:
    """The reason that a sentence tells, or one that has only this text."""
    found = read_sentence(text)
    return Reason("told", what=text) if found.code == "told" else found
