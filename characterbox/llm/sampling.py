"""How a model draws its replies: what is sent with a request beside its messages, form and seed."""

from typing import Annotated, Any

from pydantic import Field

from characterbox.values import Value

Temperature = Annotated[float, Field(strict=True, ge=0, le=2)]
TopP = Annotated[float, Field(strict=True, gt=0, le=1)]
MaxTokens = Annotated[int, Field(strict=True, ge=1)]


class Sampling(Value):
    """Options that are sent with each request of an agent; None is not sent, and the endpoint decides."""

    temperature: Temperature | None = 0.5
    """0 always takes the likeliest token."""
    top_p: TopP | None = 1.0
    """The share of the likeliest tokens that one is drawn from."""

    max_tokens: MaxTokens | None = Field(default=None, exclude_if=lambda most: most is None)
    """The most tokens of a reply, which is cut off there; None for as many as the server may send anyway."""

    @property
    def sent(self) -> dict[str, float]:
        """The options as they are called in a request, without those that are left to the endpoint; the bound of a
        reply is called one or the other way, and is not among them."""
        return self.model_dump(exclude_none=True, exclude={"max_tokens"})

    @property
    def told(self) -> dict[str, float]:
        """All that is set: what a reply depends on."""
        return self.model_dump(exclude_none=True)


LEFT = "endpoint"
"""What people write in a file, or on the command line, for an option that is left to the endpoint."""


def written(option: float | None) -> float | str:
    """An option as people write it."""
    return LEFT if option is None else option


def read(option: Any) -> Any:
    """An option that people wrote; what is wrong with it is for others to see."""
    return None if option == LEFT else option


UNSENT = Sampling(temperature=None, top_p=None)
"""What stories of before these settings were played with: all is left to the endpoint."""
