"""Whether a merged model says what its base and adapter say: `python same_logits.py BASE ADAPTER MERGED`."""

import sys

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

base, adapter, merged = sys.argv[1:]
asked = AutoTokenizer.from_pretrained(merged)("Holmes opens door 3.", return_tensors="pt")
with torch.no_grad():
    plain = AutoModelForCausalLM.from_pretrained(base)
    before = plain(**asked).logits
    adapted = PeftModel.from_pretrained(plain, adapter).eval()(**asked).logits
    together = AutoModelForCausalLM.from_pretrained(merged)(**asked).logits
assert torch.allclose(adapted, together, atol=1e-3), (adapted - together).abs().max()
assert not torch.allclose(adapted, before, atol=1e-1), "the adapter changes nothing"
