"""Names and addresses as they are stored, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.accounts.account import account_name, email_address, name_key
from characterbox.errors import AccountError


@pytest.mark.parametrize(
    ("given", "stored"),
    [("Ann", "Ann"), ("  Ann \u3000 Lee ", "Ann Lee"), ("Jose\u0301", "José"), ("蔡", "蔡"), ("<b>", "<b>")],
)
def test_a_name_is_stored_in_one_form(given, stored):
    assert account_name(given) == stored


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "the name is missing"),
        (" \u3000", "the name is missing"),
        ("A" * 81, "81 characters"),
        ("A\nB", "control character"),
        ("A\u202eB", "control character"),
        ("A\u0000", "control character"),
        ("A\ud800", "control character"),
        ("A\u2028B", "control character"),
        ("The Command  Line", "no account has done"),
    ],
)
def test_a_name_that_cannot_be_seen_or_told_apart_is_refused(given, told):
    with pytest.raises(AccountError, match=told):
        account_name(given)


@given(st.text(min_size=1, max_size=20))
def test_a_stored_name_stays_as_it_is(text):
    try:
        name = account_name(text)
    except AccountError:
        return
    assert account_name(name) == name


@given(st.text(min_size=1, max_size=20))
def test_a_name_and_what_is_stored_of_it_have_one_key(text):
    try:
        name = account_name(text)
    except AccountError:
        return
    assert name_key(text) == name_key(name) == name_key(name_key(name))


@pytest.mark.parametrize(("one", "other"), [("Ann", "ANN"), ("Straße", "STRASSE"), ("José", "JOSE\u0301")])
def test_names_with_one_key(one, other):
    assert name_key(account_name(one)) == name_key(account_name(other))


@pytest.mark.parametrize(("name", "key"), [("Ａnn", "ａnn"), ("Dr. №1", "dr. №1"), ("Straße", "strasse")])
def test_the_key_of_a_name_stays_what_it_was_when_the_account_was_made(name, key):
    assert name_key(account_name(name)) == key


@pytest.mark.parametrize("text", ["ann@example.org", " Ann@Example.ORG ", "a+b.c@x.example"])
def test_an_address_is_stored_in_small_letters(text):
    assert email_address(text) == text.strip().lower()


@pytest.mark.parametrize(
    "text", ["", "ann", "@example.org", "ann@", "ann@org", "ann@.org", "a b@x.org", "a\n@x.org", f"{'a' * 250}@x.org"]
)
def test_what_is_no_address_is_refused(text):
    with pytest.raises(AccountError, match="is not a valid e-mail address"):
        email_address(text)
