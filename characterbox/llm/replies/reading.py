"""Reading replies tolerantly: what can be read is read, what can't raises ReplyError; nothing is made up.

No pattern here takes more than linear time: a reply may be long, and is anybody's.
"""

import html
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from characterbox.errors import ReplyError
from characterbox.llm.replies.loose_json import Found, begins_object, json_objects
from characterbox.llm.replies.refusals import is_refusal
from characterbox.pause_reasons import Reason

_THINKING = re.compile(r"[<◁]\s?(/?)(?:think(?:ing)?|thoughts?|reasoning)\s?[>▷]|(?-i:\[(/?)THINK\])", re.IGNORECASE)
_FINAL = "<|channel|>final<|message|>"
"""Behind it stands the answer of models that think in another channel."""
_UNSEEN = re.compile(
    r"<\|\w{1,30}\|>|</?s>|[\u200b\u2060\ufeff]|</?(?:b|i|em|strong|p|div|span|pre|code)\s?>", re.IGNORECASE
)
"""Tokens of chat templates, letters without width and markup."""
_LINE_END = re.compile(r"<br\s?/?>", re.IGNORECASE)
_LINE_BREAK = re.compile(r"\r\n|[\r\v\f]")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8});", re.IGNORECASE)
_FENCED = re.compile(r"(?:[^\n`]{0,150}[:：]\s{0,4})?```(?:[\w-]{0,20}\n|json\b)?((?:(?!```).)*)(?:```)?", re.DOTALL)
_TAGGED = re.compile(r"<(\w{1,30})>(.*)</\1>", re.DOTALL)
_BLANK = {"", "none", "null", "n/a", "na", "nil", "无", "空"}
_NOTHING = _BLANK | {"nobody", "no one", "没有", "无人", "没有人"}
"""The further words are an answer to whom or what, and may be all that a character says."""
_AROUND = dict(zip("\"“「『'‘*`[【", "\"”」』'’*`]】", strict=True))
_BOLD = re.compile(r"\A\*\*((?:(?!\*\*).)*)\*\*\Z", re.DOTALL)
_LEAD_IN = re.compile(
    r"(?:sure|certainly|of course|okay|here|好的|当然|以下|这是)[^\n]{0,150}[:：][ ]?\n", re.IGNORECASE
)
_OPENING = r"(?:[\s>#\-]{{0,9}}([*_]{{0,3}})[\[【]?\s?(?:{words})\s?[\]】]?(?:\1\s?[:：]|[:：]\s?\1)\s*){{1,2}}"
"""The label of the task and the name of the speaker, in either order, that some models put before their prose."""
_LABEL = (
    r"(?:^|\n|(?<=[.;。；]))[ \t\u3000>#*•\-]{{0,12}}(?:\d{{1,2}}[.、)）:：] ?)?[*_\[【（(]{{0,4}} ?({labels})"
    r"\s?[*_\]】）)]{{0,4}}\s?[:：][*_]{{0,3}}"
)
_SHAPED = (
    r"^[ \t]{{0,9}}(?:(?:#{{1,6}} ?|\*\*)({labels})\*{{0,2}} ?$|\| ?\*{{0,2}}({labels})\*{{0,2}} ?\|([^|\n]*)\|?.*$"
    r"|【({labels})】(?!\s?[:：]))"
)
"""Labels that need no colon: a heading, the first cell of a row, and one in Chinese brackets."""
_END = "\0"
"""Ends a text that ends before the next label; no reply that was made `plain` has it."""
_ONE_TO_TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: n % 10 + 1 for n, word in enumerate([*_ONE_TO_TEN, *"一二三四五六七八九十"])}
_ANOTHER_NUMBER = re.compile(rf"\d|\b(?:{'|'.join(_ONE_TO_TEN)})\b|[一二三四五六七八九十]分")


@dataclass(frozen=True, slots=True)
class Way:
    """One way in which a reply can be read: as JSON, or as text with labels."""

    fields: Mapping[str, Sequence[Any]]
    """For each field that is told, all that is told of it and differs."""
    cut: bool
    """Whether the reply breaks off, so that more may have been to come."""


def plain(text: str) -> str:
    """The reply without the thinking of a reasoning model, the tokens of its template and fences around the whole."""
    text = storable(text).rpartition(_FINAL)[2]
    text = _UNSEEN.sub("", _LINE_END.sub("\n", _without_thinking(text))).strip()
    fenced = _FENCED.fullmatch(text)
    return fenced.group(1).strip() if fenced else text


