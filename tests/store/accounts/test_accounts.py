"""Accounts on both databases: who gets one, what changes them, and that each change is told in the log."""

import pytest

from characterbox.accounts.account import COMMAND_LINE, LOCAL
from characterbox.errors import AccountError

ISSUER = "https://login.example.org"


def log(store):
    """What was done, oldest first."""
    return [(entry.actor_name, entry.action, entry.detail["name"]) for entry in reversed(store.audit.read(99))]


def signed_in(store, account):
    """Somebody who used an invitation: the account as it is then, and the cookie."""
    cookie = store.accounts.accept(store.invitations.make(LOCAL, account.id), "a hash")
    return store.accounts.find(account.id), cookie


def test_an_account_is_made_and_found(store):
    assert store.accounts.is_empty()
    ann = store.accounts.add(COMMAND_LINE, " Ann   Lee ", "expert", "Ann@Example.ORG")
    assert (ann.name, ann.role, ann.email) == ("Ann Lee", "expert", "ann@example.org")
    assert (ann.signs_in_by, ann.disabled_at) == (None, None)
    assert len(ann.id) == 12
    assert store.accounts.find(ann.id) == ann
    assert store.accounts.named("ANN lee") == ann
    assert store.accounts.named("Ann") is None
    assert store.accounts.all() == [ann]
    assert not store.accounts.is_empty()
    (entry,) = store.audit.read(9)
    assert (entry.actor, entry.action, entry.subject) == (None, "account.add", ann.id)
    assert entry.detail == {"name": "Ann Lee", "role": "expert", "email": "ann@example.org"}


@pytest.mark.parametrize("name", ["Ann", "ANN", " ann "])
def test_a_name_is_given_once(store, name):
    store.accounts.add(LOCAL, "Ann", "expert")
    with pytest.raises(AccountError, match="there is already an account named"):
        store.accounts.add(LOCAL, name, "viewer")
    assert len(store.accounts.all()) == 1
    assert len(store.audit.read(9)) == 1


def test_letters_that_look_the_same_are_the_same(store):
    joe = store.accounts.add(LOCAL, "Jose\u0301", "expert")
    assert joe.name == "José"
    assert store.accounts.named("JOSÉ") == joe
    with pytest.raises(AccountError, match="already"):
        store.accounts.add(LOCAL, "JOSÉ", "expert")


def test_an_email_is_given_once(store):
    store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    store.accounts.add(LOCAL, "Bob", "expert")
    store.accounts.add(LOCAL, "Cai", "expert")
    with pytest.raises(AccountError, match="e-mail"):
        store.accounts.add(LOCAL, "Dan", "expert", "ANN@example.org")


def test_unknown_accounts_are_told(store):
    for act in (store.accounts.find, lambda id: store.accounts.disable(LOCAL, id)):
        with pytest.raises(AccountError, match="does not exist"):
            act("000000000000")


def test_every_change_is_in_the_log(store):
    root = store.accounts.add(COMMAND_LINE, "Root", "admin")
    root, _ = signed_in(store, root)
    ann = store.accounts.add(root, "Ann", "viewer")
    store.accounts.change_role(root, ann.id, "expert")
    store.accounts.change_role(root, ann.id, "expert")  # changes nothing
    ann, cookie = signed_in(store, ann)
    store.accounts.change_password(store.sessions.find(cookie), "another hash")
    store.accounts.disable(root, ann.id)
    store.accounts.disable(root, ann.id)
    store.accounts.enable(root, ann.id)
    store.accounts.enable(root, ann.id)
    assert log(store) == [
        (COMMAND_LINE.name, "account.add", "Root"),
        (LOCAL.name, "invitation.make", "Root"),
        ("Root", "invitation.use", "Root"),
        ("Root", "session.started", "Root"),
        ("Root", "account.add", "Ann"),
        ("Root", "account.role", "Ann"),
        (LOCAL.name, "invitation.make", "Ann"),
        ("Ann", "invitation.use", "Ann"),
        ("Ann", "session.started", "Ann"),
        ("Ann", "account.password", "Ann"),
        ("Root", "account.disable", "Ann"),
        ("Root", "account.enable", "Ann"),
    ]
    role = next(entry for entry in store.audit.read(99) if entry.action == "account.role")
    assert role.detail == {"name": "Ann", "from": "viewer", "to": "expert"}
    assert role.actor == root.id
    assert "hash" not in str(store.audit.read(99))


def test_writing_is_lent_by_the_one_who_writes_until_that_is_taken_back(store):
    ann = store.accounts.add(LOCAL, "Ann", "researcher")
    bob = store.accounts.add(LOCAL, "Bob", "researcher")
    assert (ann.lends_writing, store.accounts.lenders()) == (False, frozenset())
    for lends in (False, True, True):
        store.accounts.lend_writing(ann, lends)
        store.accounts.lend_writing(bob, True)
    assert store.accounts.find(ann.id).lends_writing
    assert store.accounts.lenders() == {ann.id, bob.id}
    store.accounts.disable(LOCAL, bob.id)
    assert store.accounts.lenders() == {ann.id, bob.id}, "consent does not end with the right to sign in"
    store.accounts.lend_writing(ann, False)
    assert store.accounts.lenders() == {bob.id}
    told = [entry for entry in reversed(store.audit.read(99)) if entry.action == "account.writing"]
    assert [(entry.actor, entry.subject, entry.detail) for entry in told] == [
        (bob.id, bob.id, {"name": "Bob", "lends": "yes"}),
        (ann.id, ann.id, {"name": "Ann", "lends": "yes"}),
        (ann.id, ann.id, {"name": "Ann", "lends": "no"}),
    ]
    with pytest.raises(AccountError):
        store.accounts.lend_writing(LOCAL, True)


