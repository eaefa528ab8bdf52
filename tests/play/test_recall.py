"""Nothing that was perceived is lost: it is in the record, or can be recalled, and never both."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.play.events import Action, ActionInfluence, Dialogue, InteractionResult, Reaction
from characterbox.play.perception import perceives
from characterbox.play.questions import Character
from characterbox.play.settings import MemorySettings, Settings
from characterbox.play.world import Chronicle
from tests.play.histories import NAMES, SCENE, beliefs, mark, turns

HAPPENS = Action | Dialogue | ActionInfluence | Reaction | InteractionResult
BUDGETS = st.sampled_from([0, 20, 60, 1000])


def rounds_of(history):
    """The turns by round, with the beliefs before the first and after each."""
    yield [beliefs(0)]
    for round in range(1, history[-1][0].round + 1):
        yield [*(events for events in history if events[0].round == round), beliefs(round)]


def asked_along(name, history, memory, often=True):
    """What a character is asked along a story: as each turn begins and as it ends, or once a round; and the passages
    that there were by then."""
    character = Character(SCENE, name, Settings(memory=memory))
    now = Chronicle.opening(SCENE)
    for number, passages in enumerate(rounds_of(history)):
        for at, events in enumerate(passages):
            now = now.turn(number) if events[0].turn else now.beliefs(number)
            if often or not at:
                yield character.request("-", "self_belief", now), now.passages
            for event in events:
                now = now.after(event)
        if often:
            yield character.request("-", "self_belief", now), now.passages


def perceived(name, passages):
    """The marks of all that happened and that the character perceived, with the round of each."""
    for passage in passages:
        for event in passage.events:
            if isinstance(event, HAPPENS) and perceives(name, event, passage.now):
                yield mark(event.path, "text"), passage.round


def parts(request):
    """What is recalled, and the record."""
    content = request.messages[1].content
    found = re.search(r"<recalled>\n(.*?)\n</recalled>", content, re.DOTALL)
    return "" if found is None else found[1], content.partition("<record>")[2]


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.sampled_from(NAMES), BUDGETS, st.booleans())
def test_each_thing_perceived_is_in_the_record_or_can_be_recalled(history, name, budget, often):
    memory = MemorySettings(record_tokens=budget, recalled=1000)
    for request, passages in asked_along(name, history, memory, often):
        recalled, record = parts(request)
        for text, round in perceived(name, passages):
            assert recalled.count(text) + record.count(text) == 1
            assert text in record or round < passages[-1].round, "the present round is never recalled"


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.sampled_from(NAMES), BUDGETS, st.integers(0, 6))
def test_what_is_recalled_was_perceived_and_is_no_more_than_the_settings_say(history, name, budget, count):
    memory = MemorySettings(record_tokens=budget, recalled=count)
    for request, passages in asked_along(name, history, memory):
        recalled, record = parts(request)
        lines = [line for line in recalled.splitlines() if line.startswith("- ")]
        known = {text for text, _ in perceived(name, passages)}
        told = set(re.findall(r"\[\d+\]", recalled))
        assert len(lines) <= count
        assert not told & set(re.findall(r"\[\d+\]", record))
        felt = {
            mark(event.path, "felt")
            for passage in passages
            for event in passage.events
            if isinstance(event, InteractionResult) and event.affected == name
        }
        assert told <= known | felt


@pytest.mark.slow
@settings(deadline=None)
@given(turns(), st.sampled_from(NAMES), BUDGETS)
def test_within_a_round_what_was_told_stays_and_more_is_added_at_the_end(history, name, budget):
    before = None
    for request, passages in asked_along(name, history, MemorySettings(record_tokens=budget)):
        round, content = passages[-1].round, request.messages[1].content.partition("\n</record>")[0]
        assert request.messages[0] == (request if before is None else before[2]).messages[0]
        if before is not None and before[0] == round:
            assert content.startswith(before[1])
        before = round, content, request
