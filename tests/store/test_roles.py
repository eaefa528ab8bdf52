"""Roles are kept with all their versions, as scenes are, and their headings tell what lists show."""

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.errors import RoleError
from characterbox.roles.heading import heading_of, role_fingerprint
from tests.fakes.roles import FERRYMAN, MONKEY


def worked(role, work):
    return role.model_copy(update={"work": work})


def test_versions_are_added_and_come_back(store):
    chain = store.roles.start(FERRYMAN, "0123456789ab")
    assert store.roles.save(chain, worked(FERRYMAN, "Other"), after=1, made_by=None) == 2
    assert store.roles.save(chain, worked(FERRYMAN, "Other"), after=2, made_by=None) == 2
    assert store.roles.find(chain, 1).content == FERRYMAN
    assert [one.content.work for one in store.roles.versions(chain)] == ["Other", FERRYMAN.work]
    assert [(one.place, one.version, one.away) for one in store.roles.headings()] == [(chain, 2, False)]
    assert store.roles.headings()[0].heading == heading_of(worked(FERRYMAN, "Other"))
    found = store.roles.with_id(FERRYMAN.id)
    assert found is not None
    assert found.chain == chain


def test_what_can_not_be_saved_says_why(store):
    chain = store.roles.start(FERRYMAN, None)
    store.roles.save(chain, worked(FERRYMAN, "Hers"), after=1, made_by="a")
    with pytest.raises(RoleError, match="version 2 was saved in the meantime; your changes are based on version 1"):
        store.roles.save(chain, worked(FERRYMAN, "His"), after=1, made_by="b")
    with pytest.raises(RoleError, match=r"the role id .* cannot be changed"):
        store.roles.save(chain, MONKEY, after=2, made_by="b")
    with pytest.raises(RoleError, match="has no version 4"):
        store.roles.find(chain, 4)
    with pytest.raises(RoleError, match=r"there is no role .* in the database"):
        store.roles.find("\x00' or 1=1")


def test_one_that_is_put_away_stays_and_is_brought_back_and_the_log_says_so(store):
    assert store.roles.add([FERRYMAN, MONKEY, FERRYMAN]) == 2
    chain = store.roles.known([MONKEY])[role_fingerprint(MONKEY)]
    store.roles.put_away(LOCAL, chain)
    assert {one.heading.id: one.away for one in store.roles.headings()} == {FERRYMAN.id: False, MONKEY.id: True}
    assert store.roles.add([MONKEY]) == 0
    assert not store.roles.find(chain).away
    assert [entry.action for entry in store.audit.read(1)] == ["role.deleted"]


def test_headings_are_found_by_names_and_by_how_they_begin():
    heading = heading_of(MONKEY)
    assert heading.says([])
    assert heading.says([MONKEY.name.casefold()])
    assert not heading.says([MONKEY.name.casefold(), "submarine"])
