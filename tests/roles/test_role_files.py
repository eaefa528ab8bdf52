"""Roles written to files, and read from them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.errors import RoleError, SceneError
from characterbox.roles.role import Role
from characterbox.roles.role_files import as_json, read_roles
from tests.fakes.roles import FERRYMAN, MERCHANT, MONKEY


@given(st.lists(st.sampled_from([FERRYMAN, MERCHANT, MONKEY]), min_size=1, unique_by=lambda role: role.id))
def test_what_is_written_reads_back(roles):
    assert read_roles("roles.json", as_json(roles)) == tuple(roles)


def test_what_says_nothing_is_not_written():
    bare = Role(id="x", name="X", language="en", work="W")
    assert json.loads(as_json([bare])) == {"id": "x", "name": "X", "language": "en", "work": "W"}


def test_no_role_is_no_file():
    with pytest.raises(RoleError, match="no role to export"):
        as_json([])


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ([], "a.json: it must be an object: a role, or several under 'roles'"),
        ({"roles": []}, "a.json: roles: it must be a list of 1 to 1,000 roles"),
        ({"roles": {}}, "a.json: roles: it must be a list of 1 to 1,000 roles"),
        ({"roles": [{}], "rolls": 1}, "a.json: rolls: there is no such field beside 'roles'; remove it"),
        ({"id": "x"}, r"a.json: name: .*"),
        ({"roles": [json.loads(as_json([MERCHANT])), {"id": "x"}]}, r"a.json: roles\[1\].name: .*"),
        ({**json.loads(as_json([MERCHANT])), "language": "fr"}, r"a.json: language: .*"),
        ({**json.loads(as_json([MERCHANT])), "tail": "long"}, r"a.json: tail: .*"),
        (
            {"roles": [json.loads(as_json([MERCHANT]))] * 2},
            "a.json: two roles have the id 'merchant'; give each its own",
        ),
    ],
)
def test_a_file_of_another_form_is_refused_with_place_and_reason(data, told):
    with pytest.raises(RoleError, match=f"^{told}$"):
        read_roles("a.json", json.dumps(data).encode())


def test_a_round_of_another_speaker_is_told_with_its_place():
    wrong = json.loads(as_json([MERCHANT]))
    wrong["dialogues"][0]["rounds"][0]["turns"].reverse()
    with pytest.raises(RoleError, match=r"a.json: dialogues\[0\].rounds\[0\]: a round has to end with"):
        read_roles("a.json", json.dumps(wrong).encode())


def test_what_is_no_json_is_refused():
    with pytest.raises(SceneError, match=r"a\.json"):
        read_roles("a.json", b"{")
