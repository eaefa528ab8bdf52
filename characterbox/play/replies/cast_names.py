"""Who of the cast is meant by the names in a reply, and by the words for everybody."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from characterbox.errors import ReplyError
from characterbox.llm.replies.character_names import match_name, means_nobody
from characterbox.pause_reasons import Reason
from characterbox.play.replies.forms import PERCEIVED_BY, ByWhomReply

M = TypeVar("M", bound=BaseModel)

_EVERYBODY = re.compile(
    r"(?:all|everyone|everybody|(?:all )?(?:the )?others|所有人|众人|在场的?(?:所有)?人|大家|其他人|其余的?人)"
    r"(?: else| others)?(?: present| there)?",
    re.IGNORECASE,
)
_EXCEPTS = re.compile(
    r"\b(?:all|everyone|everybody|anyone|but|except|excluding|without|not|save)\b|除|不包括|以外", re.IGNORECASE
)
"""What speaks of all but some: a name in it is that of somebody who is left out."""


def means_everybody(text: str) -> bool:
    """Whether a value says that it is all who are there."""
    return _EVERYBODY.fullmatch(text.strip(" .。")) is not None


def unknown_name(field: str, name: str, known: Iterable[str]) -> Reason:
    """What is wrong with a field that names somebody else."""
    return Reason("field_nobody_known", field=field, name=repr(name), known=", ".join(known))


@dataclass(frozen=True, slots=True)
class CastNames:
    """The lists of a reply, in the exact names of the cast.

    Its methods raise ReplyError if somebody is named that is not in the cast.
    """

    text: str
    """The reply."""
    names: Sequence[str]
    """All of the cast, in its order."""
    there: Collection[str] | None = None
    """Those who are meant by everybody: all, where that is not told."""
    last: bool = False
    """Whether the reply is the last there will be, in which a list that can't be used is left out."""

    def perceivers(self, reply: M, without: str | None = None) -> M:
        """The reply with its lists of those who perceive it, but for the one whom they are about."""
        changes: dict[str, object] = {}
        for field in PERCEIVED_BY:
            if (listed := getattr(reply, field, None)) is not None:
                told, strangers = _named(listed, self.names, self.names if self.there is None else self.there)
                others = [name for name in self.names if name != without]
                self._refuse(field, strangers, others)
                changes[field] = None if strangers else tuple(name for name in others if name in told)
        return reply.model_copy(update=changes)

    def by_whom(self, field: str, listed: Iterable[ByWhomReply]) -> tuple[ByWhomReply, ...]:
        """The entries of a field, each character once; everybody is all of the cast.

        In the last reply those whom nobody knows are left out.
        """
        found: dict[str, set[str]] = {}
        for one in listed:
            who = match_name(one.who, self.names)
            by, strangers = _named(one.by, self.names, self.names)
            self._refuse(field, strangers if who is not None or means_nobody(one.who) else [one.who], self.names)
            if who is not None:
                found.setdefault(who, set()).update(by - {who})
        return tuple(
            ByWhomReply(who=who, by=tuple(name for name in self.names if name in by)) for who, by in found.items() if by
        )

    def _refuse(self, field: str, strangers: Sequence[str], known: Iterable[str]) -> None:
        if strangers and not self.last:
            raise ReplyError(unknown_name(field, strangers[0], known), reply=self.text)


def _named(listed: Iterable[str], names: Sequence[str], everybody: Iterable[str]) -> tuple[set[str], list[str]]:
    """Those who are named in a list, and what names nobody who is known; somebody who is left out is not named."""
    told, strangers = set[str](), list[str]()
    for one in listed:
        if (name := match_name(one, names)) is not None and (one in names or not _EXCEPTS.search(one)):
            told.add(name)
        elif means_everybody(one):
            told.update(everybody)
        elif name is not None or not means_nobody(one):
            strangers.append(one)
    return told, strangers
