"""The pairs to measure recall by: what is remembered and what should bring it back share no word that has a meaning."""

import re
from itertools import product

import pytest

from characterbox.play.memory import embedding
from characterbox.values import LANGUAGE_CODES, Language
from tests.play.paraphrases.pairs import Pair, pairs, recall

FUNCTION_WORDS = """
a about after again ain all an and any are as at away back be because been before behind being beneath beside between
but by can could did do does doesn don down each else ever every for from had has have having he her here hers him his
how i if in inside into is isn it its just ll me more must my near never no nor not now of off on once one only onto
or other our out over own re s shall she should since so some such t than that the their them then there these they
this those through till to too twice under unless until up us ve was we well were what when whenever where wherever
whether which while who whom whose will with within without won would yet you your
"""
"""Articles, pronouns, prepositions, conjunctions, auxiliaries, plain adverbs, and what an apostrophe cuts off."""

BASE_FORMS = {
    "ate": "eat", "born": "bear", "bought": "buy", "broke": "break", "brought": "bring", "came": "come", "cried": "cry",
    "cries": "cry", "drew": "draw", "fell": "fall", "feet": "foot", "felt": "feel", "found": "find", "gave": "give",
    "gone": "go", "held": "hold", "hid": "hide", "kept": "keep", "knew": "know", "laid": "lay", "left": "leave",
    "lost": "lose", "made": "make", "men": "man", "paid": "pay", "rode": "ride", "said": "say", "sang": "sing",
    "saw": "see", "seen": "see", "slept": "sleep", "sold": "sell", "spat": "spit", "spoke": "speak", "stole": "steal",
    "swore": "swear", "taught": "teach", "threw": "throw", "told": "tell", "took": "take", "went": "go", "woke": "wake",
    "wore": "wear", "wrote": "write",
}  # fmt: skip
"""Forms that do not begin as their word does."""

ENDING = re.compile(r"(?<=..)(?:ies|ied|ing|ed|er|es|ly|y|s|e)$")
ALIKE = 4
"""Letters: words that begin with the same ones are one word (`horse` and `horseback`)."""

FUNCTION_CHARACTERS = "的地得了着过是在有没不也都就又再要会能我你他她它们这那一个从到对向把被给让和与"
"""Particles, pronouns, prepositions, negations, plain adverbs. Any other character has a meaning."""

CHINESE = re.compile(r"[\u4e00-\u9fff]")
LENGTHS = {"en": range(6, 26), "zh": range(10, 41)}
"""English words, and Chinese characters."""


def parts(text: str, language: Language) -> list[str]:
    """What a text is made of: English words, or Chinese characters."""
    return re.findall(r"[a-z]+", text.casefold()) if language == "en" else CHINESE.findall(text)


def stem(word: str) -> str:
    return ENDING.sub("", BASE_FORMS.get(word, word))


def is_same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one: they have one stem, or begin alike."""
    return stem(one) == stem(other) or (len(one) >= ALIKE and one[:ALIKE] == other[:ALIKE])


def shared(pair: Pair, language: Language) -> list[tuple[str, str]]:
    """The words, or characters, with a meaning that both texts of a pair have."""
    without = {*FUNCTION_WORDS.split(), *FUNCTION_CHARACTERS}
    memory, query = ([one for one in parts(text, language) if one not in without] for text in (pair.memory, pair.query))
    return [(one, other) for one, other in product(memory, query) if is_same_word(one, other)]


@pytest.mark.parametrize("language", LANGUAGE_CODES)
def test_no_pair_shares_a_word_with_a_meaning(language):
    told = pairs(language)
    assert {pair.memory: words for pair in told if (words := shared(pair, language))} == {}


@pytest.mark.parametrize(
    ("language", "memory", "query", "words"),
    [
        ("en", "Ann hides the ring.", "Where is what Ann took?", [("ann", "ann")]),
        ("en", "The horse bolts.", "He rode on horseback.", [("horse", "horseback")]),
        ("en", "He lies and cries.", "A lie makes her cry.", [("lies", "lie"), ("cries", "cry")]),
        ("en", "She gave him bread.", "What shall I give?", [("gave", "give")]),
        ("en", "The seal of the king", "At sea it is his", []),
        ("zh", "他把剑藏在井里。", "那把宝剑不在了。", [("剑", "剑")]),
        ("zh", "他把剑藏在井里。", "那件兵器不在了。", []),
    ],
)
def test_a_word_that_both_have_is_found(language, memory, query, words):
    assert shared(Pair("-", memory, query), language) == words


@pytest.mark.parametrize("language", LANGUAGE_CODES)
def test_there_are_sixty_pairs_of_many_situations_and_no_text_comes_twice(language):
    told = pairs(language)
    assert len(told) == 60
    assert len({pair.situation for pair in told}) >= 12
    assert len({text for pair in told for text in (pair.memory, pair.query)}) == 120


@pytest.mark.parametrize("language", LANGUAGE_CODES)
def test_texts_are_as_long_as_what_a_story_tells(language):
    texts = [text for pair in pairs(language) for text in (pair.memory, pair.query)]
    assert [text for text in texts if len(parts(text, language)) not in LENGTHS[language]] == []


@pytest.mark.parametrize("language", LANGUAGE_CODES)
def test_letters_alone_hardly_find_any(language):
    """Chance finds a tenth. Each finds itself: what is not found is so for its words."""
    told = pairs(language)
    assert recall(embedding, told) < 0.2
    assert recall(embedding, [Pair(pair.situation, pair.memory, pair.memory) for pair in told]) == 1
