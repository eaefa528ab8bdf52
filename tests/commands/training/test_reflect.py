"""Parts of a story that the rehearsal played, rewritten from the command line."""

import json

import pytest

from tests.fakes.mock_server import mock_server

pytestmark = pytest.mark.slow

NOTE = "Demo output (no language model); do not report"


@pytest.fixture
def rewritable(rehearsed):
    events, db = rehearsed
    rows = [json.loads(line) for line in events.splitlines()]
    cast = {row["character"] for row in rows if "character" in row}
    return rows[0]["story"], db, sorted(cast)


def test_each_part_is_rewritten_and_what_came_of_it_told(in_process, rewritable):
    story, db, cast = rewritable
    for _ in range(2):
        done = in_process("reflect", story, "--db", db)
        assert (done.status, done.err) == (0, "")
        lines = done.out.splitlines()
        assert lines.count(NOTE) == len(cast)
        told = [line for line in lines if line.startswith(f"Story {story}, ")]
        assert sorted(told) == [f"Story {story}, {name}, rewritten by rehearsal" for name in cast]
        assert sum(line.startswith("Replies: ") for line in lines) == len(cast)
        assert any(line.startswith("  [") for line in lines)
        assert any(line.startswith("Refused: [") and ", as " in line for line in lines)


def test_as_json_before_and_after_stand_side_by_side_with_the_scores_of_both(in_process, rewritable):
    story, db, cast = rewritable
    done = in_process("reflect", story, "--character", cast[0], "--judge", "Critic=rehearsal", "--json", "--db", db)
    assert (done.status, done.err) == (0, "")
    [part] = done.events()
    assert (part["note"], part["story"], part["character"], part["model"]) == (NOTE, story, cast[0], "rehearsal")
    assert sum(part["counts"].values()) == len(part["steps"])
    assert set(part["scores"]["before"]) == {"KA", "BA", "EE", "PT", "IM", "AD", "BC"}
    for metric, difference in part["differences"].items():
        assert difference == part["scores"]["after"][metric] - part["scores"]["before"][metric]
    for step in part["steps"]:
        assert (step["refused"] is not None) == (step["state"] == "refused")
        assert (step["before"] == step["after"]) == (step["state"] == "unchanged")
    text = in_process("reflect", story, "--judge", "Critic=rehearsal", "--db", db).out
    assert "Overall, after minus before: " in text
    assert f"n = {len(cast)}" in text
    assert "KA: " in text


def test_what_can_not_be_done_is_told_in_one_line(in_process, rewritable):
    story, db, _ = rewritable
    nobody = in_process("reflect", story, "--character", "Nobody here", "--db", db)
    assert (nobody.status, nobody.out) == (2, "")
    assert "there is no character 'Nobody here'; choose one of" in nobody.one_line()
    assert in_process("reflect", "nosuch", "--db", db).status == 2


@pytest.mark.process
def test_an_endpoint_that_fails_is_gone_on_with(in_process, rewritable):
    story, db, cast = rewritable
    with mock_server(always="401") as server:
        failed = in_process("reflect", story, "--model", f"{server.url}#m", "--character", cast[0], "--db", db)
        assert (failed.status, failed.out) == (3, "")
        assert server.url in failed.one_line()
        server.always = None
        done = in_process("reflect", story, "--model", f"{server.url}#m", "--character", cast[0], "--json", "--db", db)
    assert done.status == 0
    assert done.events()[0]["unread"]
