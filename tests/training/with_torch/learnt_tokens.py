"""What is learnt of each training example: `python learnt_tokens.py BASE DATASET`; prints JSON.

Of each sequence the text that is only shown, the one that is learnt, and the tokens of both.
"""

import json
import sys
from pathlib import Path

from transformers import AutoTokenizer

from characterbox.training.worker.examples import sequences_of

base, dataset = map(Path, sys.argv[1:])
tokenizer = AutoTokenizer.from_pretrained(base)
told = []
for line in (dataset / "train.jsonl").read_text(encoding="utf-8").splitlines():
    told.append([])
    for one in sequences_of(tokenizer, json.loads(line)["messages"]):
        is_learnt = [label != -100 for label in one["labels"]]
        shown, learnt = (
            [id for id, yes in zip(one["input_ids"], is_learnt, strict=True) if yes is wanted]
            for wanted in (False, True)
        )
        assert one["input_ids"] == shown + learnt
        assert one["labels"] == [-100] * len(shown) + learnt
        texts = {"shown": tokenizer.decode(shown), "learnt": tokenizer.decode(learnt)}
        told[-1].append({**texts, "input": len(shown), "output": len(learnt)})
print(json.dumps(told))
