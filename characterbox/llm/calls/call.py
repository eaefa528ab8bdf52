"""A call on its way: what is asked, what was refused, and what has become of the attempts so far."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from characterbox.errors import EndpointDown
from characterbox.llm.calls.connection import Connection, Urgent
from characterbox.llm.calls.retry_policy import RetryPolicy, TransportError
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.request import Form, Request
from characterbox.llm.server import Server
from characterbox.pause_reasons import Reason, at_endpoint

OnToken = Callable[[Request, str], None]
"""Takes the pieces of a reply as they stream; an empty piece says that the call is about to leave, or leaves anew."""
SHAPING = ("seed", "temperature", "top_p")
"""The options that a reply depends on, so that one who reads it has to know where a model does not take them."""
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
_FORMAT_REFUSED = re.compile(_ABOUT_FORMAT, re.IGNORECASE)
_STREAM_REFUSED = re.compile(r"\bstream(?:ing|ed)?\b|流式", re.IGNORECASE)
STREAMED_FORM = "streamed_form"
"""A structured reply that streams: some models give either."""
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


def options(request: Request, seed: int, bound: int, refused: Collection[str], *, streamed: bool) -> dict[str, Any]:
    """What is asked of an endpoint besides the messages, but for what it refuses. `bound` is in tokens."""
    asked: dict[str, Any] = _shaping(request, seed)
    for name in [name for name in _BOUNDS if name not in refused][:1]:
        asked[name] = bound
    if request.form is not None:
        for way in [name for name in FORMATS if name not in refused][:1]:
            asked["response_format"] = FORMATS[way](request.form)
    if streamed:
        asked |= {"stream": True, "stream_options": {"include_usage": True}}
    return {name: value for name, value in asked.items() if name not in refused}


def _shaping(request: Request, seed: int) -> dict[str, float]:
    return {"seed": seed, **request.sampling.sent}


def refused_by(text: str, asked: Mapping[str, Any]) -> str | None:
    """The option that an error speaks of first, a format by its type; None if it speaks of none.

    An error that speaks of formats and of streams refuses the two together.
    """
    marks = {name: rf"\b{name}\b" for name in asked if name in (*SHAPING, "stream_options", *_BOUNDS)}
    if "response_format" in asked:
        if "stream" in asked and _STREAM_REFUSED.search(text) and _FORMAT_REFUSED.search(text):
            return STREAMED_FORM
        marks[asked["response_format"]["type"]] = _ABOUT_FORMAT
    found = {name: re.search(mark, text, re.IGNORECASE) for name, mark in marks.items()}
    places = {name: match.start() for name, match in found.items() if match}
    if {"temperature", "top_p"} <= places.keys():  # some models take either: the temperature is what people set
        return "top_p"
    return min(places, key=places.__getitem__, default=None)


def is_too_long(request: Request, status: int, text: str) -> bool:
    """Whether an endpoint refuses a request as it does not fit into the context window.

    How many texts an embedding model takes at once, endpoints say in many ways: several count as too many.
    """
    if status == 413 or (request.embeds and len(request.messages) > 1 and status in (400, 422)):
        return True
    return status in (400, 422) and _TOO_LONG.search(text) is not None


def _encoded(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")


@dataclass(slots=True)
class Call:
    """One request to one endpoint, until the reply has come."""

    endpoint: Endpoint
    request: Request
    seed: int
    on_token: OnToken | None
    urgent: Urgent
    line: Connection
    trial: bool
    """Whether it tries an address that may still be down."""
    ticket: int
    """Its place in the order of arrival at the gate."""
    most: int | None
    """The most tokens that the reply may have, if that is less than the server may send."""
    troubles: list[str] = field(default_factory=list)
    """What went wrong with the attempts so far, one each."""
    refused: frozenset[str] = frozenset()
    """The options that were refused to this call."""
    asked: dict[str, Any] = field(default_factory=dict)
    """The options of the last attempt."""
    bound: int = 0
    """The tokens that the last attempt left for the reply."""
    whole: bool = False
    """Whether the reply is no longer streamed, as a stream broke off."""
    counted: int = 0
    timeouts: int = 0

    def all_refused(self) -> frozenset[str]:
        """What is known to be refused, by this call or others."""
        return self.line.refused.get(self.endpoint.model, frozenset()) | self.refused

    @property
    def left_out(self) -> tuple[str, ...]:
        """What shapes a reply, and was not in the last attempt, as the model does not take it."""
        shaping = {} if self.request.embeds else _shaping(self.request, self.seed)
        return tuple(name for name in shaping if name not in self.asked)

    def reply_bound(self, server: Server) -> int:
        """The most tokens that a server may send, by what it told of the context window too."""
        return self.line.as_told(server, self.endpoint.model).reply_bound

    def body(self, bound: int) -> bytes:
        """What is sent. `bound` is the most tokens that the server may send."""
        if self.request.embeds:
            texts = [message.content for message in self.request.messages]
            return _encoded({"model": self.endpoint.model, "input": texts})
        self.bound = bound if self.most is None else min(bound, self.most)
        refused = self.all_refused()
        self.asked = options(self.request, self.seed, self.bound, refused, streamed=self._is_streamed(refused))
        messages = [{"role": message.role, "content": message.content} for message in self.request.messages]
        return _encoded({"model": self.endpoint.model, "messages": messages, **self.asked})

    def _is_streamed(self, refused: Collection[str]) -> bool:
        """Whether the reply is asked for piece by piece, as somebody watches what there is to see of it."""
        if self.on_token is None or self.whole:
            return False
        form = self.request.form
        return form is None or (form.live is not None and STREAMED_FORM not in refused)

    def is_hopeless_after(self, trouble: TransportError, patience: RetryPolicy, *, others: bool) -> bool:
        """Whether the address counts as down, or not even one more attempt is worth while.

        `others` says whether others got through meanwhile: to be told to come later does not count then.
        """
        self.troubles.append(trouble.kind)
        self.timeouts += trouble.timed_out
        self.counted += not (trouble.later and others)
        return (
            self.trial
            or trouble.spent
            or (trouble.after or 0) > patience.longest_wait
            or self.counted >= patience.attempts
            or self.timeouts >= patience.timeouts
            or len(self.troubles) >= patience.hopeful
        )

    def passed(self) -> None:
        """Its address has answered."""
        self.trial = False
        self.line.circuit.passed()

    @property
    def is_shut_out(self) -> bool:
        """Whether its address has gone down meanwhile, and somebody else tries it."""
        return self.line.circuit.reason is not None and not self.trial

    def down(self) -> EndpointDown:
        """The error of a call whose address has gone down."""
        return EndpointDown(at_endpoint(self.endpoint, self.line.circuit.reason or Reason("down")))
