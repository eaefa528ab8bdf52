"""A sweep as a folder: whole or not there, the same in each run, and compared with another."""

import csv
import json
import shutil
from hashlib import sha256

import pytest

from annotations.exchange.csv_file import unguarded
from annotations.i18n.translation import speaking
from characterbox.components.figures.files.costs import costs_csv, costs_json
from characterbox.errors import FileError, StoryError
from characterbox.judging.cost_table import cost_table
from characterbox.judging.judge import Judge
from characterbox.judging.leaderboard import Wanted, board_of, scores_of
from characterbox.judging.provenance import rated
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.rehearsal.app import rehearsal_app
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.pause_reasons import in_full
from characterbox.store.sweeps import Task
from characterbox.sweeps.contents import MEASURED
from characterbox.sweeps.file import read_sweep
from characterbox.sweeps.folder import check_free, differences, write_folder
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from tests.fakes.csv_rows import rows_of
from tests.fakes.databases import store_in
from tests.fakes.reasons import a_reason
from tests.fakes.scenes import a_scene
from tests.fakes.sweeps import a_sweep, scenes

pytestmark = pytest.mark.slow

WICKED = '=HYPERLINK("http://x")'


@pytest.fixture
async def store(tmp_path):
    store = store_in(tmp_path / "folder.db")
    client = Client()
    await Run(store, client, wicked()).run()
    await client.close()
    yield store
    store.close()


def wicked():
    """A sweep with a model that is called like a formula, and a scene in Chinese."""
    zh = a_scene("安", "波", language="zh").model_copy(update={"id": "zh-1"})
    characters = (Endpoint.parse("rehearsal"), Endpoint(url="rehearsal", model=WICKED))
    return a_sweep(scenes=(*scenes(2), zh), characters=characters)


@pytest.fixture
def folder(store, tmp_path):
    write_folder(store, wicked(), tmp_path / "out")
    return tmp_path / "out"


async def test_what_servers_said_is_in_no_file(store, tmp_path):
    why, cell = a_reason("endpoint http://10.0.0.5/v1#m: HTTP 500: SECRET-BODY"), next(iter(cells_of(wicked())))
    store.sweeps.failed(wicked().name, Task(cell.id), why)
    store.sweeps.rest(wicked().name, "paused", why)
    with store.stories.claimed(cell.id) as claimed:
        await claimed.move("failed", why)
    with in_full():
        write_folder(store, wicked(), tmp_path / "failed")
    assert not [
        file for file in (tmp_path / "failed").rglob("*") if file.is_file() and b"SECRET-BODY" in file.read_bytes()
    ]


def rows(file):
    with file.open(encoding="utf-8", newline="") as opened:
        return [{name: unguarded(cell) for name, cell in row.items()} for row in csv.DictReader(opened)]


def test_it_holds_plan_versions_stories_and_ratings(store, folder):
    sweep = wicked()
    assert read_sweep(folder / "sweep.toml").sweep == sweep
    stories = rows(folder / "stories.csv")
    assert [row["story"] for row in stories] == [cell.id for cell in cells_of(sweep)]
    assert {row["characters"] for row in stories} == {"rehearsal", f"rehearsal#{WICKED}"}
    assert {row["status"] for row in stories} == {"ended"}
    for row in stories:
        lines = (folder / "stories" / f"{row['story']}.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line)["path"] for line in lines] == [one.path for one in store.stories.events(row["story"])]
    ratings = rows(folder / "ratings.csv")
    frame = store.ratings.frame()
    assert len(ratings) == len(frame) == 6 * 2 * 7
    given = {(row["item"], row["rater"], row["metric"]): row["score"] for row in ratings}
    assert given == {(row.item, row.rater, row.metric): str(int(row.score)) for row in frame.itertuples()}
    assert {row["improvised"] for row in ratings} == {"story and judge"}
    assert WICKED in {row["model"] for row in ratings}
    assert "**This is demo output (no language model); do not report.**" in (folder / "README.md").read_text("utf-8")


def test_sums_are_those_of_the_files(folder):
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines())
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert {*sums} == {name for name in files if name != "SHA256SUMS" and not name.startswith(f"{MEASURED}/")}
    assert all(sha256((folder / name).read_bytes()).hexdigest() == digest for name, digest in sums.items())


