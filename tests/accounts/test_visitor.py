"""Who comes in: with a cookie of ours, vouched for by a provider, or whoever sits there."""

import pytest

from characterbox.accounts.account import LOCAL
from characterbox.accounts.credentials import COOKIE
from characterbox.accounts.session_user import visitor_of

ISSUER = "https://login.example.org"
ANN = {"iss": ISSUER, "sub": "17", "email": "Ann@example.org", "email_verified": True}


def nobody(cookies):
    raise AssertionError("no provider is asked")


def vouched(store, claims):
    visitor = visitor_of(store, "oidc", {}, lambda cookies: claims)
    return None if visitor is None else visitor.account.name


def test_without_accounts_it_is_whoever_sits_there(store):
    assert visitor_of(store, "off", {COOKIE: "nonsense"}, nobody).account == LOCAL


def test_with_a_cookie_it_is_the_one_who_signed_in(store):
    ann = store.accounts.add(LOCAL, "Ann", "expert")
    cookies = {COOKIE: store.sessions.start(ann.id, "password")}
    visitor = visitor_of(store, "local", cookies, nobody)
    assert visitor.account == visitor.session.account == ann
    assert visitor_of(store, "local", {}, nobody) is None
    assert visitor_of(store, "local", {COOKIE: "nonsense"}, nobody) is None


def test_a_cookie_of_ours_is_nothing_where_people_sign_in_elsewhere(store):
    ann = store.accounts.add(LOCAL, "Ann", "expert")
    cookies = {COOKIE: store.sessions.start(ann.id, "password")}
    assert visitor_of(store, "oidc", cookies, lambda cookies: None) is None


def test_who_was_invited_is_known_by_the_verified_address_and_then_by_the_subject(store):
    store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    assert vouched(store, ANN) == "Ann"
    assert vouched(store, {"iss": ISSUER, "sub": "17"}) == "Ann"
    assert vouched(store, {**ANN, "sub": "18"}) is None


def test_the_same_subject_or_address_at_another_provider_is_somebody_else(store):
    store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    assert vouched(store, ANN) == "Ann"
    assert vouched(store, {**ANN, "iss": "https://other.example.org"}) is None
    assert vouched(store, {"iss": f"{ISSUER}/", "sub": "17"}) is None
    assert vouched(store, ANN) == "Ann"


@pytest.mark.parametrize(
    "claims",
    [
        None,
        {},
        {**ANN, "email": "eve@example.org"},
        {**ANN, "email_verified": False},
        {**ANN, "email_verified": "true"},
        {**ANN, "email_verified": 1},
        {"iss": ISSUER, "sub": "17", "email": "ann@example.org"},
        {**ANN, "email": None},
        {**ANN, "email": ["ann@example.org"]},
        {**ANN, "sub": 17},
        {"sub": "17", "email": "ann@example.org", "email_verified": True},
    ],
)
def test_nobody_else_gets_in(store, claims):
    store.accounts.add(LOCAL, "Ann", "expert", "ann@example.org")
    assert vouched(store, claims) is None
