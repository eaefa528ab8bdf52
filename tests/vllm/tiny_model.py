"""Makes a tiny chat model of random weights and two LoRA adapters, for a real server to serve.

    python tiny_model.py FOLDER

The vLLM server's own Python runs it; `make test-vllm` sets that up. FOLDER gets `base`, `ann` and `bob`. The tokenizer
is trained on this project's prompts and bundled scenes, so that real prompts have a realistic number of tokens.

Random weights alone would hardly ever end a reply. So dimension 0 of the residual stream is a constant that no layer
reads or writes; the output row of a token reads from it how likely the token is at any place.
"""

import sys
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

ADAPTERS = ("ann", "bob")
TOKENS = 4096
CONTEXT = 8192
WIDTH = 64
CONSTANT = 16.0
"""What every embedding holds in dimension 0; its other dimensions have a length of about 8 together."""
SPREAD = 1.2
"""The standard deviation of the scores by which the next token is drawn, before anything is made likely."""
MEAN_REPLY = 40
"""Tokens of a reply in prose, on average."""
MEAN_TEXT = 20
"""Tokens of a text in JSON, on average."""
NULL = 1 / 150
"""How likely a null is at any place: so much less than a quotation mark that most actions touch somebody."""
NEVER = 1e-9
START, END = "<|im_start|>", "<|im_end|>"
CHAT_TEMPLATE = (
    "{% for message in messages %}" + START + "{{ message['role'] }}\n{{ message['content'] }}" + END + "\n{% endfor %}"
    "{% if add_generation_prompt %}" + START + "assistant\n{% endif %}"
)
PROJECT = Path(__file__).parents[2] / "characterbox"


def corpus() -> list[str]:
    """The prompts and the bundled scenes, English and Chinese."""
    files = [*PROJECT.glob("prompts/*/*.md"), *PROJECT.glob("scenes/bundled/*/*.yaml")]
    return [file.read_text(encoding="utf-8") for file in sorted(files)]


def trained_tokenizer() -> PreTrainedTokenizerFast:
    """A byte-level BPE tokenizer: it can write any bytes, also those that are no text."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TOKENS,
        special_tokens=[START, END],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(corpus(), trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=END, pad_token=END, chat_template=CHAT_TEMPLATE, model_max_length=CONTEXT
    )


def random_model(tokens: int, end: int) -> Qwen2ForCausalLM:
    """A Qwen2 of two layers with random weights that leave dimension 0 of the residual stream alone."""
    config = Qwen2Config(
        vocab_size=tokens,
        hidden_size=WIDTH,
        intermediate_size=2 * WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        initializer_range=WIDTH**-0.5,
        tie_word_embeddings=False,
        eos_token_id=end,
        bos_token_id=None,
    )
    model = Qwen2ForCausalLM(config)
    model.get_input_embeddings().weight.normal_()[:, 0] = CONSTANT
    for layer in model.model.layers:
        attention, mlp = layer.self_attn, layer.mlp
        attention.q_proj.weight *= 8  # sharp attention: what is said depends on the prompt
        attention.o_proj.weight *= 4
        for reading in (attention.q_proj, attention.k_proj, attention.v_proj, mlp.gate_proj, mlp.up_proj):
            reading.weight[:, 0] = 0
        for writing in (attention.o_proj, mlp.down_proj):
            writing.weight[0] = 0
    scores = model.get_output_embeddings().weight
    scores.normal_()[:, 0] = 0
    scores *= SPREAD / (_hidden(model) @ scores.T).std()
    return model


def make_likely(model: Qwen2ForCausalLM, tokens: list[int], share: float) -> None:
    """Let each of the tokens have this share of the probability at any place."""
    scores = model.get_output_embeddings().weight
    hidden = _hidden(model)
    scores[tokens] = 0
    wanted = (hidden @ scores.T).logsumexp(1) + torch.tensor(share).logit()
    scores[tokens, 0] = (wanted / hidden[:, 0]).mean()


def _hidden(model: Qwen2ForCausalLM) -> torch.Tensor:
    """The final hidden states of 256 random texts."""
    return model.model(torch.randint(model.config.vocab_size, (256, 32))).last_hidden_state[:, -1]


def save_adapter(model: Qwen2ForCausalLM, seed: int, folder: Path) -> None:
    """Save a LoRA adapter of random weights of its own, which leaves dimension 0 alone."""
    torch.manual_seed(seed)
    config = LoraConfig(r=8, lora_alpha=16, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"])
    adapted = get_peft_model(model, config)
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:
            weight.normal_(std=0.2)
        if "lora_A" in name and "o_proj" not in name:
            weight[:, 0] = 0
        if "lora_B" in name and "o_proj" in name:
            weight[0] = 0
    adapted.save_pretrained(folder)
    adapted.unload()


@torch.no_grad()
def main(folder: Path) -> None:
    torch.manual_seed(1)
    tokenizer = trained_tokenizer()
    texts = {token: tokenizer.decode([token]).strip() for token in tokenizer.get_vocab().values()}
    start, end, quote = tokenizer.convert_tokens_to_ids([START, END, '"'])
    model = random_model(len(tokenizer), end)
    make_likely(model, [start, *(token for token, text in texts.items() if not text)], NEVER)
    make_likely(model, [end], 1 / MEAN_REPLY)
    make_likely(model, [quote], 1 / MEAN_TEXT)
    make_likely(model, tokenizer.encode(" n")[:1], NULL)  # a whole " null" would be the text of most strings, too
    model.to(torch.bfloat16).save_pretrained(folder / "base")
    tokenizer.save_pretrained(folder / "base")
    for seed, name in enumerate(ADAPTERS, 2):
        save_adapter(model, seed, folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
