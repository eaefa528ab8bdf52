"""What reads texts of others takes time in proportion to their length, up to the longest that come."""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from annotations.errors import RatingError
from annotations.exchange.rating_file import read_table
from annotations.marking.rating import COLUMNS, read_ratings
from characterbox.components.player.markdown import _data
from characterbox.components.streamlit_session import MOST_TEXT
from characterbox.crafting.originality import Wording
from characterbox.crafting.sources.paragraphs import markdown_paragraphs, plain_paragraphs, with_headings
from characterbox.crafting.sources.passages import names_in
from characterbox.errors import ReplyError
from characterbox.llm.calls.answers import MAX_TEXT
from characterbox.llm.replies.reading import number_alone
from characterbox.llm.replies.refusals import is_refusal
from characterbox.play.names import Names as KnownNames
from characterbox.play.observations import _sentences, _without
from characterbox.play.replies.form_reading import read_form
from characterbox.play.replies.forms import EnvironmentUpdateReply
from characterbox.play.replies.readers import read_action, read_influence, read_result, read_updates
from characterbox.scenes.cards.card import without_decorators
from characterbox.scenes.cards.lorebook import Names, resolved
from characterbox.scenes.differences import pieces
from characterbox.scenes.repairs import is_placeholder
from characterbox.scenes.scene import Alias, Scene, slug_of
from pages.shared.text import plain
from pages.story.answer_form import as_reading
from tests.fakes.scenes import a_scene

pytestmark = pytest.mark.slow

MOST_SECONDS = 30
"""Of processor time on a slow machine; what takes the square of the length takes many times as much."""
SHORTER = MOST_TEXT // 16
SHOWS = 0.05
MOST_RATIO = 9
"""How much longer it may take for four times the text: between the 4 of proportion and the 16 of its square."""
LINES = ("\n", "\n ", "- a\n", "  b\n", "-\n", "=\n", "# x\n", "CHAPTER I\n\n", "1.\n")
SIGNS = ("a ", "雨。", "**", "`", "\\", '"', "<a>", "; ", "A. ", "“a”曰：")
JSON = ('{"a":"', '"a" ', "{", "{a:1}", '{"a":"b"\n', "[1,", '"a": "b"c" ', "  \n\n")
LABELS = ("action: ", "\ntime: x\nlocation: y", "时间：", "[a];;", "A. 时间：")
CARDS = ("{{a}}", "{{", "<user>", "{{reverse:", "{{random:a,", "@@a\n")


def influence(text: str) -> None:
    with suppress(ReplyError):
        read_influence(text, actor="Holmes", names=("Holmes", "Dr Watson", "孙悟空"))


def result(text: str) -> None:
    with suppress(ReplyError):
        read_result(text, names=("Holmes", "孙悟空"))


def action(text: str) -> None:
    with suppress(ReplyError):
        read_action(text, speaker="Holmes", names={"the beggar": "Odysseus"})


def updates(text: str) -> None:
    with suppress(ReplyError):
        read_updates(text, names=("Holmes", "孙悟空"))


def retold(text: str) -> None:
    """A text of Ann's, in which Bob is called by the names that Cai has."""
    KNOWN.retold(text, "Ann", "Cai", frozenset(), frozenset())


def update(text: str) -> None:
    with suppress(ReplyError):
        read_form(text, EnvironmentUpdateReply)


def cast() -> Scene:
    ann, bob, cai = a_scene("Ann", "Bob", "Cai").cast
    bob = bob.model_copy(update={"known_as": (Alias(name="the clerk", by=("Cai",)),)})
    return a_scene().model_copy(update={"cast": (ann, bob, cai)})


KNOWN = KnownNames(cast())


def long(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def seconds(run: Callable[[str], object], text: str) -> float:
    started = time.thread_time()
    run(text)
    return time.thread_time() - started


@pytest.mark.parametrize(
    "run", [action, influence, result, updates, update, is_refusal, lambda text: number_alone(text, 10)]
)
def test_a_reply(run: Callable[[str], object]) -> None:
    for unit in (*LINES, *SIGNS, *JSON, *LABELS):
        for start in ("", '{"a":"'):
            assert seconds(run, start + long(unit, MAX_TEXT)) < MOST_SECONDS / 10, (unit, start)


@pytest.mark.parametrize(
    ("run", "units"),
    [
        (plain, SIGNS),
        (_data, (*LINES, "+")),
        (lambda text: as_reading(f"- a\n{text}", strong=True), (*LINES, "**")),
        (plain_paragraphs, LINES),
        (lambda text: with_headings(markdown_paragraphs(text)), LINES),
        (names_in, ("CHAPTER I\n\n", "a Ann ")),
        (lambda text: resolved(text, Names("Ann", "Bob")), CARDS),
        (without_decorators, CARDS),
        (slug_of, SIGNS),
        (is_placeholder, ("a ", "the unknown ")),
        (lambda text: _without(f"x{text}", _sentences(text)), SIGNS),
        (retold, (*SIGNS, "Bob ", "\n\nbob's ", " \n")),
        (lambda text: pieces(text, f"b{text}b"), SIGNS),
    ],
)
def test_a_field(run: Callable[[str], object], units: tuple[str, ...]) -> None:
    for unit in units:
        quarter, whole = (seconds(run, long(unit, length)) for length in (SHORTER, 4 * SHORTER))
        if whole > max(SHOWS, MOST_RATIO * quarter):
            longest = seconds(run, long(unit, MOST_TEXT))
            assert longest < min(MOST_SECONDS, MOST_RATIO * whole), unit


@pytest.mark.parametrize("read", [read_table, read_ratings])
def test_the_header_of_a_table(read: Callable[[bytes], object]) -> None:
    def refused(text: str) -> None:
        with pytest.raises(RatingError, match="more than once"):
            read(text.encode())

    assert seconds(refused, ",".join([*COLUMNS, *map(str, range(100_000)), "a", "a"]) + "\n") < MOST_SECONDS


def test_a_scene_that_is_copied_as_a_whole() -> None:
    text = "the rain " * 2_000
    scene = a_scene("Ann")
    copy = scene.model_copy(update={"environment": scene.environment.model_copy(update={"description": text})})
    assert seconds(lambda source: Wording(source, "en").copied(copy), text * 10) < MOST_SECONDS
