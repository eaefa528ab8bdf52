"""Researchers propose servers; what an admin accepts is what was proposed, with all that holds of a server."""

import json

import pytest
from sqlalchemy import text

from characterbox.accounts.account import LOCAL
from characterbox.errors import NotAllowed, StoreError
from characterbox.llm.server import Launch, Server
from characterbox.store.servers import MOST_PROPOSALS
from tests.fakes.databases import connection_to

LAB = Server(url="https://Lab.example.org:443/v1", name="Lab", kind="api", models=("m",), key="LAB_API_KEY")
PLACE = "https://lab.example.org"
NOT_FOUND = "no longer exists"


@pytest.fixture
def ann(store):
    return store.accounts.add(LOCAL, "Ann", "researcher")


@pytest.fixture
def bea(store):
    return store.accounts.add(LOCAL, "Bea", "researcher")


@pytest.fixture
def root(store):
    return store.accounts.add(LOCAL, "Root", "admin")


def proposed(store, by, server=LAB):
    """The id under which a server is proposed."""
    before = {one.id for one in store.servers.proposals_of(by)}
    store.servers.propose(by, server)
    (new,) = {one.id for one in store.servers.proposals_of(by)} - before
    return new


def actions(store):
    """What was done to servers and keys: the action, who did it, and to what."""
    told = [(entry.action, entry.actor_name, entry.subject) for entry in reversed(store.audit.read(99))]
    return [one for one in told if one[0] != "account.add"]


def test_what_a_researcher_proposes_is_there_once_an_admin_accepts_it(store, ann, root):
    id = proposed(store, ann)
    (one,) = store.servers.proposals(root)
    assert (one.id, one.url, one.server) == (id, LAB.url, LAB)
    assert (one.proposed_by, one.proposed_by_name) == (ann.id, "Ann")
    assert store.servers.all() == []
    assert not store.servers.is_bound(PLACE, "LAB_API_KEY")
    store.servers.accept(root, id)
    assert store.servers.all() == [LAB]
    assert store.servers.is_bound(PLACE, "LAB_API_KEY")
    assert store.servers.proposals(root) == store.servers.proposals_of(ann) == []
    assert actions(store) == [
        ("server.proposed", "Ann", LAB.url),
        ("server.accepted", "Root", LAB.url),
        ("server.saved", "Root", LAB.url),
        ("key.bound", "Root", PLACE),
    ]
    assert [entry.detail["proposed_by"] for entry in store.audit.read(9) if entry.action == "server.accepted"] == [
        "Ann"
    ]


@pytest.mark.parametrize("role", ["viewer", "expert"])
def test_who_may_not_direct_proposes_nothing_and_sees_no_proposal(store, ann, root, role):
    vi = ann.model_copy(update={"role": role})
    id = proposed(store, ann)
    for act in (
        lambda: store.servers.propose(vi, LAB),
        lambda: store.servers.proposals_of(vi),
        lambda: store.servers.withdraw(vi, id),
    ):
        with pytest.raises(NotAllowed, match="ask an admin for the researcher role"):
            act()
    assert [one.id for one in store.servers.proposals(root)] == [id]


@pytest.mark.parametrize("role", ["viewer", "expert", "researcher"])
def test_only_admins_see_all_proposals_and_accept_or_decline_them(store, ann, root, role):
    own = ann.model_copy(update={"role": role})
    id = proposed(store, ann)
    for act in (
        lambda: store.servers.proposals(own),
        lambda: store.servers.accept(own, id),
        lambda: store.servers.decline(own, id),
    ):
        with pytest.raises(NotAllowed, match="ask an admin to do it"):
            act()
    assert [one.id for one in store.servers.proposals(root)] == [id]
    assert store.servers.all() == []


def test_of_two_who_accept_or_decline_one_does(store, ann, root):
    id = proposed(store, ann)
    store.servers.accept(root, id)
    for act in store.servers.accept, store.servers.decline:
        with pytest.raises(StoreError, match=NOT_FOUND):
            act(root, id)
    declined = proposed(store, ann, server=LAB.model_copy(update={"url": "https://b.example/v1", "name": "B"}))
    store.servers.decline(root, declined)
    with pytest.raises(StoreError, match=NOT_FOUND):
        store.servers.accept(root, declined)
    assert store.servers.all() == [LAB]
    assert ("server.declined", "Root", "https://b.example/v1") in actions(store)