@pytest.mark.parametrize("role", ["", "Admin", "root", "viewer\n" * 99])
def test_what_is_no_role_is_refused(store, role):
    """Stored, it would have left an account that no page could show."""
    root, _ = signed_in(store, store.accounts.add(COMMAND_LINE, "Root", "admin"))
    ann = store.accounts.add(root, "Ann", "viewer")
    for act in (
        lambda: store.accounts.change_role(root, ann.id, role),
        lambda: store.accounts.add(root, "Bob", role),
    ):
        with pytest.raises(AccountError, match="choose one of admin, researcher, expert, viewer"):
            act()
    assert store.accounts.all() == [ann, root]
    assert [entry.action for entry in store.audit.read(99)].count("account.role") == 0


def test_there_is_always_an_admin_who_can_sign_in(store):
    root, _ = signed_in(store, store.accounts.add(COMMAND_LINE, "Root", "admin"))
    pending = store.accounts.add(root, "Pending", "admin")
    for act in (store.accounts.disable, lambda actor, id: store.accounts.change_role(actor, id, "viewer")):
        with pytest.raises(AccountError, match="Root is the last admin who can sign in"):
            act(root, root.id)
    assert store.accounts.find(root.id) == root
    second, _ = signed_in(store, pending)
    store.accounts.disable(second, root.id)
    with pytest.raises(AccountError, match="the last admin"):
        store.accounts.disable(second, second.id)
    store.accounts.enable(second, root.id)
    store.accounts.change_role(root, second.id, "viewer")


def test_the_only_admin_who_never_came_stays_too(store):
    root = store.accounts.add(COMMAND_LINE, "Root", "admin")
    with pytest.raises(AccountError, match="the last admin"):
        store.accounts.disable(COMMAND_LINE, root.id)


def test_a_name_that_rates_without_accounts_is_one_expert(store):
    ann = store.accounts.expert_named("Ann")
    assert (ann.role, ann.signs_in_by) == ("expert", None)
    assert store.accounts.expert_named(" ann ") == ann
    assert log(store) == [(LOCAL.name, "account.add", "Ann")]
    with pytest.raises(AccountError, match="the name is missing"):
        store.accounts.expert_named(" ")


def test_who_may_not_rate_does_not_rate_without_accounts_either(store):
    viewer = store.accounts.add(LOCAL, "Vi", "viewer")
    ann = store.accounts.add(LOCAL, "Ann", "expert")
    store.accounts.disable(LOCAL, ann.id)
    for name in (viewer.name, ann.name):
        with pytest.raises(AccountError, match="is not allowed to rate"):
            store.accounts.expert_named(name)


def test_the_password_of_a_name(store):
    ann = store.accounts.add(LOCAL, "Ann", "expert")
    assert store.accounts.password_of("Ann") == (ann, None)
    ann, _ = signed_in(store, ann)
    assert store.accounts.password_of(" ANN ") == (ann, "a hash")
    assert ann.signs_in_by == "password"
    assert store.accounts.password_of("Bob") is None


def test_who_was_invited_comes_in_from_elsewhere(store):
    ann = store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    assert store.accounts.signed_in_elsewhere(ISSUER, "17", None) is None  # not a verified address
    assert store.accounts.signed_in_elsewhere(ISSUER, "17", "eve@example.org") is None
    found = store.accounts.signed_in_elsewhere(ISSUER, "17", "Ann@Example.org")
    assert found == ann.model_copy(update={"signs_in_by": "oidc"})
    assert store.accounts.find(ann.id) == found
    assert log(store)[-1] == ("Ann", "account.bind", "Ann")


def test_who_is_bound_is_known_by_the_subject_alone(store):
    ann = store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    store.accounts.signed_in_elsewhere(ISSUER, "17", "ann@example.org")
    assert store.accounts.signed_in_elsewhere(ISSUER, "17", None).id == ann.id
    assert store.accounts.signed_in_elsewhere(ISSUER, "17", "ann@elsewhere.example").id == ann.id
    assert store.accounts.signed_in_elsewhere(ISSUER, "18", "ann@example.org") is None  # somebody else by now
    assert store.accounts.signed_in_elsewhere("https://evil.example", "17", "ann@example.org") is None
    store.accounts.disable(LOCAL, ann.id)
    assert store.accounts.signed_in_elsewhere(ISSUER, "17", "ann@example.org") is None


def test_who_is_disabled_is_not_bound(store):
    ann = store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    store.accounts.disable(LOCAL, ann.id)
    assert store.accounts.signed_in_elsewhere(ISSUER, "17", "ann@example.org") is None
    assert store.accounts.find(ann.id).signs_in_by is None
