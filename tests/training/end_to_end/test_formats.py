"""Datasets load elsewhere as they are: with `datasets`, in TRL, in LLaMA-Factory, and as OpenAI's fine-tuning files."""

import json
import os
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow, pytest.mark.xdist_group("end to end")]
KINDS = ("narrator", "judge", "guided", "reflective")
LOADS = Path(__file__).with_name("loads.py")


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("kind", KINDS)
def test_datasets_and_trl_take_the_folder_as_it_is(world, kind):
    folder = world.folder / "data" / kind
    words = [os.environ["CHARACTERBOX_TRAIN"], LOADS, folder]
    loaded = subprocess.run(words, capture_output=True, text=True, check=False)
    assert loaded.returncode == 0, loaded.stderr
    told = json.loads(loaded.stdout.splitlines()[-1])
    assert told["columns"] == ["messages"]
    assert told["conversational"]
    wanted = {split: len(lines(folder / f"{split}.jsonl")) for split in ("train", "validation", "test")}
    assert told["rows"] == {split: count for split, count in wanted.items() if count}


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_keep_the_rules_of_openai(world, kind):
    """Those of the guide to supervised fine-tuning: at least ten examples of nothing but `messages`, with known roles,
    texts, and an answer at the end."""
    examples = lines(world.folder / "data" / kind / "train.jsonl")
    assert len(examples) >= 10
    for example in examples:
        assert [*example] == ["messages"]
        for message in example["messages"]:
            assert [*message] == ["role", "content"]
            assert message["role"] in ("system", "user", "assistant")
            assert message["content"]
            assert isinstance(message["content"], str)
        assert example["messages"][-1]["role"] == "assistant"


@pytest.mark.parametrize("kind", KINDS)
def test_the_entry_for_llama_factory_fits_the_files(world, kind):
    folder = world.folder / "data" / kind
    entries = json.loads((folder / "dataset_info.json").read_text())
    assert {f"characterbox_{kind}_train", f"characterbox_{kind}_test"} <= entries.keys()
    for entry in entries.values():
        tags = entry["tags"]
        for example in lines(folder / entry["file_name"])[:5]:
            messages = example[entry["columns"]["messages"]]
            roles = [message[tags["role_tag"]] for message in messages]
            assert roles[0] == tags["system_tag"]
            asked, answered = roles[1::2], roles[2::2]
            assert set(asked) == {tags["user_tag"]}
            assert set(answered) == {tags["assistant_tag"]}, "turns alternate, and the assistant has the last word"
