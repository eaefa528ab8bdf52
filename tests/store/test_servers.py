"""Registered servers are kept, one for each address, and changes show at once, or soon."""

import time

import pytest
from sqlalchemy import event, text

from characterbox.errors import StoreError
from characterbox.llm.server import Launch, Server
from characterbox.store import Store, servers

GPU = Server(url="http://127.0.0.1:8000/v1", name="b GPU", kind="vllm", models=("qwen", "holmes"), context=8192)
OURS = Server(
    url="http://127.0.0.1:8100/v1",
    name="a ours",
    kind="started",
    launch=Launch(model="/models/tiny", port=8100, adapters={"holmes": "/models/holmes"}, flags=("--enforce-eager",)),
)


def test_servers_come_back_by_name_and_by_address(store):
    assert store.servers.all() == []
    assert store.servers.find(GPU.url) is None
    store.servers.save(GPU)
    store.servers.save(OURS)
    assert store.servers.all() == [OURS, GPU]
    assert store.servers.find(OURS.url) == OURS


def test_a_server_is_changed_and_removed_by_its_address(store):
    store.servers.save(GPU)
    slower = GPU.model_copy(update={"parallel": 2, "name": "slower"})
    store.servers.save(slower)
    assert store.servers.all() == [slower]
    store.servers.remove(GPU.url)
    store.servers.remove(GPU.url)
    assert store.servers.all() == []


def test_servers_outlast_the_process(url):
    for expected in ([], [GPU]):
        store = Store(url)
        assert store.servers.all() == expected
        store.servers.save(GPU)
        store.close()


def test_what_another_process_changes_shows_soon(url, store, monkeypatch):
    monkeypatch.setattr(servers, "_FRESH", 0.05)
    other = Store(url)
    assert store.servers.find(GPU.url) is None
    other.servers.save(GPU)
    end = time.monotonic() + 10
    while store.servers.find(GPU.url) is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    other.close()


def test_asking_again_at_once_reads_nothing(store):
    queries = []
    event.listen(store._engine, "before_cursor_execute", lambda *given: queries.append(given[2]))
    store.servers.save(GPU)
    queries.clear()
    assert [store.servers.find(GPU.url) for _ in range(5)] == [GPU] * 5
    assert len([query for query in queries if "server" in query]) == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_list_that_is_given_is_the_callers_own(store):
    store.servers.save(GPU)
    store.servers.all().clear()
    assert store.servers.all() == [GPU]


def test_a_row_that_can_not_be_read_is_told_and_leaves_the_others_alone(url, store):
    store.servers.save(GPU)
    store.servers.save(OURS)
    with store._engine.begin() as connection:
        connection.execute(text("UPDATE server SET content = '{\"name\": 5}' WHERE url = :url"), {"url": OURS.url})
    later = Store(url)
    assert later.servers.all() == [GPU]
    assert later.servers.find(GPU.url) == GPU
    with pytest.raises(StoreError, match=rf"{OURS.url}.*url: Field required.*add it anew"):
        later.servers.find(OURS.url)
    assert later.servers.find("http://nobody/v1") is None
    later.servers.remove(OURS.url)
    assert later.servers.find(OURS.url) is None
    later.servers.save(OURS)
    assert later.servers.find(OURS.url) == OURS
    later.close()
