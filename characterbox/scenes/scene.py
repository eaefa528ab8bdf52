"""A scene: the fixed opening from which stories are played (paper, section 3.1: S = {E, C})."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import (
    ConfigDict,
    Field,
    NonNegativeInt,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from annotations.i18n.messages import Message
from characterbox.values import Language, Value

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Origin = Literal["extracted", "generated", "original"]


class _Described(Value):
    """A value whose fields are explained to those who write scenes: what stands under a field here is its description
    in the schema of scene files."""

    model_config = ConfigDict(use_attribute_docstrings=True)


class Environment(_Described):
    """What surrounds the cast and changes as they act."""

    time: Text
    """When the scene begins, as a reader would be told it."""
    location: Text
    """Where it plays."""
    description: Text
    """What is there to be seen, heard and used, and what is going on."""


class _Sparse(_Described):
    """A value whose later fields are not written down while they are empty: what was stored before them stays as it
    was, and so do the fingerprints of it."""

    @model_serializer(mode="wrap")
    def _without_empty(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {
            name: value
            for name, value in handler(self).items()
            if value or isinstance(value, float) or name not in _LATER  # a temperature of 0 is one
        }


_LATER = {
    *("knowledge", "unaware", "public_face", "other_names", "known_as", "unseen_by"),
    *("passage", "crafted", "pair", "by_hand", "temperature"),
}


class Alias(_Sparse):
    """What a character is called by those who do not know its name."""

    name: Text
    """What they call it, such as `the beggar`: as it stands in the middle of a sentence."""
    by: tuple[Text, ...] = ()
    """The names of those who call it so; left out, all others of the cast."""


class Profile(_Sparse):
    """Who a character is, and where and how the scene finds it."""

    name: Text
    """Its true name; no two names of a cast may be alike but for case, spaces and signs."""
    description: Text
    """Identity, looks, temper, knowledge and goals. Read by the character itself, the narrator and judges, by no other
    character."""
    position: Text
    """Where in the location the scene finds it."""
    state: Text
    """How it is, in body and mind, as the scene begins."""
    gender: Text | None = None
    """In free words; left out where the source says none."""
    knowledge: tuple[Text, ...] = ()
    """Notes, a sentence or a few each, on what it knows at this moment that others may not."""
    unaware: tuple[Text, ...] = ()
    """The same on what it does not know, or cannot know yet. Never shown to the character: it would know then."""
    public_face: Text | None = None
    """What a stranger sees and hears at once: looks, age, dress, manner. Read by all who perceive the character: it
    holds nothing secret, and no name."""
    other_names: tuple[Text, ...] = ()
    """Other names, titles and nicknames that tell those who hear them who it is."""
    known_as: tuple[Alias, ...] = ()
    """What it is called by those who do not know its name, until they recognise it."""
    unseen_by: tuple[Text, ...] = ()
    """The names of those who neither see nor hear it as the scene begins."""

    @property
    def own_account(self) -> str:
        """All that the character itself reads of who it is: description and knowledge."""
        return "\n".join([self.description, *self.knowledge])

    @property
    def account(self) -> str:
        """All that the narrator and judges read of who it is: also what it does not know."""
        return "\n".join([self.own_account, *self.unaware])


class Passage(_Described):
    """Where in a source an extracted scene comes from."""

    source: Text
    """The name of the source's file, or what it was called where it was pasted."""
    start: NonNegativeInt
    """The first character of the passage in the source's text, counted from 0."""
    end: NonNegativeInt
    """The character after its last one."""
    chapter: Text | None = None
    """The heading that it stands under."""