def test_what_is_there_is_not_written_over(store, folder):
    with pytest.raises(FileError, match="it is there already"):
        write_folder(store, wicked(), folder)
    with pytest.raises(FileError, match=f"there is no folder {folder}/none; make it first"):
        check_free(folder / "none" / "deep")


def test_what_breaks_off_leaves_nothing(store, tmp_path, monkeypatch):
    def broken(*_):
        raise OSError("no room")

    monkeypatch.setattr(store.stories, "events", broken)
    with pytest.raises(OSError, match="no room"):
        write_folder(store, wicked(), tmp_path / "half")
    assert not [file for file in tmp_path.iterdir() if "half" in file.name]


def test_equal_folders_do_not_differ_and_others_are_told_apart(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    assert [*differences(folder, other)] == []
    text = (other / "ratings.csv").read_text("utf-8").splitlines()
    text[1] = text[1].replace("Strict", "Mild")
    (other / "ratings.csv").write_text("\n".join(text) + "\n", "utf-8")
    story = next((other / "stories").iterdir())
    story.unlink()
    versions = json.loads((other / "versions.json").read_text("utf-8"))
    versions["judges"]["Strict"]["manner"] = "brief"
    (other / "versions.json").write_text(json.dumps(versions), "utf-8")
    assert [*differences(folder, other)] == [
        "ratings.csv, line 2: rater is 'Strict', and 'Mild'",
        f"stories/{story.name}: in {folder} only",
        "versions.json, judges, Strict, manner: 'critique', and 'brief'",
    ]
    with pytest.raises(StoryError, match="there is no sweep"):
        [*differences(folder, tmp_path)]


async def test_a_rehearsal_at_an_address_of_its_own_is_marked_too(tmp_path):
    store, there = store_in(tmp_path / "served.db"), Endpoint(url="http://there/v1", model="rehearsal-plain")
    judge = Judge(name="GPT-4", endpoint=Endpoint(url="http://there/v1", model="rehearsal"))
    sweep = a_sweep(characters=(there,), narrators=(there,), judges=(judge,))
    client = Client(transport=AppTransport(rehearsal_app(own_names_only=True)))
    progress = await Run(store, client, sweep).run()
    await client.close()
    assert progress.done
    write_folder(store, sweep, tmp_path / "served")
    assert {row["improvised"] for row in rows(tmp_path / "served" / "ratings.csv")} == {"story and judge"}
    assert {row["improvised"] for row in rows(tmp_path / "served" / "stories.csv")} == {"story"}
    names = {file.stem for file in (tmp_path / "served" / "leaderboard").iterdir()}
    assert names == {"en-1-rehearsal-judge-gpt-4-protocol"}
    for language in ("en", "zh"):
        with speaking(language):
            table = cost_table(store)
            costs = [*rows_of(costs_csv(table).encode()), *json.loads(costs_json(table))["judges"]]
        judged = {(row["judge"], row["judged_by"]) for row in costs if row["judge"]}
        assert judged == {("GPT-4", "Rehearsal judge, GPT-4 protocol")}
    assert "**This is demo output (no language model); do not report.**" in (
        tmp_path / "served" / "README.md"
    ).read_text("utf-8")
    assert set(rated(store)["improvised"]) == {"story and judge"}
    board = board_of(scores_of(store), Wanted("judge", "en", "GPT-4"))
    assert board.improvised == {"rehearsal-plain": "story and judge"}
    assert all(spent.narrator.spent.improvised for spent in store.spending.spending())
    store.close()
