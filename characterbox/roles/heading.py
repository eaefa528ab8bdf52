"""What lists tell of a role, without its dialogues, and how one is looked for."""

import hashlib
from collections.abc import Iterable

from characterbox.roles.role import FEWEST_TURNS, Role
from characterbox.values import Language, Value

_FIRST = 240
"""Characters of a description that are shown."""


class RoleHeading(Value):
    """A role in a few words."""

    id: str
    name: str
    language: Language
    work: str
    author: str | None
    rounds: int
    turns: int
    """Of the role itself."""
    verified: bool
    opening: str
    """How its description begins; empty where there is none."""

    @property
    def few(self) -> bool:
        """Whether there are too few of its turns to know how it speaks."""
        return self.turns < FEWEST_TURNS

    def says(self, words: Iterable[str]) -> bool:
        """Whether all words, in small letters, stand in its names or its opening."""
        text = f"{self.id}\n{self.name}\n{self.work}\n{self.author or ''}\n{self.opening}".casefold()
        return all(word in text for word in words)


def heading_of(role: Role) -> RoleHeading:
    """The heading of a role."""
    told = "" if role.description is None else " ".join(role.description.text.split())
    return RoleHeading(
        id=role.id,
        name=role.name,
        language=role.language,
        work=role.work,
        author=role.author,
        rounds=sum(1 for _ in role.rounds),
        turns=role.turns,
        verified=role.verified,
        opening=told if len(told) <= _FIRST else f"{told[:_FIRST].rstrip()}…",
    )


def role_fingerprint(role: Role) -> str:
    """The SHA-256 of all that the role says, in hexadecimal: what is the same has the same."""
    return hashlib.sha256(role.model_dump_json().encode()).hexdigest()
