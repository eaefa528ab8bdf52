"""The line between a page and the app, on which what the app says can be held back."""

from collections.abc import Callable

from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

DONE = "script_finished"
"""The kind of message that ends a run of the page."""


class Line:
    """The line of a page, from when it is opened or loaded anew."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._holds: Callable[[bytes | str], bool] | None = None
        self._held: list[tuple[WebSocketRoute, bytes | str]] = []
        self._said = 0
        page.route_web_socket("**/_stcore/stream", self._between)

    def hold(self, first: str | None = None) -> None:
        """Hold back what the app says from now on, or from the first message of a kind on."""
        self._holds = lambda message: first is None or bool(self._held) or _kind(message) == first

    def let_go(self) -> None:
        """Say what is held back; what follows is held back, too, if it was."""
        held, self._held = self._held, []
        for line, message in held:
            line.send(message)

    def open(self) -> None:
        """Say what is held back, and hold nothing more."""
        self._holds = None
        self.let_go()

    def wait_held(self) -> None:
        """Wait until all is held back that the app has to say of one run of the page, to its end."""
        self._wait(lambda: any(_kind(message) == DONE for _, message in self._held))

    def wait_said(self, act: Callable[[], object]) -> None:
        """Do something in the page, and wait until the page has said something."""
        said = self._said
        act()
        self._wait(lambda: self._said > said)

    def _wait(self, done: Callable[[], bool]) -> None:
        for _ in range(600):
            if done():
                return
            self._page.wait_for_timeout(50)
        raise AssertionError("nothing came in half a minute")

    def _between(self, line: WebSocketRoute) -> None:
        app = line.connect_to_server()

        def hear(message: bytes | str) -> None:
            if self._holds is not None and self._holds(message):
                self._held.append((line, message))
            else:
                line.send(message)

        def say(message: bytes | str) -> None:
            self._said += 1
            app.send(message)

        app.on_message(hear)
        line.on_message(say)


def _kind(message: bytes | str) -> str | None:
    return ForwardMsg.FromString(message).WhichOneof("type") if isinstance(message, bytes) else None
