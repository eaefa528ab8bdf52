"""Passwords: which are refused, and that they are kept so that nobody can read them."""

import asyncio
import threading

import pytest
from argon2 import PasswordHasher, extract_parameters

from characterbox.accounts import credentials
from characterbox.accounts.credentials import hash_of, is_right, password_fault


@pytest.fixture
def cheap(monkeypatch):
    """Hashes that take little to make: how much they take is a test of its own."""
    hasher = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    monkeypatch.setattr(credentials, "_HASHER", hasher)
    monkeypatch.setattr(credentials, "_NOBODYS", hasher.hash("nobody's"))


@pytest.mark.parametrize(
    ("password", "fault"),
    [
        ("", "short"),
        ("123456789", "short"),
        ("x" * 1001, "long"),
        ("SHERLOCK Holmes ", "name"),
        ("0123456789\ud800", "broken"),
        ("0123456789", "easy"),
        ("x" * 1000, "easy"),
        (" " * 12, "easy"),
        ("password123", "easy"),
        ("密码密码密码密码密码", "easy"),
        ("Sherlock Holmes!", "easy"),
        ("a hansom cab at midnight" * 40, None),
        ("correct horse", None),
        ("雾里的马车停在门前了", None),
    ],
)
async def test_what_is_wrong_with_a_password(password, fault):
    assert await password_fault(password, "Sherlock Holmes") == fault


async def test_a_long_name_with_a_sign_more_is_guessed_too():
    name = "Wolfeschlegelsteinhausenbergerdorff"
    assert await password_fault(f"{name}!", name) == "easy"


async def test_how_hard_a_password_is_to_guess_is_found_beside_the_app_from_a_part_of_it(monkeypatch):
    looked_at = []

    def slow(password, user_inputs):
        looked_at.append((password, threading.current_thread().name.rpartition("_")[0]))
        return {"score": 4}

    monkeypatch.setattr(credentials, "zxcvbn", slow)
    assert await password_fault("4@8({[<369&#!1/|0$5+7%2" * 40, "Ann") is None
    assert looked_at == [("4@8({[<369&#!1/|0$5+7%24", "passwords")]


@pytest.mark.usefixtures("cheap")
async def test_only_the_password_is_right():
    kept = await hash_of("correct horse")
    assert kept.startswith("$argon2id$")
    assert "correct" not in kept
    assert kept != await hash_of("correct horse")
    assert await is_right("correct horse", kept)
    for wrong in ("correct hors", "Correct horse", "", "correct horse ", "\ud800", "x" * 2000):
        assert not await is_right(wrong, kept)


@pytest.mark.usefixtures("cheap")
async def test_a_letter_is_the_same_however_it_is_written():
    assert await is_right("Jose\u0301 Marti\u0301", await hash_of("José Martí"))


@pytest.mark.usefixtures("cheap")
async def test_where_there_is_no_password_none_is_right():
    assert not await is_right("", None)
    assert not await is_right("correct horse", None)
    assert not await is_right("correct horse", "no hash at all")


def test_nobodys_password_takes_as_long_as_a_real_one():
    real = extract_parameters(credentials._HASHER.hash("correct horse"))
    assert extract_parameters(credentials._NOBODYS) == real
    assert real.memory_cost == 65536


async def test_two_are_worked_on_at_a_time(monkeypatch):
    class Slow(PasswordHasher):
        at_work = most = 0

        def hash(self, password):
            Slow.at_work += 1
            Slow.most = max(Slow.most, Slow.at_work)
            done = super().hash(password)
            Slow.at_work -= 1
            return done

    monkeypatch.setattr(credentials, "_HASHER", Slow(time_cost=1, memory_cost=8192, parallelism=1))
    await asyncio.gather(*(hash_of(f"password {number}") for number in range(12)))
    assert Slow.most == 2
