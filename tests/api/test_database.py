"""The public API: the app from a script or a notebook."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

import characterbox
from annotations.errors import AnnotationError, RatingError, UndefinedStatistic
from annotations.marking.rating import read_ratings
from annotations.report.all_figures import every_figure
from annotations.report.report import statistics
from annotations.rubrics.rubric import load_rubric
from characterbox import Database, stats
from characterbox.errors import AddressError, CharacterBoxError, EndpointError, SceneError, StoreError, StoryError
from tests.fakes.mock_server import mock_server

ROOT = Path(__file__).parents[2]
SCENE = "bundled:dracula-wolves"
pytestmark = pytest.mark.process


@pytest.fixture
def database(tmp_path):
    with Database(tmp_path / "api.db") as opened:
        yield opened


@pytest.fixture
def played(database):
    return database.play(SCENE, rounds=1)


def test_ten_names_are_public_and_each_is_there():
    assert len(characterbox.__all__) <= 10
    assert all(getattr(characterbox, name) is not None for name in characterbox.__all__)
    assert {*characterbox.__all__} <= {*dir(characterbox)}
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = characterbox.nonsense


def test_to_import_it_takes_no_time():
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import characterbox"], capture_output=True, text=True, check=True
    ).stderr
    imported = {line.split("|")[-1].strip() for line in told.splitlines()}
    assert "characterbox" in imported
    assert not imported & {"pandas", "numpy", "pydantic", "sqlalchemy", "openai", "faiss", "streamlit"}


def test_scenes_are_listed_and_loaded_by_name_id_or_file(database, tmp_path):
    listed = database.scenes()
    assert list(listed.columns) == ["name", "title", "work", "language", "characters", "source"]
    assert len(listed) == 60
    [row] = listed[listed["name"] == SCENE].to_dict("records")
    scene = database.scene(SCENE)
    assert (scene.title, list(scene.names)) == (row["title"], row["characters"])
    file = tmp_path / "own.json"
    file.write_text(json.dumps({"scenes": [scene.model_copy(update={"id": "own"}).model_dump(mode="json")]}))
    assert database.scene(file).id == "own"
    with pytest.raises(SceneError, match="bundled:nothing: there is no bundled scene"):
        database.scene("bundled:nothing")


def test_a_story_is_played_with_progress_judged_and_read_as_frames(database):
    seen = []
    story = database.play(SCENE, rounds=1, on_event=seen.append)
    assert story.status == "ended"
    events = database.events(story)
    assert len(events) == len(seen)
    assert list(events["kind"]) == [event.kind for event in seen]
    assert list(events["number"]) == [*range(1, len(seen) + 1)]
    judged = database.judge(story, "GPT-4=rehearsal")
    assert len(judged) == 7 * len(story.script.scene.names)
    assert set(judged["improvised"]) == {"story and judge"}
    pd.testing.assert_frame_equal(
        database.ratings().sort_values(["item", "metric"], ignore_index=True),
        judged.sort_values(["item", "metric"], ignore_index=True),
    )
    calls = database.calls()
    assert set(calls["role"]) == {"narrator", "character", "judge"}
    assert set(calls["story"]) == {story.id}
    again = database.judge(story.id, "GPT-4=rehearsal")
    pd.testing.assert_frame_equal(again, judged)
    assert len(database.calls()) == len(calls), "what was said is not asked again"
    board = database.leaderboard("en", "GPT-4")
    assert {*board["metric"]} == {*load_rubric().keys, "overall"}
    assert board.attrs["scores"].startswith("Rehearsal judge")
    [row] = database.stories().to_dict("records")
    assert (row["id"], row["status"], row["narrator"]) == (story.id, "ended", "rehearsal")


def test_it_does_the_same_where_an_event_loop_runs_as_in_a_notebook(tmp_path):
    def work(name):
        with Database(tmp_path / name) as database:
            story = database.play(SCENE, rounds=1)
            database.judge(story, "GPT-4=rehearsal")
            ratings = database.ratings()
            ratings["item"] = ratings["item"].str.removeprefix(story.id)
            return database.events(story), ratings.sort_values(["item", "metric"], ignore_index=True)

    async def inside():
        return work("inside.db")

    for one, other in zip(work("outside.db"), asyncio.run(inside()), strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_what_fails_is_kept_and_goes_on(database):
    with mock_server() as server:
        server.always = "401"
        with pytest.raises(EndpointError, match="401"):
            database.play(SCENE, rounds=1, characters=f"{server.url}#m")
        [row] = database.stories().to_dict("records")
        assert row["status"] == "failed"
        server.always = None
        story = database.play(row["id"])
    assert (story.id, story.status) == (row["id"], "ended")
    assert database.play(story) == story


def test_what_is_told_of_progress_may_fail_and_stops_the_story(database):
    def fails(event):
        if event.round == 1:
            raise LookupError("my own mistake")

    with pytest.raises(LookupError, match="my own mistake"):
        database.play(SCENE, rounds=1, on_event=fails)
    [row] = database.stories().to_dict("records")
    assert row["status"] == "paused"
    assert database.play(row["id"]).status == "ended"


def test_who_interrupts_gets_control_back_and_the_story_is_kept(database):
    with mock_server(answers=3) as server:
        told = []

        def interrupts(event):
            told.append(event)
            if len(told) == 1:
                os.kill(os.getpid(), signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            database.play(SCENE, rounds=1, characters=f"{server.url}#m", on_event=interrupts)
        server.answers = None
        [row] = database.stories().to_dict("records")
        assert row["status"] == "paused"
        assert database.play(row["id"]).status == "ended"


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"characters": "nowhere"}, AddressError, "endpoint 'nowhere'"),
        ({"characters": {"Harker": "rehearsal"}}, SceneError, "there is no model for Count Dracula"),
        (
            {"characters": {"Mina": "rehearsal"}},
            SceneError,
            "'Mina' is none of the cast: Jonathan Harker, Count Dracula",
        ),
        ({"memory": "rehearsal"}, AddressError, "the rehearsal has no embeddings"),
        ({"narrator": "http://127.0.0.1:9/v1"}, AddressError, "model name is missing"),
    ],
)
def test_what_cannot_be_played_is_told_before_anything_is_stored(database, given, error, said):
    with pytest.raises(error, match=said):
        database.play(SCENE, **given)
    assert database.stories().empty


@pytest.mark.parametrize("rounds", [0, 101, "three"])
def test_a_number_out_of_its_range_is_told(database, rounds):
    with pytest.raises(StoryError, match="rounds: "):
        database.play(SCENE, rounds=rounds)
    assert database.stories().empty


@pytest.mark.parametrize("wrong", ["play", "judge", "close"])
def test_nothing_is_played_judged_or_closed_from_within(database, played, wrong):
    does = {
        "play": lambda _: database.play(SCENE, rounds=1),
        "judge": lambda _: database.judge(played, "GPT-4=rehearsal"),
        "close": lambda _: database.close(),
    }
    with pytest.raises(StoryError, match="nothing can be played, judged or closed from on_event"):
        database.play(SCENE, rounds=1, on_event=does[wrong])
    assert database.play(SCENE, rounds=1).status == "ended"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError, StopIteration])
def test_whatever_is_raised_while_progress_is_told_stops_the_story(database, error):
    def raises(_):
        raise error

    with pytest.raises((error, RuntimeError, KeyboardInterrupt)):
        database.play(SCENE, rounds=1, on_event=raises)
    [row] = database.stories().to_dict("records")
    assert row["status"] == "paused"
    assert database.play(row["id"]).status == "ended"


async def _nothing(_):
    pass


@pytest.mark.parametrize("wrong", [5, "print", _nothing])
def test_what_can_tell_of_no_progress_is_refused_before_anything_is_stored(database, wrong):
    with pytest.raises(StoryError, match="on_event has to be a plain function"):
        database.play(SCENE, rounds=1, on_event=wrong)
    assert database.stories().empty


def test_ctrl_c_ends_it_within_an_event_loop_too(database):
    told = []

    def interrupts(event):
        told.append(event)
        if len(told) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    async def inside():
        with pytest.raises(KeyboardInterrupt):
            database.play(SCENE, rounds=5, on_event=interrupts)

    asyncio.run(inside())
    [row] = database.stories().to_dict("records")
    assert row["status"] == "paused"


def test_a_closed_database_says_so(tmp_path):
    database = Database(tmp_path / "closed.db")
    database.close()
    for what in (database.stories, database.scenes, database.ratings, database.__enter__):
        with pytest.raises(StoreError, match="this database is closed"):
            what()


def test_it_can_be_closed_twice_and_while_something_is_played(tmp_path):
    with mock_server(latency=0.1) as server, Database(tmp_path / "closed.db") as database:
        told = threading.Event()
        endings = []

        def work():
            try:
                database.play(SCENE, rounds=1, characters=f"{server.url}#m", on_event=lambda _: told.set())
            except KeyboardInterrupt as error:
                endings.append(error)

        playing = threading.Thread(target=work)
        playing.start()
        told.wait()
        database.close()
        playing.join()
        database.close()
        assert len(endings) == 1
    with Database(tmp_path / "closed.db") as again:
        [row] = again.stories().to_dict("records")
        assert row["status"] == "paused"


def test_stories_and_scores_that_are_not_there_are_told(database, played, tmp_path):
    with pytest.raises(StoryError, match="nothing"):
        database.events("nothing")
    with pytest.raises(UndefinedStatistic, match="there are scores of: nobody"):
        database.leaderboard("en", "GPT-4")
    with pytest.raises(RatingError, match="dataset 'x' does not exist"):
        database.ratings("x")
    with Database(tmp_path / "other.db") as other, pytest.raises(StoryError, match="not in this database"):
        other.play(played)
    with pytest.raises(StoreError, match="names no file"):
        Database(" ")
    assert issubclass(StoryError, CharacterBoxError)
    assert issubclass(RatingError, AnnotationError)


def test_one_without_a_place_is_gone_as_it_is_closed():
    with Database.temporary() as database:
        assert database.play(SCENE, rounds=1).status == "ended"
        folder = Path(database._kept.name)
        assert folder.exists()
    assert not folder.exists()


RATERS = (("ann", "expert"), ("eve1", "expert"), ("gpt", "judge"))


def test_stats_gives_every_figure_of_any_table_in_long_form():
    rows = [
        {"item": f"i{n}", "scene": f"s{n // 2}", "model": "ab"[n % 2], "metric": metric, "rater": rater, "kind": kind,
         "score": 1.0 + (n * 7 + len(metric) + 3 * len(rater)) % 5}
        for n in range(12) for metric in ("fluency", "wit") for rater, kind in RATERS
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    found = stats(frame, scale=(1, 5))
    figures = every_figure(frame, statistics(frame, load_rubric(), (1, 5)))
    assert len(found) == len(figures) > 50
    assert list(found["estimate"].dropna()) == [one.estimate for one in figures if one.estimate is not None]
    assert found.attrs["scale"] == (1, 5)
    assert all(isinstance(caution, str) for caution in found.attrs["cautions"])
    assert stats(frame)["statistic"].equals(found["statistic"])
    with pytest.raises(RatingError, match="column metric is missing"):
        stats(frame.drop(columns="metric"))
    with pytest.raises(RatingError, match="finite floats"):
        stats(frame.assign(score="3"))
    whole = stats(frame.astype({"score": "int64"}), scale=(1, 5))
    pd.testing.assert_frame_equal(whole, found)
    for scale in ((5, 1), (1, 1), (float("nan"), 5), (float("-inf"), 5)):
        with pytest.raises(RatingError, match="give the lowest and the highest score"):
            stats(frame, scale=scale)
    with pytest.raises(RatingError, match="column kind has 'Expert'; use expert or judge"):
        stats(frame.replace({"kind": {"expert": "Expert"}}))
    for wrong in (None, float("nan"), "", ["s"], 5):
        with pytest.raises(RatingError, match="column scene has to hold text"):
            stats(frame.assign(scene=[wrong] * len(frame)))


def test_a_users_script_is_checked_by_mypy(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        """
import pandas as pd

import characterbox
from characterbox import Database, Event, Scene, Settings, Story, stats


def show(event: Event) -> None:
    print(event.round, event.kind)


def main() -> float:
    with Database("study.db") as database:
        scene: Scene = database.scene("bundled:dracula-wolves")
        story: Story = database.play(scene, characters="rehearsal", settings=Settings(), on_event=show)
        judged: pd.DataFrame = database.judge(story, "GPT-4=rehearsal")
        figures = stats(pd.concat([judged, database.ratings()]), scale=(1, 5))
    print(characterbox.__version__, story.status)
    return float(figures["estimate"].mean())
"""
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert checked.stdout.startswith("Success"), checked.stdout
    script.write_text(script.read_text().replace("on_event=show", "on_event=3"))
    wrong = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert 'Argument "on_event" to "play"' in wrong.stdout


def test_ratings_from_a_file_are_figures_at_once(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(
        "item,scene,model,metric,rater,kind,score\n"
        + "".join(
            f"i{n},s{n},m,wit,{rater},expert,{1 + (n + len(rater)) % 5}\n" for n in range(8) for rater in ("a", "bb")
        )
    )
    assert not stats(read_ratings(file)).empty
