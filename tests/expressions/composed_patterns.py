"""Patterns whose text is put together while the product runs: what it is for texts as they come."""

import re
from collections.abc import Iterable

from annotations.blinding import identity_leaks
from characterbox import prompts, reason_sentences
from characterbox.components.figures.tables import text as figures
from characterbox.llm.calls import call
from characterbox.llm.rehearsal import judge
from characterbox.llm.replies import character_names, loose_json, reading
from characterbox.play import names
from characterbox.scenes import leaks, name_words
from tests.expressions.pattern_finder import Cases, Text
from tests.fakes.scenes import a_scene

_WORDS = "action|inner[\\s_]state|他的行动"
_MODELS = ("Qwen/Qwen2.5-7B-Instruct", "gpt-4", "moonlight")
_NAMES = identity_leaks._names(_MODELS, ("Sherlock Holmes", "孙悟空"))


def _sayings() -> Iterable[Text]:
    return [pattern for _, patterns in identity_leaks._SAYINGS for pattern in patterns]


def _known_names() -> Iterable[Text]:
    return [pattern for pattern in (_NAMES.of_campaign, _NAMES.known) if pattern]


def _reasons() -> Iterable[Text]:
    return [reason_sentences._pattern(code) for code in reason_sentences._KNOWN]


_TITLES = character_names._HAN_TITLES

CASES: Cases = {
    "annotations/blinding/identity_leaks.py: _read_without_case": [_sayings],
    "annotations/blinding/identity_leaks.py: _names": [lambda: [_NAMES.of_itself]],
    "annotations/blinding/identity_leaks.py: _any_of": [_known_names],
    "characterbox/components/figures/tables/text.py: wrapped": [
        lambda: [rf"[{figures._WIDE}][，。：；、）]*|[^\s{figures._WIDE}]{{1,60}}|\s+"]
    ],
    "characterbox/llm/replies/loose_json.py: _string": [lambda: map(re.escape, loose_json._STRINGS)],
    "characterbox/llm/replies/character_names.py: _close": [
        lambda: [rf"(?:{_TITLES}|{character_names._HAN_KINSHIP})?-?孙悟空-?(?:{_TITLES})?"],
    ],
    "characterbox/llm/calls/call.py: refused_by": [lambda: [call._ABOUT_FORMAT, r"\bmax_completion_tokens\b"]],
    "characterbox/llm/replies/reading.py: number_alone": [
        lambda: [
            r"(\d{1,3})(?:\.0)?(?: ?[/／] ?5| out of 5| ?分| points?)?"
            r"(?:[.。!]?\Z|\*{0,2} ?[(（,，;；。|]|\*{0,2} [-–—] |[.:：!] )"
        ]
    ],
    "characterbox/llm/replies/reading.py: _bare": [lambda: [reading._OPENING.format(words=_WORDS)]],
    "characterbox/llm/replies/reading.py: _labelled": [
        lambda: [reading._SHAPED.format(labels=_WORDS)],
        lambda: [rf"</(?:{_WORDS})>"],
        lambda: [rf"<({_WORDS})>"],
        lambda: [reading._LABEL.format(labels=_WORDS)],
    ],
    "characterbox/llm/rehearsal/brief.py: names_of": [lambda: [r"^Name\s*[:：]\s*"]],
    "characterbox/llm/rehearsal/judge.py: _patterns": [
        lambda: judge._patterns()[:1],
        lambda: judge._patterns()[1:],
    ],
    "characterbox/play/names.py: _pattern": [
        lambda: [names._pattern(("Odysseus", "the beggar", "林冲", "O'Brien-Smith", "Brien"), frozenset({"Brien"}))]
    ],
    "characterbox/play/replies/form_reading.py: label_before": [
        lambda: [rf"\W{{0,9}}(?:{_WORDS})\W{{0,9}}[:：]"],
    ],
    "characterbox/scenes/name_words.py: words_in": [
        lambda: [name_words.bounded("Odysseus", part=False), name_words.bounded("Lin", part=True)]
    ],
    "characterbox/scenes/leaks.py: __init__": [lambda: [leaks._Wording(a_scene("Ann", "林冲"))._without_names, "(?!)"]],
    "characterbox/prompts/__init__.py: _steering": [lambda: [prompts._steering()]],
    "characterbox/reason_sentences.py: _pattern": [_reasons],
}
