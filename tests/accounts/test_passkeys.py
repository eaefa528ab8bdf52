"""Challenges are good once, for what they were made for; passkeys need a site with a name."""

import json
from base64 import urlsafe_b64decode
from contextlib import suppress

import cbor2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from characterbox.accounts.passkeys import (
    ANSWERED_WITHIN,
    Challenges,
    Made,
    PasskeyFault,
    Site,
    id_of,
    made,
    signed_by,
    site_of,
)
from tests.fakes.authenticator import Authenticator, text_of


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://rate.example.org", Site("rate.example.org", "https://rate.example.org")),
        ("http://localhost:8501", Site("localhost", "http://localhost:8501")),
        ("http://rate.example.org", None),
        ("http://127.0.0.1:8501", None),
        ("https://10.0.0.1", None),
    ],
)
def test_a_site_has_a_name_and_https(url, site):
    assert site_of(url) == site


def test_a_challenge_is_used_once_and_for_its_purpose():
    challenges = Challenges()
    ticket = challenges.new("add", "0123456789ab")
    challenge = challenges.challenge_of(ticket, "add", "0123456789ab")
    for purpose, account in (("sign in", ""), ("add", "ba9876543210"), ("sign in", "0123456789ab")):
        with pytest.raises(PasskeyFault):
            challenges.challenge_of(ticket, purpose, account)
    with pytest.raises(PasskeyFault):
        Challenges().challenge_of(ticket, "add", "0123456789ab")  # as after a restart
    challenges.use(challenge)
    with pytest.raises(PasskeyFault):
        challenges.use(challenge)
    with pytest.raises(PasskeyFault):
        challenges.challenge_of(ticket, "add", "0123456789ab")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"id": 1}', "\u00e9", '{"id": "\\ud800"}', '{"id": "\\u0000"}'])
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(PasskeyFault):
        id_of(text)
    with pytest.raises(PasskeyFault):
        made(Site("localhost", "http://localhost"), b"challenge", text)


def test_a_used_challenge_is_forgotten_once_it_is_too_old_to_be_answered(monkeypatch):
    clock = [1_800_000_000.0]
    monkeypatch.setattr("time.time", lambda: clock[0])
    challenges = Challenges()

    def answer():
        ticket = challenges.new("sign in")
        challenges.use(challenges.challenge_of(ticket, "sign in"))
        return ticket

    first = answer()
    clock[0] += ANSWERED_WITHIN
    second = answer()
    with pytest.raises(PasskeyFault, match="was used"):
        challenges.challenge_of(first, "sign in")
    clock[0] += 2
    answer()
    with pytest.raises(PasskeyFault, match="age"):
        challenges.challenge_of(first, "sign in")
    with pytest.raises(PasskeyFault, match="was used"):
        challenges.challenge_of(second, "sign in")
    assert len(challenges._used) == 2


LOCALHOST, CHALLENGE = Site("localhost", "http://localhost"), b"c" * 32
DEVICE = Authenticator()
MADE, SIGNED = (what(text_of(CHALLENGE), LOCALHOST.origin) for what in (DEVICE.make, DEVICE.sign))
KNOWN = made(LOCALHOST, CHALLENGE, MADE)
DEEP = b"[" * 9_000
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5).map(text_of),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
)


def changed(whole, path, value):
    """An answer with another value at a place."""
    told = json.loads(whole)
    *way, last = path
    place = told
    for name in way:
        place = place[name]
    place[last] = value
    return json.dumps(told)


def refused(what, *args):
    """That it is refused; that it is good after all will do as well: not each byte counts."""
    with suppress(PasskeyFault):
        what(*args)


PLACES = [("id",), ("rawId",), ("type",), ("response",), ("response", "clientDataJSON")]


@given(st.sampled_from([*PLACES, ("response", "attestationObject"), ("response", "transports")]), JUNK)
def test_what_is_of_another_kind_makes_no_passkey_and_no_fault(path, value):
    refused(made, LOCALHOST, CHALLENGE, changed(MADE, path, value))


@given(st.sampled_from([*PLACES, ("response", "authenticatorData"), ("response", "signature")]), JUNK)
def test_what_is_of_another_kind_signs_nothing_and_is_no_fault(path, value):
    refused(signed_by, LOCALHOST, CHALLENGE, changed(SIGNED, path, value), KNOWN)


@given(st.data(), st.sampled_from(["clientDataJSON", "attestationObject", "authenticatorData", "signature"]))
def test_damaged_bytes_are_refused(data, name):
    whole = MADE if name == "attestationObject" else SIGNED
    raw = urlsafe_b64decode(json.loads(whole)["response"][name] + "==")
    at = data.draw(st.integers(0, len(raw) - 1))
    damaged = changed(whole, ("response", name), text_of(raw[:at] + data.draw(st.binary(max_size=3)) + raw[at + 1 :]))
    refused(made, LOCALHOST, CHALLENGE, damaged)
    refused(signed_by, LOCALHOST, CHALLENGE, damaged, KNOWN)


@pytest.mark.parametrize("what", [MADE, SIGNED], ids=["made", "signed"])
def test_what_is_nested_too_deep_is_refused(what):
    for damaged in (changed(what, ("response", "clientDataJSON"), text_of(DEEP)), DEEP.decode()):
        with pytest.raises(PasskeyFault):
            made(LOCALHOST, CHALLENGE, damaged)
        with pytest.raises(PasskeyFault):
            signed_by(LOCALHOST, CHALLENGE, damaged, KNOWN)


@pytest.mark.parametrize("key", [b"", [], "key", 1, None, {1: 2}, {1: 1, 3: -8, -1: 6, -2: b"short"}, {1: 3, 3: -257}])
def test_a_key_that_is_none_has_signed_nothing(key):
    """A browser can say of any bytes that they are the key that it has made."""
    with pytest.raises(PasskeyFault):
        signed_by(LOCALHOST, CHALLENGE, SIGNED, Made(KNOWN.id, text_of(cbor2.dumps(key)), 0))
