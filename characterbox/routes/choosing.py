"""Choosing a password, in a form that has it written twice."""

from collections.abc import Mapping

from characterbox.accounts.passwords import LONGEST, SHORTEST, password_fault
from characterbox.routes.plain import field, paragraph

Words = Mapping[str, str]

_TOLD = {"short": "short", "long": "long", "name": "same_as_name", "easy": "easy", "broken": "broken"}


def password_fields(words: Words, *, first: bool = False) -> str:
    """The two fields, and what is asked of a password; in the `first` ones of a page one can write at once."""
    chosen = field(words["new_password"], "password", "new-password", first=first)
    again = field(words["again"], "again", "new-password")
    return chosen + again + paragraph(words["rule"].format(shortest=SHORTEST), "quiet")


async def fault_of(fields: Mapping[str, str], name: str, words: Words) -> str | None:
    """What is wrong with what somebody of this name has written, in words; None if nothing."""
    password = fields.get("password", "")
    fault = await password_fault(password, name)
    if fault is not None:
        return words[_TOLD[fault]].format(shortest=SHORTEST, longest=LONGEST)
    return words["differ"] if fields.get("again") != password else None
