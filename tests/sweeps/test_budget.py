"""A client within a budget: what calls set aside, when they wait for others, and when nothing is left."""

import asyncio
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import ContextOverflow, EndpointError, Interlude
from characterbox.llm.asking import JournaledAsk
from characterbox.llm.calls.answers import Completion
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.journal import Record
from characterbox.llm.request import ChatMessage, Request
from characterbox.llm.usage import Price, Prices, Usage, estimate
from characterbox.pause_reasons import Reason
from characterbox.sweeps.budget import USUAL_REPLY, BudgetedClient
from tests.fakes.journal import MemoryJournal
from tests.fakes.virtual_time import in_no_time

FREE, CHEAP, DEAR, TRIED = (
    Endpoint.parse(f"http://127.0.0.1:9/v1#{model}") for model in ("free", "cheap", "dear", "tried")
)
PRICES = {
    "free": Price(input=0, output=0),
    "cheap": Price(input=0.15, output=0.6),
    "dear": Price(input=30.0, output=60.0),
}


def asking(letters, path="r1/ann/action"):
    """A request with so many letters."""
    return Request(path=path, agent="Ann", language="en", messages=(ChatMessage("user", "a" * letters),))


@dataclass
class Priced:
    """A client whose replies take their time, and so many tokens."""

    reply: int = 200
    told: bool = True
    fault: Exception | None = None
    prices: dict = field(default_factory=lambda: dict(PRICES))
    calls: Counter = field(default_factory=Counter)
    under_way: int = 0
    most: int = 0

    def price(self, endpoint, prompt_tokens, completion_tokens):
        return Prices(self.prices).price(endpoint.model, prompt_tokens, None, completion_tokens)

    def prompt_room(self, endpoint):
        return None

    async def complete(self, endpoint, request, *, seed, on_token=None, urgent=None):
        self.calls[endpoint] += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await asyncio.sleep(1 + self.calls[endpoint] % 3)
        finally:
            self.under_way -= 1
        if self.fault is not None:
            raise self.fault
        counts = (estimate(request.messages), self.reply) if self.told else (None, None)
        price = self.price(endpoint, *counts)
        usage = Usage(1, latency=1.0, prompt_tokens=counts[0], completion_tokens=counts[1], price=price)
        return Completion("So be it.", "stop", usage)


async def asked(budgeted, endpoint, request, journal=None):
    """Ask as stories and judges do."""
    record = Record({}, lambda _: endpoint, 1)
    return await JournaledAsk(journal or MemoryJournal(), record, budgeted, budgeted)(request)


async def rests_at_last(budgeted, endpoint, request, times):
    """Ask one after another; whether it had to rest before the end."""
    try:
        for number in range(times):
            await asked(budgeted, endpoint, asking(request, f"r{number + 1}/ann/action"))
    except Interlude:
        return True
    return False


async def may_leave(budgeted, client, price):
    """Whether a call of this price may leave now, without waiting for others to come back."""
    client.prices[TRIED.model] = Price(input=0, output=price * 1e6 / USUAL_REPLY)
    try:
        async with asyncio.timeout(0.01), budgeted.admitted(asking(1), TRIED):
            return True
    except TimeoutError:
        return False


async def all_that_is_left_may_leave(budgeted, client, budget):
    """Whether nothing of what is not spent is set aside."""
    return await may_leave(budgeted, client, (budget - budgeted.spent) * (1 - 1e-9))


def test_many_stories_at_a_free_endpoint_and_a_dear_judge_do_not_rest_while_the_budget_suffices():
    client = Priced()
    price = client.price(DEAR, estimate(asking(6400).messages), 200)
    budget = 64 * price + 1e-9
    budgeted = BudgetedClient(client, budget)

    async def story():
        return await rests_at_last(budgeted, FREE, 6400, 5) or await rests_at_last(budgeted, DEAR, 6400, 1)

    async def run():
        return await asyncio.gather(*(story() for _ in range(64)))

    assert not any(in_no_time(run()))
    assert budgeted.reason is None
    assert budgeted.spent == pytest.approx(64 * price)
    assert client.most == 64


def test_cheap_calls_do_not_make_dear_ones_look_cheap():
    client = Priced()
    budgeted = BudgetedClient(client, 1.0)
    dear = client.price(DEAR, estimate(asking(6400).messages), 200)

    async def run():
        await rests_at_last(budgeted, CHEAP, 6400, 3)
        return await asyncio.gather(
            *(rests_at_last(budgeted, DEAR if number % 2 else CHEAP, 6400, 20) for number in range(64))
        )

    assert any(in_no_time(run()))
    assert budgeted.reason == Reason("spent")
    assert 1.0 - dear < budgeted.spent <= 1.0


