"""How a model draws its replies: what is sent with a request beside its messages, form and seed."""

from typing import Annotated

from pydantic import Field

from characterbox.values import Value

Temperature = Annotated[float, Field(strict=True, ge=0, le=2)]
TopP = Annotated[float, Field(strict=True, gt=0, le=1)]


class Sampling(Value):
    """Options that are sent with each request of an agent; None is not sent, and the endpoint decides."""

    temperature: Temperature | None = 0.5
    """0 always takes the likeliest token."""
    top_p: TopP | None = 1.0
    """The share of the likeliest tokens that one is drawn from."""


UNSENT = Sampling(temperature=None, top_p=None)
"""What stories of before these settings were played with: all is left to the endpoint."""
