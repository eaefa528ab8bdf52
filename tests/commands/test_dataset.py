"""`characterbox dataset` keeps its contract: the folder with its files, and a clear error for what can't be done."""

import json

import pytest

FILES = {"train.jsonl", "validation.jsonl", "test.jsonl", "README.md", "SHA256SUMS"}
"""What the command is to write, whatever else it writes."""


@pytest.fixture
def played(in_process):
    """The id of a story of the rehearsal."""
    done = in_process("play", "bundled:alice-tarts", "--rounds", "1")
    assert done.status == 0, done.err
    return done


@pytest.mark.slow
def test_a_dataset_of_a_narrator_is_written(in_process, played, tmp_path):
    folder = tmp_path / "data"
    done = in_process("dataset", "narrator", "--out", str(folder), "--improvised", "--language", "en")
    assert done.status == 0, done.err
    assert {file.name for file in folder.iterdir()} >= FILES
    count = len((folder / "train.jsonl").read_text().splitlines())
    assert done.out.splitlines()[0].startswith(f"train: {count} examples, about ")
    assert "do not report results" in done.out.splitlines()[-1]
    assert json.loads((folder / "dataset.json").read_text())["recipe"]["language"] == "en"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("narrator",), "--out"),
        (("painter", "--out", "x"), "invalid choice: 'painter'"),
        (("narrator", "--out", "x"), "no story has ended yet"),
        (("narrator", "--out", "x", "--stories", "abc"), "there is no story 'abc'"),
        (("narrator", "--out", "x", "--since", "yesterday"), "'yesterday' is no day such as 2026-11-01"),
        (("narrator", "--out", "x", "--critique"), "critiques belong to datasets for judges"),
        (("judge", "--out", "x", "--judge", "GPT-4"), "judge GPT-4 has scored nothing of this"),
        (("narrator", "--out", "x", "--judge", "GPT-4"), "give one, or leave out the judge"),
        (("narrator", "--out", "~nobody-at-all/x"), "the home folder ~nobody-at-all does not exist"),
    ],
)
def test_what_can_not_be_written_is_told(in_process, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    done = in_process("dataset", *words)
    assert done.status == 2
    assert told in done.err
    assert not (tmp_path / "x").exists()