def test_what_a_call_has_cost_is_set_aside_for_those_behind_it():
    client = Priced(reply=4000)
    budgeted = BudgetedClient(client, 2.0)
    dear = client.price(DEAR, estimate(asking(3200).messages), 4000)

    async def run():
        await asked(budgeted, DEAR, asking(3200))
        return await asyncio.gather(*(rests_at_last(budgeted, DEAR, 3200, 5) for _ in range(64)))

    assert all(in_no_time(run()))
    assert 2.0 - dear < budgeted.spent <= 2.0


def test_a_model_that_thinks_long_is_tried_with_one_call_before_others_leave():
    client = Priced(reply=4000)
    budgeted = BudgetedClient(client, 1.0)
    dear = client.price(DEAR, estimate(asking(3200).messages), 4000)

    async def run():
        return await asyncio.gather(*(rests_at_last(budgeted, DEAR, 3200, 5) for _ in range(64)))

    assert all(in_no_time(run()))
    assert 1.0 - dear < budgeted.spent <= 1.0
    assert budgeted.reason == Reason("spent")


def test_a_first_call_that_fails_is_followed_by_one_more_and_holds_up_no_other_model():
    class Broken(Priced):
        async def complete(self, endpoint, request, **options):
            if endpoint != DEAR:
                return await super().complete(endpoint, request, **options)
            self.calls[DEAR] += 1
            await asyncio.sleep(3600)
            raise EndpointError("out of order")

    client = Broken()
    budgeted = BudgetedClient(client, 5.0)

    async def run():
        dear = [asyncio.ensure_future(asked(budgeted, DEAR, asking(320))) for _ in range(3)]
        await rests_at_last(budgeted, CHEAP, 320, 20)
        waiting = [call.done() for call in dear]
        outcomes = await asyncio.gather(*dear, return_exceptions=True)
        return waiting, outcomes, await all_that_is_left_may_leave(budgeted, client, 5.0)

    waiting, outcomes, nothing_aside = in_no_time(run())
    assert waiting == [False, False, False]
    assert nothing_aside
    assert (client.calls[CHEAP], client.calls[DEAR]) == (20, 3)
    assert all(isinstance(outcome, EndpointError) for outcome in outcomes)


def test_a_long_prompt_sets_more_aside_than_a_short_one():
    client = Priced()
    budgeted = BudgetedClient(client, 10.0)

    async def left_beside(letters, price):
        async with budgeted.admitted(asking(letters), DEAR):
            return [await may_leave(budgeted, client, 10.0 - price + more) for more in (-1e-6, 1e-6)]

    async def run():
        short = await left_beside(320, 0.03 * (100 + 8) / 1000 + 0.012)
        return short, await left_beside(32_000, 0.03 * (10_000 + 8) / 1000 + 0.012)

    assert in_no_time(run()) == ([True, False], [True, False])


def test_those_that_wait_go_on_when_others_come_back_cheaper():
    client = Priced(reply=1)
    one = client.price(DEAR, estimate(asking(320).messages), 200)
    budgeted = BudgetedClient(client, 2.5 * one)

    async def run():
        return await asyncio.gather(*(rests_at_last(budgeted, DEAR, 320, 1) for _ in range(6)))

    assert not any(in_no_time(run()))
    assert (client.calls[DEAR], client.most) == (6, 2)
    assert budgeted.reason is None


def test_all_that_wait_rest_once_it_is_spent_and_nothing_is_marked_for_them():
    client, journal = Priced(), MemoryJournal()
    one = client.price(DEAR, estimate(asking(320).messages), 200)
    budgeted = BudgetedClient(client, 2.5 * one)

    async def run():
        calls = (asked(budgeted, DEAR, asking(320, f"r{number}/ann/action"), journal) for number in range(1, 9))
        return await asyncio.gather(*calls, return_exceptions=True)

    outcomes = in_no_time(run())
    assert outcomes[:2] == ["So be it.", "So be it."]
    assert all(isinstance(outcome, Interlude) for outcome in outcomes[2:])
    assert len(journal.marks) == 2
    assert budgeted.reason == Reason("spent")
    with pytest.raises(Interlude, match=r"^the budget is used up, before r1/ann/action$"):
        in_no_time(asked(budgeted, FREE, asking(10)))


def test_a_sweep_that_is_put_aside_waits_for_nothing():
    client = Priced()
    budgeted = BudgetedClient(client, 1.5 * client.price(DEAR, estimate(asking(320).messages), 200))

    async def run():
        calls = [asyncio.ensure_future(asked(budgeted, DEAR, asking(320))) for _ in range(4)]
        await asyncio.sleep(0.5)
        budgeted.rest()
        await asyncio.sleep(0.1)
        return [call.done() for call in calls], await asyncio.gather(*calls, return_exceptions=True)

    done, outcomes = in_no_time(run())
    assert done == [False, True, True, True], "the one under way comes to its end"
    assert outcomes[0] == "So be it."
    assert all(isinstance(outcome, Interlude) for outcome in outcomes[1:])
    assert budgeted.reason is None


