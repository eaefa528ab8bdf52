"""Why a story or a sweep stands still. It is stored in English, as it was raised, and told in the reader's language."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from string import Formatter

from annotations.rubric import SCORE_FAULTS, SCORE_NO_NUMBER, SCORE_REFUSED, SCORE_REMEDIES
from annotations.wording import say, speaking, to_say

OTHER_PROMPT = to_say("the reply recorded at {path} answers another prompt than the one asked now")
OTHER_MODEL = to_say("the reply recorded at {path} was given by {before}, not by {now}")
OTHER_READING = to_say(
    "the event recorded at {path} is not what its replies give now: replies are read differently since"
)
UNEXPECTED = to_say("{error}; the log of the app tells more")
BY_HAND = to_say("this part was written by hand, and no model plays it; branch it with another model")
AT_ENDPOINT = to_say("endpoint {endpoint}: {what}")
OTHERS_THROUGH = to_say("{what}, while other calls got through")
AFTER_ATTEMPTS = to_say("{what} ({count} attempts)")
REST_WANTED = to_say("{what}; it asks for {seconds} s of rest")
TIMED_OUT = to_say("timed out after {seconds} s")
REFUSED = to_say("connection refused")
UNREAD = to_say("no score on some metric: {detail}")
DOWN = to_say("it was down")
UNASKABLE = to_say("it cannot be asked ({detail})")
NO_CONNECTION_IN = to_say("no connection in {seconds} s")
NO_CONNECTION = to_say("no connection: {detail}")
NO_CONNECTION_THERE = to_say("no connection")
BROKEN = to_say("connection broken: {detail}")
BROKEN_THERE = to_say("connection broken")
BROKEN_OFF = to_say("answer broken off: {detail}")
BROKEN_OFF_THERE = to_say("answer broken off")
NO_COMPLETION = to_say("no chat completion: {detail}")
NO_COMPLETION_THERE = to_say("no chat completion")
NO_MODELS = to_say("no list of models")
NOT_WHOLE = to_say("what came back is not whole, or no HTTP")
TOO_LONG = to_say("more than {count} bytes")
ENDLESS = to_say("a stream without end")
NO_KEY_NAMED = to_say("{what}; no key is named for this server: name one (Models), such as OPENAI_API_KEY")
KEY_MISSING = to_say("{what}; set {key} in the environment or in .streamlit/secrets.toml")
KEY_REFUSED = to_say("{what}; check {key} in the environment or in .streamlit/secrets.toml")
WRONG_URL = to_say("{what}; check the URL: most end in /v1")
NO_DEPLOYMENT = to_say(
    "a deployment has a name of up to 64 letters, digits, dashes, underscores and dots, and not of dots alone"
)
WRONG_DEPLOYMENT = to_say("{what}; check the address and the deployment")
OFFERED = to_say("{what}; it offers {models}")
NOT_OFFERED = to_say("it does not offer {absent}; it offers {models}")
OFFERS_NONE = to_say("{what}; it offers no model")
UNTOLD = to_say("{endpoint} did not tell how many tokens a call took: what it cost is not known, and there is a budget")
UNPRICED = to_say("there is no price for {endpoint} any more, and there is a budget")
SPENT = to_say("the budget is spent")
PERSON_AWAITED = to_say("a person plays in it, and has to answer; open it in the app")
ENDED_BY_PERSON = to_say("a person has ended it before its end; delete it to have it played anew")
NOT_STREAMED = to_say("the reply of {count} characters did not come as a stream")
NO_OBJECT = to_say("it takes {way}, but the reply is no JSON object")
NO_OBJECT_CUT = to_say("it takes {way}, but the reply is no JSON object, as it was cut off")
NOT_ENDED_TO_JUDGE = to_say("story {id}: only a story that has ended can be judged")
NOT_ENDED_TO_CHECK = to_say("story {id}: only a story that has ended can be checked")
JSON_WITHIN = to_say("the reply has JSON in it; plain text is asked for")
JSON_WITHOUT_TEXT = to_say("the reply is JSON that does not hold one text; plain text is asked for")
NO_TEXT = to_say("the reply has no text")
DECLINED = to_say("the reply refuses the task; the text itself is asked for")
NO_FIELDS = to_say("the reply is neither a JSON object nor text with the labels asked for")
CUT_OFF = to_say("the reply was cut off; be briefer")
CUT_OFF_AFTER = to_say("the reply was cut off after {count} tokens; be briefer")
SCORES_REPEATED = to_say(
    "the reply repeats scores that stand in the work under judgement; reply with your own scores, as one JSON object "
    "and nothing else"
)
NOTHING_TO_DROP = to_say("{what}; there is no memory left to drop at {path}")
STATUS = to_say("HTTP {status}: {detail}")
LEADS_ELSEWHERE = to_say("it leads on to another address; give that address")
LEADS_ON = to_say("it leads on to {address}; give that address")
KEY_UNBOUND = to_say(
    "the key {key} was not entered by an admin for {origin}; an admin confirms it on the Models page, or with "
    "characterbox servers add"
)
KEY_IN_CLEAR = to_say("the key {key} would be sent unencrypted to {origin}; give an address that begins with https://")
LEADS_INSIDE = to_say(
    "{host} leads to {address}, an address of a private network; an admin can allow it on the Models page"
)
LEADS_TO_THIS_COMPUTER = to_say(
    "{host} leads to {address}, an address of the computer that the app runs on; an admin can allow it on the Models "
    "page"
)
LEADS_NOWHERE = to_say("{host} leads to {address}, an address at which no server may be asked")
UNRESOLVED = to_say(
    "{host} is not known here, only the proxy may know where it leads; an admin can allow it on the Models page"
)
KEY_DAMAGED = to_say("the key {key} has characters in it that no key has; copy it anew")
KEY_NO_TEXT = to_say("{file}: {key} is no text; put it in quotes")
KEYS_UNREAD = to_say("{file}: it cannot be read ({error})")
KEYS_NO_TOML_AT = to_say("{file}: it is no TOML ({place})")
KEYS_NO_TOML = to_say("{file}: it is no TOML; see its first lines")

LEFT_OUT = to_say("what was said is left out of the file")
"""Instead of any of these, in a file that somebody takes along who is no admin."""

NO_REASONS = to_say("the reasons are missing; give them as a text beside the scores")
FIELD_TWICE = to_say("{field}: several answers differ; give one")
FIELDS_CUT_OFF = to_say("the reply is cut off: it has no whole {fields}")
AND = to_say("{first} and {rest}")
FIELD_CUT_OFF = to_say("{field}: the reply is cut off")
NOBODY_KNOWN = to_say("affected: {name} is none of the characters {known}")
IMPORTANCE_ALONE = to_say("result: the reply has an importance alone")
OF_PYDANTIC = (
    to_say("{field}: Field required"),
    to_say("{field}: Value error, has no text"),
    to_say("{field}: Value error, is no number"),
    to_say("{field}: String should have at least 1 character"),
    to_say("{field}: Input should be a valid string"),
    to_say("{field}: Input should be a valid integer"),
    to_say("{field}: Input should be a valid integer, unable to parse string as an integer"),
    to_say("{field}: Input should be greater than or equal to {least}"),
    to_say("{field}: Input should be less than or equal to {most}"),
    to_say("{field}: Input should be a valid boolean"),
    to_say("{field}: Input should be a valid boolean, unable to interpret input"),
)
"""What pydantic finds wrong with a reply, which a model is told as it stands."""
NO_CRITIQUE = to_say("there is no critique to score by: {detail}")
SCORE_MISSING = to_say("{metric}: the score is missing")
SEVERAL_SCORES = to_say("{metric}: the reply gives several scores ({scores}); give one")

_OF_REPLIES = (
    SCORE_MISSING, SEVERAL_SCORES, SCORE_NO_NUMBER, SCORE_REFUSED, SCORES_REPEATED, NO_REASONS, JSON_WITHIN,
    JSON_WITHOUT_TEXT, NO_TEXT, DECLINED, NO_FIELDS, CUT_OFF, CUT_OFF_AFTER, FIELD_TWICE, FIELDS_CUT_OFF,
    FIELD_CUT_OFF, NOBODY_KNOWN, IMPORTANCE_ALONE, *OF_PYDANTIC,
)  # fmt: skip
"""What is wrong with a reply; several such reasons can follow each other."""
_AT_ENDPOINTS = (
    OTHERS_THROUGH, AFTER_ATTEMPTS, REST_WANTED, NOTHING_TO_DROP, NO_KEY_NAMED, KEY_MISSING, KEY_REFUSED, WRONG_URL,
    NO_DEPLOYMENT, WRONG_DEPLOYMENT, OFFERS_NONE, NOT_OFFERED, OFFERED, STATUS, LEADS_ELSEWHERE, LEADS_ON, LEADS_INSIDE,
    LEADS_TO_THIS_COMPUTER, LEADS_NOWHERE, UNRESOLVED, TIMED_OUT, REFUSED, DOWN, UNASKABLE, NO_CONNECTION_IN,
    NO_CONNECTION, NO_CONNECTION_THERE, BROKEN, BROKEN_THERE, BROKEN_OFF, BROKEN_OFF_THERE, NO_COMPLETION,
    NO_COMPLETION_THERE, NO_MODELS, NOT_WHOLE, TOO_LONG, ENDLESS, UNTOLD, UNPRICED, SPENT, PERSON_AWAITED,
    ENDED_BY_PERSON, NOT_STREAMED, NO_OBJECT_CUT, NO_OBJECT, KEY_UNBOUND, KEY_IN_CLEAR, KEY_DAMAGED, KEY_NO_TEXT,
    KEYS_UNREAD, KEYS_NO_TOML_AT, KEYS_NO_TOML, LEFT_OUT,
)  # fmt: skip
"""What can stand behind the name of an endpoint: nothing that is wrong with a reply."""
_KNOWN = (
    NOT_ENDED_TO_JUDGE, NOT_ENDED_TO_CHECK, NO_CRITIQUE, UNREAD, OTHER_PROMPT, OTHER_MODEL, OTHER_READING,
    UNEXPECTED, BY_HAND, AT_ENDPOINT, *_AT_ENDPOINTS, *_OF_REPLIES,
)  # fmt: skip
"""From the outermost to the innermost: what a `{what}` or a `{detail}` stands for is one of those behind, or what a
server or the system said."""
_WITHIN: Mapping[str, Sequence[str]] = {
    "fields": (AND,),
    "rest": (AND,),
    "fault": SCORE_FAULTS,
    "remedy": SCORE_REMEDIES,
}
"""What else can stand in some places."""
_MARK = "; "
_LONGEST = max(message.count(_MARK) for message in (*_OF_REPLIES, *SCORE_FAULTS)) + 1
"""Pieces between semicolons that a reason has, at most."""
MOST_REASON = 2000
"""Characters of a reason that is taken apart, at most: with many more that would take too long."""

WITHHELD = to_say("an admin sees what was said")
WITHHELD_ADDRESS = to_say("an address that an admin sees")
WITHHELD_MODELS = to_say("others, which an admin sees")
_OF_SERVERS = frozenset({STATUS, NO_CONNECTION, BROKEN, BROKEN_OFF, NO_COMPLETION, UNASKABLE})
"""Their `{detail}` is what a server or the system said, or one of `_OURS`."""
_OURS = (LEADS_ELSEWHERE, LEADS_ON, NOT_WHOLE, TOO_LONG, ENDLESS, LEFT_OUT)
_BEFORE_WORDS = re.compile(
    "|".join(re.escape(one.partition("{detail}")[0]).replace(re.escape("{status}"), r"\d{3}") for one in _OF_SERVERS)
)
"""What stands before such a `{detail}`."""
_STATUS_ALONE = re.compile(r"HTTP \d{3}")
_OF_STORY = re.compile(r"story \w+: (?=endpoint )")
MOST_SAID = 200
"""Characters of what a server said that admins see."""
_full: ContextVar[bool] = ContextVar("full", default=False)
_filed: ContextVar[bool] = ContextVar("filed", default=False)
"""Whether it is told in a file, which is read where nobody sees what is withheld."""
_asked: list[Callable[[], bool]] = []


@contextmanager
def in_full(full: bool = True) -> Iterator[None]:
    """Have `retold` repeat what servers said, or not, in this thread or task, for as long as the context lasts."""
    token = _full.set(full)
    try:
        yield
    finally:
        _full.reset(token)


def heed_reader(ask: Callable[[], bool]) -> None:
    """Have `retold` ask this whether the one who reads is to see what servers said, where `in_full` does not say so."""
    if ask not in _asked:
        _asked.append(ask)


def is_full() -> bool:
    """Whether what servers said is told here and now."""
    return _full.get() or any(ask() for ask in _asked)


_SIGNS = {
    "metric": "[^:]",
    "field": "[^:]",
    "count": "[0-9]",
    "seconds": "[0-9.]",
    "status": "[0-9]",
    "key": r"\w",
    "path": r"\S",
}
"""What some values consist of: no sentence is one of these."""


class _AsItStands(str):
    """A value that was put into a reason already, with quotes around it where it got some."""

    __slots__ = ()
    __repr__ = str.__str__


def retold(reason: str) -> str:
    """A stored reason, or several in a row, in the language of the interface.

    What a server or the system said stays as it was said, and so does a reason that is none of those known. It is told
    to admins alone (`in_full`, `heed_reader`), as is the address that a name leads to: a server that somebody has the
    app ask may be one that only the app can reach.
    """
    with in_full(is_full()):
        if _full.get():
            return reason if len(reason) > MOST_REASON else _told(reason, _KNOWN)
        reason = reason[:MOST_REASON]
        if (of_story := _OF_STORY.match(reason)) is not None:
            return of_story[0] + _told(reason[of_story.end() :], _KNOWN)
        return _told(reason, _KNOWN)


def filed(reason: str) -> str:
    """A stored reason as it leaves in a file, from which it can be stored again: for others than admins without what
    servers said. It is no longer than a file may have it (`MOST_REASON`)."""
    with in_full(is_full()), speaking("en"):
        if _full.get():
            return reason[:MOST_REASON]
        token = _filed.set(True)
        try:
            return retold(reason)[:MOST_REASON]
        finally:
            _filed.reset(token)


def at_endpoint(endpoint: object, what: object) -> str:
    """What went wrong at an endpoint, or at an address.

    What stands before the first colon with a blank behind it is the endpoint: a model can have any name, also one that
    would have the words of a server taken for others.
    """
    return AT_ENDPOINT.format(endpoint=" ".join(str(endpoint).split()).replace(": ", ":"), what=what)


def _told(reason: str, known: Sequence[str]) -> str:
    return _known(reason, known) or _untold(reason)


def _untold(reason: str) -> str:
    """A reason that is none of those known, without what may be a server's words in it."""
    found = None if _full.get() else _BEFORE_WORDS.search(reason)
    return reason if found is None else reason[: found.end()] + _withheld(reason[found.end() :], WITHHELD)


