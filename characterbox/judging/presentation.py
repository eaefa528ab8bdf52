"""What is shown of a character to whoever scores it: experts and judges are told the same."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from characterbox.prompts import fill, words
from characterbox.scenes.scene import Profile, Scene
from characterbox.values import Language


@dataclass(frozen=True, slots=True)
class Person:
    """Who somebody is as the scene begins; None where the scene says nothing of it."""

    name: str
    description: str
    """With what it knows, and what it does not."""
    position: str
    state: str
    gender: str | None = None
    public_face: str | None = None
    called: str | None = None
    """By which aliases others call it."""
    calls: str | None = None
    """By which aliases it calls others: told of the one who is judged, whose trajectory has them."""
    unseen_by: str | None = None
    """Who neither sees nor hears it."""


def person(profile: Profile, language: Language) -> Person:
    """Somebody of a cast."""
    aliases = [(listed(alias.by, language), alias.name) for alias in profile.known_as]
    return Person(
        name=profile.name,
        description=profile.account,
        position=profile.position,
        state=profile.state,
        gender=profile.gender,
        public_face=profile.public_face,
        called=_aliases(aliases, language),
        unseen_by=listed(profile.unseen_by, language) or None,
    )


def judged_person(scene: Scene, name: str) -> Person:
    """The one of the cast who is judged."""
    strange = [
        (other.name, alias.name)
        for other in scene.cast
        for alias in other.known_as
        if other.name != name and name in (alias.by or scene.names)
    ]
    return replace(person(scene.profile(name), scene.language), calls=_aliases(strange, scene.language))


def person_text(who: Person, language: Language, others: Iterable[str] = ()) -> str:
    """All that is told of somebody but the name, a line each; `others` are those beside the one who is judged."""
    told = {**asdict(who), "others": listed(others, language)}
    lines = words(language).profile.model_dump()
    return "\n".join(fill(line, **{key: told[key]}) for key, line in lines.items() if told.get(key))


def cast_text(cast: Iterable[Person], language: Language) -> str:
    """A cast, a paragraph each, that begins with the name."""
    return "\n".join(f"- {who.name}\n  " + "\n  ".join(person_text(who, language).splitlines()) for who in cast)


def listed(parts: Iterable[str], language: Language) -> str:
    """Names in a row."""
    return (", " if language == "en" else "、").join(parts)


def _aliases(found: Iterable[tuple[str, str]], language: Language) -> str | None:
    """Aliases, each after the name that it belongs to, if it belongs to one."""
    phrase = words(language).profile.alias
    told = [fill(phrase, who=who, alias=alias) if who else alias for who, alias in found]
    return ("; " if language == "en" else "；").join(told) or None
