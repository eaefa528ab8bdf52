"""Reasons: why a story, a sweep or a judgement stands still, as a code with the values that its text has places for.

A reason is a message that can be stored: its code is stable, its text is not. `annotations.i18n.translation.translate`
tells it in the reader's language. What a server or the system said is a value of a kind of its own (`Withheld`), which
admins alone read, and which leaves in files for them alone: a server that somebody has the app ask may be one that
only the app can reach.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from string import Formatter
from typing import Any, ClassVar

from pydantic_core import PydanticCustomError, core_schema

from annotations.i18n.messages import ForReader, Message, Readable, to_say
from annotations.rubrics.rubric import (
    NOT_A_NUMBER,
    NOT_WHOLE,
    NUMBER_WANTED,
    OUTSIDE,
    SCORE_NO_NUMBER,
    SCORE_REFUSED,
    WHOLE_WANTED,
)

TEXTS: Mapping[str, str] = {
    "told": "{what}",
    "several": to_say("{first}; {rest}"),
    "not_ended_to_judge": to_say("story {id} has not ended; only ended stories can be judged"),
    "not_ended_to_check": to_say("story {id} has not ended; only ended stories can be cross-checked"),
    "not_ended_to_reflect": to_say("story {id} has not ended; only the parts of ended stories can be rewritten"),
    "no_critique": to_say("there is no critique to base scores on: {detail}"),
    "scores_unread": to_say("at least one metric has no score: {detail}"),
    "other_prompt": to_say("the reply recorded at {path} answers a different prompt from the current one"),
    "other_model": to_say("the reply recorded at {path} came from {before}, not from {now}"),
    "other_reading": to_say(
        "the event recorded at {path} differs from what its replies now give, because the way replies are read"
        " has changed"
    ),
    "unexpected": to_say("{error}; see the app log for details"),
    "person_asked": "{agent} is played by a person, who has to answer at {path}",
    "one_only": "one {stride} only",
    "by_hand": to_say("this part was written by hand and has no model; branch the story and choose a model"),
    "endpoint": to_say("endpoint {endpoint}: {what}"),
    "others_through": to_say("{what}, although other calls succeeded"),
    "after_attempts": to_say("{what} ({count} attempts)"),
    "rest_wanted": to_say("{what}; the server asks to wait {seconds} s"),
    "nothing_to_drop": to_say(
        "{what}; no more memories can be left out at {path}; use a model with a larger context window"
    ),
    "no_key_named": to_say(
        "{what}; no key name is set for this server; enter one on the Models page, such as OPENAI_API_KEY"
    ),
    "key_missing": to_say("{what}; set {key} in the environment or in .streamlit/secrets.toml"),
    "key_refused": to_say("{what}; check {key} in the environment or in .streamlit/secrets.toml"),
    "wrong_url": to_say("{what}; check the URL (most end in /v1)"),
    "no_deployment": to_say(
        "a deployment name has at most 64 characters: letters, digits, dashes, underscores and dots, but not only dots"
    ),
    "wrong_deployment": to_say("{what}; check the address and the deployment name"),
    "offers_none": to_say("{what}; the server offers no models"),
    "not_offered": to_say("the server does not offer {absent}; it offers {models}"),
    "offered": to_say("{what}; the server offers {models}"),
    "status_said": to_say("HTTP {status}: {detail}"),
    "status": "HTTP {status}",
    "leads_elsewhere": to_say("the server redirects to another address; enter that address"),
    "leads_on": to_say("the server redirects to {address}; enter that address"),
    "leads_inside": to_say(
        "{host} resolves to {address}, which is in a private network; an admin can allow it on the Models page"
    ),
    "leads_to_this_computer": to_say(
        "{host} resolves to {address}, which is on the computer that runs the app; an admin can allow it on the"
        " Models page"
    ),
    "leads_nowhere": to_say("{host} resolves to {address}, which is reserved; enter another address"),
    "unresolved": to_say(
        "{host} cannot be resolved here; perhaps only the proxy can resolve it; an admin can allow it on the"
        " Models page"
    ),
    "timed_out": to_say("timed out after {seconds} s"),
    "refused": to_say("connection refused"),
    "down": to_say("the endpoint was not responding"),
    "unaskable": to_say("it cannot be called ({detail})"),
    "no_connection_in": to_say("no connection within {seconds} s"),
    "no_connection_said": to_say("no connection: {detail}"),
    "no_connection": to_say("no connection"),
    "broken_said": to_say("connection lost: {detail}"),
    "broken": to_say("connection lost"),
    "broken_off_said": to_say("response interrupted: {detail}"),
    "broken_off": to_say("response interrupted"),
    "no_completion_said": to_say("the response is not a chat completion: {detail}"),
    "no_completion": to_say("the response is not a chat completion"),
    "no_embeddings_said": to_say("the response holds no embeddings: {detail}"),
    "no_embeddings": to_say("the response holds no embeddings"),
    "other_size": to_say(
        "its embeddings have {now} numbers now and had {before} before; another model is served under this name;"
        " serve the former one again, or branch the story with another model for recall"
    ),
    "no_models": to_say("the response is not a list of models"),
    "not_whole": to_say("the response is incomplete or not HTTP"),
    "too_long": to_say("larger than {count} bytes"),
    "endless": to_say("the stream does not end"),
    "untold": to_say(
        "{endpoint} did not report the token usage of a call, so its cost is unknown; a budget needs known costs"
    ),
    "unpriced": to_say("{endpoint} no longer has a price; a budget needs known prices"),
    "spent": to_say("the budget is used up"),
    "person_awaited": to_say("a person plays a character and has to answer; open the story in the app"),
    "ended_by_person": to_say("the story was ended early by a person; delete it to play it again"),
    "not_streamed": to_say("the reply ({count} characters) was not streamed"),
    "no_object_cut": to_say("the server accepts {way}, but the reply was cut off and is not a JSON object"),
    "no_object": to_say("the server accepts {way}, but the reply is not a JSON object"),
    "key_unbound": to_say(
        "no admin has allowed the key {key} for {origin}; an admin can confirm it on the Models page or with"
        " characterbox servers add"
    ),
    "key_in_clear": to_say(
        "the key {key} would be sent unencrypted to {origin}; use an address that begins with https://"
    ),
    "key_damaged": to_say("the key {key} contains characters that a key cannot have; copy it again"),
    "key_no_text": to_say("{file}: {key} is not text; put it in quotes"),
    "keys_unread": to_say("{file}: the file cannot be read ({error})"),
    "keys_no_toml_at": to_say("{file}: not valid TOML ({place})"),
    "keys_no_toml": to_say("{file}: not valid TOML; check its first lines"),
    "left_out": to_say("the server's message is not included in the file"),
    "score_missing": to_say("{metric}: the score is missing"),
    "several_scores": to_say("{metric}: the reply gives several scores ({scores}); give one"),
    "score_no_number": SCORE_NO_NUMBER,
    "score_refused": SCORE_REFUSED,
    "scores_repeated": to_say(
        "the reply repeats scores that stand in the work under judgement; reply with your own scores, as one JSON "
        "object and nothing else"
    ),
    "no_reasons": to_say("the reasons are missing; give them as a text beside the scores"),
    "json_within": to_say("the reply has JSON in it; plain text is asked for"),
    "json_without_text": to_say("the reply is JSON that does not hold one text; plain text is asked for"),
    "no_text": to_say("the reply has no text"),
    "declined": to_say("the reply refuses the task; the text itself is asked for"),
    "no_fields": to_say("the reply is neither a JSON object nor text with the labels asked for"),
    "cut_off": to_say("the reply was cut off; be briefer"),
    "cut_off_after_one": to_say("the reply was cut off after 1 token; be briefer"),
    "cut_off_after": to_say("the reply was cut off after {count} tokens; be briefer"),
    "field_twice": to_say("{field}: several answers differ; give one"),
    "fields_cut_off": to_say("the reply is cut off: it has no whole {fields}"),
    "field_cut_off": to_say("{field}: the reply is cut off"),
    "nobody_known": to_say("affected: {name} is none of the characters {known}"),
    "field_nobody_known": to_say("{field}: {name} is none of the characters {known}"),
    "importance_alone": to_say("result: the reply has an importance alone"),
    "field_missing": to_say("{field}: Field required"),
    "field_no_text": to_say("{field}: Value error, has no text"),
    "field_no_number": to_say("{field}: Value error, is no number"),
    "field_string_too_short": to_say("{field}: String should have at least 1 character"),
    "field_string_type": to_say("{field}: Input should be a valid string"),
    "field_int_type": to_say("{field}: Input should be a valid integer"),
    "field_int_parsing": to_say("{field}: Input should be a valid integer, unable to parse string as an integer"),
    "field_greater_than_equal": to_say("{field}: Input should be greater than or equal to {least}"),
    "field_less_than_equal": to_say("{field}: Input should be less than or equal to {most}"),
    "field_bool_type": to_say("{field}: Input should be a valid boolean"),
    "field_bool_parsing": to_say("{field}: Input should be a valid boolean, unable to interpret input"),
    "field_wrong": "{field}: {what}",
    "rewriting_changes": to_say("{field}: the original has {kept} and the rewriting {now}; keep it as in the original"),
    "rewriting_silent": to_say("the original has spoken words and the rewriting has none; keep words"),
    "rewriting_speaks": to_say("the original has no spoken words and the rewriting has some; leave them out"),
    "rewriting_names": to_say("the rewriting names {name}, whom the character does not know there; leave the name out"),
    "rewriting_unfit": to_say("it does not fit the rest of the story: {why}"),
    "fit_unread": to_say("the answer to whether it fits could not be read: {detail}"),
    "and": to_say("{first} and {rest}"),
    "not_a_number": NOT_A_NUMBER,
    "not_whole_number": NOT_WHOLE,
    "outside": OUTSIDE,
    "number_wanted": NUMBER_WANTED,
    "whole_wanted": WHOLE_WANTED,
}
"""The text of each reason, by its code. Codes are stored; texts are told."""
_CODES = {text: code for code, text in TEXTS.items()}
_PLACES = {code: {name for _, name, _, _ in Formatter().parse(text) if name} for code, text in TEXTS.items()}
MOST_TEXT = 2000
"""Characters of each value that leave in a file, and are kept of what is withheld."""
MOST_REASON = 20_000
"""Characters that a reason has in a file, as JSON, at most."""
_UNKNOWN = PydanticCustomError("no_reason", "it is no reason that is known here")
_DEEPEST = 50
"""How many reasons can stand in each other."""
MOST_SAID = 200
"""Characters of what a server said that admins see."""
_full: ContextVar[bool] = ContextVar("full", default=False)
_asked: list[Callable[[], bool]] = []


@contextmanager
def in_full(full: bool = True) -> Iterator[None]:
    """Have what servers said told, or not, in this thread or task, for as long as the context lasts."""
    token = _full.set(full)
    try:
        yield
    finally:
        _full.reset(token)


def heed_reader(ask: Callable[[], bool]) -> None:
    """Ask this whether the one who reads is to see what servers said, where `in_full` does not say so."""
    if ask not in _asked:
        _asked.append(ask)


def is_full() -> bool:
    """Whether what servers said is told here and now."""
    return _full.get() or any(ask() for ask in _asked)


@dataclass(frozen=True, slots=True)
class Withheld(ForReader):
    """A text that admins alone read, the beginning of it; others read instead that there is one."""

    kind: ClassVar[str]
    instead: ClassVar[str]
    text: str

    def __str__(self) -> str:
        return self.text

    def for_reader(self) -> Readable:
        """What whoever reads here and now may read."""
        if not is_full():
            return Message(self.instead)
        return self.text if len(self.text) <= MOST_SAID else f"{self.text[:MOST_SAID]} …"


class ServerWords(Withheld):
    """What a server or the system said."""

    __slots__ = ()
    kind = "server"
    instead = to_say("details visible to admins only")


class InnerAddress(Withheld):
    """An address that a name or a server leads to."""

    __slots__ = ()
    kind = "address"
    instead = to_say("an address visible to admins only")


class OfferedModels(Withheld):
    """The models that a server offers."""

    __slots__ = ()
    kind = "models"
    instead = to_say("other models, visible to admins only")


_KINDS: Mapping[str, type[Withheld]] = {one.kind: one for one in (ServerWords, InnerAddress, OfferedModels)}


class Reason(Message):
    """One of the reasons of `TEXTS`, with its values: texts, whole numbers, other reasons, and what is withheld."""

    __slots__ = ("code",)

    code: str

    def __init__(self, code: str, /, **values: object) -> None:
        if _PLACES[code] != values.keys():
            raise ValueError(f"the reason {code} has the values {sorted(_PLACES[code])}, not {sorted(values)}")
        super().__init__(TEXTS[code], **{name: _kept(value) for name, value in values.items()})
        object.__setattr__(self, "code", code)

    def __reduce__(self) -> tuple[object, ...]:
        return Reason.read, (self.as_json(),)

    def as_json(self) -> dict[str, Any]:
        """The reason as JSON-ready values, from which `read` makes it again."""
        return {"code": self.code, **{name: _as_json(value) for name, value in self.values.items()}}

    @classmethod
    def read(cls, stored: object, depth: int = 0) -> "Reason":
        """The reason that was stored as JSON. Raises ValueError if it is none."""
        if isinstance(stored, Reason):
            return stored
        match stored:
            case {"code": str() as code, **values} if _PLACES.get(code) == values.keys() and depth < _DEEPEST:
                return cls(code, **{str(name): _read(value, depth) for name, value in values.items()})
            case _:
                raise _UNKNOWN

    @classmethod
    def of(cls, message: object) -> "Reason":
        """A message as it can be stored: one that is none of the known reasons as the English of its text."""
        if isinstance(message, BaseException):
            message = message.args[0] if message.args else ""
        if isinstance(message, Reason):
            return message
        if isinstance(message, Message) and message.many is None and (code := _CODES.get(message.text)) is not None:
            return cls(code, **{name: _of_value(value) for name, value in message.values.items()})
        return cls("told", what=ServerWords(str(message)) if _withholds(message) else str(message))

    def mapped(self, change: Callable[[str], str]) -> "Reason":
        """The reason with each of its texts changed."""
        return Reason(self.code, **{name: _mapped(value, change) for name, value in self.values.items()})

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> core_schema.CoreSchema:
        writing = core_schema.plain_serializer_function_ser_schema(Reason.as_json, when_used="json")
        return core_schema.no_info_plain_validator_function(cls.read, serialization=writing)


def at_endpoint(endpoint: object, what: Reason) -> Reason:
    """What went wrong at an endpoint, or at an address."""
    return Reason("endpoint", endpoint=" ".join(str(endpoint).split()), what=what)


def said(kind: Reason, detail: Reason | Withheld | None) -> Reason:
    """What went wrong, with what the server or the system said of it, if anything."""
    return kind if detail is None else Reason(f"{kind.code}_said", **kind.values, detail=detail)


def several(reasons: Iterable[Reason]) -> Reason:
    """Reasons in a row, each once; there is one at least."""
    *before, told = dict.fromkeys(reasons)
    for reason in reversed(before):
        told = Reason("several", first=reason, rest=told)
    return told


def filed(reason: Reason) -> Reason:
    """A reason as it leaves in a file, which is read where nobody sees what is withheld: admins take that along."""
    shorter = reason.mapped(lambda text: text[:MOST_TEXT])
    return shorter if is_full() else _without(shorter, lambda _: Reason("left_out"))


def seen(reason: Reason) -> Reason:
    """A reason as it goes to a browser, to be told there: no more of what is withheld than the one who reads sees."""
    most = MOST_SAID + 1 if is_full() else 0
    return _without(reason, lambda one: type(one)(one.text[:most]))


def stored(reason: Reason) -> str:
    """A reason as the text that is stored."""
    return json.dumps(reason.as_json(), ensure_ascii=False, separators=(",", ":"))


def _without(reason: Reason, instead: Callable[[Withheld], object]) -> Reason:
    values = dict(reason.values)
    for name, value in values.items():
        if isinstance(value, Withheld):
            values[name] = instead(value)
        elif isinstance(value, Reason):
            values[name] = _without(value, instead)
    return Reason(reason.code, **values)


def _kept(value: object) -> object:
    if isinstance(value, Withheld):
        return type(value)(value.text[:MOST_TEXT])
    return value if isinstance(value, Reason | int) else str(value)


def _as_json(value: object) -> object:
    if isinstance(value, Withheld):
        return {value.kind: value.text}
    return value.as_json() if isinstance(value, Reason) else value


def _read(one: object, depth: int) -> object:
    match one:
        case str() | int():
            return one
        case {"code": _}:
            return Reason.read(one, depth + 1)
        case dict() if len(one) == 1 and (kind := next(iter(one))) in _KINDS and isinstance(one[kind], str):
            return _KINDS[kind](one[kind])
        case _:
            raise _UNKNOWN


def _mapped(value: object, change: Callable[[str], str]) -> object:
    if isinstance(value, Reason):
        return value.mapped(change)
    if isinstance(value, Withheld):
        return type(value)(change(value.text))
    return change(value) if isinstance(value, str) else value


def _of_value(value: object) -> object:
    return Reason.of(value) if isinstance(value, Message | BaseException) else value


def _withholds(message: object) -> bool:
    """Whether anything that is withheld stands in a message."""
    if isinstance(message, BaseException):
        return any(map(_withholds, message.args))
    return isinstance(message, Withheld) or (
        isinstance(message, Message) and any(map(_withholds, message.values.values()))
    )
