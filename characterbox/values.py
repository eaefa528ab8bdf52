"""The base of all values that are stored or cross a border."""

from collections.abc import Mapping
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from annotations.i18n.messages import to_say

Language = Literal["en", "zh"]
LANGUAGES: Mapping[str, str] = {"en": to_say("English"), "zh": to_say("Chinese")}
"""What they are called; to be said."""
LANGUAGE_CODES: tuple[Language, ...] = get_args(Language)


class Value(BaseModel):
    """A frozen value that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")
