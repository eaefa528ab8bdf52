"""Every fault at every kind of call: nothing crashes, nothing is made up, and all that went wrong can be seen."""

from collections import deque
from dataclasses import replace

import pytest

from bench import fault_checks, faults
from bench.fault_checks import Case
from bench.fault_free_outcome import undisturbed
from bench.faults import FAULTS, FIRST_SCRIPT, KINDS, SCRIPT, STREAMED, Trials, cases, cases_in_one, problems
from characterbox.llm.calls.client import Client
from characterbox.llm.server import Server
from characterbox.llm.usage import NO_USAGE
from tests.fakes.databases import store_in
from tests.fakes.mock_server import mock_server

pytestmark = pytest.mark.process

each_share = pytest.mark.parametrize("every", [19, pytest.param(1, marks=pytest.mark.soak)])
"""One case of so many is tried, and all of them in the soak."""


async def test_whatever_goes_wrong_at_any_call_is_seen_and_the_story_ends_well():
    assert await problems(list(cases_in_one())) == {}


@each_share
async def test_each_case_by_itself_comes_out_as_it_must(every):
    sample = list(cases())[::every]
    assert {(task, case.first) for case in sample for task in case.tasks} == set(KINDS)
    assert {case.fault for case in sample} == set(FAULTS)
    assert {(case.for_good, case.watched) for case in sample} == {(one, other) for one in (0, 1) for other in (0, 1)}
    assert await problems(sample) == {}


def test_the_cases_are_all_faults_at_all_kinds_of_calls():
    found = list(cases())
    assert len(found) == len(set(found)) == (len(KINDS) + len(STREAMED)) * len(FAULTS) * 2


@pytest.fixture
async def played(tmp_path):
    """Plays the story of a case, and gives what is seen of it."""
    store = store_in(tmp_path / "faults.db")
    client = Client(lambda url: Server(url=url, name="m", kind="api"), patience=faults.QUICK)

    async def play(case):
        with mock_server(
            faults_at={task: deque([case.fault] * (99 if case.for_good else 1)) for task in case.tasks}
        ) as server:
            trials = Trials(store, client, await undisturbed(SCRIPT), await undisturbed(FIRST_SCRIPT))
            story = await trials.well_played(server)
            return trials.seen(story), trials.undisturbed

    yield play
    await client.close()
    store.close()


def falsified(seen, path, **changes):
    """What would be seen if the events at a path were others."""
    events = [event.model_copy(update=changes) if event.path == path else event for event in seen.events]
    return replace(seen, events=events)


async def test_what_is_silent_is_found(played):
    once, for_good = Case(("result",), "500", False), Case(("result",), "empty", True)
    seen, undisturbed = await played(once)
    assert list(fault_checks.of_ended(once, seen, undisturbed)) == []
    assert all(
        list(fault_checks.of_ended(once, wrong, undisturbed))
        for wrong in (
            falsified(seen, "r1/ann/result", text="Nothing comes of it."),
            replace(seen, events=seen.events[:-1]),
            replace(seen, journal=[replace(reply, usage=NO_USAGE) for reply in seen.journal]),
            replace(seen, journal=[replace(reply, text="Nothing.") for reply in seen.journal]),
            replace(seen, story=seen.story.model_copy(update={"status": "failed"})),
            replace(seen, costs=replace(seen.costs, unanswered=1)),
        )
    )
    seen, undisturbed = await played(for_good)
    assert list(fault_checks.of_ended(for_good, seen, undisturbed)) == []
    assert all(
        list(fault_checks.of_ended(for_good, wrong, undisturbed))
        for wrong in (
            falsified(seen, "r1/ann/result", degraded=False, reason=None),
            falsified(seen, "r1/ann/result", reason=None),
            falsified(seen, "r1/ann/action", text="She waits."),
            replace(seen, costs=replace(seen.costs, degraded=0)),
            replace(seen, journal=[reply for reply in seen.journal if not reply.path.endswith("/again")]),
        )
    )
