"""What a run tells of itself, as it is read: curves, the last figures, and how it ended."""

import json
import re
from pathlib import Path

from hypothesis import given, strategies

from characterbox.training.progress import Point, Progress, read_progress
from characterbox.training.run_errors import TEXTS, run_fault
from characterbox.training.worker import errors
from characterbox.training.worker.progress import ProgressFile


def step(number: int, loss: float = 1.0) -> dict[str, object]:
    figures = {"learning_rate": 1e-4, "tokens_per_second": 50.0, "seconds_left": 9.0}
    return {"event": "step", "step": number, "steps": 4, "loss": loss, **figures}


def read(tmp_path, *events, end="\n") -> Progress:
    file = tmp_path / "progress.jsonl"
    file.write_text("\n".join(map(json.dumps, events)) + end, encoding="utf-8")
    return read_progress(file)


def test_what_was_told_is_read_by_the_app(tmp_path):
    told = ProgressFile(tmp_path)
    assert read_progress(tmp_path / "progress.jsonl") == Progress()
    told.write("started", task="train")
    told.write("training", step=0, steps=4)
    told.write("validation", step=0, loss=2.0)
    told.write(**step(1, 1.5))
    told.write("saved", step=1)
    found = read_progress(tmp_path / "progress.jsonl")
    assert (found.phase, found.step, found.steps, found.saved, found.ending) == ("training", 1, 4, 1, None)
    assert (found.losses, found.validation) == ((Point(1, 1.5),), (Point(0, 2.0),))
    assert (found.learning_rate, found.tokens_per_second, found.seconds_left) == (1e-4, 50.0, 9.0)


def test_what_comes_after_a_checkpoint_that_is_gone_back_to_does_not_count(tmp_path):
    begun = {"event": "started", "task": "train"}
    first = [begun, {"event": "training", "step": 0, "steps": 4}, *(step(number, 3.0) for number in (1, 2, 3))]
    again = [begun, {"event": "training", "step": 2, "steps": 4}]
    assert read(tmp_path, *first, *again).losses == (Point(1, 3.0), Point(2, 3.0))
    assert read(tmp_path, *first, *again, step(3, 2.0)).losses[-1] == Point(3, 2.0)


def test_a_line_that_a_kill_has_broken_off_is_passed_over(tmp_path):
    assert read(tmp_path, step(1), end='\n{"event": "st').losses == (Point(1, 1.0),)
    ProgressFile(tmp_path).write(**step(2))
    assert [point.step for point in read_progress(tmp_path / "progress.jsonl").losses] == [1, 2]


def test_an_error_outlives_the_end_of_the_other_processes_but_not_a_new_start(tmp_path):
    failed = [{"event": "error", "code": "no_space", "parameters": {}}, {"event": "stopped"}]
    found = read(tmp_path, *failed)
    assert (found.ending, found.error) == ("error", ("no_space", {}))
    found = read(tmp_path, *failed, {"event": "started", "task": "train"})
    assert (found.ending, found.error) == (None, None)


def test_every_code_of_the_worker_has_a_sentence():
    room = Path(errors.__file__).parent
    codes = {code for file in room.glob("*.py") for code in re.findall(r'WorkerError\(\s*"(\w+)"', file.read_text())}
    codes |= set(re.findall(r'return "(\w+)", \{', Path(errors.__file__).read_text()))
    assert len(codes) > 12
    codes |= {"died", "result_gone"}
    merging = {f"merge_{code}" for code in codes} & TEXTS.keys()
    assert len(merging) == 3
    assert codes | merging == TEXTS.keys()


@given(strategies.sampled_from(sorted(TEXTS)), strategies.dictionaries(strategies.text(), strategies.text()))
def test_a_fault_is_told_whatever_comes_with_it(code, parameters):
    assert str(run_fault(code, parameters, log="worker.log", task="train"))


def test_a_code_that_is_not_known_is_told_as_it_is():
    assert "burnt" in str(run_fault("burnt", {}, log="worker.log", task="train"))


def test_what_a_merge_lacks_is_told_as_such():
    train, merge = (str(run_fault("out_of_memory", {"what": "bad alloc"}, "", task)) for task in ("train", "merge"))
    assert "lower batch or cutoff" in train
    assert "not enough memory to merge the adapter (bad alloc)" in merge
    assert run_fault("base_missing", {}, "", "merge") == run_fault("base_missing", {}, "", "train")
