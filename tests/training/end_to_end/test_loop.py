"""The loop of the paper closed: stories become datasets, datasets adapters, and these narrate, judge and play.

Base and adapters are served by the app's own vLLM, and compared on scenes that nothing was learnt from. Before, the
datasets are loaded elsewhere: what all of it needs is made once, so all of it stands in one file, for one worker.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.slow]
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


def test_a_narrator_that_was_trained_can_be_read_and_agrees_with_its_teacher(evaluate):
    words = ("--teacher", "rehearsal", "--characters", "rehearsal", "--rounds", "1", "--seeds", "5")
    figures = evaluate("narrator", *words)
    assert figures["scenes"] == 10
    readable, agreement = figures["of"]["readable"], figures["of"]["agreement"]
    base, tuned = (readable[part]["estimate"] for part in ("base", "tuned"))
    print(f"readable at the first try: base {base:.2f}, tuned {tuned:.2f}; {figures['of']['readable_gain']}")
    assert tuned > 0.7
    assert figures["of"]["readable_gain"]["difference"]["interval"]["low"] > 0.1, "clearly above"
    same = {part: agreement[part]["affected"]["share"] for part in ("base", "tuned")}
    print(f"names whom the teacher names: {same}; {figures['of']['agreement_gain']}")
    assert figures["of"]["agreement_gain"]["interval"]["low"] > 0, "clearly above"


def test_a_judge_that_was_trained_correlates_with_its_teacher(evaluate):
    figures = evaluate("judge")
    found = figures["of"]["teacher"]
    overall = {part: found["r"][part]["overall"] for part in ("base", "tuned")}
    print(f"Pearson with the teacher: {overall}; {found['compared']['overall']}")
    assert overall["tuned"]["interval"]["low"] > 0, "the interval excludes 0"
    assert overall["tuned"]["interval"]["low"] > overall["base"]["estimate"], "clearly above the base"
    # The base's scores are noise, of which some can't be read: the server draws others each time.
    assert found["compared"]["overall"]["difference"]["p"] < 0.1


@pytest.mark.parametrize("kind", ["guided", "reflective"])
def test_characters_that_were_trained_pass_through_all_stages(evaluate, kind):
    words = ("--teacher", "rehearsal", "--narrator", "rehearsal", "--judge", "GPT-4=rehearsal", "--rounds", "1")
    figures = evaluate(kind, *words)
    print(figures["status"], figures["said"][-2000:])
    (by_language,) = figures["of"]["scored"].values()
    scored = by_language["en"]
    assert set(scored["standings"]) == {"base", "tuned", "teacher"}
    assert {"tuned", "teacher"} <= set(scored["gains"])
