"""A question that is too long for a context window: it is put without what is of least use, and says without what."""

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import ReplyError
from characterbox.llm.request import ChatMessage
from characterbox.play.memory import Memory, weigh
from characterbox.play.memory_record import Recollection, remembered
from characterbox.play.observations import Line
from characterbox.play.questions import Question
from characterbox.play.record import Section
from characterbox.play.settings import MemorySettings, Settings
from characterbox.play.world import Script
from tests.fakes.scenes import a_scene
from tests.fakes.varied_replies import varied

TEXTS = ["Ann opens the safe.", "Bob shouts for help.", "A clock strikes nine.", "Rain falls.", "Cid laughs."]
STORY = varied(Script(scene=a_scene("Ann", "Bob", "Cid"), rounds=5), TEXTS)
LONG = [request for request in STORY.requests if request.droppable > 4]
REQUESTS = st.sampled_from(LONG)


def lines_of(request):
    return [line.removeprefix("- ") for line in request.messages[1].content.splitlines() if line.startswith("- ")]


def under_way(request):
    """The lines of the turn under way; none for questions that come between turns."""
    if request.path.endswith(("/action", "-belief")):
        return []
    record = request.messages[1].content.partition("\n</record>")[0]
    return [line for line in record.rpartition("\n\n")[2].splitlines() if line.startswith("- ")]


@settings(deadline=None)
@given(REQUESTS, st.integers(1, 200))
def test_what_is_left_out_is_named_and_the_rest_stays_in_its_order(request, count):
    count = min(count, request.droppable)
    less = request.without(count)
    assert (less.droppable, len(less.dropped)) == (request.droppable - count, count)
    assert (less.path, less.agent, less.form, less.messages[0]) == (
        request.path,
        request.agent,
        request.form,
        request.messages[0],
    )
    left, rest = list(lines_of(request)), lines_of(less)
    assert sorted([*rest, *less.dropped]) == sorted(left)
    remaining = iter(left)
    assert all(line in remaining for line in rest)


@settings(deadline=None)
@given(REQUESTS, st.integers(1, 40), st.integers(1, 40))
def test_leaving_out_in_two_steps_is_leaving_out_at_once(request, some, more):
    some = min(some, request.droppable - 1)
    more = min(more, request.droppable - some)
    assert request.without(some).without(more) == request.without(some + more)
    assert request.without(some + more).dropped[:some] == request.without(some).dropped


@pytest.mark.parametrize("request_", LONG[::7], ids=lambda request: request.path)
def test_without_all_of_it_the_profile_the_turn_under_way_and_the_task_are_still_there(request_):
    bare = request_.without(request_.droppable)
    content, before = bare.messages[1].content, request_.messages[1].content
    assert bare.droppable == 0
    assert content.endswith(before[before.index("## Task") :])
    assert content.count("<record>") == content.count("</record>") == 1
    assert "<recalled>" not in content
    if request_.agent:
        assert f"SECRET-MARK-OF-{request_.agent.upper()}" in content
        assert f"- {request_.agent} |" in content, "how it is now"
    assert under_way(bare) == under_way(request_)
    with pytest.raises(ValueError, match="1 memories to be left out, of 0"):
        bare.without(1)


def told(text, clock, importance=None, topic=None):
    return Line(Memory(1, clock, text, importance), topic)


EVEN = Settings(memory=MemorySettings(importance=1.0, half_life=log(0.5) / log(0.9)))
"""All parts of a memory's use weigh the same, and a turn takes a tenth of how recent it is."""


ASKED = {
    "path": "r1/ann/dialogue",
    "agent": "Ann",
    "language": "en",
    "form": None,
    "system": ChatMessage("system", "S"),
    "profile": ("P",),
    "task": "T",
    "settings": EVEN,
}
"""What questions have that are about memories alone."""