def _known(reason: str, known: Sequence[str]) -> str | None:
    return _several(reason.split(_MARK)) or _one(reason, known)


def _several(pieces: list[str]) -> str | None:
    """What is wrong with a reply, if each of these reasons is known."""
    told: list[str] = []
    while pieces:
        ends = range(1, min(_LONGEST, len(pieces)) + 1)
        found = ((end, _one(_MARK.join(pieces[:end]), _OF_REPLIES)) for end in ends)
        end, one = next(((end, one) for end, one in found if one is not None), (0, None))
        if one is None:
            return None
        told.append(one)
        pieces = pieces[end:]
    return say(_MARK).join(told)


def _one(reason: str, known: Sequence[str]) -> str | None:
    """The reason as one of those known."""
    for number, message in enumerate(known, 1):
        if (found := _pattern(message).fullmatch(reason)) is not None:
            behind = _AT_ENDPOINTS if message == AT_ENDPOINT else known[number:]
            if message in _OF_SERVERS and not _full.get():
                behind = _OURS
            values = {name: _value(name, value, behind, message) for name, value in found.groupdict().items()}
            if None not in values.values():
                return say(message, **{name: _AsItStands(value) for name, value in values.items()})
    return None


def _value(name: str, value: str, behind: Sequence[str], message: str) -> str | None:
    """What stands in a place of a message, retold where it is a message itself; None where it has to be one, and is
    none."""
    if name in ("what", "detail"):
        find = _known if message in (UNREAD, NO_CRITIQUE) else _one
        return find(value, behind) or _said(value, message)
    if name == "models" or (name == "address" and message in _KNOWN):
        return _withheld(value, WITHHELD_MODELS if name == "models" else WITHHELD_ADDRESS)
    return _one(value, _WITHIN.get(name, ())) or (None if name in ("fault", "remedy") else value)


def _said(value: str, message: str) -> str:
    """What a server or the system said, or what is wrong with a reply."""
    if message in (UNREAD, NO_CRITIQUE) or _STATUS_ALONE.fullmatch(value):
        return value
    return _withheld(value, WITHHELD)


def _withheld(value: str, instead: str) -> str:
    if value == LEFT_OUT:
        return say(LEFT_OUT)
    if not _full.get():
        return say(LEFT_OUT if _filed.get() else instead)
    return value if len(value) <= MOST_SAID else f"{value[:MOST_SAID]} …"


@cache
def _pattern(message: str) -> re.Pattern[str]:
    """Finds the values in a text that was made of the message."""
    parts = ((re.escape(text), name) for text, name, _, _ in Formatter().parse(message))
    return re.compile(
        "".join(text + (f"(?P<{name}>{_SIGNS.get(name, '.')}+?)" if name else "") for text, name in parts), re.DOTALL
    )
