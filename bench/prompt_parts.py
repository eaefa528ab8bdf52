"""What each part of the prompts of a story takes: contract, scene, cast, profile, recalled, state, record and task."""

from collections import Counter
from collections.abc import Mapping, Sequence

from bench.prompts import tokens_of
from characterbox.llm.request import Request
from characterbox.prompts import words

_BEGINS = {
    "scene": "\n<opening>\n",
    "cast": "\n<cast>\n",
    "profile": "\nYou are ",
    "others": "\n<others>\n",
    "recalled": "\n<recalled>\n",
    "record": "<record>\n",
    "task": "\n## Task: ",
}
"""What each part of an English prompt begins with, in the order in which they stand; before them is the contract."""
PARTS = ("contract", "scene", "cast", "profile", "others", "recalled", "state", "record", "task")


def parts_of(requests: Sequence[Request]) -> Mapping[tuple[str, str], int]:
    """Tokens by who is asked (`narrator` or `characters`) and part."""
    counted: Counter[tuple[str, str]] = Counter()
    for request in requests:
        who = "narrator" if request.agent is None else "characters"
        for part, text in _split("\n".join(message.content for message in request.messages)):
            counted[who, part] += len(tokens_of(text))
    return counted


def table_of(requests: Sequence[Request]) -> str:
    """The same as a table: thousands of tokens, a line for each part."""
    counted = parts_of(requests)
    lines = [f"  {'part':<10}{'narrator':>10}{'characters':>12}"]
    for part in PARTS:
        figures = (counted[who, part] / 1000 for who in ("narrator", "characters"))
        lines.append("  {:<10}{:>10.1f}{:>12.1f}".format(part, *figures))
    return "\n".join(lines)


def _split(text: str) -> list[tuple[str, str]]:
    """The parts of a prompt with their texts; how things stood before, of the record, is its state."""
    found = {"contract": 0} | {part: at for part, begin in _BEGINS.items() if (at := text.rfind(begin)) >= 0}
    places = sorted(found.items(), key=lambda place: place[1])
    ends = [at for _, at in places[1:]] + [len(text)]
    parts = [(part, text[at:end]) for (part, at), end in zip(places, ends, strict=True)]
    return [one for part in parts for one in (_state_and_record(part[1]) if part[0] == "record" else [part])]


def _state_and_record(text: str) -> list[tuple[str, str]]:
    """How things stand as the round begins, and what happened."""
    paragraphs = text.split("\n\n")
    standing = words("en").memory.standing
    stands = [paragraph for paragraph in paragraphs if standing in paragraph.split("\n")[:2]]
    happened = [paragraph for paragraph in paragraphs if paragraph not in stands]
    return [("state", "\n\n".join(stands)), ("record", "\n\n".join(happened))]
