"""How answers stand: their scores with all that these rest on, and differences between conditions."""

import asyncio

import pytest

from annotations.errors import Undefined
from annotations.resampling.estimates import Estimate
from characterbox.errors import StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Endpoint
from characterbox.rolebench.answers.experiments import begun, conditions_of, run_all, wishes_of
from characterbox.rolebench.answers.standings import MEAN, above, scored
from characterbox.rolebench.profiles.role_making import RoleMaking
from characterbox.rolebench.running import Generated, begin, look
from tests.rolebench.answers.asked import TAM, a_benchmark, wish


@pytest.fixture
def ids(store, tmp_path):
    """An experiment on zsp, fsp and fsd that the rehearsal has answered."""
    of = wish(a_benchmark(tmp_path / "river"), "http://h/v1")
    common = {"roles": of.roles, "questions": of.questions, "language": "en"}
    conditions = conditions_of("strategy", {"it": Endpoint.parse(REHEARSAL)})
    ids = begun(store, wishes_of("strategy", conditions, common))

    async def run():
        client = Client()
        try:
            assert await run_all(store, client, ids) == []
        finally:
            await client.close()

    asyncio.run(run())
    return ids


def test_a_standing_tells_what_its_scores_rest_on(store, ids):
    standing, scores = scored(look(store, ids["fsd"]))
    assert (standing.model, standing.strategy, standing.benchmark) == ("rehearsal", "fsd", "river")
    assert (standing.given, standing.asked, standing.unread, standing.cut_off) == (6, 6, 0, 0)
    assert standing.improvised
    assert standing.trial.conditions == ("zsp", "fsp", "fsd")
    assert standing.references == {"cus": "best of 5", "raw": "best of 1", "spe": "best of 1"}
    assert standing.tokenizer == scores.parts["raw"].tokenizer
    assert standing.rouge == {**{part: scores.parts[part].mean for part in ("cus", "raw", "spe")}, MEAN: scores.mean}


def test_differences_are_those_of_the_means_where_all_have_answered(store, ids):
    (one, first), (two, second) = (scored(look(store, ids[name])) for name in ("zsp", "fsd"))
    found = above(first, second)
    assert [*found] == ["cus", "raw", "spe", MEAN]
    for part, gap in found.items():
        assert gap.estimate == pytest.approx(two.rouge[part].estimate - one.rouge[part].estimate)


def test_what_has_no_answers_yet_has_no_figures(store, tmp_path):
    asked = wish(a_benchmark(tmp_path / "river"), "http://h/v1")
    standing, scores = scored(look(store, begin(store, asked)))
    assert (standing.given, standing.asked, standing.tokenizer, standing.references) == (0, 6, None, {})
    assert [standing.rouge[part] for part in ("cus", "raw", "spe")] == [None] * 3
    assert isinstance(standing.rouge[MEAN], Undefined)
    assert all(isinstance(gap, Undefined) and not isinstance(gap, Estimate) for gap in above(scores, scores).values())


def test_a_generation_of_another_kind_has_no_scores():
    making = RoleMaking(language="en", model=Endpoint.parse(REHEARSAL), role=TAM)
    other = Generated("a1", making, "ended", None, {}, (), (), (), 0)
    with pytest.raises(StoryError, match="generation a1: it is of another kind"):
        scored(other)
