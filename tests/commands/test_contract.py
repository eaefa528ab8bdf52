"""The contract of the command line: what it prints, how it ends, and what it says when it can't go on."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.test_stats import RATINGS


def test_a_story_is_written_as_utf8_whatever_the_locale_says(environment, tmp_path):
    words = [sys.executable, "-m", "characterbox", "play", "bundled:xiyou-shiqiao", "--rounds", "1"]
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    done = subprocess.run(
        words, capture_output=True, env={**environment, **locale}, cwd=tmp_path, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "孙悟空" in done.stdout.decode("utf-8")


def test_a_reader_that_goes_away_is_no_disaster(environment, tmp_path):
    words = [sys.executable, "-m", "characterbox", "play", "bundled:holmes-study", "--rounds", "30"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(20)
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert process.returncode == 130
    assert "go on with: characterbox play --resume" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "COMMAND"),
        (("dance",), "dance"),
        (("play",), "FILE is missing"),
        (("play", "nosuch.json"), "nosuch.json"),
        (("play", "bundled:nosuch"), "holmes-study"),
        (("play", "bundled:holmes-study", "--rounds", "0"), "--rounds: '0' is no whole number from 1 to 100"),
        (("play", "bundled:holmes-study", "--rounds", "101"), "from 1 to 100"),
        (("play", "bundled:holmes-study", "--rounds", "many"), "--rounds"),
        (("play", "bundled:holmes-study", "--narrator", "gpt-4"), "enter URL#MODEL or rehearsal"),
        (("play", "bundled:holmes-study", "--narrator", ""), "--narrator: endpoint '': it is neither an http(s) URL"),
        (("play", "bundled:holmes-study", "--character", ""), "--character: endpoint '': it is neither an http(s) URL"),
        (("play", "bundled:holmes-study", "--cast", "Holmes="), "--cast Sherlock Holmes: endpoint ''"),
        (("play", "bundled:holmes-study", "--resume", ""), "''"),
        (("play", "bundled:holmes-study", "--seed", "-1"), "--seed: '-1' is no whole number from 0 to 2147483647"),
        (("play", "bundled:holmes-study", "--seed", "2147483648"), "from 0 to 2147483647"),
        (("play", "bundled:holmes-study", "--cast", "Moriarty=rehearsal"), "Moriarty"),
        (("play", "bundled:holmes-study", "--cast", "Watson"), "--cast: use the form NAME=URL#MODEL"),
        (("play", "--resume", "nosuch"), "'nosuch'"),
        (("play", "bundled:holmes-study", "--db", "/proc/nowhere/x.db"), "cannot be opened"),
        (("play", "bundled:holmes-study", "--db", "mysql://u:secretpw@h/d"), "neither SQLite nor PostgreSQL"),
        (("play", "bundled:holmes-study", "--db", ""), "--db: '' names no file"),
        (("play", "bundled:holmes-study", "--db", " "), "--db: ' ' names no file"),
        (("play", "bundled:holmes-study", "--db", ":memory:"), "--db: ':memory:' names no file"),
        (("play", "bundled:holmes-study", "--db", "~nobody-of-this-name/x.db"), "--db: there is no home folder"),
        (("play", "bundled:holmes-study", "--db", "sqlite://"), "names no file"),
        (("judge", "nosuch", "--judge", "X=rehearsal"), "'nosuch'"),
        (("judge", "nosuch", "--judge", "rehearsal"), "NAME=URL#MODEL"),
        (("judge", "nosuch"), "--judge"),
        (("judge", "nosuch", "--judge", "X=rehearsal", "--of", "plot"), "--of: invalid choice"),
        (("crosscheck", "nosuch", "--narrator", "rehearsal"), "'nosuch'"),
        (("crosscheck", "nosuch"), "--narrator"),
        (("crosscheck", "nosuch", "--narrator", "gpt-4"), "enter URL#MODEL or rehearsal"),
        (("experiment", "nosuch", "--judge", "X=rehearsal"), "'nosuch'"),
        (("experiment", "--judge", "X=rehearsal"), "STORY"),
        (("experiment", "nosuch", "--judge", "X=rehearsal", "--try", "magic"), "each, one, direct"),
        (("experiment", "nosuch", "--judge", "X=rehearsal", "--try", "one"), "X already judges with one"),
        (("experiment", "nosuch", "--judge", "X=rehearsal", "--repeats", "0"), "from 1 to 20"),
        (("import", "nosuch.json"), "nosuch.json"),
        (("export", "nosuch"), "'nosuch'"),
        (("export", "nosuch", "--format", "pdf"), "pdf"),
        (("stats", "nosuch.csv"), "nosuch.csv"),
        (("stats", "nosuch.csv", "--scale", "5-1"), "lower"),
        (("rehearsal",), "--port"),
        (("rehearsal", "--port", "99999"), "from 1 to 65535"),
        (("rehearsal", "--port", "8001", "--latency", "-1"), "'-1' is no number from 0 to 60"),
        (("rehearsal", "--port", "8001", "--latency", "nan"), "from 0 to 60"),
        (("app", "--port", "99999"), "from 1 to 65535"),
        (("play", "bundled:holmes-study", "--narrator", "http://me:secretpw@h/v1#m"), "register the server"),
        (("play", "bundled:holmes-study", "--narrator", "http://h/v1?key=secretpw#m"), "register the server"),
    ],
)
def test_bad_input_ends_with_2_and_one_line(in_process, words, told):
    done = in_process(*words)
    assert done.status == 2
    assert done.out == ""
    assert told in done.one_line()
    assert "secretpw" not in done.err


def test_bad_input_in_a_process_of_its_own(command):
    done = command("play", "nosuch.json")
    assert (done.status, done.out) == (2, "")
    assert "nosuch.json" in done.one_line()


@pytest.mark.parametrize("db", [(), ("--db", "other.db")])
def test_a_setting_that_can_not_be_used_is_named(in_process, monkeypatch, db):
    monkeypatch.setenv("CHARACTERBOX_REHEARSAL_LATENCY", "slow")
    done = in_process("play", "bundled:holmes-study", "--rounds", "1", *db)
    assert done.status == 2
    assert "CHARACTERBOX_REHEARSAL_LATENCY" in done.one_line()
    assert "change it or unset it" in done.err


@pytest.mark.parametrize("db", ["", " ", ":memory:"])
def test_a_database_in_the_environment_that_is_no_file_is_refused(in_process, monkeypatch, db):
    monkeypatch.setenv("CHARACTERBOX_DB", db)
    done = in_process("export", "any")
    assert (done.status, done.out) == (2, "")
    assert f"CHARACTERBOX_DB cannot be used ({db!r} names no file; give a file" in done.one_line()


@pytest.mark.process
@pytest.mark.parametrize("words", ["app", "rehearsal"])
def test_a_port_that_is_taken_is_told(in_process, words):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = in_process(words, "--port", port)
    assert (done.status, done.out) == (2, "")
    assert f"port {port}: Address already in use; give another one with --port" in done.one_line()


@pytest.mark.process
def test_the_app_does_not_start_on_a_database_that_it_cannot_use(in_process, monkeypatch):
    monkeypatch.setenv("CHARACTERBOX_DB", "/proc/nowhere/x.db")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = in_process("app", "--port", port)
    assert (done.status, done.out) == (2, "")
    assert "/proc/nowhere/x.db: cannot be opened" in done.one_line()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_can_not_be_written_is_told(environment, tmp_path):
    (tmp_path / "ratings.csv").write_text(RATINGS, encoding="utf-8")
    words = [sys.executable, "-m", "characterbox", "stats", "ratings.csv"]
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run(
            words, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path, check=False
        )
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["characterbox: No space left on device; make room, or read and write elsewhere"]
