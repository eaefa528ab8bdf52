"""What the Sweeps page says of sweeps, how they stand, and how its form is read."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.judging.judge import Judge
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason, in_full
from characterbox.scenes.library import bundled_scene
from characterbox.stage.stage import Stage
from characterbox.store.sweeps import Failure, Task
from characterbox.store.tables.columns import now
from characterbox.sweeps.progress import Plan, Progress
from characterbox.sweeps.sweep import cells_of
from pages.shared.form import FieldFaults
from pages.sweeps.form import lacking, read_sweep_form
from pages.sweeps.scenes import groups_of, key_of, picked, scene_told, scenes_told
from pages.sweeps.text import (
    costs_told,
    done_told,
    failures_told,
    find_sweep,
    plan_told,
    progress_now,
    settings_of,
    share_done,
    size_told,
    state_now,
    time_told,
)
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.sweeps import REHEARSAL, a_sweep, scenes

WRITTEN = {
    "name": " first ",
    "scenes": scenes(2),
    "characters": ["rehearsal", "http://x:1/v1#m"],
    "narrators": ["rehearsal"],
    "judges": (Judge(name="Strict", endpoint=REHEARSAL),),
    "rounds": 2,
    "seeds": "1, 5-7；9",
    "repeats": 2,
    "may_conclude": True,
    "budget": 2.5,
    "parallel": {"rehearsal": 4},
}
PLAN = Plan(
    Progress(stories=4, played=1, judgements=4, judged=0, unread=0, failed=0, calls=0, spent=0.25),
    calls=1234, prompt_tokens=45_678, completion_tokens=901, price=0.1234, unpriced=[], seconds=600.0,
)  # fmt: skip


@pytest.fixture
def stage(tmp_path: Path):
    stage = Stage(store_in(tmp_path / "page.db"), Client())
    yield stage
    stage.close()


def faults(**written):
    with pytest.raises(FieldFaults) as found:
        read_sweep_form({**WRITTEN, **written})
    return found.value.faults


def test_a_form_is_a_sweep():
    sweep = read_sweep_form(WRITTEN)
    assert (sweep.name, sweep.seeds, sweep.repeats, sweep.rounds) == ("first", (1, 5, 6, 7, 9), 2, 2)
    assert [str(one) for one in sweep.characters] == ["rehearsal", "http://x:1/v1#m"]
    assert (sweep.budget, sweep.parallel, sweep.may_conclude) == (2.5, {"rehearsal": 4}, True)
    assert read_sweep_form({**WRITTEN, "seeds": " "}).seeds == (1,)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        (
            "characters",
            ["nowhere"],
            "endpoint 'nowhere': it is neither an http(s) URL nor 'rehearsal'; enter URL#MODEL",
        ),
        ("characters", ["http://x:1/v1#m", "http://y:1/v1#m"], "m is listed twice"),
        ("narrators", ["handwritten"], "endpoint handwritten: it has no model to call"),
        ("name", "!?", "a name needs a letter or digit"),
        ("scenes", (*scenes(1), *scenes(1)), "watch-1 is listed twice"),
        (
            "judges",
            (Judge(name="A b", endpoint=REHEARSAL), Judge(name="a B", endpoint=REHEARSAL)),
            "a-b is listed twice",
        ),
        ("seeds", "1, x", "x is not a seed"),
        ("seeds", "7-5", "7-5: enter at most 1,000 seeds, and ranges from low to high."),
        ("seeds", "0-5000", "0-5000: enter at most 1,000 seeds"),
        ("seeds", "2147483648", "Seeds must be whole numbers from 0 to 2,147,483,647."),
        ("seeds", "1, 1", "1 is listed twice"),
        ("budget", 0.0, "The budget must be greater than 0"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(field, value, said):
    found = faults(**{field: value})
    assert list(found) == [field]
    assert said in found[field]


def test_all_faults_are_told_at_once():
    assert {*faults(name="!", characters=["a"], seeds="x", budget=-1.0)} == {"name", "characters", "seeds", "budget"}


def test_what_is_lacking_is_named():
    assert lacking(WRITTEN) == {}
    assert list(lacking({**WRITTEN, "name": " ", "scenes": (), "narrators": []})) == ["name", "scenes", "narrators"]


def test_scenes_are_picked_by_language_and_work_so_many_of_each_and_one_by_one():
    def scene(number, work, language="en"):
        return a_scene(language=language).model_copy(update={"id": f"s{number}", "work": work})

    one, two, three = scene(1, "A"), scene(2, "A"), scene(3, "B")
    four = scene(4, "C", "zh")
    all = [one, two, three, four]
    counts = {group: len(some) for group, some in groups_of(all).items()}
    assert counts == {("en", ""): 3, ("zh", ""): 1, ("en", "A"): 2, ("en", "B"): 1, ("zh", "C"): 1}
    assert picked(all, [("en", "")], None, set()) == (one, two, three)
    assert picked(all, [("en", "")], 1, set()) == (one, three)
    assert picked(all, [("en", "A"), ("zh", "")], None, set()) == (one, two, four)
    assert picked(all, [("en", "A")], 1, {key_of(two), key_of(four), key_of(one)}) == (one, two, four)


def test_scenes_in_which_nobody_reacts_are_marked_in_choice_and_plan():
    alone, several = bundled_scene("crusoe-footprint"), bundled_scene("holmes-study")
    assert scene_told(alone).endswith("(Robinson Crusoe) · one character: no reactions")
    assert scene_told(several).endswith("(Sherlock Holmes)")
    assert scenes_told([alone, several]) == "2 scenes: 2 in English; 1 has only one character, so nobody reacts"
    assert scenes_told([several]) == "1 scene: 1 in English"
    told = plan_told(PLAN, a_sweep(scenes=(alone, several)))
    assert told["One character"] == f"nobody reacts: {alone.title}"
    assert settings_of(a_sweep(scenes=(alone, several)))["One character"] == told["One character"]
    many = tuple(alone.model_copy(update={"id": str(number)}) for number in range(6))
    assert plan_told(PLAN, a_sweep(scenes=many))["One character"] == "nobody reacts in 6 scenes"


def test_a_plan_in_words():
    sweep = a_sweep(budget=1.0)
    assert plan_told(PLAN, sweep) == {
        "Stories": "4 stories: 2 scenes × 2 models × 1 narrator × 1 seed; 1 already played",
        "Judgments": "4",
        "Calls": "about 1,200",
        "Tokens": "about 46,000 in, 900 out",
        "Price": "about $0.1234; $0.2500 already spent; budget $1.00",
        "Time": "about 10 minutes",
    }
    assert size_told(a_sweep(seeds=(1, 2), repeats=3)) == (
        "24 stories: 2 scenes × 2 models × 1 narrator × 2 seeds × 3 repeats"
    )


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "unknown: these models have not played yet"),
        (59, "less than a minute"),
        (60, "about 1 minute"),
        (5399, "about 90 minutes"),
        (7200, "about 2 hours"),
    ],
)
def test_time_in_words(seconds, said):
    assert time_told(seconds) == said


def test_settings_name_all_that_is_asked_and_few_scenes_by_title():
    told = settings_of(a_sweep(scenes=scenes(2), budget=None))
    title = a_scene().title
    assert told["Scenes"] == f"{a_scene().work} ({title}, {title})"
    assert told["Characters"] == "rehearsal, rehearsal#other"
    assert told["Judges"] == "Strict at rehearsal#strict: Critique first, then scores"
    assert told["Budget"] == "no limit"
    assert settings_of(a_sweep(scenes=scenes(6)))["Scenes"] == f"{a_scene().work} (6)"


def test_progress_in_words():
    progress = Progress(stories=4, played=3, judgements=8, judged=3, failed=1, calls=1, spent=0.5, unread=0)
    assert done_told(progress) == "3 of 4 stories played, 3 of 8 judgments done"
    assert (
        costs_told(progress, a_sweep(budget=2.0), runs=True) == "1 reply received · $0.5000 of $2.00 spent · 1 failed"
    )
    assert costs_told(progress, a_sweep(), runs=False) == "$0.5000 spent · 1 failed"
    assert share_done(progress) == 0.5


def test_failures_are_told_by_reason_the_most_frequent_first():
    cells = [*cells_of(a_sweep(seeds=(1, 2, 3)))]
    failures = [Failure(Task(cell.id), a_reason("it was down"), now()) for cell in reversed(cells[:7])]
    failures += [
        Failure(Task(cells[0].id, "Strict"), a_reason("no scores"), now()),
        Failure(Task("another"), a_reason("gone"), now()),
    ]
    (first, places), (second, one) = failures_told(failures, cells)
    assert (first, second) == ("the endpoint was not responding", "no scores")
    assert len(places) == 6
    assert places[0] == f"{cells[0].scene.title} · rehearsal · narrator rehearsal · seed 1"
    assert places[-1] == "and 2 more"
    assert one == [f"Strict on {places[0]}"]


def test_what_servers_said_tells_failures_apart_for_admins_alone():
    cells = [*cells_of(a_sweep(seeds=(1, 2, 3)))]
    said = [f"endpoint http://h/v1#m: HTTP 500: SECRET-{number}" for number in range(3)]
    failures = [Failure(Task(cell.id), a_reason(why), now()) for cell, why in zip(cells, said, strict=False)]
    [(reason, places)] = failures_told(failures, cells)
    assert reason == "endpoint http://h/v1#m: HTTP 500: details visible to admins only"
    assert len(places) == 3
    with in_full():
        assert sorted(reason for reason, _ in failures_told(failures, cells)) == said


@pytest.mark.parametrize(
    ("status", "reason", "state"),
    [
        ("running", None, "broken"),
        ("paused", None, "paused"),
        ("paused", Reason("spent"), "spent"),
        ("ended", None, "ended"),
    ],
)
def test_how_a_sweep_stands_that_nobody_runs(stage, status, reason, state):
    stage.store.sweeps.put("small", a_sweep().model_dump(mode="json"), "app")
    stage.store.sweeps.rest("small", status, reason)
    assert state_now(stage, "small") == state
    known = find_sweep(stage, "small")
    assert known.sweep == a_sweep()
    assert progress_now(stage, known).played == 0


@pytest.mark.slow
def test_how_a_sweep_stands_that_runs(stage):
    with stage.store.sweeps.claimed("small"):
        stage.store.sweeps.put("small", a_sweep().model_dump(mode="json"), "command line")
        assert state_now(stage, "small") == "elsewhere"
    stage.sweepings.start(a_sweep(judges=()))
    sweeping = stage.sweepings.of("small")
    assert state_now(stage, "small") == "running"
    assert find_sweep(stage, "small").sweep.judges == ()
    assert sweeping.future.result(timeout=120).done
    assert state_now(stage, "small") == "ended"
    stage.sweepings.start(a_sweep(characters=(Endpoint.parse("rehearsal#more"),), seeds=(1, 2, 3)))
    stage.sweepings.rest("small")
    assert stage.sweepings.of("small").future.result(timeout=120).done is False
    assert state_now(stage, "small") == "paused"


def script_of_files():
    from pages.sweeps.new import _from_files  # noqa: PLC0415 - the script is run by itself

    _from_files(None)


@pytest.mark.process
def test_a_sweep_that_is_not_utf_8_is_refused_as_by_the_command_and_no_encoding_is_chosen():
    app = AppTest.from_function(script_of_files, default_timeout=60).run()
    raw = 'name = "西安"\n'.encode("gb18030")
    app.file_uploader(key="sweep-files").set_value([("sweep.toml", raw, "application/toml")]).run()
    assert not app.exception
    assert not app.button_group
    [error] = app.error
    assert "byte 9 (line 1) is not UTF-8" in error.value
