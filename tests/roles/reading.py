"""Scripts of tests, as they are read: who says what, in which act."""

from textwrap import dedent

import pytest

from characterbox.errors import RoleError
from characterbox.roles.scripts import Format, Script, parse_script


def script(text: str, form: Format | None = None) -> Script:
    """The script of a text that is indented with the test."""
    return parse_script("case.txt", dedent(text).strip("\n"), form)


def turns(text: str, form: Format | None = None) -> list[tuple[str | None, str]]:
    """Its turns: who speaks, and what is said or told."""
    return [(one.turn.speaker, one.turn.text) for one in script(text, form).turns]


def refusal(text: str, form: Format | None = None) -> str:
    with pytest.raises(RoleError) as caught:
        script(text, form)
    return str(caught.value)
