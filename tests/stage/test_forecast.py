"""What a story will take: near what it takes, and nothing that is not known."""

import pytest

from annotations.i18n.translation import speaking, translate
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.pause_reasons import in_full
from characterbox.play.world import Script
from characterbox.scenes.library import bundled, bundled_scene
from characterbox.stage.forecast import REHEARSED, forecast
from characterbox.stage.stage import Stage
from characterbox.store.stories.call_costs import Usual
from tests.fakes.databases import store_in
from tests.fakes.in_process_servers import ToNearby, nearby_mock
from tests.fakes.scenes import a_scene
from tests.fakes.stories import casting_at
from tests.stage.test_stage import at_rest

GPT, QWEN = Endpoint(url="http://a/v1", model="gpt"), Endpoint(url="http://b/v1", model="qwen")
SCENE = bundled_scene("treasure-watch")
JIM = SCENE.names[0]


def expected(scene=SCENE, rounds=3, casting=None, people=(), usual=None, price=lambda *_: 0.0):
    casting = casting or casting_at(GPT, scene)
    found = {GPT: Usual(2.0, 100.0)} if usual is None else usual
    return forecast(Script(scene=scene, rounds=rounds), casting, people, usual=found.get, price=price)


@pytest.mark.slow
@pytest.mark.parametrize("scene", bundled(), ids=lambda scene: scene.id)
def test_calls_lie_between_turns_that_touch_nobody_and_turns_that_all_touch(scene):
    turns, beliefs = 3 * len(scene.cast), 4 * 2 * len(scene.cast)
    assert 3 * turns + beliefs <= expected(scene).calls <= 5 * turns + beliefs


def test_more_rounds_take_more_each_as_much_as_the_last_that_was_rehearsed():
    by_rounds = [expected(rounds=rounds) for rounds in (REHEARSED - 1, REHEARSED, REHEARSED + 1, REHEARSED + 5)]
    calls = [one.calls for one in by_rounds]
    tokens = [one.prompt_tokens for one in by_rounds]
    assert calls[2] - calls[1] == calls[1] - calls[0] == (calls[3] - calls[2]) / 4
    assert tokens[2] - tokens[1] == tokens[1] - tokens[0]


def test_each_endpoint_has_its_own_price_and_time():
    casting = Casting(narrator=QWEN, characters=dict.fromkeys(SCENE.names, GPT))
    prices = {GPT: 1.0, QWEN: 100.0}
    one = expected(casting=casting, usual={GPT: Usual(1.0, 50.0), QWEN: Usual(0.0, 10.0)},
                   price=lambda endpoint, prompt, reply: prices[endpoint] * (reply > 0))  # fmt: skip
    assert one.price == 101.0
    all_slow = expected(casting=casting, usual={GPT: Usual(1.0, 50.0), QWEN: Usual(1.0, 10.0)})
    assert 0 < one.seconds < all_slow.seconds


def test_a_price_that_is_not_known_makes_no_sum():
    assert expected(price=lambda *_: None).price is None


def test_a_model_that_has_never_played_has_no_time():
    assert expected(usual={}).seconds is None
    assert expected(usual={}).completion_tokens > 0


def test_people_are_no_calls_and_have_no_time():
    with_jim = expected(people=[JIM])
    assert with_jim.seconds is None
    assert with_jim.by_people > 0
    assert with_jim.calls + with_jim.by_people == expected().calls


@pytest.fixture
def stage(tmp_path):
    stage = Stage(store_in(tmp_path / "stage.db"), Client())
    yield stage
    stage.close()


@pytest.fixture
def near(tmp_path):
    stage = Stage(store_in(tmp_path / "stage.db"), Client(transport=ToNearby()))
    yield stage
    stage.close()


def test_endpoints_that_are_there_are_not_missing(near):
    with nearby_mock() as server:
        scene = a_scene()
        assert near.missing(casting_at(Endpoint.parse("rehearsal"), scene)) == []
        assert near.missing(casting_at(Endpoint(url=server.url, model="m"), scene)) == []


def test_a_model_that_is_not_offered_is_told_with_those_that_are(near):
    with nearby_mock() as server:
        [told] = near.missing(casting_at(Endpoint(url=server.url, model="gpt-9"), a_scene()))
    with in_full():
        assert translate(told) == f"endpoint {server.url}: the server does not offer gpt-9; it offers m, n"
    assert (
        translate(told)
        == f"endpoint {server.url}: the server does not offer gpt-9; it offers other models, visible to admins only"
    )
    with speaking("zh"):
        assert translate(told) == f"模型接口 {server.url}：该服务器不提供 gpt-9；提供的模型：其他模型（仅管理员可见）"


def test_what_a_server_offers_is_told_up_to_a_bound(near):
    with nearby_mock(models=["n" * 5000] * 9) as server:
        [told] = near.missing(casting_at(Endpoint(url=server.url, model="gpt-9"), a_scene()))
    with in_full():
        assert len(translate(told)) < 400


def test_an_endpoint_that_is_not_there_is_told_with_its_address(stage):
    [told] = stage.missing(casting_at(Endpoint(url="http://127.0.0.1:9/v1", model="m"), a_scene()))
    assert "http://127.0.0.1:9/v1" in str(told)


@pytest.mark.process
def test_it_is_near_to_what_a_story_takes(stage):
    script, casting = Script(scene=SCENE, rounds=2), casting_at(Endpoint.parse("rehearsal"), SCENE)
    before = stage.forecast(script, casting)
    assert before.seconds == 0, "what the rehearsal takes is known before it has given a reply"
    story = stage.launch(script, casting)
    at_rest(stage, story)
    took = stage.store.stories.costs(story.id).replies
    assert before.calls == pytest.approx(took.calls, rel=0.15)
    assert before.price == 0.0
    assert stage.forecast(script, casting).seconds is not None
