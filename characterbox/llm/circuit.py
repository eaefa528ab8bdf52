"""The circuit of an address: once it is known to be down, calls fail at once, and one of them tries it now and then."""

import asyncio

from characterbox.errors import EndpointDown
from characterbox.llm.patience import Patience
from characterbox.reasons import Reason


class Circuit:
    """Whether an address is known to be down, and who tries whether it still is. It belongs to one event loop."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._times = 0
        self._until = 0.0
        self._trial: asyncio.Event | None = None
        """Set when the call that tries the address has come to its end."""
        self.reason: Reason | None = None
        """Why the address counts as down; None while it does not."""
        self.unreachable = False
        """Whether it is down as nobody answers there, so that any answer is a sign that it is back."""
        self.successes = 0
        """How often it has answered."""

    async def admit(self) -> bool:
        """Let a call go on; True if it is the one that tries an address which may still be down.

        That one must end in `passed`, `failed` or `released`; the others wait meanwhile. Raises EndpointDown at once
        while the address is left alone.
        """
        while self.reason is not None:
            if self._trial is not None:
                await self._trial.wait()
            elif self.left_alone:
                raise EndpointDown(self.reason)
            else:
                self._trial = asyncio.Event()
                return True
        return False

    @property
    def left_alone(self) -> bool:
        """Whether the address is down, and not to be tried yet."""
        return self.reason is not None and asyncio.get_running_loop().time() < self._until

    def passed(self) -> None:
        """It has answered."""
        self.successes += 1
        self._times, self.reason = 0, None
        self.released()

    def failed(self, reason: Reason, *, unreachable: bool, seconds: float | None) -> None:
        """It is down; it is left alone for so many seconds, or for longer each time."""
        self._times += 1
        self.reason, self.unreachable = reason, unreachable
        wait = self._patience.down_for(self._times) if seconds is None else seconds
        self._until = asyncio.get_running_loop().time() + wait
        self.released()

    def try_again(self) -> None:
        """Let the next call try it, however soon."""
        self._until = 0.0

    def released(self) -> None:
        """The call that was to try it has ended, whatever came of it."""
        if self._trial is not None:
            self._trial.set()
            self._trial = None