def _without_thinking(text: str) -> str:
    """The text outside the tags. Some chat templates open the tag in the prompt, so that the reply only closes it."""
    kept: list[str] = []
    thinking, at = False, 0
    for tag in _THINKING.finditer(text):
        closes = bool(tag.group(1) or tag.group(2))
        if not thinking and closes:
            kept.clear()
        elif not thinking:
            kept.append(text[at : tag.start()])
        thinking, at = not closes, tag.end()
    return "".join(kept) if thinking else "".join([*kept, text[at:]])


def is_nothing(text: str) -> bool:
    """Whether a value says that there is none."""
    return _word(text) in _NOTHING


def is_json(text: str) -> bool:
    """Whether the reply is a JSON object, or sets out to be one."""
    return begins_object(plain(text))


def read_prose(text: str, *, speaker: str | None = None, labels: Collection[str] = ()) -> str:
    """The prose of a reply: without quotes around the whole, the speaker's name or a label of the task before it.

    A JSON object that ends the reply gives the text of the field named by one of the `labels`; one that is all of the
    reply, else the only text in it. Raises ReplyError if no text is left, no telling which it is, or it is a refusal.
    """
    prose = plain(text)
    if tagged := _TAGGED.fullmatch(prose):
        prose = tagged.group(2).strip()
    found = list(json_objects(prose))
    own = {_key(label): "text" for label in labels}
    told = [value for one in found for _, value in _told(one.pairs, own)]
    whole = len(found) == 1 and not (prose[: found[0].start] + prose[found[0].end :]).strip("[] \n")
    if told and not whole and not _ends_reply(prose, found):
        raise ReplyError(Reason("json_within"), reply=text)
    if whole and not told:
        told = [value for _, value in found[0].pairs if isinstance(value, str) and value.strip()]
    if told or is_json(prose):
        if len(texts := {value if isinstance(value, str) else None for value in told}) != 1 or None in texts:
            raise ReplyError(Reason("json_without_text"), reply=text)
        prose = told[0]
    prose = _bare(_unescaped(prose), labels, speaker)
    if _word(prose) in _BLANK:
        raise ReplyError(Reason("no_text"), reply=text)
    if is_refusal(prose):
        raise ReplyError(Reason("declined"), reply=text)
    return prose


def read_fields(text: str, labels: Mapping[str, Iterable[str]]) -> list[Way]:
    """The fields that the reply holds, unchecked, in each of the ways in which it can be read; never empty.

    `labels` names for each field the words, of any language, that may stand before its value. JSON comes first, at
    whatever depth the fields stand in it. Raises ReplyError when the reply holds none of the fields.
    """
    content = plain(text)
    if '"' not in content:
        content = _unescaped(content)
    if re.match(r'"[^"\n]{1,60}"\s?[:：]', content):
        content = "{" + content.rstrip("}, \n") + "}"
    known = {_key(label): field for field, words in labels.items() for label in (field, *words)}
    found = [(one, told) for one in json_objects(content) if (told := _told(one.pairs, known))]
    ways = [Way(_by_field([pair for _, told in found for pair in told]), any(one.cut for one, _ in found))]
    for one, _ in reversed(found):
        content = f"{content[: one.start]}\n{content[one.end :]}"
    if content.strip() and not is_json(content):
        ways.append(Way(_by_field(_labelled(content, labels, known)), False))
    if ways := [way for way in ways if way.fields]:
        return ways
    raise ReplyError(Reason("no_fields"), reply=text)


def number_alone(value: object, high: int) -> object:
    """The whole number that a text gives, in figures or a word, with or without words behind it; else the value itself.

    It may be told out of `high` (`4/5`). With any other number beside it (`4 or 5`) the text is no number.
    """
    if not isinstance(value, str):
        return value
    text = " ".join(value.split()).strip("*_[]【】\"'“” ").casefold()
    if (word := text.rstrip(".。分")) in _NUMBERS:
        return _NUMBERS[word]
    whole = rf"(\d{{1,3}})(?:\.0)?(?: ?[/／] ?{high}| out of {high}| ?分| points?)?"
    found = re.match(rf"{whole}(?:[.。!]?\Z|\*{{0,2}} ?[(（,，;；。|]|\*{{0,2}} [-–—] |[.:：!] )", text)
    return value if found is None or _ANOTHER_NUMBER.search(text, found.end()) else int(found.group(1))


def storable(text: str) -> str:
    """The text without what no database stores or no page shows.

    Lines end in a line feed; all control characters but that and the tab, and lone surrogates, become U+FFFD.
    """
    text = _CONTROL.sub("\ufffd", _LINE_BREAK.sub("\n", text))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _word(text: str) -> str:
    return text.strip(" \t\r\n.。-–—[]【】()（）\"'*").casefold()


@lru_cache(maxsize=1024)
def _key(text: str) -> str:
    """A label without what does not tell it from others. Kept: a form has thirty, looked up at each reply, which takes
    a tenth of the time to read it."""
    return re.sub(r"[\W_]+", "_", text.casefold()).strip("_")


