"""What was remembered for a request can be told from what is stored with its reply, and from nothing else."""

from base64 import urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.llm.packed_numbers import packed
from characterbox.llm.request import ChatMessage
from characterbox.play.memory import Memory, weighed
from characterbox.play.memory_record import Prompt, Recollection, recollection, remembered, shortened
from characterbox.play.settings import MemorySettings
from characterbox.play.world import Script
from tests.fakes.scenes import a_scene
from tests.fakes.varied_replies import varied

TEXTS = [
    "Ann opens the safe.",
    "Bob shouts for help.",
    "A clock strikes\nnine times.\n\nThen none.",
    "<record>",
    "雨。",
]
STORY = varied(Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=5), TEXTS)
USUAL = MemorySettings()
LINES = st.text(st.sampled_from("ab -<>/\n\r\u2028雨"), min_size=1, max_size=12)
MEMORIES = st.lists(
    st.tuples(LINES, st.integers(1, 9), st.integers(1, 9), st.none() | st.integers(1, 10), st.booleans()), max_size=8
)


def shown(text):
    return "- " + "\n  ".join(text.splitlines())


@given(memories=MEMORIES, query=st.lists(LINES, max_size=3), out=st.sets(st.integers(0, 7)), clock=st.integers(1, 20))
def test_what_is_stored_tells_texts_weights_and_what_was_left_out(memories, query, out, clock):
    content = "\n".join(["Some words.", *(shown(text) for n, (text, *_) in enumerate(memories) if n not in out), "end"])
    dropped = [text for n, (text, *_) in enumerate(memories) if n in out]
    messages = [ChatMessage("system", "- a"), ChatMessage("user", content), ChatMessage("user", "- b")]
    numbers = iter(range(len(dropped)))
    told = [
        (Memory(round, at, text, importance), recalled, next(numbers) if n in out else None)
        for n, (text, round, at, importance, recalled) in enumerate(memories)
    ]
    stored = recollection(Prompt(messages, dropped), clock, query, told)
    found = remembered(Recollection.read(stored), messages, dropped, USUAL)
    assert [(one.text, one.round, one.recalled, one.left_out) for one in found] == [
        (memory.text, memory.round, recalled, number is not None) for memory, recalled, number in told
    ]
    expected = weighed([memory for memory, *_ in told], query, clock=clock, settings=USUAL)
    assert [(one.relevance, one.recency, one.importance, one.score) for one in found] == [
        (one.relevance, one.recency, one.importance, one.score) for one in expected
    ]
    known = Recollection.read(stored)
    assert known.stored == stored
    assert Recollection.read(known.model_dump_json()) == known  # as it was stored once, and stands in files of stories


@pytest.mark.parametrize("request_", STORY.requests[::5], ids=lambda request: request.path)
def test_a_request_tells_what_stands_in_its_prompt_and_what_it_leaves_out(request_):
    for count in {0, request_.droppable // 2, request_.droppable}:
        request = request_.without(count)
        found = remembered(Recollection.read(request.remember()), request.messages, request.dropped, USUAL)
        content = request.messages[1].content
        assert all((shown(one.text) in content.replace("‹", "<").replace("›", ">")) or one.left_out for one in found)
        recalled = content.partition("<recalled>")[2].partition("</recalled>")[0]
        assert all(
            shown(one.text) in recalled for one in found if one.recalled and not one.left_out and "<" not in one.text
        )
        assert {one.text for one in found if one.left_out} <= {*request.dropped}


def test_it_is_short_as_the_texts_stand_in_the_prompt():
    last = STORY.requests[-1]
    assert len(remembered(Recollection.read(last.remember()), last.messages, (), USUAL)) > 15
    assert len(last.remember()) < 300


@given(
    pieces=st.lists(
        st.sampled_from(["at the window", "calm, and amused", "雨后的后院", "a", "é"]), min_size=1, max_size=8
    )
)
def test_a_text_is_put_together_from_pieces_of_the_messages(pieces):
    opening, seen = ChatMessage("system", "Scene: 雨后的后院。"), "Ann at the window; calm, and amused\nBob"
    messages = [opening, ChatMessage("user", seen)]
    prompt, text = Prompt(messages, ()), "".join(pieces)
    where = prompt.where(text)
    assert prompt.text(where) == text
    assert isinstance(where, str) == ("é" in text)


def test_a_text_of_too_many_pieces_is_told_as_it_is():
    prompt = Prompt([ChatMessage("user", "a-b")], ())
    assert prompt.where("ab" * 4) == ((0, 1), (2, 1)) * 4
    assert prompt.where("ab" * 5) == "ab" * 5


def packed_as(numbers):
    return urlsafe_b64encode(packed(numbers)).decode()


DAMAGED = [
    [], [1], [1, 1], [1, 1, 3], [1, 0, 4 * 9], [1, 0, 0, 0], [1, 1, 4 * 9 + 2, *[0] * 18], [1, 1, 14], [1, 1, 6, 9, 9],
    [1, 0, 1, 1, 0],
]  # fmt: skip
"""Numbers that end too early, or name a text, a line or a piece that is not there, or too many pieces."""


MEASURED = shortened(1, [], [(1, 1, 1, 1, None, True)], None, ())
"""A memory that was recalled, without what an embedding model has measured."""


@pytest.mark.parametrize(
    "stored",
    [
        "", "{}", "[]", '{"clock":1,"query":[9],"memories":[]}', '{"clock":1,"query":[0],"memories":[]}',
        '{"clock":1,"query":[],"memories":[[-2,1,1,1,null,0]]}', '{"clock":1,"query":[],"memories":[[1,2,1,1,null,0]]}',
        '{"clock":1,"query":[],"memories":[[1,1,1,1,11,0]]}', '{"clock":1,"query":[],"memories":[[1,1000000,1,1,1,0]]}',
        '{"clock":-1,"query":[],"memories":[]}', '{"clock":1,"query":[[[9,9]]],"memories":[]}',
        *(packed_as(numbers) for numbers in DAMAGED), "A", "é", packed_as([1, 1, 3]) + "\n[1]",
        packed_as([1, 1, 3]) + "\n[", packed_as([1, 1, 3]) + '\n"text"',
        MEASURED + "\n[]\n{}", MEASURED + '\n[]\n["m", "A"]', MEASURED + '\n[]\n["m", ""]',
        MEASURED + f'\n[]\n["m", "{packed_as([10_001])}"]',
    ],
)  # fmt: skip
def test_what_is_no_recollection_of_a_prompt_is_refused(stored):
    with pytest.raises(ValueError, match=r"recollection|a memory"):
        remembered(Recollection.read(stored), [ChatMessage("user", "Words\n- a\nend")], ["left"], USUAL)
