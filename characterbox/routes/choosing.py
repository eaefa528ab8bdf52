"""Choosing a password, in a form that has it written twice."""

from collections.abc import Mapping

from annotations.wording import say, to_say
from characterbox.accounts.passwords import LONGEST, SHORTEST, password_fault
from characterbox.routes.plain import field, paragraph

_FAULTS = {
    "short": to_say("The password has fewer than {shortest} characters."),
    "long": to_say("The password has more than {longest} characters."),
    "name": to_say("The password is your name. Choose another one."),
    "easy": to_say("The password is easy to guess. Choose another one: a few words that do not belong together, say."),
    "broken": to_say("The password cannot be read. Write it anew."),
}


def password_fields(*, first: bool = False) -> str:
    """The two fields, and what is asked of a password; in the `first` ones of a page one can write at once."""
    chosen = field(say("New password"), "password", "new-password", first=first)
    again = field(say("The same again"), "again", "new-password")
    return (
        chosen
        + again
        + paragraph(
            say(
                "At least {shortest} characters, and not easy to guess; a sentence is easier to remember than signs.",
                shortest=SHORTEST,
            ),
            "quiet",
        )
    )


async def fault_of(fields: Mapping[str, str], name: str) -> str | None:
    """What is wrong with what somebody of this name has written, in words; None if nothing."""
    password = fields.get("password", "")
    fault = await password_fault(password, name)
    if fault is not None:
        return say(_FAULTS[fault], shortest=SHORTEST, longest=LONGEST)
    return say("The two are not the same. Write both anew.") if fields.get("again") != password else None
