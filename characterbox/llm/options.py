"""What is asked of an endpoint besides the messages, and what it refuses: left out from then on, or asked otherwise."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from characterbox.llm.request import Form, Request

_BOUNDS = ("max_completion_tokens", "max_tokens")
"""What the bound of a reply is called, now and before."""
Format = Literal["json_schema", "json_object", "text"]
FORMATS: Mapping[Format, Callable[[Form], Mapping[str, Any]]] = {
    "json_schema": lambda form: {
        "type": "json_schema",
        "json_schema": {"name": form.name, "strict": True, "schema": form.schema},
    },
    "json_object": lambda _: {"type": "json_object"},
}
"""How a structured reply is asked for, the strictest way first; at last by words alone."""
_ABOUT_FORMAT = r"response.?format|json.?(?:object|mode)|structured.?output|schema|grammar|guided"
"""What an error that refuses a format speaks of."""
_TOO_LONG = re.compile(
    r"context[_ ]length[_ ]exceeded|exceed_context_size|maximum (?:context|model|sequence) len"
    r"|max_model_len|model'?s context (?:length|window)|context (?:length|window|size)[^.]{0,40}(?:exceed|too)"
    r"|exceed[^.]{0,72}(?:context (?:length|window|size)|token limit|maximum number of tokens)"
    r"|(?<!\w)(?:prompt|input|messages?|tokens?)(?: \w+)? (?:is|are)? ?too (?:long|large)|too many (?:input )?tokens"
    r"|reduce the length|range of input length|max input characters"
    r"|超长|(?:输入|上下文|提示|消息|长度|token)[^。]{0,20}(?:超过|超出|过长|太长)|(?:超过|超出)[^。]{0,20}(?:长度|上下文|token|限制)",
    re.IGNORECASE,
)
"""How OpenAI, vLLM, SGLang, llama.cpp, Anthropic, Gemini, Moonshot, Qwen, GLM and others say that it is too long."""
_WINDOW = re.compile(
    r"(?:context|model|sequence) (?:length|len|window|size)\D{0,30}?(\d[\d,]{2,8})"
    r"|(?:maximum|limit of|limit:) ?(\d{3,8})",
    re.IGNORECASE,
)


def options(request: Request, seed: int, bound: int, refused: Collection[str], *, streamed: bool) -> dict[str, Any]:
    """What is asked of an endpoint besides the messages, but for what it refuses. `bound` is in tokens."""
    asked: dict[str, Any] = {"seed": seed}
    if request.temperature is not None:
        asked["temperature"] = request.temperature
    for name in [name for name in _BOUNDS if name not in refused][:1]:
        asked[name] = bound
    if request.form is not None:
        for way in [name for name in FORMATS if name not in refused][:1]:
            asked["response_format"] = FORMATS[way](request.form)
    if streamed:
        asked |= {"stream": True, "stream_options": {"include_usage": True}}
    return {name: value for name, value in asked.items() if name not in refused}


def refused_by(text: str, asked: Mapping[str, Any]) -> str | None:
    """The option that an error speaks of first, a format by its type; None if it speaks of none."""
    marks = {name: rf"\b{name}\b" for name in asked if name in ("seed", "temperature", "stream_options", *_BOUNDS)}
    if "response_format" in asked:
        marks[asked["response_format"]["type"]] = _ABOUT_FORMAT
    found = {name: re.search(mark, text, re.IGNORECASE) for name, mark in marks.items()}
    places = {name: match.start() for name, match in found.items() if match}
    return min(places, key=places.__getitem__, default=None)


def is_too_long(status: int, text: str) -> bool:
    """Whether an endpoint refuses a request as it does not fit into the context window."""
    return status == 413 or (status in (400, 422) and _TOO_LONG.search(text) is not None)


def window_told(text: str) -> int | None:
    """The length of the context window in tokens, if an error tells it."""
    found = _WINDOW.search(text)
    tokens = int((found[1] or found[2]).replace(",", "")) if found else 0
    return tokens if tokens >= 256 else None
