"""What people carry, and what is kept of it."""

import hashlib

from itsdangerous import URLSafeSerializer

from characterbox.accounts.credentials import digest, new_token, signed, unsigned


def test_tokens_are_long_and_never_the_same():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {43}  # 32 bytes in base 64


def test_the_digest_is_sha_256():
    assert digest("abc") == hashlib.sha256(b"abc").hexdigest()
    assert digest("\ud800") != digest("")


def test_a_signed_token_is_read_with_its_key_only():
    value = signed("a token", "key")
    assert unsigned(value, "key") == "a token"
    assert unsigned(value, "another key") is None
    # not its last letter, of which some bits don't count
    assert unsigned(value[:-9] + ("A" if value[-9] != "A" else "B") + value[-8:], "key") is None
    assert unsigned("a token", "key") is None
    assert unsigned("", "key") is None


def test_what_is_signed_for_something_else_is_no_token():
    assert unsigned(URLSafeSerializer("key", salt="other").dumps("a token"), "key") is None
    assert unsigned(URLSafeSerializer("key", salt="session").dumps({"a": "token"}), "key") is None
