"""Makes a tiny base model, which has seen the style of some texts: `python tiny_base.py FOLDER STEPS [DATASET ...]`.

A Qwen2 of two layers by 64 with a byte-level BPE tokenizer, trained from chance in this very process. A frozen base of
chance hardly learns by LoRA, so it is trained as a whole first, for some steps: on the conversations of dataset
folders, or on the prompts of this project.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

TOKENS = 2048
CONTEXT = 8192
WIDTH = 64
ROWS, LENGTH = 16, 96
"""Rows and tokens of a step."""
PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""How a Qwen2 splits texts: transformers loads the tokenizer of a Qwen2 so, whatever it was trained with."""
START, END = "<|im_start|>", "<|im_end|>"
CHAT_TEMPLATE = (
    "{% for message in messages %}" + START + "{{ message['role'] }}\n{{ message['content'] }}" + END + "\n{% endfor %}"
    "{% if add_generation_prompt %}" + START + "assistant\n{% endif %}"
)
PROMPTS = Path(__file__).parents[3] / "characterbox/prompts"


def texts_of(datasets: list[Path]) -> list[str]:
    """What the base is to have seen."""
    if not datasets:
        return [file.read_text(encoding="utf-8") for file in sorted(PROMPTS.glob("*/*.md"))]
    lines = [line for one in datasets for line in (one / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    return [_conversation(json.loads(line)["messages"][:-1]) for line in lines]  # no answer: those are to be learnt


def _conversation(messages: list[dict[str, str]]) -> str:
    return "".join(f"{START}{one['role']}\n{one['content']}{END}\n" for one in messages)


def trained_tokenizer(texts: list[str]) -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer: it can write any bytes."""
    bpe = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PIECES), "isolated")
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TOKENS,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=END, pad_token=END, chat_template=CHAT_TEMPLATE, model_max_length=CONTEXT
    )


def trained_model(tokenizer: PreTrainedTokenizerFast, texts: list[str], steps: int) -> Qwen2ForCausalLM:
    """A Qwen2 that was trained on the texts for a moment."""
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=None,
    )
    model = Qwen2ForCausalLM(config)
    stream = torch.tensor(tokenizer("".join(texts))["input_ids"])
    stream = stream.repeat(1 + (LENGTH + 1) // len(stream))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(steps):
        starts = torch.randint(len(stream) - LENGTH, (ROWS,))
        rows = torch.stack([stream[start : start + LENGTH] for start in starts])
        model(input_ids=rows, labels=rows).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model


def main(folder: Path, steps: int, datasets: list[Path]) -> None:
    torch.manual_seed(1)
    texts = texts_of(datasets)
    tokenizer = trained_tokenizer(texts)
    trained_model(tokenizer, texts, steps).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), [*map(Path, sys.argv[3:])])
