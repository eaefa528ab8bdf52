"""A dataset is a folder that loads elsewhere, with hashes, and the same recipe gives the same."""

import asyncio
import fcntl
import hashlib
import json
import os
from collections import Counter

import pytest
from pydantic import ValidationError

from annotations.rubrics.rubric import load_rubric
from characterbox.errors import FileError, StoryError, TrainingError
from characterbox.store.ratings.ratings import item_of
from characterbox.training.datasets.folder import open_dataset
from characterbox.training.datasets.recipe import DatasetRecipe, teachers
from characterbox.training.datasets.writing import write_dataset
from characterbox.training.reflection.running import reflect_on, reflections_of

pytestmark = pytest.mark.slow
SPLITS = ("train", "validation", "test")


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def written(store, folder, kind="narrator", **recipe):
    """The report of a dataset of what the rehearsal wrote, and its examples with their provenance, by split."""
    report = write_dataset(store, DatasetRecipe(kind=kind, improvised=True, **recipe), folder)
    pairs = {
        split: [*zip(lines(folder / f"{split}.jsonl"), lines(folder / "provenance" / f"{split}.jsonl"), strict=True)]
        for split in SPLITS
    }
    return report, pairs


async def test_a_dataset_has_its_splits_its_hashes_and_its_provenance(store, rehearsed, tmp_path):
    report, pairs = written(store, tmp_path / "data", test=("alice-tarts",))
    told = json.loads((tmp_path / "data" / "dataset.json").read_text())
    assert {split: len(found) for split, found in pairs.items()} == {
        split: one["examples"] for split, one in told["splits"].items()
    }
    assert told["kind"] == "narrator"
    assert report.scenes["test"] == ("alice-tarts",)
    in_split = [{source["scene"] for _, source in found} for found in pairs.values()]
    assert all(in_split)
    assert not in_split[0] & in_split[1] | in_split[0] & in_split[2] | in_split[1] & in_split[2]
    for example, source in pairs["train"]:
        assert [*example] == ["messages"]
        roles = [message["role"] for message in example["messages"]]
        assert roles == ["system", "user", "assistant"]
        reply = store.stories.replies(source["story"])[source["path"]]
        assert [(one["role"], one["content"]) for one in example["messages"][:-1]] == [
            (one.role, one.content) for one in reply.messages
        ]
        assert source["improvised"] is True
    files = {str(one.relative_to(tmp_path / "data")): one for one in (tmp_path / "data").rglob("*") if one.is_file()}
    hashes = dict(line.split()[::-1] for line in (tmp_path / "data" / "SHA256SUMS").read_text().splitlines())
    assert hashes == {
        name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items() if name != "SHA256SUMS"
    }
    sums = (tmp_path / "data" / "SHA256SUMS").read_text().splitlines(keepends=True)[:3]
    assert told["digest"] == hashlib.sha256("".join(sums).encode()).hexdigest()
    assert [line.split()[1] for line in sums] == [f"{split}.jsonl" for split in SPLITS]


async def test_the_same_recipe_gives_the_same_hashes(store, rehearsed, tmp_path):
    for folder in ("one", "two"):
        written(store, tmp_path / folder, language="en")
    one, two = ((tmp_path / folder / "SHA256SUMS").read_text() for folder in ("one", "two"))
    assert one == two
    written(store, tmp_path / "other", stories=tuple(rehearsed[:4]))
    assert (tmp_path / "other" / "SHA256SUMS").read_text() != one


async def test_what_the_rehearsal_wrote_is_left_out_unless_it_is_asked_for(store, rehearsed, tmp_path):
    with pytest.raises(TrainingError, match=r"no story is chosen.*--improvised"):
        write_dataset(store, DatasetRecipe(kind="narrator"), tmp_path / "data")
    assert not [*tmp_path.glob("*data*")]
    report, _ = written(store, tmp_path / "data")
    assert report.improvised
    assert "Do not report results" in (tmp_path / "data" / "README.md").read_text()


async def test_judgements_are_the_brief_prompt_and_the_stored_scores(store, judged, tmp_path):
    _, pairs = written(store, tmp_path / "data", "judge", judge="GPT-4", language="en")
    rubric = load_rubric()
    for example, source in [pair for found in pairs.values() for pair in found]:
        story = store.stories.story(source["story"])
        name = next(
            one for one in story.script.scene.names if item_of(story, one).slug == source["path"].split("/")[-1]
        )
        given = store.ratings.of_judge(item_of(story, name).label, "GPT-4")
        answer = json.loads(example["messages"][-1]["content"])
        assert [*answer] == [*rubric.keys]
        assert answer == {key: given[key].score for key in rubric.keys}
        assert name in example["messages"][1]["content"]
        assert source["models"]["judge"] == "GPT-4"


async def test_with_critiques_both_are_learnt_as_they_were_recorded(store, judged, tmp_path):
    _, pairs = written(store, tmp_path / "data", "judge", judge="GPT-4", critique=True)
    for example, source in pairs["train"]:
        roles = [message["role"] for message in example["messages"]]
        assert roles == ["system", "user", "assistant", "user", "assistant"]
        asked = store.stories.replies(source["story"])[f"{source['path']}/scores"].messages
        assert [one.content for one in asked] == [one["content"] for one in example["messages"][:-1]]


