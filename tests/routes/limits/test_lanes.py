"""What one account has of the app, and after one another."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from characterbox.routes.limits.fair_share import Budget
from tests.fakes.virtual_time import in_no_time

AT_ONCE, A_SECOND = 5.0, 2.0


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0.01, 4)), max_size=40))
def test_never_more_than_so_much_at_once_and_so_much_a_second(spent):
    async def spend() -> None:
        budget, loop = Budget(AT_ONCE, A_SECOND), asyncio.get_running_loop()
        passed: list[tuple[float, float]] = []

        async def one(after: float, much: float) -> None:
            await asyncio.sleep(after)
            await budget.wait(much)
            passed.append((loop.time(), much))

        await asyncio.gather(*(one(after, much) for after, much in spent))
        for place, (begin, _) in enumerate(passed):
            for end, _ in passed[place:]:
                much = sum(much for when, much in passed if begin <= when <= end)
                assert much <= AT_ONCE + (end - begin) * A_SECOND + 1e-6

    in_no_time(spend())


def test_what_is_given_back_can_be_spent_but_is_not_saved_up():
    async def spend() -> None:
        budget, loop = Budget(AT_ONCE, A_SECOND), asyncio.get_running_loop()
        await budget.wait(AT_ONCE)
        budget.spend(-AT_ONCE)
        await budget.wait(AT_ONCE)
        assert loop.time() == 0
        budget.spend(-1_000)
        await budget.wait(AT_ONCE)
        assert loop.time() == 0
        await budget.wait(1)
        assert loop.time() == 1 / A_SECOND

    in_no_time(spend())
