"""Sessions of those who sign in elsewhere are logged once."""

from characterbox.accounts.account import LOCAL
from characterbox.store import Store


def started(store):
    return [entry.detail for entry in store.audit.read(99) if entry.action == "session.started"]


def test_one_session_is_logged_once_also_by_another_process(url, store):
    ann = store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    for _ in range(3):
        store.elsewhere.seen(ann, 1700000000)
    other = Store(url)
    other.elsewhere.seen(ann, 1700000000)
    other.close()
    assert started(store) == [{"name": "Ann", "by": "oidc", "vouched_at": 1700000000}]
    store.elsewhere.seen(ann, 1700000999)
    assert len(started(store)) == 2
