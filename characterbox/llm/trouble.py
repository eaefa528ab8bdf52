"""What can go wrong with one attempt: trouble that may pass, and refusals that will not."""

from characterbox.reasons import Reason, Withheld, said


class Trouble(Exception):
    """An attempt failed, and another one may succeed."""

    def __init__(
        self,
        kind: Reason,
        detail: Reason | Withheld | None = None,
        *,
        after: float | None = None,
        holds: bool = False,
        later: bool = False,
        timed_out: bool = False,
        unreachable: bool = False,
        spent: bool = False,
    ) -> None:
        self.reason = said(kind, detail)
        super().__init__(self.reason)
        self.kind = str(kind)
        """In a few words, without anything that the endpoint said: `HTTP 500`, `connection refused` ..."""
        self.after = after
        """Seconds after which the endpoint wants to be asked again."""
        self.holds = holds
        """Whether that goes for all calls to it."""
        self.later = later
        """Whether the endpoint works, and only asks to come later."""
        self.timed_out = timed_out
        self.unreachable = unreachable
        """Whether nobody answered."""
        self.spent = spent
        """Whether somebody has to pay before it goes on."""

    @property
    def unasked(self) -> bool:
        """Whether the attempt says nothing about what was asked: nobody has looked at it."""
        return self.later or self.unreachable


def timed_out(patience: float) -> Trouble:
    """Nothing came for so many seconds."""
    return Trouble(Reason("timed_out", seconds=f"{patience:g}"), timed_out=True)


class Refusal(Exception):
    """The endpoint answered that it won't do what it was asked, or it can't be asked at all."""

    def __init__(self, reason: Reason, status: int = 0, text: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        """0 if it can't be asked."""
        self.text = text
        """The whole body of the answer."""
