"""The contract of the command line: what it prints, how it ends, and what it says when it can't go on."""

import io
import json
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, redirect_stdout
from pathlib import Path

import pytest

from characterbox.cli import main
from characterbox.play.events import Event
from characterbox.scenes.importer import read_scene_file
from tests.fakes.databases import database_in
from tests.fakes.mock_server import mock_server
from tests.fakes.real_data import real

KINDS = {kind.model_fields["kind"].default for kind in Event.__origin__.__args__}
ONE_ROUND = ("--rounds", "1")
RATINGS = """item,scene,model,metric,rater,kind,score
s1:ann,s1,m,KA,expert-mean,expert,4
s1:ann,s1,m,BA,expert-mean,expert,3
s2:ann,s2,m,KA,expert-mean,expert,-1
"""


def everybody(server):
    return ("--narrator", f"{server.url}#narrates", "--character", f"{server.url}#acts")


def check_story(done):
    """The events of a story that came to its end."""
    assert done.status == 0, done.err
    events = done.events()
    for event in events:
        assert event["kind"] in KINDS
        assert event["path"]
        assert event["story"] == done.story()
    assert len({event["path"] for event in events}) == len(events)
    assert [event["kind"] == "story_ended" for event in events] == [False] * (len(events) - 1) + [True]
    return events


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The output and the database of a story that the rehearsal played."""
    file = tmp_path_factory.mktemp("rehearsed") / "kept.db"
    database_in(file)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), pytest.raises(SystemExit) as ended:
        main(["play", "bundled:xiyou-shiqiao", *ONE_ROUND, "--db", str(file)])
    assert not ended.value.code
    out.seek(0)
    return out.read(), file


@pytest.fixture
def rehearsed(played, tmp_path):
    """The output and a copy of the database."""
    return played[0], str(shutil.copy(played[1], tmp_path / "copy.db"))


@pytest.mark.process
def test_a_bundled_scene_is_rehearsed_without_any_option(tmp_path):
    """In a fresh Python, on a database that is yet to be made."""
    words = ["play", "bundled:xiyou-shiqiao", *ONE_ROUND, "--db", str(tmp_path / "kept.db")]
    whole = [sys.executable, "-m", "characterbox", *words]
    done = subprocess.run(whole, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {event["kind"] for event in events} == KINDS
    assert events[-1]["kind"] == "story_ended"


@pytest.mark.parametrize("style", ["json", "text", "prose"])
@pytest.mark.parametrize("file", ["西游记-extracted.json", "the-matrix-extracted.json"])
def test_real_scenes_are_played_in_every_style_of_reply(command, file, style):
    scene = real("scenes", file)
    if not scene.exists():
        pytest.skip(f"{scene} is not there")
    refused = {"json": set(), "text": {"json_schema"}, "prose": {"json_schema", "json_object"}}[style]
    with mock_server(style=style, refused_formats=refused) as server:
        done = command("play", scene, "--scene", "3", *ONE_ROUND, *everybody(server))
        models = {body["model"] for body in server.seen}
        headings = server.tasks()
    events = check_story(done)
    assert models == {"narrates", "acts"}
    assert "unknown" not in headings
    degraded = {event["kind"] for event in events if event.get("degraded")}
    narrated = {"action_influence", "character_update", "environment_update", "self_belief", "environment_belief"}
    assert degraded == (narrated if style == "prose" else set())
    if style != "prose":
        assert {event["kind"] for event in events} == KINDS


def test_casting_by_name_seed_and_database(command, tmp_path):
    with mock_server() as server:
        cast = ("--cast", f"watson={server.url}#other")
        done = command("play", "bundled:holmes-study", *ONE_ROUND, "--seed", "9", *everybody(server), *cast,
                       "--db", tmp_path / "elsewhere.db")  # fmt: skip
        seen = list(server.seen)
    check_story(done)
    assert {body["seed"] for body in seen} == {9}
    assert {body["model"] for body in seen} == {"narrates", "acts", "other"}
    assert (tmp_path / "elsewhere.db").exists()
    with closing(sqlite3.connect(tmp_path / "cli.db")) as database:
        assert database.execute("select count(*) from story").fetchone() == (0,)


def test_the_key_is_sent_and_never_shown_or_stored(command, environment):
    with mock_server(always="401") as server:
        assert command("servers", "add", server.url, "--name", "Lab", "--key", "LAB_API_KEY").status == 0
        done = command("play", "bundled:holmes-study", *everybody(server), LAB_API_KEY="sk-secret-key")
        assert server.authorization == "Bearer sk-secret-key"
    assert done.status == 3
    assert "sk-secret-key" not in done.err + done.out
    with open(environment["CHARACTERBOX_DB"], "rb") as database:
        assert b"sk-secret-key" not in database.read()


def test_an_address_that_nobody_registered_gets_no_key(command):
    with mock_server(always="401") as server:
        keys = {"CHARACTERBOX_API_KEY": "sk-secret-key", "OPENAI_API_KEY": "sk-secret-key"}
        done = command("play", "bundled:holmes-study", *everybody(server), **keys)
        assert server.authorization is None
    assert done.status == 3
    assert "no key is named for this server" in done.err


def test_an_endpoint_that_fails_ends_with_3_and_the_command_to_go_on_works(command):
    with mock_server() as server:
        server.faults.extend(["500"] * 7)
        failed = command("play", "bundled:holmes-study", *ONE_ROUND, *everybody(server))
        assert failed.status == 3
        story, error, hint = failed.err.splitlines()
        assert story == f"characterbox: story {failed.story()}"
        assert server.url in error
        assert "HTTP 500" in error
        hinted = shlex.split(hint.partition("go on with: ")[2])
        assert hinted[0] == "characterbox"
        server.faults.clear()
        resumed = command(*hinted[1:])
    assert resumed.story() == failed.story()
    check_story(resumed)
    again = command(*hinted[1:])
    assert again.out == resumed.out, "a story that has ended is told again, and nobody is asked"


def test_a_story_keeps_its_models_though_they_may_be_reached_elsewhere(command):
    with mock_server() as first, mock_server() as second:
        first.always = "401"
        failed = command("play", "bundled:holmes-study", *ONE_ROUND, *everybody(first))
        assert failed.status == 3
        resume = ("play", "--resume", failed.story())
        for other in (f"{second.url}#stronger", "rehearsal#acts"):
            refused = command(*resume, "--character", other)
            assert refused.status == 2
            assert "Sherlock Holmes is played by" in refused.err
        assert second.seen == []
        check_story(command(*resume, "--character", f"{second.url}#acts", "--narrator", f"{second.url}#narrates"))
        assert {body["model"] for body in second.seen} == {"acts", "narrates"}


def test_a_story_that_has_ended_stays_as_it_is(command):
    with mock_server() as server:
        played = command("play", "bundled:holmes-study", *ONE_ROUND, *everybody(server))
        check_story(played)
        calls = len(server.seen)
        resume = ("play", "--resume", played.story())
        assert command(*resume, "--on-mismatch", "ask").out == played.out
        refused = command(*resume, "--character", f"{server.url}#other")
        assert refused.status == 2
        assert "it has ended" in refused.err
        assert command(*resume).out == played.out
        assert len(server.seen) == calls


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_story_says_how_to_go_on(environment, tmp_path, command, end):
    with mock_server(answers=1) as server:
        words = [sys.executable, "-m", "characterbox", "play", "bundled:holmes-study", *ONE_ROUND, *everybody(server)]
        with subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path
        ) as process:
            first = json.loads(process.stdout.readline())
            process.send_signal(end)
            _, err = process.communicate(timeout=300)
        server.answers = None
        assert process.returncode == 130
        assert "Traceback" not in err
        assert f"characterbox play --resume {first['story']}" in err.splitlines()[-1]
        assert json.loads(command("export", first["story"]).out)["story"]["status"] == "paused"
        check_story(command("play", "--resume", first["story"]))


def test_a_story_is_written_as_utf8_whatever_the_locale_says(environment, tmp_path):
    words = [sys.executable, "-m", "characterbox", "play", "bundled:xiyou-shiqiao", *ONE_ROUND]
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
        (("play", "bundled:holmes-study", "--narrator", "gpt-4"), "give URL#MODEL or rehearsal"),
        (("play", "bundled:holmes-study", "--narrator", ""), "--narrator: endpoint '': it is no http"),
        (("play", "bundled:holmes-study", "--character", ""), "--character: endpoint '': it is no http"),
        (("play", "bundled:holmes-study", "--cast", "Holmes="), "--cast Sherlock Holmes: endpoint ''"),
        (("play", "bundled:holmes-study", "--resume", ""), "''"),
        (("play", "bundled:holmes-study", "--seed", "-1"), "--seed: '-1' is no whole number from 0 to 2147483647"),
        (("play", "bundled:holmes-study", "--seed", "2147483648"), "from 0 to 2147483647"),
        (("play", "bundled:holmes-study", "--cast", "Moriarty=rehearsal"), "Moriarty"),
        (("play", "bundled:holmes-study", "--cast", "Watson"), "--cast: give NAME=URL#MODEL"),
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
        (("crosscheck", "nosuch", "--narrator", "gpt-4"), "give URL#MODEL or rehearsal"),
        (("experiment", "nosuch", "--judge", "X=rehearsal"), "'nosuch'"),
        (("experiment", "--judge", "X=rehearsal"), "STORY"),
        (("experiment", "nosuch", "--judge", "X=rehearsal", "--try", "magic"), "each, one, direct"),
        (("experiment", "nosuch", "--judge", "X=rehearsal", "--try", "one"), "is how X judges already"),
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
        (("play", "bundled:holmes-study", "--narrator", "http://me:secretpw@h/v1#m"), "register it"),
        (("play", "bundled:holmes-study", "--narrator", "http://h/v1?key=secretpw#m"), "register it"),
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
    done = in_process("play", "bundled:holmes-study", *ONE_ROUND, *db)
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


def test_a_story_that_is_resumed_with_other_settings_is_refused(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    resume = ("play", "--resume", story, "--db", db)
    for other, told in [
        (("--rounds", "2"), "--rounds is 1"),
        (("--seed", "5"), "--seed is 1"),
        (("bundled:holmes-study",), "another scene"),
    ]:
        done = in_process(*resume, *other)
        assert done.status == 2
        assert told in done.one_line()
    assert in_process(*resume, "bundled:xiyou-shiqiao", "--rounds", "1", "--seed", "1").out == events


def test_judging_prints_ratings(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    for _ in range(2):
        done = in_process("judge", story, "--judge", "The critic=rehearsal", "--db", db)
        ratings = done.events()
        assert done.status == 0
        assert done.one_line() == "characterbox: story and judge: Demo, made without a language model: not a result"
        assert {rating["improvised"] for rating in ratings} == {"story and judge"}
        assert {rating["rater"] for rating in ratings} == {"The critic"}
        assert {rating["judged_by"] for rating in ratings} == {"Rehearsal judge, The critic protocol"}
        assert {rating["metric"] for rating in ratings} == {"KA", "BA", "EE", "PT", "IM", "AD", "BC"}
        assert all(rating["story_id"] == story and rating["score"] in range(1, 6) for rating in ratings)


@pytest.mark.parametrize(
    ("of", "metrics"),
    [("narrator", {"quality", "quantity", "relevance", "manner"}),
     ("scene", {"creativity", "coherence", "conformity", "detail"})],
)  # fmt: skip
def test_a_narrator_and_a_scene_can_be_judged(in_process, rehearsed, of, metrics):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    done = in_process("judge", story, "--judge", "The critic=rehearsal", "--of", of, "--db", db)
    assert done.status == 0
    assert "made without a language model: not a result" in done.one_line()
    assert {(rating["rubric"], rating["metric"]) for rating in done.events()} == {(of, metric) for metric in metrics}


@pytest.mark.process
def test_a_second_narrator_is_asked_and_the_agreement_printed(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    same = in_process("crosscheck", story, "--narrator", "rehearsal", "--db", db)
    assert (same.status, same.err) == (0, "")
    first, _, third, *_ = same.out.splitlines()
    assert first == "Demo, made without a language model: not a result"
    assert third.startswith("Who is affected, or nobody: equal 1.000 [no interval]")
    done = in_process("crosscheck", story, "--narrator", "rehearsal#another", "--json", "--db", db)
    found = json.loads(done.out)
    assert found["note"] == "Demo, made without a language model: not a result"
    assert found["affected"]["n"] == sum('"action_influence"' in line for line in events.splitlines())
    assert found["left_out"] == {}
    with mock_server(always="401") as server:
        failed = in_process("crosscheck", story, "--narrator", f"{server.url}#m", "--db", db)
    assert (failed.status, failed.out) == (3, "")
    assert server.url in failed.one_line()


@pytest.mark.slow
def test_an_experiment_tells_what_it_asks_and_what_changed(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    words = ("experiment", story, "--judge", "The critic=rehearsal", "--try", "each,repeats", "--db", db)
    plan = in_process(*words, "--repeats", "1", "--plan")
    assert (plan.status, plan.err) == (0, "")
    characters = int(plan.out.splitlines()[1].removeprefix("Rehearsal judge, The critic protocol: ")) // 2
    assert plan.out.splitlines() == [
        f"{characters * 12} replies to be asked for on 1 story, besides those recorded",
        f"Rehearsal judge, The critic protocol: {characters * 2}",
        f"Rehearsal judge, The critic protocol~each: {characters * 8}",
        f"Rehearsal judge, The critic protocol~repeat 1: {characters * 2}",
    ]
    done = in_process(*words, "--repeats", "1")
    assert done.status == 0
    assert done.err == "".join(f"characterbox: {line}\n" for line in plan.out.splitlines())
    assert "made without a language model: not a result" in done.out
    assert "no interval: too few to resample" in done.out
    again = in_process(*words, "--repeats", "1", "--json")
    assert "characterbox: 0 replies to be asked for" in again.err
    found = json.loads(again.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert (found["judge"], found["items"], found["improvised"]) == ("The critic", characters, True)
    assert found["judged_by"] == "Rehearsal judge, The critic protocol"
    assert set(found["changes"]) == {"each", "repeat 1"}
    assert found["changes"]["each"]["overall"]["difference"]["interval"]["undefined"]
    assert found["steadiness"]["KA"]["times"] == 2


@pytest.mark.process
def test_a_judge_whose_endpoint_fails_ends_with_3(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    with mock_server(always="401") as server:
        done = in_process("judge", story, "--judge", f"X={server.url}#m", "--db", db)
    assert (done.status, done.out) == (3, "")
    assert server.url in done.one_line()


def test_a_story_is_exported_with_its_journal(in_process, rehearsed):
    events, db = rehearsed
    first = json.loads(events.splitlines()[0])
    done = in_process("export", first["story"], "--db", db)
    exported = json.loads(done.out)
    told = [{**event, "story": first["story"]} for event in exported["events"]]
    assert told == [json.loads(line) for line in events.splitlines()]
    assert {event["path"] for event in told} - {"end"} <= {reply["path"] for reply in exported["journal"]}
    assert exported["costs"]["story"]["unanswered"] == 0
    page = in_process("export", first["story"], "--format", "html", "--db", db).out
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert told[0]["text"][:10] in page


def test_scenes_are_imported_once(in_process):
    file = real("scenes", "the-matrix-extracted.json")
    first, again = (in_process("import", file, "--language", "en") for _ in range(2))
    assert (first.status, again.status) == (0, 0)
    count = len(json.loads(file.read_text(encoding="utf-8"))["scenes"])
    assert f"{count} scenes read, {count} new, 0 refused" in first.out.splitlines()[-1]
    assert f"{count} scenes read, 0 new, 0 refused" in again.out.splitlines()[-1]


def test_a_file_whose_scenes_are_all_refused_is_told(in_process, tmp_path):
    (tmp_path / "bad.json").write_text(json.dumps({"scenes": [{"characters": []}, {"characters": 7}]}), "utf-8")
    done = in_process("import", "bad.json")
    assert done.status == 2
    refused = [line.removeprefix("refused: ") for line in done.out.splitlines() if line.startswith("refused: ")]
    assert len(refused) == 2
    assert done.one_line() == f"characterbox: bad.json: all 2 scenes are refused; the first: {refused[0]}"


def test_what_is_wrong_with_ratings_is_told_with_the_file(in_process, tmp_path):
    (tmp_path / "huge.csv").write_text(RATINGS.replace("expert,4", "expert,1e308"), encoding="utf-8")
    done = in_process("stats", "huge.csv", "--json")
    assert (done.status, done.out) == (2, "")
    assert "huge.csv: line 2, column score: '1e308' is beyond a million" in done.one_line()


def test_statistics_as_text_and_as_json(in_process, tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS, encoding="utf-8")
    text = in_process("stats", file)
    assert text.status == 0
    assert len(text.out.splitlines()) > 3
    done = in_process("stats", file, "--json", "--scale", "1-5")
    assert done.status == 0
    assert "outside" in json.dumps(json.loads(done.out))


def test_statistics_of_what_the_rehearsal_gave_say_so(in_process, tmp_path):
    file = tmp_path / "ratings.csv"
    marks = ["improvised", "story"] + [""] * (len(RATINGS.splitlines()) - 2)
    for improvised in (marks, marks[:1] + [""] * (len(marks) - 1)):
        lines = [f"{line},{mark}" for line, mark in zip(RATINGS.splitlines(), improvised, strict=True)]
        file.write_text("\n".join(lines), encoding="utf-8")
        done = in_process("stats", file, "--json")
        assert done.status == 0
        told = f"characterbox: {file}: Demo, made without a language model: not a result\n"
        assert done.err == (told if improvised is marks else "")


def test_a_judge_that_is_the_rehearsal_is_named_so_in_the_statistics(in_process, tmp_path):
    header, *rows = RATINGS.splitlines()
    rows = [f"{row}," for row in rows] + [f"s{at}:ann,s{at},m,KA,GPT-4,judge,3,judge" for at in (1, 2)]
    (file := tmp_path / "ratings.csv").write_text("\n".join([f"{header},improvised", *rows]), encoding="utf-8")
    told, called = in_process("stats", file).out, "Rehearsal judge, GPT-4 protocol"
    assert told.count("Rehearsal judge") == told.count(called) == told.count("GPT-4") > 0
    found = json.loads(in_process("stats", file, "--json").out)
    assert found["judged_by"] == {"GPT-4": called}, "its keys are the names in the file"
    assert called in found["validity"]["GPT-4"]["KA"]["undefined"]


def test_the_figures_of_a_file_are_those_worked_by_hand(in_process, tmp_path):
    # The experts' means are 2, 3, 4 and the judge gives 1, 3, 2: deviations (-1, 0, 1) and (-1, 1, 0), so r = 1 / 2.
    # The experts' variances are 13/3 and 1/3, that of their sums 4: alpha = 2 (1 - (14/3) / 4) = -1/3.
    scores = {"ann": ("expert", (1, 2, 5)), "bo": ("expert", (3, 4, 3)), "gpt": ("judge", (1, 3, 2))}
    lines = [
        f"i{number},s{number},m,KA,{rater},{kind},{score}"
        for rater, (kind, given) in scores.items()
        for number, score in enumerate(given)
    ]
    file = tmp_path / "ratings.csv"
    file.write_text("\n".join(["item,scene,model,metric,rater,kind,score", *lines]), encoding="utf-8")
    found = json.loads(in_process("stats", file, "--json").out)
    r = found["validity"]["gpt"]["KA"]
    [alpha] = [alpha for alpha in found["reliability"] if alpha["metric"] == "KA"]
    assert r == {"pearson": pytest.approx(0.5, abs=1e-12), "low": -1, "high": 1, "n": 3}
    assert alpha["alpha"] == pytest.approx(-1 / 3, abs=1e-12)
    assert (alpha["n"], alpha["items"]) == (3, 2)
    assert "negative" in alpha["warning"]


PUBLISHED = {
    ("topical-chat.csv", "unieval"): {
        "coherence": 0.595143,
        "engagingness": 0.556510,
        "groundedness": 0.536209,
        "naturalness": 0.443666,
        "understandability": 0.380038,
        "overall": 0.632796,
    },
    ("hanna.csv", "chatgpt"): {
        "coherence": 0.5595,
        "complexity": 0.5084,
        "empathy": 0.4290,
        "engagement": 0.5037,
        "relevance": 0.4345,
        "surprise": 0.2981,
    },
}


@pytest.mark.parametrize(("file", "judge"), PUBLISHED)
def test_the_figures_of_real_ratings_are_the_published_ones(command, file, judge):
    done = command("stats", real("ratings", file), "--json")
    assert (done.status, done.err) == (0, "")
    found = json.loads(done.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))["validity"][judge]
    decimals = 6 if file == "topical-chat.csv" else 4
    for metric, published in PUBLISHED[file, judge].items():
        assert round(found[metric]["pearson"], decimals) == published
        assert found[metric]["low"] < published < found[metric]["high"]


def test_a_scene_is_translated_and_kept_as_the_pair_of_the_original(command, tmp_path):
    done = command("craft", "--translate", "bundled:pride-rain", "--to", "zh", "--out", tmp_path / "t.yaml")
    assert done.status == 0, done.err
    assert "1 of 1 scenes are accepted" in done.err
    assert "not a result" in done.err
    [step] = done.events()
    assert step["path"] == "scene-1/1/translator"
    [scene] = read_scene_file(tmp_path / "t.yaml").scenes
    assert (scene.language, scene.pair) == ("zh", "pride-rain")
    id = done.err.split("crafting ")[1].split(":")[0]
    again = command("craft", "--resume", id)
    assert (again.status, again.events()) == (0, [step]), "nothing is left to ask"
    refused = command("craft", "--translate", "bundled:pride-rain", "--to", "en")
    assert refused.status != 0
    assert "choose the other one" in refused.one_line()


def test_a_character_card_is_told_and_nothing_is_stored(in_process, tmp_path):
    card = {"name": "Ann", "description": "A clerk whom {{user}} knows.", "first_mes": "Hi", "personality": ""}
    (tmp_path / "ann.json").write_text(json.dumps(card), encoding="utf-8")
    done = in_process("import", "ann.json")
    assert done.status == 2
    assert "repaired: the file: first_mes: not used; a profile has no place for it" in done.out.splitlines()
    assert "ann.json: {{user}} is taken to be 'the other person'" in done.out.splitlines()
    assert done.out.splitlines()[-1] == "ann.json: a character card: Ann, 0 notes of what it knows, 0 stored"
    assert "bring it in on the page Scenes" in done.one_line()
