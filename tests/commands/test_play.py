"""`characterbox play`: stories are played, kept, and go on."""

import json
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections import deque
from contextlib import closing

import pytest

from characterbox.play.events import Event
from tests.fakes.mock_server import mock_server
from tests.fakes.real_data import real

KINDS = {kind.model_fields["kind"].default for kind in Event.__origin__.__args__}
ONE_ROUND = ("--rounds", "1")
BELIEFS = 2 * 4
"""Calls before the first round of the four of `bundled:holmes-study`: they come in no order."""


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


def test_settings_are_sent_kept_and_told_with_what_a_model_does_not_take(command):
    chosen = ("--narrator-temperature", "0.2", "--character-temperature", "endpoint", "--recalled", "3")
    with mock_server(refused_fields={"temperature"}) as server:
        done = command("play", "bundled:holmes-study", *ONE_ROUND, *everybody(server), *chosen)
        sent = {(body["model"], body.get("temperature"), body.get("top_p")) for body in server.seen}
    check_story(done)
    assert sent == {("narrates", 0.2, 1.0), ("narrates", None, 1.0), ("acts", None, 1.0)}
    file = json.loads(command("export", done.story()).out)
    settings = file["story"]["script"]["settings"]
    assert (settings["narrator"]["temperature"], settings["characters"]["temperature"]) == (0.2, None)
    assert settings["memory"]["recalled"] == 3
    refused = {(one["endpoint"]["model"], *one["refused"]) for one in file["journal"]}
    assert refused == {("narrates", "temperature"), ("acts",)}
    for form in ("html", "markdown"):
        told = command("export", done.story(), "--format", form).out
        assert "narrates does not support temperature; the model default applies." in told
        assert "Narrator: temperature 0.2, top-p 1" in told


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
    assert "no key name is set for this server" in done.err


def test_an_endpoint_that_fails_ends_with_3_and_the_command_to_go_on_works(command):
    with mock_server() as server:
        server.faults_at["action"] = deque(["500"] * 7)
        failed = command("play", "bundled:holmes-study", *ONE_ROUND, *everybody(server))
        assert failed.status == 3
        story, error, hint = failed.err.splitlines()
        assert story == f"characterbox: story {failed.story()}"
        assert server.url in error
        assert "HTTP 500" in error
        hinted = shlex.split(hint.partition("go on with: ")[2])
        assert hinted[0] == "characterbox"
        server.faults_at.clear()
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
    with mock_server(answers=BELIEFS) as server:
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


def test_a_story_that_is_resumed_with_other_settings_is_refused(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    resume = ("play", "--resume", story, "--db", db)
    for other, told in [
        (("--rounds", "2"), "--rounds is 1"),
        (("--seed", "5"), "--seed is 1"),
        (("--top-p", "0.9"), "its settings are those of its start"),
        (("--no-last-beliefs",), "its settings are those of its start"),
        (("bundled:holmes-study",), "another scene"),
    ]:
        done = in_process(*resume, *other)
        assert done.status == 2
        assert told in done.one_line()
    same = ("--rounds", "1", "--seed", "1", "--narrator-temperature", "0.5")
    assert in_process(*resume, "bundled:xiyou-shiqiao", *same).out == events


def test_characters_recall_by_an_embedding_model_and_keep_it(command):
    with mock_server(models=("e",)) as embedder:
        model = f"{embedder.url}#e"
        options = ("--rounds", 3, "--record-tokens", 0)
        done = command("play", "bundled:dracula-wolves", "--memory", model, *options)
        assert done.status == 0
        assert embedder.embedded
        assert len(embedder.embedded) == len({*embedder.embedded})
        asked = len(embedder.embedded)
        assert command("play", "--resume", done.story()).status == 0
        assert len(embedder.embedded) == asked
        refused = command("play", "--resume", done.story(), "--memory", f"{embedder.url}#other")
        assert refused.status == 2
        assert "recall is by e, not by other; launch a new story for that" in refused.one_line()
    for wrong, told in (("rehearsal", "the rehearsal has no embeddings"), ("x", "URL#MODEL or rehearsal")):
        refused = command("play", "bundled:dracula-wolves", "--memory", wrong)
        assert refused.status == 2
        assert refused.one_line().startswith("characterbox: --memory: ")
        assert told in refused.one_line()