def test_one_that_waits_can_be_cancelled_and_keeps_nobody_from_their_turn():
    client = Priced(reply=1)
    budget = 2.1 * client.price(DEAR, estimate(asking(320).messages), 200)
    budgeted = BudgetedClient(client, budget)

    async def run():
        calls = [asyncio.ensure_future(asked(budgeted, DEAR, asking(320))) for _ in range(5)]
        await asyncio.sleep(0.5)
        for waiting in calls[2:4]:
            waiting.cancel()
        outcomes = [type(outcome) for outcome in await asyncio.gather(*calls, return_exceptions=True)]
        return outcomes, await all_that_is_left_may_leave(budgeted, client, budget)

    outcomes, nothing_aside = in_no_time(run())
    assert outcomes == [str, str, asyncio.CancelledError, asyncio.CancelledError, str]
    assert nothing_aside
    assert budgeted.reason is None


@pytest.mark.parametrize(
    "fault", [EndpointError("out of order"), ContextOverflow("too long"), RuntimeError("nobody thought of it")]
)
def test_nothing_remains_set_aside_for_a_call_that_failed(fault):
    client = Priced(fault=fault)
    budgeted = BudgetedClient(client, 1.0)

    async def run():
        with pytest.raises(type(fault)):
            await asked(budgeted, DEAR, asking(320))
        return await all_that_is_left_may_leave(budgeted, client, 1.0)

    assert in_no_time(run())


@pytest.mark.parametrize("after", [0.5, 100])
def test_nothing_remains_set_aside_where_it_is_cancelled_or_nothing_can_be_kept(after):
    class Broken(MemoryJournal):
        async def asked(self, path, take):
            raise OSError("the disk is full")

        def answered(self, reply):
            raise OSError("the disk is full")

    class Half(Broken):
        asked = MemoryJournal.asked

    client = Priced()
    budgeted = BudgetedClient(client, 1.0)

    async def run():
        for journal in (Broken(), Half(), MemoryJournal()):
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(asked(budgeted, DEAR, asking(320), journal), after)
            assert await all_that_is_left_may_leave(budgeted, client, 1.0)

    in_no_time(run())


def test_without_a_budget_nothing_waits():
    client = Priced(told=False)
    budgeted = BudgetedClient(client, None)

    async def run():
        return await asyncio.gather(*(rests_at_last(budgeted, DEAR, 320, 2) for _ in range(64)))

    assert not any(in_no_time(run()))
    assert (client.most, budgeted.reason) == (64, None)


def test_where_it_is_not_known_what_calls_cost_no_more_leave():
    client = Priced(told=False)
    budgeted = BudgetedClient(client, 1.0)
    assert not in_no_time(rests_at_last(budgeted, FREE, 320, 2)), "what is free costs nothing, however many tokens"
    assert in_no_time(rests_at_last(budgeted, DEAR, 320, 2))
    assert (budgeted.reason, client.calls[DEAR]) == (Reason("untold", endpoint=DEAR), 1)
    client = Priced(prices={})
    budgeted = BudgetedClient(client, 1.0)
    assert in_no_time(rests_at_last(budgeted, DEAR, 320, 2))
    assert (budgeted.reason, client.calls[DEAR]) == (Reason("unpriced", endpoint=DEAR), 0)


CALLS = st.tuples(st.sampled_from([FREE, CHEAP, DEAR]), st.integers(1, 20_000))


@settings(deadline=None)
@given(
    stories=st.lists(st.lists(CALLS, max_size=5), max_size=12), budget=st.floats(0.001, 3.0), reply=st.integers(1, 2000)
)
def test_however_calls_come_the_budget_is_kept_and_all_come_to_an_end(stories, budget, reply):
    """`in_no_time` fails where anybody waits for ever."""
    client = Priced(reply=reply)
    budgeted = BudgetedClient(client, budget)

    async def story(calls):
        with suppress(Interlude):
            for endpoint, letters in calls:
                await asked(budgeted, endpoint, asking(letters))

    async def run():
        await asyncio.gather(*map(story, stories))
        if budgeted.reason is None and budgeted.spent < budget:
            assert await all_that_is_left_may_leave(budgeted, client, budget)

    in_no_time(run())
    longest = max((letters for calls in stories for _, letters in calls), default=0)
    usual, real = ({one: client.price(one, estimate(asking(longest).messages), tokens) for one in (CHEAP, DEAR)}
                   for tokens in (200, reply))  # fmt: skip
    assert budgeted.spent <= budget + sum(max(0, real[one] - usual[one]) for one in real), "but for first calls"
    if budgeted.reason is None:
        assert budgeted.calls == sum(map(len, stories))
    else:
        assert budgeted.spent + max(usual[DEAR], real[DEAR]) > budget
