"""What people read, in both languages: the catalogue holds all that the code says, and says it in Chinese."""

import ast
import re
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords
from babel.messages.pofile import read_po

from annotations.i18n import translation
from annotations.i18n.translation import CATALOGUE, say, say_count, say_moment, sentence, speaking, tongue
from tests.fakes.in_english import in_english

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
TEXTS = re.search(r"^TEXTS := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
KEYWORDS = parse_keywords(TEXTS[1].replace("\\\n", " ").split())
SAID = re.compile(rf"\b({'|'.join(KEYWORDS)})\b")


@pytest.fixture(scope="module")
def said() -> set[str]:
    """The messages in the code; of one and many, the one."""
    found = set()
    for folder in ("annotations", "characterbox", "pages"):
        for _, _, message, _, _ in extract_from_dir(str(ROOT / folder), keywords=KEYWORDS):
            found.add(message[0] if isinstance(message, tuple) else message)
    return found


@pytest.fixture(scope="module")
def catalogue() -> Catalog:
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale="zh")


def one_of(id: object) -> str:
    return id[0] if isinstance(id, tuple) else str(id)


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_the_catalogue_holds_what_the_code_says_and_nothing_else(said, catalogue):
    kept = {one_of(message.id) for message in catalogue if message.id}
    assert sorted(said - kept) == [], "run make catalogue, and translate"
    assert sorted(kept - said) == [], "run make catalogue"


def test_all_of_it_is_translated(catalogue):
    missing = [message.id for message in catalogue if message.id and (not message.string or message.fuzzy)]
    assert in_english(missing) == []


def test_a_translation_has_the_places_of_its_message(catalogue):
    for message in catalogue:
        if message.id:
            texts = message.string if isinstance(message.string, tuple) else (message.string,)
            many = message.id[-1] if isinstance(message.id, tuple) else message.id
            for text in texts:
                assert in_english(places(text)) in in_english((places(many), places(one_of(message.id)))), message.id


def test_chinese_is_written_with_its_own_punctuation(catalogue):
    half = re.compile(r"[\u4e00-\u9fff][,;:!?](?![\d/])|[\u4e00-\u9fff]\.(\s|$)")
    wrong = [message.string for message in catalogue if message.id and half.search(str(message.string))]
    assert wrong == []


def test_the_rehearsal_has_one_name_in_chinese(catalogue):
    assert [message.string for message in catalogue if "排练" in str(message.string)] == []
    assert catalogue["Built-in rehearsal"].string.startswith("内置演练")


def test_what_has_no_value_is_told_by_its_reason(said):
    """The word for it would only say that something is missing."""
    found = {message for message in said if re.search(r"(?<!\{)\bundefined\b", message, re.IGNORECASE)}
    assert not found


def test_values_are_data():
    name = "{0.__class__} {tongue} %s"
    assert say("Story {name}", name=name) == f"Story {name}"


def test_counts_have_their_own_form():
    told = [say_count("{count} call", "{count:,} calls", count) for count in (1, 2, 1200)]
    assert told == ["1 call", "2 calls", "1,200 calls"]


def test_what_is_said_somewhere_holds_there_only():
    seen = []
    with speaking("zh"):
        assert tongue() == "zh"
        with speaking("en"):
            assert tongue() == "en"
        assert tongue() == "zh"
        elsewhere = threading.Thread(target=lambda: seen.append(tongue()))
        elsewhere.start()
        elsewhere.join()
    assert seen == ["en"]
    assert tongue() == "en"


def test_where_nothing_was_said_who_knows_is_asked(monkeypatch):
    monkeypatch.setattr(translation, "_asked", [])
    known = [None, "zh"]
    translation.heed(lambda: known[0])
    translation.heed(lambda: known[1])
    assert tongue() == "zh"
    known[0] = "en"
    assert tongue() == "en"


def test_moments_are_told_in_utc():
    moment = datetime(2026, 11, 2, 9, 5, tzinfo=UTC)
    assert say_moment(moment) == "02 Nov 2026, 09:05 UTC"
    with speaking("zh"):
        assert say_moment(moment) == "2026年11月2日 09:05 UTC"


def trees() -> Iterator[ast.Module]:
    """The modules that say something."""
    for folder in ("annotations", "characterbox", "pages"):
        for file in (ROOT / folder).rglob("*.py"):
            source = file.read_text(encoding="utf-8")
            if SAID.search(source):
                yield ast.parse(source)


def said_in(node: ast.AST) -> str | None:
    """The text, if this is where one is said."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant(value=str(text)), *_]) if name in KEYWORDS:
            return text
    return None


def test_no_text_that_is_said_escapes_the_catalogue(said):
    literals = {text for tree in trees() for node in ast.walk(tree) if (text := said_in(node)) is not None}
    assert in_english(sorted(literals - said)) == [], (
        "gettext does not see these: they stand within another one, or in an f-string"
    )


def test_a_sentence_that_has_a_name_is_written_once():
    written, named = Counter(), set()
    for tree in trees():
        written.update(text for node in ast.walk(tree) if (text := said_in(node)) is not None)
        named |= {said_in(node.value) for node in tree.body if isinstance(node, ast.Assign)} - {None}
    sentences = {text for text in named if len(text.split()) > 3 or text.endswith(".")}
    assert in_english(sorted(text for text in sentences if written[text] > 1)) == [], "say it by its name"


def test_a_reason_is_a_sentence_in_both_languages():
    assert sentence("it is empty") == "It is empty."
    assert sentence("Is it?") == "Is it?"
    with speaking("zh"):
        assert (sentence("它是空的"), sentence("它是空的。")) == ("它是空的。", "它是空的。")
