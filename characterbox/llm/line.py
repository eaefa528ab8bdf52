"""A line: what stands between this process and one address."""

from dataclasses import dataclass, field

from characterbox.llm.circuit import Circuit
from characterbox.llm.gate import Gate
from characterbox.llm.options import window_told
from characterbox.llm.server import Server
from characterbox.llm.wire import Wire
from characterbox.reasons import Reason


@dataclass(slots=True)
class Line:
    """The wire to an address, who may use it when, and what was learned of the models behind it."""

    wire: Wire
    circuit: Circuit
    gate: Gate = field(default_factory=Gate)
    refused: dict[str, frozenset[str]] = field(default_factory=dict)
    """The options and formats that each model was found to refuse."""
    windows: dict[str, int] = field(default_factory=dict)
    """The context windows, in tokens, that were told when a prompt did not fit."""

    def as_told(self, server: Server, model: str) -> Server:
        """The server, with the context window that it told itself where that is smaller."""
        window = self.windows.get(model)
        if window is None or (server.context is not None and server.context <= window):
            return server
        return server.model_copy(update={"context": window})

    def learn_window(self, model: str, text: str) -> None:
        """Take a context window from an error, if it tells it."""
        if (window := window_told(text)) is not None:
            self.windows[model] = window

    def fail(self, reason: Reason, *, unreachable: bool, seconds: float | None) -> None:
        """Take it as down: all that wait are turned away, and what comes back may be another server."""
        self.circuit.failed(reason, unreachable=unreachable, seconds=seconds)
        self.gate.turn_away()
        self.refused.clear()
        self.windows.clear()