class Crafted(_Sparse):
    """How a scene was crafted by models (paper, section 3.1)."""

    method: Literal["three-stage", "direct", "translated"]
    """With a director and an evaluator, by the screenwriter alone, or translated from the scene that is its pair."""
    screenwriter: Text
    """The model that wrote it, or translated it."""
    director: Text | None = None
    """The model that rewrote the draft."""
    evaluator: Text | None = None
    """The model that judged each draft."""
    by_hand: bool = False
    """Whether a person wrote or changed a draft of it, or changed it in the library."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """What the models were asked to draw their words with; none where it was left to them."""

    @property
    def models(self) -> tuple[str, ...]:
        """The models in the order of their roles; one alone where it has all of them."""
        roles = tuple(filter(None, (self.screenwriter, self.director, self.evaluator)))
        return roles if len({*roles}) > 1 else roles[:1]


class Scene(_Sparse):
    """A fixed opening: an environment and a cast of at least one character."""

    id: Text
    """What the scene is known by; no two scenes of a file have the same."""
    title: Text
    """What happens, as a headline."""
    work: Text
    """The novel, play or film it belongs to; for an original scene, the name of its series."""
    language: Language
    """The language of all its texts."""
    origin: Origin
    """Taken from a passage of the work, made up within its world, or belonging to no other work."""
    author: Text | None = None
    """Who wrote the work."""
    environment: Environment
    """What surrounds the cast as the scene begins."""
    cast: Annotated[tuple[Profile, ...], Field(min_length=1)]
    """Who is there, in the order in which they take their turns."""
    plot: Text | None = None
    """How the source goes on. For readers; never shown to a character, the narrator or a judge."""
    passage: Passage | None = None
    """Where in a source it was taken from."""
    crafted: Crafted | None = None
    """How models wrote it; left out for a scene that people wrote."""
    pair: Text | None = None
    """The id of the scene in the other language of which it is the translation."""

    @model_validator(mode="after")
    def _names_make_distinct_paths(self) -> "Scene":
        slugs: dict[str, str] = {}
        for profile in self.cast:
            slug = slug_of(profile.name)
            if not slug:
                raise ValueError(Message("the name {name!r} has no letter or digit", name=profile.name))
            if slug in slugs:
                alike = {"one": slugs[slug], "other": profile.name}
                raise ValueError(Message("the names {one!r} and {other!r} are too similar to tell apart", **alike))
            slugs[slug] = profile.name
        return self

    @model_validator(mode="after")
    def _names_lead_to_somebody(self) -> "Scene":
        for wrong in misnamed(self.cast):
            raise MisnamedError(wrong)
        return self

    def profile(self, name: str) -> Profile:
        """The profile of the character called `name`. Raises KeyError if there is none."""
        for profile in self.cast:
            if profile.name == name:
                return profile
        raise KeyError(name)

    def changed_by_hand(self) -> "Scene":
        """The scene, which says that a person changed what models wrote, if they wrote it."""
        if self.crafted is None:
            return self
        return self.model_copy(update={"crafted": self.crafted.model_copy(update={"by_hand": True})})

    @property
    def masked(self) -> bool:
        """Whether somebody does not know who somebody is."""
        return any(profile.known_as for profile in self.cast)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the cast, in cast order."""
        return tuple(profile.name for profile in self.cast)


class Misnamed(NamedTuple):
    """A name that leads to nobody of the cast, or that cannot stand for the one who is called so."""

    field: str
    """In house form."""
    why: Message
    remedy: Message


class MisnamedError(ValueError):
    """A name of a scene cannot be used."""

    def __init__(self, wrong: Misnamed) -> None:
        super().__init__(wrong.why)
        self.wrong = wrong


