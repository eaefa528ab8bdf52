"""The glossary and the catalogue say the same."""

import re
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

ROOT = Path(__file__).parents[3]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (ROOT / "docs/en/reference/glossary.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| term", "| ---"))
]
TERMS = [(term, words.split(", ")) for term, words, *_ in ROWS]
NAMES_OF_COLUMNS = re.compile(r"\((?:[a-z]+, )+[a-z]+\)")
REJECTED = [word for *_, rejected in ROWS for word in rejected.split(", ") if word]


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """Each text of the interface, in English (of a count the plural) and in Chinese."""
    with (ROOT / "annotations/i18n/locale/zh/LC_MESSAGES/characterbox.po").open("rb") as file:
        catalogue = read_po(file, locale="zh")
    found = []
    for message in catalogue:
        if message.id:
            english = message.id if isinstance(message.id, str) else message.id[-1]
            chinese = message.string if isinstance(message.string, str) else message.string[0]
            found.append((english, chinese))
    return found


@pytest.mark.parametrize(("term", "words"), TERMS, ids=[term for term, _ in TERMS])
def test_a_term_has_one_of_its_words_in_chinese(texts, term, words):
    ending = "(?:y|ies)" if term.endswith("y") else r"(?:s|d|ed|ing)?"
    named = re.compile(rf"(?<![\w{{#./'-]){re.escape(term.removesuffix('y'))}{ending}(?![\w}}.=:/'-])", re.IGNORECASE)
    having = [pair for pair in texts if named.search(NAMES_OF_COLUMNS.sub("", pair[0]))]
    assert [pair for pair in having if not any(word.lower() in pair[1].lower() for word in words)] == []


@pytest.mark.parametrize("word", REJECTED)
def test_what_was_given_up_is_in_no_text(texts, word):
    start = r"\b" if word.isascii() else ""
    found = re.compile(f"{start}{re.escape(word)}{start}", re.IGNORECASE)
    assert [pair for pair in texts if any(map(found.search, pair))] == []
