"""A password of the database that is wrong stands in nothing that a command or the app says, to whomever."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.browser.app import REPOSITORY
from tests.fakes import warm_app
from tests.fakes.ports import free_port
from tests.fakes.postgres import cluster, why_not

pytestmark = [pytest.mark.process, pytest.mark.slow]

WRONG = "wr0ng-secretpw"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL, with a wrong password, of a server that asks for one."""
    if reason := why_not():
        pytest.skip(reason)
    port = free_port()

    def set_up(data: Path) -> str:
        (data / "pg_hba.conf").write_text("local all all trust\nhost all all all scram-sha-256\n", encoding="utf-8")
        return f"-c listen_addresses=127.0.0.1 -p {port}"

    with cluster(set_up) as url:
        with psycopg.connect(f"{url.format(database='postgres')}&port={port}", autocommit=True) as connection:
            connection.execute("CREATE ROLE me LOGIN PASSWORD 'the right one'")
            connection.execute("CREATE DATABASE mine OWNER me")
        yield f"postgresql://me:{WRONG}@127.0.0.1:{port}/mine"


@pytest.mark.parametrize(
    "words",
    [
        ("play", "bundled:holmes-study"),
        ("backup", "all.zip"),
        ("invite", "Ann", "--role", "admin"),
        ("ratings", "export", "--out", "ratings.csv"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_says_what_is_wrong_without_it(command, url, words):
    for done in (command(*words, CHARACTERBOX_DB=url), command(*words, "--db", url)):
        assert done.status == 2
        assert "password authentication failed" in done.one_line()
        assert WRONG not in done.out + done.err


def test_the_app_does_not_start_and_says_why_without_it(url, tmp_path):
    log = tmp_path / "app.log"
    log.touch()
    running = warm_app.start(free_port(), REPOSITORY, os.environ | {"CHARACTERBOX_DB": url}, log)
    deadline = time.monotonic() + 60
    while "password authentication failed" not in (said := log.read_text(encoding="utf-8")):
        assert time.monotonic() < deadline, said
        time.sleep(0.1)
    running.kill()
    assert WRONG not in log.read_text(encoding="utf-8")