def test_what_is_obsolete_goes_first_then_what_is_least_recent_relevant_and_important():
    standing = Section.of("At first", [told("Ann is here.", 1, topic="Ann")])
    before = Section.of("Round 1", [told("C", 4, 1), told("E", 4, 1), told("Ann is there.", 4, topic="Ann")])
    latest = Section.of("Round 1", [told("A", 5, 10), told("B", 5), told("Ann is gone.", 5, topic="Ann")])
    question = Question(
        **ASKED,
        record=[standing, before, latest, Section.of("Round 1", [told("U", 6, 1)])],
        recalled=[weigh(Memory(1, 1, "D", 9), 0.0, 5, EVEN.memory)],
        clock=5,
        query=[],
        model=None,
    )
    # scores, with nothing relevant: C and E (.9 + .1) / 3 = .33, B 1 / 2 = .5, D (.6561 + .9) / 3 = .52, A 2 / 3 = .67
    expected = ("Ann is here.", "Ann is there.", "C", "E", "B", "D", "A")
    request = question.request()
    assert request.droppable == len(expected)
    assert request.without(7).dropped == expected
    assert [request.without(count).dropped for count in range(7)] == [expected[:count] for count in range(7)]
    assert request.without(5).messages[1].content == (
        "P\n\n<recalled>\nRound 1\n- D\n</recalled>\n\n<record>\nRound 1\n- A\n- Ann is gone.\n\n- U\n</record>\n\nT"
    )


def test_what_an_embedding_model_has_measured_counts_and_the_rest_is_not_held_to_be_irrelevant():
    latest = Section.of("Round 1", [told("A", 5, 1), told("B", 4, 1)])
    question = Question(
        **ASKED,
        record=[latest, Section.of("Round 1", [told("U", 6, 1)])],
        recalled=[weigh(Memory(1, 5, text, 1), use, 5, EVEN.memory) for text, use in (("C", 1.0), ("D", 0.1))],
        clock=5,
        query=["C"],
        model="bge-m3",
    )
    # scores: D (.1 + 1 + .1) / 3 = .4, B (.9 + .1) / 2 = .5, A (1 + .1) / 2 = .55, C (1 + 1 + .1) / 3 = .7
    request = question.request()
    assert request.without(4).dropped == ("D", "B", "A", "C")
    found = Recollection.read(request.without(1).remember())
    assert (found.model, found.relevances) == ("bge-m3", (10_000, 1_000))
    assert [(one.text, one.relevance, one.left_out) for one in _remembered(request.without(1))] == [
        ("C", 1.0, False),
        ("D", 0.1, True),
        ("A", None, False),
        ("B", None, False),
    ]


def _remembered(request):
    return remembered(Recollection.read(request.remember()), request.messages, request.dropped, EVEN.memory)


def test_what_has_to_do_with_what_happens_now_stays_longest():
    opened, rain = told("Ann opens the safe.", 1, 5), told("Rain falls.", 1, 5)
    section = Section.of("Round 1", [opened, rain])
    for query, first in (("Bob opens the safe, too.", "Rain falls."), ("More rain falls.", "Ann opens the safe.")):
        question = Question(
            path="p",
            agent=None,
            language="en",
            form=None,
            system=ChatMessage("system", "S"),
            profile=(),
            record=[section, Section.of("Round 1", [])],
            recalled=(),
            clock=1,
            query=[query],
            model=None,
            task="T",
            settings=EVEN,
        )
        assert question.request().without(1).dropped == (first,)


def test_a_question_asked_again_can_be_put_with_less_too():
    request = LONG[0]
    error = ReplyError("no JSON", reply="?")
    again = request.again(error)
    assert again.droppable == request.droppable + 1, "the reply that can't be read goes last"
    assert again.without(3) == request.without(3).again(error)


def test_only_lines_that_can_be_missed_count():
    first = STORY.requests[0]
    assert (first.path, first.droppable, first.dropped) == ("r0/ann/self-belief", 0, ())
    second = next(one for one in STORY.requests if one.path == "r1/ann/influence")
    assert second.droppable == 0, "the turn under way is never left out"
