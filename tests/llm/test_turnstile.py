"""Who comes together goes through one after the other."""

import asyncio

from characterbox.llm.turnstile import Turnstile

STEPS = 5


async def test_what_the_first_sets_off_is_done_before_the_last_comes():
    turnstile, steps = Turnstile(), []

    async def story(number):
        await turnstile.enter()
        for _ in range(STEPS):
            steps.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(story(number) for number in range(50)))
    assert [number for number in steps if number in (0, 49)] == [0] * STEPS + [49] * STEPS
    first_steps = list(dict.fromkeys(steps))
    assert first_steps == list(range(50))
    under_way = max(len(set(steps[at : at + 2 * STEPS])) for at in range(len(steps)))
    assert under_way <= 2 * STEPS


async def test_who_goes_away_holds_nobody_up():
    turnstile, passed = Turnstile(), []

    async def story(number):
        await turnstile.enter()
        passed.append(number)

    tasks = [asyncio.ensure_future(story(number)) for number in range(4)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[2].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await story(4)
    assert passed == [1, 3, 4]
