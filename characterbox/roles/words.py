"""The words of a text, by which rounds are found, questions compared and answers scored: one way for each language."""

import re
import warnings
from collections.abc import Callable
from functools import cache
from threading import Lock

from characterbox.values import Language

TOKENIZERS: dict[Language, str] = {"en": "rouge-score", "zh": "jieba"}
"""What splits the texts of each language, as a score names it."""
_ENGLISH = re.compile(r"[a-z0-9]+")
_WORDLESS = re.compile(r"[\W_]*")
_LOADING = Lock()


def words_of(text: str, language: Language) -> list[str]:
    """The words in small letters, without signs: in English as the package rouge-score splits a text by default,
    without stems; in Chinese as jieba does."""
    lower = text.lower()
    if language == "en":
        return _ENGLISH.findall(lower)
    return [word for word in _jieba()(lower) if not _WORDLESS.fullmatch(word)]


@cache
def _jieba() -> Callable[[str], list[str]]:
    """What splits Chinese; its dictionary takes a second to load."""
    with _LOADING, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its source has escapes that Python warns of as it compiles them
        import jieba  # noqa: PLC0415 - most commands need no Chinese words

        jieba.setLogLevel(60)
        splitter = jieba.Tokenizer()
        splitter.initialize()
    cut: Callable[[str], list[str]] = splitter.lcut
    return cut
