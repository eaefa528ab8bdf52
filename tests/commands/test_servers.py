"""`characterbox servers`: a key is entered for a place before it is sent there."""

from pathlib import Path

import pytest

from tests.fakes.databases import store_in

URL = "https://api.example.org/v1"


def test_a_server_is_added_listed_changed_and_removed(in_process, tmp_path: Path):
    assert in_process("servers").out == ""
    assert in_process("servers", "add", URL, "--name", "Lab", "--key", "LAB_API_KEY").status == 0
    assert in_process("servers").out == f"{URL}\tLab\tLAB_API_KEY\n"
    assert in_process("servers", "add", URL, "--name", "Ours").status == 0
    assert in_process("servers").out == f"{URL}\tOurs\t-\n"
    assert in_process("servers", "remove", URL).status == 0
    assert in_process("servers").out == ""
    store = store_in(tmp_path / "cli.db")
    actions = ["server.removed", "server.saved", "key.bound", "server.saved"]
    assert [(one.action, one.actor_name) for one in store.audit.read(9)] == [(a, "the command line") for a in actions]
    store.close()


def test_the_database_is_named_before_or_after_the_action(in_process, tmp_path: Path):
    other = str(tmp_path / "other.db")
    assert in_process("servers", "add", URL, "--name", "Lab", "--db", other).status == 0
    assert in_process("servers", "--db", other, "add", "http://127.0.0.1:8000/v1", "--name", "Here").status == 0
    assert len(in_process("servers", "--db", other).out.splitlines()) == 2
    assert in_process("servers").out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("add", "http://10.0.0.5/v1", "--name", "Lab", "--key", "LAB_API_KEY"), "unencrypted"),
        (("add", URL, "--name", "Lab", "--key", "PATH"), "must end in _API_KEY"),
        (("add", "ftp://x", "--name", "Lab"), "url"),
        (("add", URL), "--name"),
        (("remove", URL), "no server at"),
    ],
)
def test_what_can_not_be_done_is_told(in_process, words, told):
    done = in_process("servers", *words)
    assert (done.status, done.out) == (2, "")
    assert told in done.one_line()
