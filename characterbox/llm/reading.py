"""Reading replies tolerantly: what can be read is read, what can't raises ReplyError; nothing is made up."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from characterbox.errors import ReplyError
from characterbox.scenes.scene import slug_of

M = TypeVar("M", bound=BaseModel)

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_BEGUN_THINKING = re.compile(r"\A.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
"""Some chat templates open the tag in the prompt, so that the reply only closes it."""
_UNFINISHED_THINKING = re.compile(r"<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\n?(.*?)```", re.DOTALL)
_NOTHING = {"", "none", "null", "n/a", "na", "nobody", "no one", "nil", "无", "没有", "无人", "没有人", "空"}
_ARTICLES = frozenset({"the", "a", "an", "s"})
"""Words that name nobody; the `s` is that of a genitive."""
_TITLES = _ARTICLES | {
    *("mr", "mrs", "ms", "miss", "mister", "master", "dr", "doctor", "prof", "professor", "sir", "lady", "lord"),
    *("madam", "agent", "captain", "king", "queen", "prince", "princess", "saint", "st", "aunt", "uncle"),
}
"""Words that do not tell one character from another."""
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "'": "'", "‘": "’", "*": "*", "[": "]", "【": "】"}
_LABEL = (
    r"(?:^|\n|(?<=[.;。；]))[\s>#*•\-]*(?:\d+\s*[.、)）:：]\s*)?[*_\[【（(]*\s*({labels})\s*[*_\]】）)]*\s*[:：][*_]*"
)


def plain(text: str) -> str:
    """The reply without the thinking of a reasoning model and without code fences around the whole."""
    for thinking in (_THINKING, _BEGUN_THINKING, _UNFINISHED_THINKING):
        text = thinking.sub("", text)
    text = text.strip()
    fenced = _FENCE.fullmatch(text)
    return fenced.group(1).strip() if fenced else text


def is_nothing(text: str) -> bool:
    """Whether a value says that there is none."""
    return text.strip(" \t\r\n.。[]【】()（）\"'*").casefold() in _NOTHING


def read_prose(text: str, speaker: str | None = None) -> str:
    """The prose of a reply: without quotes around the whole and without the speaker's name before it.

    A JSON object with one string in it gives that string. Raises ReplyError if nothing is left.
    """
    prose = plain(text)
    for found in _objects(prose):
        values = [value for value in found.values() if isinstance(value, str) and value.strip()]
        if len(values) == 1:
            prose = values[0].strip()
            break
    if speaker is not None:
        prose = re.sub(rf"^[*_\[【]*{re.escape(speaker)}[*_\]】]*\s*[:：]\s*", "", prose, flags=re.IGNORECASE)
    prose = _unquoted(prose)
    if is_nothing(prose):
        raise ReplyError("the reply has no text", reply=text)
    return prose


def read_object(text: str, model: type[M], labels: Mapping[str, Iterable[str]]) -> M:
    """The fields of `model` from a reply: a JSON object, or text with labels (`Position: ... State: ...`).

    `labels` names for each field the words, of any language, that may stand before its text.
    Raises ReplyError, saying which field is missing or wrong.
    """
    problem = ""
    for fields in read_fields(text, labels):
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            problem = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors())
    raise ReplyError(problem, reply=text)


def read_fields(text: str, labels: Mapping[str, Iterable[str]]) -> list[dict[str, Any]]:
    """The fields that the reply holds, unchecked, in each of the ways in which it can be read; never empty.

    Raises ReplyError when it holds none of them.
    """
    content = plain(text)
    synonyms = {_key(label): field for field, words in labels.items() for label in (field, *words)}
    ways = [*_objects(content), _labelled(content, labels)]
    known = [{synonyms[_key(key)]: value for key, value in way.items() if _key(key) in synonyms} for way in ways]
    if found := [fields for fields in known if fields]:
        return found
    raise ReplyError("the reply is neither a JSON object nor text with the labels asked for", reply=text)


def match_name(text: str, names: Iterable[str]) -> str | None:
    """The one name that is meant, whatever its case, spaces, brackets or title; None if none or several could be.

    A part of a name does (`Holmes`), and so does a name with more around it (`Holmes, the detective`); but not a name
    that shares only a part with another (`Mycroft Holmes` is not `Sherlock Holmes`).
    """
    wanted = slug_of(text)
    slugs = {slug_of(name): name for name in names}
    if wanted in slugs:
        return slugs[wanted]
    parts = set(wanted.split("-"))
    if any("\u4e00" <= letter <= "\u9fff" for letter in wanted):
        close = [name for slug, name in slugs.items() if slug in wanted or wanted in slug]
    else:
        close = [name for slug, name in slugs.items() if parts >= set(slug.split("-"))]
        told = parts - _TITLES or parts - _ARTICLES
        close = close or [name for slug, name in slugs.items() if told and told <= set(slug.split("-"))]
    return close[0] if len(close) == 1 else None


def storable(text: str) -> str:
    """The text without what no database stores: NUL and lone surrogates become U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _key(text: str) -> str:
    return re.sub(r"[\s_\-*]+", "_", text.strip().casefold())


def _unquoted(text: str) -> str:
    text = text.strip()
    while (
        len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1] and text[-1] not in text[1:-1]
    ):
        text = text[1:-1].strip()
    return text


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in the text, first one first."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except (json.JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict):
            yield {key: storable(value) if isinstance(value, str) else value for key, value in found.items()}
        at = text.find("{", end)


def _labelled(text: str, labels: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The texts behind labels; a label counts only at the start of a line or a sentence."""
    fields = {_key(word): field for field, words in labels.items() for word in (field, *words)}
    words = sorted({word for field, synonyms in labels.items() for word in (field, *synonyms)}, key=len, reverse=True)
    pattern = re.compile(_LABEL.format(labels="|".join(re.escape(word) for word in words)), re.IGNORECASE)
    marks = list(pattern.finditer(text))
    found: dict[str, str] = {}
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends[: len(marks)], strict=True):
        field = fields[_key(mark.group(1))]
        value = text[mark.end() : end].strip(" \t\r\n*_;；")
        if value and field not in found:
            found[field] = _unquoted(value)
    return found
