"""Challenges are good once, for what they were made for; passkeys need a site with a name."""

import pytest

from characterbox.accounts.passkeys import Challenges, PasskeyFault, Site, id_of, made, site_of


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


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"id": 1}', "\u00e9"])
def test_what_is_no_answer_is_refused(text):
    with pytest.raises(PasskeyFault):
        id_of(text)
    with pytest.raises(PasskeyFault):
        made(Site("localhost", "http://localhost"), b"challenge", text)
