"""What is wrong with a reply in the words in which models are told it: these never change, whatever people read now.

The digest of a question that is put once more rests on them: in other words, what is recorded would be the answer to
another prompt than the one that is asked now.
"""

from collections.abc import Mapping

from annotations.i18n.messages import Message, MessageError
from characterbox.pause_reasons import Reason
from characterbox.reason_sentences import as_sentence

TOLD: Mapping[str, str] = {
    "text": "a text",
    "a decimal number": "a number with a fraction",
    "a list of names that others use for the character": "a list of what others call the character",
    "this field is not allowed here": "it does not belong there",
    "remove it": "take it out",
    "it contains an incomplete character": "it has half of a sign in it",
    "type it again": "write it anew",
    "fill it in": "write something there",
    "its value is not allowed": "it has a value that is not known",
    "use {expected}": "write {expected}",
    "it must be {ge} or more": "it has to be {ge} or more",
    "it must be {expected}, not {found}": "it has to be {expected}, not {found}",
    "change it to {expected}": "write {expected} there",
    "{remedy} (also fix: {fields})": "{remedy} (to correct as well: {fields})",
    "rename one of them, or give it a name": "rename one of them or give it a name",
    "the names {one!r} and {other!r} are too similar to tell apart": (
        "the names {one!r} and {other!r} are too alike to be told apart"
    ),
    "{who!r} is not another character of the cast": "{who!r} is nobody else of the cast",
    "name other characters of the cast": "name others of the cast",
    "{who} also uses this name for {whom}": "{who} calls {whom} so too",
    "{alias!r} is the name of another character": "{alias!r} is the name of somebody else",
    "{alias!r} is a name of {who} and reveals who it is": "{alias!r} is a name of {who} that tells who it is",
    "use a different name, or remove it": "write another one, or take it out",
    "{name}: the JSON is nested too deeply to be read; check that this is a scene file": (
        "{name}: the JSON cannot be read, it is nested too deeply; is this a scene file?"
    ),
    "{name}: a number in the JSON is too long to be read; check that this is a scene file": (
        "{name}: the JSON cannot be read, a number in it is too long; is this a scene file?"
    ),
}
"""By the text that people read, the one that models are told: of what the importer of scenes finds wrong with a draft.
What is wrong with any other reply is a reason (see `reason_sentences.TEXTS`)."""


def as_asked(problem: object) -> str:
    """What is wrong with a reply, as models are told it."""
    if isinstance(problem, MessageError):
        problem = problem.message
    if isinstance(problem, Reason):
        return as_sentence(problem)
    return str(_as_told(problem))


def _as_told(value: object) -> object:
    if not isinstance(value, Message) or value.many is not None:
        return value
    values = {name: _as_told(one) for name, one in value.values.items()}
    return Message(TOLD.get(value.text, value.text), **values)
