"""Registered servers are kept, one for each address, and changes show at once, or soon."""

import time

import pytest
from sqlalchemy import text

from characterbox.accounts.account import LOCAL, Account
from characterbox.errors import NotAllowed, StoreError
from characterbox.llm.server import Launch, Server
from characterbox.store import Store
from characterbox.store.engine import open_engine
from characterbox.store.servers import ServerStore
from characterbox.store.writer import Writer
from tests.fakes.databases import connection_to, listening

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
    store.servers.save(LOCAL, GPU)
    store.servers.save(LOCAL, OURS)
    assert store.servers.all() == [OURS, GPU]
    assert store.servers.find(OURS.url) == OURS


def test_a_server_is_changed_and_removed_by_its_address(store):
    store.servers.save(LOCAL, GPU)
    slower = GPU.model_copy(update={"parallel": 2, "name": "slower"})
    store.servers.save(LOCAL, slower)
    assert store.servers.all() == [slower]
    store.servers.remove(LOCAL, GPU.url)
    store.servers.remove(LOCAL, GPU.url)
    assert store.servers.all() == []


@pytest.mark.parametrize("role", ["researcher", "expert", "viewer"])
def test_only_admins_save_and_remove_servers(store, role):
    store.servers.save(LOCAL, GPU)
    ann = Account(id="0123456789ab", name="Ann", role=role)
    with pytest.raises(NotAllowed, match="ask an admin to do it"):
        store.servers.save(ann, OURS)
    with pytest.raises(NotAllowed, match="ask an admin to do it"):
        store.servers.remove(ann, GPU.url)
    assert store.servers.all() == [GPU]


def test_each_change_is_in_the_log(store):
    store.servers.save(LOCAL, OURS)
    store.servers.note(LOCAL, "server.started", OURS)
    store.servers.remove(LOCAL, OURS.url)
    store.servers.remove(LOCAL, OURS.url)
    removed, started, saved = store.audit.read(9)
    assert [one.action for one in (saved, started, removed)] == ["server.saved", "server.started", "server.removed"]
    assert {one.subject for one in (saved, started, removed)} == {OURS.url}
    assert {one.actor_name for one in (saved, started, removed)} == {LOCAL.name}
    assert saved.detail["launch"]["flags"] == ["--enforce-eager"]
    assert saved.detail["key"] is None


def test_that_a_private_address_was_allowed_is_in_the_log(store):
    for allowed in (True, False):
        store.servers.save(LOCAL, GPU.model_copy(update={"private": allowed}))
    assert [entry.detail["private"] for entry in store.audit.read(2)] == [False, True]


def test_servers_outlast_the_process(url):
    for expected in ([], [GPU]):
        store = Store(url)
        assert store.servers.all() == expected
        store.servers.save(LOCAL, GPU)
        store.close()


@pytest.fixture
def beside(url):
    """The servers of the database as another process has them that believes what it has read for a moment only."""
    engine = open_engine(url)
    writer = Writer(engine)
    yield ServerStore(engine, writer, fresh=0.05)
    writer.close()
    engine.dispose()


def test_what_another_process_changes_shows_soon(store, beside):
    assert beside.find(GPU.url) is None
    store.servers.save(LOCAL, GPU)
    end = time.monotonic() + 10
    while beside.find(GPU.url) is None:
        assert time.monotonic() < end


def test_asking_again_at_once_reads_nothing(url, store):
    store.servers.save(LOCAL, GPU)
    with listening(url) as statements:
        assert [store.servers.find(GPU.url) for _ in range(5)] == [GPU] * 5
    assert len([statement for statement in statements if "server" in statement]) == 1


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_the_list_that_is_given_is_the_callers_own(store):
    store.servers.save(LOCAL, GPU)
    store.servers.all().clear()
    assert store.servers.all() == [GPU]


def test_a_row_that_can_not_be_read_is_told_and_leaves_the_others_alone(url, store):
    store.servers.save(LOCAL, GPU)
    store.servers.save(LOCAL, OURS)
    with connection_to(url) as connection:
        connection.execute(text("UPDATE server SET content = '{\"name\": 5}' WHERE url = :url"), {"url": OURS.url})
    later = Store(url)
    assert later.servers.all() == [GPU]
    assert later.servers.find(GPU.url) == GPU
    with pytest.raises(StoreError, match=rf"{OURS.url}.*url: Field required.*add it again"):
        later.servers.find(OURS.url)
    assert later.servers.find("http://nobody/v1") is None
    later.servers.remove(LOCAL, OURS.url)
    assert later.servers.find(OURS.url) is None
    later.servers.save(LOCAL, OURS)
    assert later.servers.find(OURS.url) == OURS
    later.close()


LAB = Server(url="https://Lab.example.org:443/v1", name="Lab", kind="api", key="LAB_API_KEY")
PLACE = "https://lab.example.org"


def test_a_key_is_bound_where_an_admin_enters_it_and_nowhere_else(store):
    assert not store.servers.is_bound(PLACE, "LAB_API_KEY")
    store.servers.save(LOCAL, LAB)
    store.servers.save(LOCAL, LAB.model_copy(update={"parallel": 2}))
    assert store.servers.is_bound(PLACE, "LAB_API_KEY")
    assert not store.servers.is_bound(PLACE, "OTHER_API_KEY")
    assert not store.servers.is_bound("https://lab.example.org:8443", "LAB_API_KEY")
    assert not store.servers.is_bound("http://lab.example.org", "LAB_API_KEY")
    bound = [entry for entry in store.audit.read(9) if entry.action == "key.bound"]
    assert [(entry.subject, entry.detail, entry.actor_name) for entry in bound] == [
        (PLACE, {"key": "LAB_API_KEY"}, LOCAL.name)
    ]


def test_a_key_that_no_server_names_any_more_is_bound_no_more(store):
    beside = LAB.model_copy(update={"url": f"{PLACE}/other", "name": "Beside"})
    for server in LAB, beside:
        store.servers.save(LOCAL, server)
    store.servers.remove(LOCAL, beside.url)
    assert store.servers.is_bound(PLACE, "LAB_API_KEY")
    store.servers.save(LOCAL, LAB.model_copy(update={"key": None}))
    assert not store.servers.is_bound(PLACE, "LAB_API_KEY")


@pytest.mark.parametrize(
    "address", ["http://10.0.0.5:8000/v1", "http://lab.example.org/v1", "http://127.0.0.1.example.org/v1"]
)
def test_a_key_is_not_saved_for_a_place_to_which_it_would_go_unencrypted(store, address):
    with pytest.raises(StoreError, match="would be sent unencrypted"):
        store.servers.save(LOCAL, LAB.model_copy(update={"url": address}))
    assert store.servers.all() == []
    store.servers.save(LOCAL, LAB.model_copy(update={"url": "http://127.0.0.1:9/v1"}))
    assert store.servers.is_bound("http://127.0.0.1:9", "LAB_API_KEY")