def misnamed(cast: Sequence[Profile]) -> Iterator[Misnamed]:
    """What is wrong with the names under `unseen_by` and `known_as`, the first for each field."""
    remedy, rename = Message("name other characters of the cast"), Message("use a different name, or remove it")
    taken: dict[tuple[str, str], str] = {}
    """Whom somebody calls by a name, by those who do and the name as it stands in a path."""
    for place, profile in enumerate(cast):
        others = {one.name for one in cast} - {profile.name}
        named = {"unseen_by": profile.unseen_by}
        named |= {f"known_as[{number}].by": alias.by for number, alias in enumerate(profile.known_as)}
        for field, who in named.items():
            if strangers := [name for name in who if name not in others]:
                told = Message("{who!r} is not another character of the cast", who=strangers[0])
                yield Misnamed(f"cast[{place}].{field}", told, remedy)
        for field, why in _wrong_aliases(profile, others):
            yield Misnamed(f"cast[{place}].{field}", why, rename)
        for number, alias in enumerate(profile.known_as):
            callers = {(caller, slug_of(alias.name)): profile.name for caller in alias.by or sorted(others)}
            if shared := [key for key in callers if taken.get(key, profile.name) != profile.name]:
                told = Message("{who} also uses this name for {whom}", who=shared[0][0], whom=taken[shared[0]])
                yield Misnamed(f"cast[{place}].known_as[{number}].name", told, rename)
            taken |= callers


def _wrong_aliases(profile: Profile, others: set[str]) -> Iterator[tuple[str, Message]]:
    """Where somebody has two names for the character, or one that is taken or gives it away."""
    callers: set[str] = set()
    known = {slug_of(name) for name in (profile.name, *profile.other_names)}
    taken = {slug_of(name) for name in others}
    for number, name in enumerate(profile.other_names):
        if slug_of(name) in taken:
            yield f"other_names[{number}]", Message("{alias!r} is the name of another character", alias=name)
    for number, alias in enumerate(profile.known_as):
        field, slug = f"known_as[{number}].name", slug_of(alias.name)
        by = set(alias.by) or others
        if not slug:
            yield field, Message("{alias!r} has no letter or digit", alias=alias.name)
        elif slug in known:
            yield (
                field,
                Message("{alias!r} is a name of {who} and reveals who it is", alias=alias.name, who=profile.name),
            )
        elif slug in taken:
            yield field, Message("{alias!r} is the name of another character", alias=alias.name)
        elif twice := callers & by:
            yield field, Message("{who} has two names for {whom}", who=min(twice), whom=profile.name)
        callers |= by


def slug_of(name: str) -> str:
    """The name as it stands in a path: letters and digits of any script in lower case, joined by hyphens."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "-".join(re.findall(r"[^\W_]+", folded))


MOST_HEADING = 200
"""Characters of a title or the name of a work, at most."""
MOST_NAME = 80
"""Characters of a name of a character, at most: as many as the label of a story has."""


def overlong(scene: Scene) -> Iterator[tuple[str, int]]:
    """The fields that are too long, in house form, and how many characters each may have."""
    bounds = {"title": (scene.title, MOST_HEADING), "work": (scene.work, MOST_HEADING)}
    for place, one in enumerate(scene.cast):
        bounds[f"cast[{place}].name"] = one.name, MOST_NAME
        for number, name in enumerate(one.other_names):
            bounds[f"cast[{place}].other_names[{number}]"] = name, MOST_NAME
        for number, alias in enumerate(one.known_as):
            bounds[f"cast[{place}].known_as[{number}].name"] = alias.name, MOST_NAME
    for field, (text, most) in bounds.items():
        if len(text) > most:
            yield field, most


def prose_of(scene: Scene) -> dict[str, str]:
    """The texts of a scene by the names of their fields, in house form. Names, work, gender and author are none."""
    place = scene.environment
    found = {"title": scene.title, "time": place.time, "location": place.location, "description": place.description}
    for number, one in enumerate(scene.cast):
        found |= {
            f"cast[{number}].description": one.description,
            f"cast[{number}].position": one.position,
            f"cast[{number}].state": one.state,
        }
        if one.public_face is not None:
            found[f"cast[{number}].public_face"] = one.public_face
        for kind, notes in (("knowledge", one.knowledge), ("unaware", one.unaware)):
            found |= {f"cast[{number}].{kind}[{place}]": text for place, text in enumerate(notes)}
    return found if scene.plot is None else found | {"plot": scene.plot}
