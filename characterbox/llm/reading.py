"""Reading replies tolerantly: what can be read is read, what can't raises ReplyError; nothing is made up."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from characterbox.errors import ReplyError
from characterbox.scenes.scene import slug_of

M = TypeVar("M", bound=BaseModel)

_THINKING = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\n?(.*?)```", re.DOTALL)
_BEGUN_JSON = re.compile(r'[\[\s]*\{\s*"')
_NOTHING = {"", "none", "null", "n/a", "na", "nobody", "no one", "nil", "无", "没有", "无人", "没有人", "空"}
_NOBODY = re.compile(r"[\W_]*(?:(?:nobody|none|no[ -]?one)\b|没有(?:任何)?人|无人)", re.IGNORECASE)
_EXCEPTED = re.compile(r"\b(?:but|except|save|other than)\b|除", re.IGNORECASE)
_ASIDE = re.compile(r"[,，、;；:：。(（\[【]|\s[-–—]+\s|——")
"""Where the words that say more about somebody begin, after the name."""
_POSSESSIVE = frozenset({"s", "of"})
"""Words that tell of something else than the name beside them: `Watson's dog`, `the dog of Watson`."""
_ARTICLES = frozenset({"the", "a", "an"})
_TITLES = _ARTICLES | {
    *("mr", "mrs", "ms", "miss", "mister", "master", "dr", "doctor", "prof", "professor", "sir", "lady", "lord"),
    *("madam", "agent", "captain", "king", "queen", "prince", "princess", "saint", "st", "aunt", "uncle"),
}
"""Words that do not tell one character from another."""
_HAN = re.compile("[\u4e00-\u9fff]")
_HAN_TITLES = "先生|小姐|女士|教授|医生|博士|将军|大人|侦探|队长|特工|道长|长老|法师|大师|大圣|教头|陛下|殿下"
_HAN_KINSHIP = "师父|师傅|师兄|师弟|师姐|师妹|老师"
"""Titles only before a name: behind it they can tell of somebody else (`孙悟空师父` is his master)."""
_QUOTES = {'"': '"', "“": "”", "「": "」", "『": "』", "'": "'", "‘": "’", "*": "*", "[": "]", "【": "】"}
_OPENING = r"^(?:[\s>#\-]*([*_]*)[\[【]?\s*(?:{words})\s*[\]】]?(?:\1\s*[:：]|[:：]\s*\1)\s*){{1,2}}"
"""The label of the task and the name of the speaker, in either order, that some models put before their prose."""
_LABEL = (
    r"(?:^|\n|(?<=[.;。；]))[\s>#*•\-]*(?:\d+\s*[.、)）:：]\s*)?[*_\[【（(]*\s*({labels})\s*[*_\]】）)]*\s*[:：][*_]*"
)


def plain(text: str) -> str:
    """The reply without the thinking of a reasoning model and without code fences around the whole."""
    text = _without_thinking(text).strip()
    fenced = _FENCE.fullmatch(text)
    return fenced.group(1).strip() if fenced else text


def _without_thinking(text: str) -> str:
    """The text outside the tags. Some chat templates open the tag in the prompt, so that the reply only closes it."""
    kept: list[str] = []
    thinking, at = False, 0
    for tag in _THINKING.finditer(text):
        closes = bool(tag.group(1))
        if not thinking and closes:
            kept.clear()
        elif not thinking:
            kept.append(text[at : tag.start()])
        thinking, at = not closes, tag.end()
    return "".join(kept) if thinking else "".join([*kept, text[at:]])


def is_nothing(text: str) -> bool:
    """Whether a value says that there is none."""
    return text.strip(" \t\r\n.。[]【】()（）\"'*").casefold() in _NOTHING


def means_nobody(text: str) -> bool:
    """Whether a value says that it is nobody, in whatever words (`nobody in particular`)."""
    return is_nothing(text) or (_NOBODY.match(text) is not None and not _EXCEPTED.search(text))


def is_json(text: str) -> bool:
    """Whether the reply is a JSON object, or sets out to be one."""
    content = plain(text)
    return _whole_object(content) is not None or _BEGUN_JSON.match(content) is not None


def read_prose(text: str, *, speaker: str | None = None, labels: Collection[str] = ()) -> str:
    """The prose of a reply: without quotes around the whole, the speaker's name or a label of the task before it.

    A reply that is a JSON object gives the text of the field named by one of the `labels`, or else the only text in
    it; an object within prose belongs to the prose. Raises ReplyError if no text is left, or no telling which it is.
    """
    prose = plain(text)
    own = {_key(label) for label in labels}
    fields = [value for found in _objects(prose) for key, value in found.items() if _key(key) in own]
    whole = _whole_object(prose)
    if whole is not None:
        texts = fields or [value for value in whole.values() if isinstance(value, str) and value.strip()]
        if len(texts) != 1 or not isinstance(texts[0], str):
            raise ReplyError("the reply is JSON that does not hold one text; plain text is asked for", reply=text)
        prose = storable(texts[0])
    elif fields or is_json(prose):
        raise ReplyError("the reply has JSON in it; plain text is asked for", reply=text)
    prose = _unquoted(prose)
    if words := "|".join(re.escape(word) for word in (*labels, speaker) if word):
        prose = _unquoted(re.sub(_OPENING.format(words=words), "", prose, flags=re.IGNORECASE))
    if is_nothing(prose):
        raise ReplyError("the reply has no text", reply=text)
    return prose


def read_object(
    text: str, model: type[M], labels: Mapping[str, Iterable[str]], *, dispensable: Collection[str] = ()
) -> M:
    """The fields of `model` from a reply: a JSON object, or text with labels (`Position: ... State: ...`).

    `labels` names for each field the words, of any language, that may stand before its text. The `dispensable` fields
    are left out, to take their defaults, when nothing can be read with them. Raises ReplyError, saying which field is
    missing or wrong.
    """
    problem = ""
    ways = read_fields(text, labels)
    without = [{field: value for field, value in way.items() if field not in dispensable} for way in ways]
    for fields in [*ways, *without]:
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            problem = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors())
    raise ReplyError(problem, reply=text)


def read_fields(text: str, labels: Mapping[str, Iterable[str]]) -> list[dict[str, Any]]:
    """The fields that the reply holds, unchecked, in each of the ways in which it can be read; never empty.

    An object may stand in a field of another one. Raises ReplyError when the reply holds none of the fields.
    """
    content = plain(text)
    synonyms = {_key(label): field for field, words in labels.items() for label in (field, *words)}
    objects = list(_objects(content))
    inner = [value for found in objects for value in found.values() if isinstance(value, dict)]
    known = [
        {
            synonyms[_key(key)]: storable(value) if isinstance(value, str) else value
            for key, value in way.items()
            if _key(key) in synonyms
        }
        for way in [*objects, *inner, _labelled(content, labels)]
    ]
    if found := [fields for fields in known if fields]:
        return found
    raise ReplyError("the reply is neither a JSON object nor text with the labels asked for", reply=text)


def match_name(text: str, names: Iterable[str]) -> str | None:
    """The one name that is meant, whatever its case, spaces, brackets or title; None if none or several could be.

    A part of a name does (`Holmes`), and so does a name with more around it (`Holmes, the detective`); but not a name
    that shares only a part with another (`Mycroft Holmes` is not `Sherlock Holmes`), nor what belongs to somebody
    (`Watson's dog`). Around a name of Chinese characters, which has no end to be seen, only a title is understood.
    """
    slugs = {slug_of(name): name for name in names}
    if (wanted := slug_of(text)) in slugs:
        return slugs[wanted]
    if is_nothing(text) or _NOBODY.match(text):
        return None
    aside = _ASIDE.search(text)
    named, more = (text[: aside.start()], text[aside.start() :]) if aside else (text, "")
    if not slug_of(named):
        named, more = text, ""
    close = _close(named, slugs)
    if len(close) != 1 or any(_mentions(slug_of(more), slug) for slug in slugs if slug != close[0]):
        return None
    return slugs[close[0]]


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


def _close(text: str, slugs: Collection[str]) -> list[str]:
    """The slugs of the names that the text may mean."""
    wanted = slug_of(re.sub(r"(?<=s)['’](?=\s)", "'s", text))
    if wanted in slugs:
        return [wanted]
    if _HAN.search(wanted):
        around = rf"(?:{_HAN_TITLES}|{_HAN_KINSHIP})?-?{{}}-?(?:{_HAN_TITLES})?"
        return [slug for slug in slugs if re.fullmatch(around.format(slug), wanted)] or [
            slug for slug in slugs if wanted in slug
        ]
    parts = set(wanted.split("-"))
    told = parts - _TITLES or parts - _ARTICLES
    words = {slug: set(slug.split("-")) for slug in slugs}
    words = {slug: own for slug, own in words.items() if not (parts - own) & _POSSESSIVE}
    return [slug for slug, own in words.items() if parts >= own] or [
        slug for slug, own in words.items() if told and told <= own
    ]


def _mentions(text: str, slug: str) -> bool:
    return slug in text if _HAN.search(slug) else set(slug.split("-")) <= set(text.split("-"))


def _whole_object(text: str) -> dict[str, Any] | None:
    """The JSON object that the text is; None when it is none, or has anything around it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in the text, first one first."""
    decoder, at = json.JSONDecoder(), text.find("{")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if isinstance(found, dict):
            yield found
        at = text.find("{", end)


def _labelled(text: str, labels: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The texts behind labels: of each label the first at the start of a line, or else of a sentence.

    The same label once more is part of the text it stands in.
    """
    fields = {_key(word): field for field, words in labels.items() for word in (field, *words)}
    words = sorted({word for field, synonyms in labels.items() for word in (field, *synonyms)}, key=len, reverse=True)
    pattern = re.compile(_LABEL.format(labels="|".join(re.escape(word) for word in words)), re.IGNORECASE)

    def within_line(mark: re.Match[str]) -> bool:
        return mark.start() > 0 and "\n" not in text[mark.start() : mark.start(1)]

    first: dict[str, re.Match[str]] = {}
    for mark in sorted(pattern.finditer(text), key=within_line):
        first.setdefault(fields[_key(mark.group(1))], mark)
    starts = sorted(mark.start() for mark in first.values())
    found: dict[str, str] = {}
    for field, mark in first.items():
        end = next((start for start in starts if start > mark.start()), len(text))
        if value := text[mark.end() : end].strip(" \t\r\n*_;；"):
            found[field] = _unquoted(value)
    return found
