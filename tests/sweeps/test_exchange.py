"""A sweep that was given to the app as files, and one that the app gives away as one file."""

import io
import zipfile

import pytest

from annotations.rubrics.rubric_file import FaultyFile
from characterbox.errors import SceneError, TooHeavy
from characterbox.llm.calls.client import Client
from characterbox.processes import limited
from characterbox.processes.limited import Limits, run_limited
from characterbox.scenes.library import brought_along, bundled
from characterbox.store.sweeps import Task
from characterbox.sweeps.file import read_given_sweep, write_sweep
from characterbox.sweeps.folder import folder_zip, saved_folder, sums_of, write_folder
from characterbox.sweeps.progress import plan, standing
from characterbox.sweeps.running import Run
from characterbox.sweeps.sweep import cells_of
from tests.fakes.reasons import a_reason
from tests.fakes.sweeps import a_sweep

HEAD = 'name = "first"\ncharacters = ["rehearsal"]\nnarrators = ["rehearsal"]\n'


async def run(store, sweep):
    client = Client()
    await Run(store, client, sweep).run()
    await client.close()


def test_scenes_are_taken_from_what_was_given_along():
    sweep = a_sweep()
    scenes = f'{{"scenes": [{", ".join(one.model_dump_json(exclude_none=True) for one in sweep.scenes)}]}}'
    given = {"SWEEP.TOML": b"\xef\xbb\xbf" + write_sweep(sweep).encode(), "scenes.json": scenes.encode()}
    assert read_given_sweep(given).sweep == sweep


@pytest.mark.process
def test_a_scene_file_that_takes_long_is_refused(monkeypatch):
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=2, waited=600))
    described = f'{HEAD}[[scenes]]\nfile = "slow.yaml"\n'.encode()
    with pytest.raises(TooHeavy, match="takes more than 2 seconds"):
        run_limited(read_given_sweep, {"sweep.toml": described, "slow.yaml": b"- {a: b}\n" * 500_000})


@pytest.mark.process
def test_why_a_file_is_faulty_comes_back_from_the_process_that_reads_it():
    with pytest.raises(FaultyFile) as refused:
        run_limited(read_given_sweep, {"sweep.toml": f'{HEAD}[[scenes]]\nfile = "none.json"\n'.encode()})
    assert [fault.line for fault in refused.value.faults] == [4]
    assert str(refused.value).startswith("sweep.toml: line 4")


@pytest.mark.parametrize("file", ["/etc/hostname", "../five.json", "scenes.json"])
def test_no_file_is_read_that_was_not_given(file):
    with pytest.raises(FaultyFile, match=r"line 4.*it is missing next to sweep\.toml"):
        read_given_sweep({"sweep.toml": f'{HEAD}[[scenes]]\nfile = "{file}"\n'.encode()})


@pytest.mark.parametrize("names", [[], ["scenes.json"], ["a.toml", "b.toml"]])
def test_just_one_file_says_what_is_played(names):
    with pytest.raises(SceneError, match=r"whose name ends in \.toml"):
        read_given_sweep(dict.fromkeys(names, b""))


def test_what_is_in_no_encoding_that_is_certain_is_refused():
    with pytest.raises(SceneError, match="is not UTF-8"):
        read_given_sweep({"sweep.toml": b"\xff\xfa"})


def test_bundled_scenes_need_no_place_in_a_database():
    mine = a_sweep().scenes[0]
    assert brought_along([bundled()[0], mine]) == [mine]


@pytest.mark.slow
@pytest.mark.process
async def test_the_folder_as_one_file_is_the_same_each_time(store, url, tmp_path):
    sweep = a_sweep(name="Mine & 我的")
    await run(store, sweep)
    packed = folder_zip(store, sweep)
    assert packed == folder_zip(store, sweep)
    assert packed == saved_folder(url, sweep)
    write_folder(store, sweep, tmp_path / "out")
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        archive.extractall(tmp_path / "packed")
    assert sums_of(tmp_path / "packed" / "mine-我的") == sums_of(tmp_path / "out")


def test_a_plan_tells_how_many_stories_it_has_reckoned(store):
    told = []
    plan(store, Client(), a_sweep(), told.append)
    assert told == [1, 2, 3, 4]


@pytest.mark.slow
async def test_how_far_it_is_is_told_from_what_is_stored(store):
    sweep = a_sweep(judges=())
    await run(store, a_sweep(seeds=(1,)))
    store.sweeps.put("small", sweep.model_dump(mode="json"), "app")
    store.sweeps.failed("small", Task("someone", "else"), a_reason("why"))
    more = a_sweep(seeds=(1, 2))
    found = standing(store, more, [*cells_of(more)])
    assert (found.stories, found.played, found.judgements, found.judged, found.failed) == (8, 4, 8, 4, 1)
    assert not found.done
    assert standing(store, sweep, [*cells_of(sweep)]).done
