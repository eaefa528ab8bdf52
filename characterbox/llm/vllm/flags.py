"""Further arguments of a vLLM server: which may be given, and with what kind of value.

Some arguments of vLLM run code of a file, read files or call elsewhere, so that only those listed here pass, and those
that whoever runs the host has named.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from annotations.wording import to_say
from characterbox.errors import EndpointError

T = TypeVar("T")
Kind = Literal["number", "amount", "word", "nothing"]

_VALUES: Mapping[Kind, re.Pattern[str]] = {
    "number": re.compile(r"\d{1,12}|\d{1,9}(\.\d{1,6})?[kKmMgG]"),
    "amount": re.compile(r"\d{1,9}(\.\d{1,9})?"),
    "word": re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}"),
}
"""Kinds of values. A word is a name that vLLM knows: with neither slash nor dot it is no path and no class."""


def _each(names: str, value: T) -> dict[str, T]:
    """The value for each of the names."""
    return dict.fromkeys(names.split(), value)


_ALLOWED: Mapping[str, Kind] = {
    **_each("--max-model-len --max-num-seqs --max-num-batched-tokens --block-size --max-logprobs --seed", "number"),
    **_each("--tensor-parallel-size -tp --pipeline-parallel-size -pp --data-parallel-size -dp", "number"),
    **_each("--kv-cache-memory-bytes --max-loras --max-lora-rank --max-cpu-loras", "number"),
    **_each("--gpu-memory-utilization --swap-space --cpu-offload-gb", "amount"),
    **_each("--dtype --quantization -q --kv-cache-dtype --tool-call-parser --reasoning-parser", "word"),
    **_each("--served-model-name --scheduling-policy", "word"),
    **_each("--enforce-eager --no-enforce-eager --enable-chunked-prefill --no-enable-chunked-prefill", "nothing"),
    **_each("--enable-prefix-caching --enable-auto-tool-choice --enable-expert-parallel", "nothing"),
    **_each("--disable-custom-all-reduce --async-scheduling --no-async-scheduling", "nothing"),
}
"""Plain settings of size, parallelism, memory and precision, and names of what vLLM itself brings along."""

_ONLY_HERE = to_say("the argument {word} can't be used here: leave it out: the app reaches its servers at {address}")
_IN_PROCESSES = to_say(
    "the argument {word} can't be used here: leave it out: everybody on this computer could read it in the list of "
    "processes"
)
_NEVER: Mapping[str, str] = {
    "--port": to_say("the argument {word} can't be used here: set the port of the server instead"),
    "--model": to_say("the argument {word} can't be used here: set the model of the server instead"),
    "--lora-modules": to_say("the argument {word} can't be used here: set the adapters of the server instead"),
    "--no-enable-prefix-caching": to_say(
        "the argument {word} can't be used here: leave it out: stories rely on prefix caching"
    ),
    "--api-key": _IN_PROCESSES,
    "--hf-token": to_say(
        "the argument {word} can't be used here: leave it out: everybody on this computer could read it in the list of "
        "processes; set HF_TOKEN in the environment of the app"
    ),
    "--config": to_say("the argument {word} can't be used here: give the arguments of that file one by one"),
    **_each("--host --uds --root-path --grpc --headless --ssl-keyfile --ssl-certfile", _ONLY_HERE),
    **_each("--ssl-ca-certs --ssl-cert-reqs --ssl-ciphers --enable-ssl-refresh", _ONLY_HERE),
}
"""Arguments that contradict what the app relies on, or give a secret away, and what is said to each."""
_UNKNOWN = to_say(
    "the argument {word} can't be used here; settings of size, parallelism, memory and precision can, their names "
    "written in full; whoever runs the app can allow others in CHARACTERBOX_VLLM_ARGUMENTS"
)
_NEEDED: Mapping[Kind, str] = {
    "number": to_say("the argument {word} takes one whole number, such as 8192"),
    "amount": to_say("the argument {word} takes one number, such as 0.9"),
    "word": to_say("the argument {word} takes one name of letters, digits, - and _"),
    "nothing": to_say("the argument {word} takes no value"),
}


def check_flags(flags: Sequence[str], more: Sequence[str], address: str) -> None:
    """Raises EndpointError, without a value, for an argument that may not be given, or not so.

    `more` are the names of those that are allowed besides, with any values; `address` is where servers are reached.
    """
    left = list(flags)
    while left:
        word, equals, value = left.pop(0).partition("=")
        name = plain_name(word)
        values = [value] if equals else []
        while left and not equals and not left[0].startswith("-"):
            values.append(left.pop(0))
        if name in _NEVER:
            raise EndpointError(_NEVER[name], word=word, address=address)
        if name in map(plain_name, more):
            continue
        kind = _ALLOWED.get(name)
        if kind is None:
            raise EndpointError(_UNKNOWN, word=word if word.startswith("-") else "...")
        if not _fits(kind, values):
            raise EndpointError(_NEEDED[kind], word=word)


def plain_name(word: str) -> str:
    """The name of an argument as vLLM knows it: it takes `_` for `-`."""
    return word.replace("_", "-")


def _fits(kind: Kind, values: Sequence[str]) -> bool:
    if kind == "nothing":
        return not values
    return len(values) == 1 and _VALUES[kind].fullmatch(values[0]) is not None