async def test_characters_are_guided_by_the_model_that_leads(store, judged, tmp_path):
    report, pairs = written(store, tmp_path / "data", "guided", judge="GPT-4")
    models = {source["models"]["character"] for found in pairs.values() for _, source in found}
    assert models == {"rehearsal"}
    report, _ = written(store, tmp_path / "all", "guided", judge="GPT-4", min_score=1.0)
    assert set(report.splits["train"].models) == {"rehearsal", "rehearsal-wooden"}
    with pytest.raises(TrainingError, match=r"no model has a mean score of 5 or more, the highest is \d\.\d\d; lower"):
        written(store, tmp_path / "none", "guided", judge="GPT-4", min_score=5.0)
    with pytest.raises(TrainingError, match="only the built-in rehearsal and samples have scores"):
        teachers(store, DatasetRecipe(kind="guided", judge="GPT-4"))
    with pytest.raises(TrainingError, match="judge GPT-5 has scored nothing"):
        written(store, tmp_path / "none", "guided", judge="GPT-5")
    with pytest.raises(TrainingError, match="no expert has scored"):
        written(store, tmp_path / "none", "guided")


async def test_narrators_below_the_least_score_are_left_out(store, judged, tmp_path):
    report, _ = written(store, tmp_path / "data", judge="GPT-4", min_score=1.0)
    assert report.not_chosen == {}
    with pytest.raises(TrainingError, match="no story is chosen"):
        written(store, tmp_path / "none", judge="GPT-4", min_score=5.0)


async def test_what_is_too_long_is_listed_and_whole(store, rehearsed, tmp_path):
    report, pairs = written(store, tmp_path / "data", cutoff=2500)
    listed = lines(tmp_path / "data" / "over-cutoff.jsonl")
    assert len(listed) == report.over_cutoff > 0
    for one in listed:
        example, source = pairs[one["split"]][one["line"] - 1]
        assert one["tokens"] > 2500
        assert source["path"] == one["path"]
        assert example["messages"][-1]["role"] == "assistant"


@pytest.mark.parametrize(
    ("recipe", "told"),
    [
        ({"kind": "narrator", "critique": True}, "critiques belong to datasets for judges"),
        ({"kind": "judge", "critique": True}, "name the judge"),
        ({"kind": "judge", "min_score": 3.0}, "needs low scores as well"),
        ({"kind": "reflective", "judge": "GPT-4"}, "chosen by no scores"),
        ({"kind": "narrator", "since": "2026-11-02", "until": "2026-11-01"}, "swap them"),
        ({"kind": "narrator", "cutoff": 8}, "greater than or equal to 64"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(recipe, told):
    with pytest.raises(ValidationError, match=told):
        DatasetRecipe(**recipe)


async def test_what_a_kill_left_is_cleared_and_nobody_writes_beside_another(store, rehearsed, tmp_path):
    part = tmp_path / ".data.part"
    (part / "provenance").mkdir(parents=True)
    (part / "train.jsonl").write_text("half of a li")
    with (part / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TrainingError, match=r"data: it is being written already; wait"):
            written(store, tmp_path / "data")
    assert (part / "train.jsonl").read_text() == "half of a li"
    written(store, tmp_path / "data")
    assert [one.name for one in tmp_path.iterdir() if one.name in (".data.part", "data")] == ["data"]
    assert not (tmp_path / "data/lock").exists()
    assert (tmp_path / "data").stat().st_mode & 0o055 == 0o055 & ~_umask(), "others may train with it"
    open_dataset(tmp_path / "data")


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


async def test_a_folder_that_is_there_stays_and_an_unknown_story_is_told(store, rehearsed, tmp_path):
    (tmp_path / "data").mkdir()
    with pytest.raises(FileError, match="it is there already"):
        write_dataset(store, DatasetRecipe(kind="narrator", improvised=True), tmp_path / "data")
    with pytest.raises(StoryError, match="there is no story 'abc'"):
        write_dataset(store, DatasetRecipe(kind="narrator", stories=("abc",)), tmp_path / "new")
    with pytest.raises(FileError, match="there is no folder"):
        write_dataset(store, DatasetRecipe(kind="narrator", improvised=True), tmp_path / "no" / "new")


async def test_rewritten_replies_are_learnt_with_the_prompts_of_the_originals(store, client, rehearsed, tmp_path):
    with pytest.raises(TrainingError, match="no part of it has been rewritten"):
        await asyncio.to_thread(written, store, tmp_path / "none", "reflective")
    for id in rehearsed[::2]:
        story = store.stories.story(id)
        for name in story.script.scene.names:
            await reflect_on(store, client, story, name)
    report, pairs = await asyncio.to_thread(written, store, tmp_path / "data", "reflective")
    states = Counter()
    for id in rehearsed[::2]:
        for reflection in await asyncio.to_thread(reflections_of, store, store.stories.story(id)):
            states += reflection.counts
    assert report.examples == states["accepted"] + states["unchanged"]
    assert report.left_out.get("refused", 0) == states["refused"]
    changed = 0
    for example, source in [pair for found in pairs.values() for pair in found]:
        reply = store.stories.replies(source["story"], "r")[source["path"]]
        assert [one["content"] for one in example["messages"][:-1]] == [one.content for one in reply.messages]
        assert source["models"]["rewriter"] == source["models"]["character"] == "rehearsal"
        changed += example["messages"][-1]["content"] != reply.text
    assert changed >= states["accepted"]
