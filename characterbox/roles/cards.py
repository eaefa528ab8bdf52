"""A role as a character card (V3), for programs that know such cards.

A card has a description and examples of speech, and no place for where each part comes from: what `as_json` writes is
the whole role.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from annotations.i18n.messages import Message
from characterbox.errors import RoleError
from characterbox.roles.role import Role, Turn
from characterbox.scenes.cards.card import OURS, Card, blank
from characterbox.scenes.cards.lorebook import has_macros

MOST_EXAMPLES = 50
"""Rounds that a card holds, the first of the role: programs tell all of them to a model."""
_CHAR, _USER = "{{char}}", "{{user}}"


def card_of_role(role: Role) -> Card:
    """The card: the description, and as examples of speech the catchphrases and the first rounds.

    Raises RoleError for a role without a description, and where a text would be read as a name that cards fill in.
    """
    if role.description is None:
        raise RoleError("{id}: a character card needs a description; write one, or export JSON", id=role.id)
    rounds = [*islice(role.rounds, MOST_EXAMPLES)]
    phrases = [one.text for one in role.catchphrases]
    for text in (role.description.text, *phrases, *(turn.text for one in rounds for turn in one.turns)):
        if has_macros(text) or "<START>" in text.upper():
            why = Message("cards fill in what stands in {{}} and begin an example with <START>; export JSON instead")
            raise RoleError("{id}: {text!r}: {why}", id=role.id, text=text[:60], why=why)
    examples = [*(f"{_CHAR}: {one}" for one in phrases), *("\n".join(_lines(role, one.turns)) for one in rounds)]
    data = {
        **blank(),
        "name": role.name,
        "description": role.description.text,
        "mes_example": "\n".join(f"<START>\n{one}" for one in examples),
        "extensions": {OURS: {"other_names": [*role.other_names]}} if role.other_names else {},
        "group_only_greetings": [],
        "creation_date": 0,
        "modification_date": 0,
    }
    return Card("V3", {"spec": "chara_card_v3", "spec_version": "3.0", "data": data})


def _lines(role: Role, turns: Sequence[Turn]) -> Iterator[str]:
    """The turns of a round: of the role, and of all others as the one it talks with; narration between asterisks, at
    the beginning of the next turn."""
    told = ""
    for turn in turns:
        if turn.speaker is None:
            told += f"*{turn.text}* "
        else:
            yield f"{_CHAR if turn.speaker == role.name else _USER}: {told}{turn.text}"
            told = ""
