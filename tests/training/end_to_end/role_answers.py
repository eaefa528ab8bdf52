"""What a base and its adapter answer: `python role_answers.py BASE ADAPTER DATASET`; prints JSON.

Each answers the questions of the test, the likeliest token at a time.
"""

import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

ROWS, LONGEST = 16, 60
"""Questions that are answered at once, and tokens of an answer."""

base, adapter, dataset = map(Path, sys.argv[1:])
tokenizer = AutoTokenizer.from_pretrained(base, padding_side="left")
lines = (dataset / "test.jsonl").read_text(encoding="utf-8").splitlines()
asked = [
    tokenizer.apply_chat_template(json.loads(line)["messages"][:-1], tokenize=False, add_generation_prompt=True)
    for line in lines
]


@torch.no_grad()
def answers(model):
    """The answers of a model to all questions."""
    found = []
    for start in range(0, len(asked), ROWS):
        rows = tokenizer(asked[start : start + ROWS], return_tensors="pt", padding=True, add_special_tokens=False)
        whole = model.generate(**rows, max_new_tokens=LONGEST, do_sample=False)
        found += tokenizer.batch_decode(whole[:, rows["input_ids"].shape[1] :], skip_special_tokens=True)
    return [one.strip() for one in found]


plain = AutoModelForCausalLM.from_pretrained(base).eval()
told = {"base": answers(plain)}
told["tuned"] = answers(PeftModel.from_pretrained(plain, adapter).eval())
print(json.dumps(told))
