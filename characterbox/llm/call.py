"""A call on its way: what is asked, and what has become of the attempts so far."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from characterbox.errors import EndpointDown
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.gate import Urgent
from characterbox.llm.line import Line
from characterbox.llm.options import options
from characterbox.llm.patience import Patience
from characterbox.llm.request import Request
from characterbox.llm.server import Server
from characterbox.llm.trouble import Trouble
from characterbox.reasons import Reason, at_endpoint

OnToken = Callable[[Request, str], None]
"""Takes the pieces of a reply as they stream; an empty piece says that the call is about to leave, or leaves anew."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a reply and what it took."""

    text: str
    troubles: tuple[str, ...]
    """What went wrong with the attempts before, one each, in order: `HTTP 429`, `option seed refused` ..."""
    latency: float
    """Seconds from the last attempt to the end of the reply."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    finish_reason: str | None
    price: float | None
    """US dollars; None where the price of the model, or how many tokens it took, is not known."""

    @property
    def attempts(self) -> int:
        """How many times the call was sent for this reply, those counted that failed or were refused."""
        return len(self.troubles) + 1


@dataclass(slots=True)
class Call:
    """One request to one endpoint, until the reply has come."""

    endpoint: Endpoint
    request: Request
    seed: int
    on_token: OnToken | None
    urgent: Urgent
    line: Line
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

    def reply_bound(self, server: Server) -> int:
        """The most tokens that a server may send, by what it told of the context window too."""
        return self.line.as_told(server, self.endpoint.model).reply_bound

    def body(self, bound: int) -> bytes:
        """What is sent. `bound` is the most tokens that the server may send."""
        self.bound = bound if self.most is None else min(bound, self.most)
        streamed = self.on_token is not None and self.request.form is None and not self.whole
        self.asked = options(self.request, self.seed, self.bound, self.all_refused(), streamed=streamed)
        messages = [{"role": message.role, "content": message.content} for message in self.request.messages]
        content = {"model": self.endpoint.model, "messages": messages, **self.asked}
        return json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")

    def is_hopeless_after(self, trouble: Trouble, patience: Patience, *, others: bool) -> bool:
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
