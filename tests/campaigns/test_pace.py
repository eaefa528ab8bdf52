"""How long experts take for a trajectory, over all campaigns."""

from annotations.marking.marks import Skip, Submit, Time
from annotations.marking.pace import Pace
from characterbox.campaigns.pace import ExpertPace, expert_pace
from tests.fakes.campaigns import mark, rate, started
from tests.fakes.scenes import a_scene
from tests.fakes.spending import NARRATOR, REHEARSAL, launched


async def read(store, assignment, seconds):
    await mark(store, assignment, Time(reading=int(1000 * seconds), idle=2000))


async def test_there_is_none_without_a_time(store):
    assert expert_pace(store) is None
    story = launched(store, a_scene(), NARRATOR, NARRATOR)
    _, _, given = started(store, story, "Ann")
    await rate(store, given["Ann"][0], *[3] * 7)
    assert expert_pace(store) is None


async def test_it_is_that_of_what_was_submitted_in_whatever_campaign(store):
    one, other = launched(store, a_scene(), NARRATOR, NARRATOR), launched(store, a_scene(), REHEARSAL, NARRATOR)
    for story, times in ((one, (100, 200)), (other, (300, 400))):
        _, _, given = started(store, story, "Ann", "Ben")
        for assignment, seconds in zip(given["Ann"], times, strict=True):
            await read(store, assignment, seconds)
            await rate(store, assignment, *[3] * 7)
        first, second = given["Ben"]
        await read(store, first, 9000)
        await mark(store, second, Time(reading=9_000_000 // 2, idle=0))
        await mark(store, second, Submit())
        await mark(store, second, Skip(reason="unclear"))
    pace = Pace(median=250.0, low=175.0, high=325.0, n=4, left_out=0, idle=8.0)
    assert expert_pace(store) == ExpertPace(pace, improvised=2)
