"""A scene: the fixed opening from which stories are played (paper, section 3.1: S = {E, C})."""

import re
import unicodedata
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from annotations.wording import say
from characterbox.values import Language, Value

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Origin = Literal["extracted", "generated", "original"]


class Environment(Value):
    """What surrounds the cast and changes as they act."""

    time: Text
    location: Text
    description: Text


class Profile(Value):
    """Who a character is, and where and how the scene finds it."""

    name: Text
    description: Text
    """Identity, looks, temper, knowledge and goals. Only the character itself and the narrator read it."""
    position: Text
    state: Text
    gender: Text | None = None


class Scene(Value):
    """A fixed opening: an environment and a cast of at least one character."""

    id: Text
    title: Text
    """What happens, as a headline."""
    work: Text
    """The novel, play or film it belongs to; for an original scene, the name of its series."""
    language: Language
    origin: Origin
    author: Text | None = None
    environment: Environment
    cast: Annotated[tuple[Profile, ...], Field(min_length=1)]
    plot: Text | None = None
    """How the source goes on. For readers and judges; never shown to a character or the narrator."""

    @model_validator(mode="after")
    def _names_make_distinct_paths(self) -> "Scene":
        slugs: dict[str, str] = {}
        for profile in self.cast:
            slug = slug_of(profile.name)
            if not slug:
                raise ValueError("cast: " + say("the name {name!r} has no letter or digit", name=profile.name))
            if slug in slugs:
                alike = {"one": slugs[slug], "other": profile.name}
                raise ValueError(
                    "cast: " + say("the names {one!r} and {other!r} are too alike to be told apart", **alike)
                )
            slugs[slug] = profile.name
        return self

    def profile(self, name: str) -> Profile:
        """The profile of the character called `name`. Raises KeyError if there is none."""
        for profile in self.cast:
            if profile.name == name:
                return profile
        raise KeyError(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the cast, in cast order."""
        return tuple(profile.name for profile in self.cast)


def slug_of(name: str) -> str:
    """The name as it stands in a path: letters and digits of any script in lower case, joined by hyphens."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "-".join(re.findall(r"[^\W_]+", folded))
