"""Judges, experiments on them and second narrators, asked about a story that the rehearsal played."""

import json

import pytest

from tests.fakes.mock_server import mock_server


def test_judging_prints_ratings(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    for _ in range(2):
        done = in_process("judge", story, "--judge", "The critic=rehearsal", "--db", db)
        ratings = done.events()
        assert done.status == 0
        assert done.one_line() == "characterbox: story and judge: Demo output (no language model); do not report"
        assert {rating["improvised"] for rating in ratings} == {"story and judge"}
        assert {rating["rater"] for rating in ratings} == {"The critic"}
        assert {rating["judged_by"] for rating in ratings} == {"Rehearsal judge, The critic protocol"}
        assert {rating["metric"] for rating in ratings} == {"KA", "BA", "EE", "PT", "IM", "AD", "BC"}
        assert all(rating["story_id"] == story and rating["score"] in range(1, 6) for rating in ratings)


@pytest.mark.process
def test_why_a_score_is_missing_is_told_beside_it(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    with mock_server(always="1 MB") as server:
        done = in_process("judge", story, "--judge", f"Rambler={server.url}#m", "--db", db)
    assert done.status == 0
    assert "scores could not be read; --anew asks for them again" in done.err
    ratings = done.events()
    assert {rating["score"] for rating in ratings} == {None}
    for rating in ratings:
        assert isinstance(rating["reason"], str)
        assert rating["reason"]


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
    assert "Demo output (no language model); do not report" in done.one_line()
    assert {(rating["rubric"], rating["metric"]) for rating in done.events()} == {(of, metric) for metric in metrics}


@pytest.mark.process
def test_a_second_narrator_is_asked_and_the_agreement_printed(in_process, rehearsed):
    events, db = rehearsed
    story = json.loads(events.splitlines()[0])["story"]
    same = in_process("crosscheck", story, "--narrator", "rehearsal", "--db", db)
    assert (same.status, same.err) == (0, "")
    first, _, third, *_ = same.out.splitlines()
    assert first == "Demo output (no language model); do not report"
    assert third.startswith("Who is affected, or nobody: equal 1.000 [no interval]")
    done = in_process("crosscheck", story, "--narrator", "rehearsal#another", "--json", "--db", db)
    found = json.loads(done.out)
    assert found["note"] == "Demo output (no language model); do not report"
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
    assert "Demo output (no language model); do not report" in done.out
    assert "no interval: an interval needs at least 5 scenes; found 1" in done.out
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
