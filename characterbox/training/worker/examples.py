"""The examples of a dataset as tokens, of which only the assistant's have a part in the loss.

A conversation gives one sequence for each message of the assistant that is to be learnt: what came before it is the
prompt, in the words in which a server asks the model, and the message is the answer. One with a weight of 0 is no more
than a part of prompts. An example that is longer than a cutoff is left out as a whole: cut, it would teach an answer to
a question that is not there.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from datasets import Dataset, Features, Sequence, Value
from datasets.arrow_writer import ArrowWriter
from jinja2 import TemplateError

from characterbox.training.worker.errors import WorkerError
from characterbox.training.worker.run import Run

_IGNORED = -100
"""The label of a token that has no part in the loss."""
_FORM = Features({"input_ids": Sequence(Value("int32")), "labels": Sequence(Value("int32"))})
_LISTED = 1000
"""How many of the examples that are left out are listed, of each split."""

Message = dict[str, Any]


@dataclass
class Counts:
    """What there is of a split."""

    examples: int = 0
    """Examples that are trained on, or validated with."""
    left_out: int = 0
    """Examples that are longer than a cutoff."""
    sequences: int = 0
    """Answers of the assistant in the examples."""
    tokens: int = 0
    """Tokens of all sequences, prompts included."""


def sequences_of(tokenizer: Any, messages: list[Message]) -> Iterator[dict[str, list[int]]]:
    """The sequences of a conversation, as `input_ids` and `labels`.

    Raises WorkerError where the chat template refuses it, drops the answer, or writes a prompt otherwise once it is
    answered, and where the tokenizer loses the answer.
    """
    for number, message in enumerate(messages):
        if message["role"] == "assistant" and message.get("weight") != 0:
            prompt = _text(tokenizer, messages[:number], add_generation_prompt=True) if number else ""
            whole = _text(tokenizer, messages[: number + 1])
            if not whole.startswith(prompt):
                raise WorkerError("template_changes_prompt")
            told = whole[len(prompt) :]
            if message["content"].strip() not in told:
                raise WorkerError("template_drops_answer")
            asked, answer = (_ids(tokenizer, text) for text in (prompt, told))
            if 2 * len(tokenizer.decode(answer)) < len(told):
                raise WorkerError("tokenizer_loses_text")
            yield {"input_ids": asked + answer, "labels": [_IGNORED] * len(asked) + answer}


def _text(tokenizer: Any, messages: list[Message], **options: Any) -> str:
    told = [{"role": one["role"], "content": one["content"]} for one in messages]
    try:
        return str(tokenizer.apply_chat_template(told, tokenize=False, **options))
    except TemplateError as error:
        raise WorkerError("template_refuses", what=str(error)) from error


def _ids(tokenizer: Any, text: str) -> list[int]:
    found: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return found


def prepared(run: Run, tokenizer: Any, split: str) -> tuple[Dataset, Counts]:
    """The sequences of a split, on the disk, and their counts; what another process has prepared is used."""
    arrow, counted = (run.folder / "prepared" / f"{split}.{end}" for end in ("arrow", "json"))
    if not counted.exists():
        arrow.parent.mkdir(exist_ok=True)
        counts = _prepare(run, tokenizer, split, arrow)
        part = counted.with_suffix(".part")
        part.write_text(json.dumps(asdict(counts)), encoding="utf-8")
        part.replace(counted)
    return Dataset.from_file(str(arrow)), Counts(**json.loads(counted.read_text(encoding="utf-8")))


def _prepare(run: Run, tokenizer: Any, split: str, arrow: Path) -> Counts:
    counts = Counts()
    source = Path(run.recipe["dataset"]) / f"{split}.jsonl"
    with (
        source.open(encoding="utf-8") as lines,
        (run.folder / f"left_out_{split}.jsonl").open("w", encoding="utf-8") as left_out,
        ArrowWriter(path=str(arrow), features=_FORM) as writer,
    ):
        for number, line in enumerate(lines, 1):
            sequences = [*sequences_of(tokenizer, json.loads(line)["messages"])]
            longest = _lengths(sequences)
            if any(longest[name] > cutoff for name, cutoff in run.cutoffs.items()):
                counts.left_out += 1
                if counts.left_out <= _LISTED:
                    told = {"tokens": longest["cutoff"], "input": longest["input_cutoff"]}
                    left_out.write(json.dumps({"line": number, **told, "output": longest["output_cutoff"]}) + "\n")
                continue
            counts.examples += 1
            counts.sequences += len(sequences)
            counts.tokens += sum(len(one["input_ids"]) for one in sequences)
            for one in sequences:
                writer.write(one)
        writer.finalize()
    return counts


def _lengths(sequences: list[dict[str, list[int]]]) -> dict[str, int]:
    """The most tokens that a sequence has, by the cutoff that bounds them: in all, of its prompt and of its answer."""
    pairs = [(len(one["labels"]), one["labels"].count(_IGNORED)) for one in sequences]
    return {
        "cutoff": max(whole for whole, _ in pairs),
        "input_cutoff": max(prompt for _, prompt in pairs),
        "output_cutoff": max(whole - prompt for whole, prompt in pairs),
    }
