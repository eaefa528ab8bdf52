"""Servers are started and stopped, and endpoints tried, while nobody has to wait for it."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotations.i18n.translation import speaking, translate
from characterbox.accounts.account import LOCAL, Account, Role
from characterbox.errors import EndpointError, NotAllowed
from characterbox.llm.calls.client import Client
from characterbox.llm.server import Launch, Server
from characterbox.llm.vllm.servers import Servers
from characterbox.stage.jobs.jobs import Jobs
from characterbox.stage.jobs.vllm_jobs import Starter, Trial
from characterbox.store import Store
from tests.fakes.in_process_servers import ToNearby, nearby_mock

SERVER = Server(
    url="http://127.0.0.1:18999/v1", name="Here", kind="started", launch=Launch(model="no/such", port=18999)
)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def test_a_start_that_takes_long_holds_nobody_up_and_is_done_once(tmp_path: Path) -> None:
    asked, go_on = [], threading.Event()

    def find_vllm() -> tuple[str, ...]:
        asked.append(1)
        assert go_on.wait(10)
        raise EndpointError("there is no vLLM here")

    noted: list[tuple[str, str]] = []

    def note(actor: Account, action: str, server: Server) -> None:
        noted.append((actor.name, action))

    starter = Starter(Servers(tmp_path, find_vllm))
    assert starter.errand(SERVER.url) is None
    starter.start(LOCAL, SERVER, note)
    starter.start(LOCAL, SERVER, note)
    starter.stop(LOCAL, SERVER, note)
    errand = starter.errand(SERVER.url)
    assert errand is not None
    assert (errand.verb, errand.under_way, errand.fault) == ("start", True, None)
    go_on.set()
    starter.close()
    assert not errand.under_way
    assert str(errand.fault) == "there is no vLLM here"
    assert asked == [1]
    assert noted == [(LOCAL.name, "server.started")], "what was not done is not told"


@pytest.mark.parametrize("role", ["researcher", "expert", "viewer"])
def test_only_admins_start_and_stop_servers(tmp_path: Path, role: Role) -> None:
    starter = Starter(Servers(tmp_path, lambda: pytest.fail("it was to be started")))
    for act in starter.start, starter.stop:
        with pytest.raises(NotAllowed, match="ask an admin to do it"):
            act(Account(id="0123456789ab", name="Ann", role=role), SERVER, lambda *_: pytest.fail("it was told"))
    starter.close()
    assert starter.errand(SERVER.url) is None


def test_who_may_not_direct_tries_no_server() -> None:
    with pytest.raises(NotAllowed):
        Trial.by(Account(id="0123456789ab", name="Vi", role="viewer"), SERVER.url, None)


def test_a_trial_takes_the_first_model_that_is_offered(store: Store, loop: asyncio.AbstractEventLoop) -> None:
    with nearby_mock(models=("first", "second")) as server:
        client = Client(transport=ToNearby())
        jobs = Jobs(store, client, loop)
        assert jobs.last(Trial, server.url) is None
        trial = jobs.start(Trial.by(LOCAL, server.url, None))
        found = trial.future.result(timeout=120)
        assert (found.endpoint.model, found.models) == ("first", ("first", "second"))
        asyncio.run_coroutine_threadsafe(client.close(), loop).result(timeout=120)


def test_a_trial_under_way_is_not_started_again_and_can_be_stopped(
    store: Store, loop: asyncio.AbstractEventLoop
) -> None:
    with nearby_mock(latency=5.0) as server:
        client = Client(transport=ToNearby())
        jobs = Jobs(store, client, loop)
        trial = jobs.start(Trial.by(LOCAL, server.url, "m"))
        assert jobs.start(Trial.by(LOCAL, server.url, "n")) is trial
        jobs.forget(Trial, server.url)
        assert trial.future.cancelled()
        assert jobs.last(Trial, server.url) is None
        asyncio.run_coroutine_threadsafe(client.close(), loop).result(timeout=120)


def test_a_trial_where_nothing_is_offered_says_what_to_do(store: Store, loop: asyncio.AbstractEventLoop) -> None:
    with nearby_mock(models=()) as server:
        client = Client(transport=ToNearby())
        jobs = Jobs(store, client, loop)
        trial = jobs.start(Trial.by(LOCAL, server.url, None))
        with pytest.raises(EndpointError, match="enter a model name in its list") as refused:
            trial.future.result(timeout=120)
        with speaking("zh"):
            assert translate(refused.value) == "该服务器未提供任何模型；请在其模型列表中填写一个模型名称"
        asyncio.run_coroutine_threadsafe(client.close(), loop).result(timeout=120)