def test_one_withdraws_what_is_ones_own_alone(store, ann, bea, root):
    anns = proposed(store, ann)
    beas = proposed(store, bea)
    assert [one.id for one in store.servers.proposals_of(bea)] == [beas]
    with pytest.raises(StoreError, match=NOT_FOUND):
        store.servers.withdraw(bea, anns)
    store.servers.withdraw(ann, anns)
    with pytest.raises(StoreError, match=NOT_FOUND):
        store.servers.accept(root, anns)
    assert [one.id for one in store.servers.proposals(root)] == [beas]
    assert actions(store)[-1] == ("server.withdrawn", "Ann", LAB.url)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"url": "https://lab.example.org:443/v1", "name": "Another"}, "already a server at this address: Another"),
        ({"url": "https://other.example/v1"}, "there is already a server named Lab"),
    ],
)
def test_what_is_taken_is_neither_proposed_nor_accepted(store, ann, root, other, told):
    id = proposed(store, ann)
    there = LAB.model_copy(update={**other, "key": None})
    store.servers.save(root, there)
    with pytest.raises(StoreError, match=told):
        store.servers.accept(root, id)
    with pytest.raises(StoreError, match=told):
        store.servers.propose(ann, LAB)
    assert store.servers.all() == [there]
    assert not store.servers.is_bound(PLACE, "LAB_API_KEY")
    assert [one.id for one in store.servers.proposals(root)] == [id], "it stays, to be declined"
    assert [action for action, *_ in actions(store)] == ["server.proposed", "server.saved"]


def test_the_rehearsal_is_not_proposed(store, ann):
    with pytest.raises(StoreError, match="already a server at this address"):
        store.servers.propose(ann, Server.unregistered("rehearsal"))


@pytest.mark.parametrize(
    ("refused", "told"),
    [
        ({"private": True}, "only admins can allow private network addresses"),
        ({"url": "http://lab.example.org/v1"}, "would be sent unencrypted"),
        ({"name": "Lab\u202eevil"}, "contains an invisible character"),
        ({"models": ("m", "a\u200bb")}, "contains an invisible character"),
        (
            {
                "url": "http://127.0.0.1:8100/v1",
                "kind": "started",
                "key": None,
                "launch": Launch(model="/etc", port=8100).model_dump(),
            },
            "only admins can add servers that the app starts",
        ),
    ],
)
def test_what_admins_alone_decide_is_not_proposed_and_not_accepted_were_it_stored(url, store, ann, root, refused, told):
    server = Server.model_validate(LAB.model_dump() | refused)
    with pytest.raises(StoreError, match=told):
        store.servers.propose(ann, server)
    assert store.servers.proposals(root) == []
    id = proposed(store, ann)
    with connection_to(url) as connection:
        content = json.dumps(server.model_dump(mode="json"))
        connection.execute(text("UPDATE server_proposal SET content = :content"), {"content": content})
    with pytest.raises(StoreError, match=told):
        store.servers.accept(root, id)
    assert store.servers.all() == []


def test_so_many_proposals_of_one_person_are_open_and_no_more(store, ann, bea):
    def numbered(number):
        return LAB.model_copy(update={"url": f"https://{number}.example/v1", "name": str(number)})

    for number in range(MOST_PROPOSALS):
        store.servers.propose(ann, numbered(number))
    with pytest.raises(StoreError, match=f"you have {MOST_PROPOSALS} server proposals waiting for an admin"):
        store.servers.propose(ann, LAB)
    store.servers.propose(bea, LAB)
    store.servers.withdraw(ann, store.servers.proposals_of(ann)[0].id)
    store.servers.propose(ann, LAB)
    assert len(store.servers.proposals_of(ann)) == MOST_PROPOSALS


def test_a_proposal_that_can_not_be_read_is_shown_and_declined(url, store, ann, root):
    id = proposed(store, ann)
    with connection_to(url) as connection:
        connection.execute(text("UPDATE server_proposal SET content = '{\"name\": 5}'"))
    (one,) = store.servers.proposals(root)
    assert (one.url, one.server) == (LAB.url, None)
    with pytest.raises(StoreError, match="cannot be read; decline it"):
        store.servers.accept(root, id)
    store.servers.decline(root, id)
    assert store.servers.proposals(root) == []