def _unescaped(text: str) -> str:
    """The text with the letters that HTML entities stand for."""
    return storable(_ENTITY.sub(lambda entity: html.unescape(entity.group()), text))


def _unquoted(text: str) -> str:
    text = _BOLD.sub(r"\1", text.strip())
    while (
        len(text) > 1 and _AROUND.get(text[0]) == text[-1] and text[0] not in text[1:-1] and text[-1] not in text[1:-1]
    ):
        text = text[1:-1].strip()
    return text


def _bare(prose: str, labels: Collection[str], speaker: str | None) -> str:
    """The prose without an announcement that names the task, quotes, label and speaker."""
    lead = _LEAD_IN.match(prose)
    if lead and any(label.casefold() in lead.group().casefold() for label in labels):
        prose = prose[lead.end() :]
    prose = _unquoted(prose)
    if words := "|".join(re.escape(word) for word in (*labels, speaker) if word):
        opening = re.match(_OPENING.format(words=words), prose, flags=re.IGNORECASE)
        prose = _unquoted(prose[opening.end() :]) if opening else prose
    return prose


def _ends_reply(text: str, found: Sequence[Found]) -> bool:
    """Whether nothing follows the objects, and the first stands by itself: on its line, or behind a colon."""
    before, after = text[: found[0].start].rstrip("[ "), text[found[-1].end :].strip("] \n")
    return not after and before[-1:] in ("", "\n", ":", "：")


def _told(value: Any, known: Mapping[str, str]) -> list[tuple[str, Any]]:
    """The known fields with their values, of the outermost object that has any."""
    if isinstance(value, list):
        return [pair for one in value for pair in _told(one, known)]
    if not isinstance(value, tuple):
        return []
    inner = [(known.get(_key(key)), one, _told(one, known)) for key, one in value]
    own = [pair for field, one, told in inner if field is not None for pair in told or [(field, one)]]
    if any(not isinstance(one, tuple | list) for _, one in own):
        return own
    return [pair for *_, told in inner for pair in told] or own


def _by_field(told: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    """All different values of each field; letters in other case make no difference."""
    fields: dict[str, dict[str, Any]] = {}
    for field, value in told:
        clean = _unescaped(value).strip() if isinstance(value, str) else value
        fields.setdefault(field, {}).setdefault(str(clean).casefold(), clean)
    return {field: list(values.values()) for field, values in fields.items()}


def _labelled(text: str, labels: Mapping[str, Iterable[str]], known: Mapping[str, str]) -> list[tuple[str, str]]:
    """The texts behind labels: of each label the first at the start of a line, or else of a sentence.

    The same label once more is part of the text it stands in, unless all come again, in the same order.
    """
    words = sorted({word for field, synonyms in labels.items() for word in (field, *synonyms)}, key=len, reverse=True)
    either = "|".join(r"[\s_]".join(re.escape(part) for part in re.split(r"[\s_]", word)) for word in words)
    shaped = re.compile(_SHAPED.format(labels=either), re.IGNORECASE | re.MULTILINE)
    text = shaped.sub(lambda mark: f"\n{mark[1] or mark[2] or mark[4]}: {mark[3] + _END if mark[2] else ''}", text)
    text = re.sub(rf"</(?:{either})>", f"{_END}\n", re.sub(rf"<({either})>", r"\n\1: ", text, flags=re.I), flags=re.I)
    pattern = re.compile(_LABEL.format(labels=either), re.IGNORECASE)

    def begins_line(mark: re.Match[str]) -> bool:
        return mark.start() == 0 or "\n" in text[mark.start() : mark.start(1)]

    marks = list(pattern.finditer(text))
    order = [known[_key(mark.group(1))] for mark in marks if begins_line(mark)]
    times = len(order) // (len({known[_key(mark.group(1))] for mark in marks}) or 1)
    if times < 2 or order != order[: len(order) // times] * times:
        first: dict[str, re.Match[str]] = {}
        for mark in sorted(marks, key=begins_line, reverse=True):
            first.setdefault(known[_key(mark.group(1))], mark)
        marks = sorted(first.values(), key=lambda mark: mark.start())
    else:
        marks = [mark for mark in marks if begins_line(mark)]
    ends = [mark.start() for mark in marks[1:]] + [len(text)] * bool(marks)
    texts = [text[mark.end() : end].partition(_END)[0] for mark, end in zip(marks, ends, strict=True)]
    texts = [told.strip(" \t\r\n*_;；") for told in texts]
    return [(known[_key(mark.group(1))], _unquoted(told)) for mark, told in zip(marks, texts, strict=True) if told]
