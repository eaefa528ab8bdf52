"""The base of all values that are stored or cross a border."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

Language = Literal["en", "zh"]


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
