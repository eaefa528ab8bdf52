"""What is wrong with a scene that is being written, field by field, in the words of the interface.

The checks are those of the importer, which tells of the first fault of a scene; here all are told, each at its field.
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from annotations.i18n.messages import Message, Readable, joined, to_say
from characterbox.scenes.field_names import ALIASES, ENVIRONMENT_FIELDS, PROFILE_NAMES, PROFILE_NOTES, Fields
from characterbox.scenes.leaks import leaks
from characterbox.scenes.repairs import is_placeholder, language_by_letters, tidy
from characterbox.scenes.scene import (
    MOST_HEADING,
    MOST_NAME,
    Alias,
    Environment,
    Profile,
    Scene,
    misnamed,
    slug_of,
)
from characterbox.values import LANGUAGES

EMPTY_FIELD = to_say("Required")
_REASONS = {
    "missing": EMPTY_FIELD,
    "string_type": EMPTY_FIELD,
    "string_too_short": EMPTY_FIELD,
    "too_short": to_say("A scene needs at least one character."),
    "literal_error": to_say("Choose one."),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong with one field, or that a person should look at."""

    field: str
    """As it is called in house form, such as `cast[0].name`."""
    text: Readable
    caution: bool = False
    """Whether the scene can be stored all the same."""


def tidied(fields: Fields) -> Fields:
    """The fields as they are stored: texts without blanks around them, what is empty and may be so left out."""
    clean = copy.deepcopy(fields)
    cast = clean.get("cast")
    for profile in cast if isinstance(cast, list) else []:
        for kind in (*PROFILE_NOTES, *PROFILE_NAMES) if isinstance(profile, dict) else ():
            if isinstance(notes := profile.get(kind), list):
                profile[kind] = [note for note in notes if not isinstance(note, str) or note.strip()]
    tidy(clean)
    return clean


def faults_of(fields: Fields) -> list[Fault]:
    """All that is wrong with a scene in house form; what stands in no field, such as an empty cast, is at `cast`."""
    clean = tidied(fields)
    written = _as_far_as_written(clean)
    found = [*_by_model(clean), *_too_long(clean), *_names(clean), *_misnamed(written), *_letters(clean)]
    found += _leaks(written)
    first: dict[str, Fault] = {}
    for fault in found:
        first.setdefault(fault.field, fault)
    return [*first.values()]


def made(fields: Fields) -> Scene:
    """The scene of fields without faults. Raises ValidationError if there are some."""
    return Scene.model_validate(tidied(fields))


def _by_model(fields: Fields) -> list[Fault]:
    try:
        Scene.model_validate(fields)
    except ValidationError as error:
        told = error.errors(include_url=False, include_input=False)
        return [Fault(_place(one), _reason(one)) for one in told if one["type"] != "value_error"]
    return []


def _place(detail: ErrorDetails) -> str:
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in detail["loc"])
    return "".join(steps).lstrip(".")


def _reason(detail: ErrorDetails) -> Message:
    if detail["type"] in _REASONS:
        return Message(_REASONS[detail["type"]])
    return Message("This value cannot be used ({error}).", error=detail["msg"])


def _too_long(fields: Fields) -> list[Fault]:
    bounds = {"title": (fields.get("title"), MOST_HEADING), "work": (fields.get("work"), MOST_HEADING)}
    bounds |= {f"cast[{place}].name": (profile.get("name"), MOST_NAME) for place, profile in _cast(fields)}
    return [
        Fault(
            field,
            Message("{count:,} characters exceed the limit of {most:,}; shorten the text.", count=len(text), most=most),
        )
        for field, (text, most) in bounds.items()
        if isinstance(text, str) and len(text) > most
    ]


def _names(fields: Fields) -> list[Fault]:
    found: list[Fault] = []
    taken: dict[str, str] = {}
    for place, profile in _cast(fields):
        name = profile.get("name")
        if not isinstance(name, str) or not name:
            continue
        field, slug = f"cast[{place}].name", slug_of(name)
        if not slug:
            found.append(Fault(field, Message("A name needs at least one letter or digit.")))
        elif slug in taken:
            other = taken[slug]
            found.append(
                Fault(field, Message("This name is too similar to {other!r}; rename one of them.", other=other))
            )
        elif is_placeholder(name):
            found.append(Fault(field, Message("This looks like a placeholder; enter a name."), caution=True))
        taken.setdefault(slug, name)
    return found


def _misnamed(scene: Scene) -> Iterator[Fault]:
    for wrong in misnamed(scene.cast):
        yield Fault(wrong.field, Message("{why}; {remedy}.", why=wrong.why, remedy=wrong.remedy))


def _leaks(scene: Scene) -> Iterator[Fault]:
    """All that a field gives away stands at it together."""
    told: dict[str, list[Message]] = {}
    for leak in leaks(scene):
        told.setdefault(leak.field, []).append(leak.told)
    for field, clauses in told.items():
        yield Fault(field, Message("Check this text: {what}.", what=joined(clauses)), caution=True)


def _as_far_as_written(fields: Fields) -> Scene:
    """A scene that may lack anything; what is no text is empty."""
    around, cast = fields.get("environment"), fields.get("cast")
    time, location, description = (_text(around, name) for name in ENVIRONMENT_FIELDS)
    return Scene.model_construct(
        id="",
        title=_text(fields, "title"),
        work="",
        language="zh" if fields.get("language") == "zh" else "en",
        origin="original",
        environment=Environment.model_construct(time=time, location=location, description=description),
        cast=tuple(map(_profile, cast if isinstance(cast, list) else [])),
    )


def _profile(said: object) -> Profile:
    aliases = said.get(ALIASES) if isinstance(said, dict) else None
    return Profile.model_construct(
        name=_text(said, "name"),
        description=_text(said, "description"),
        position=_text(said, "position"),
        state="",
        knowledge=_texts(said, "knowledge"),
        unaware=_texts(said, "unaware"),
        public_face=_text(said, "public_face"),
        other_names=_texts(said, "other_names"),
        known_as=tuple(
            Alias.model_construct(name=_text(one, "name"), by=_texts(one, "by"))
            for one in (aliases if isinstance(aliases, list) else [])
        ),
        unseen_by=_texts(said, "unseen_by"),
    )


def _text(said: object, name: str) -> str:
    value = said.get(name) if isinstance(said, dict) else None
    return value if isinstance(value, str) else ""


def _texts(said: object, name: str) -> tuple[str, ...]:
    values = said.get(name) if isinstance(said, dict) else None
    return tuple(value for value in values if isinstance(value, str)) if isinstance(values, list) else ()


def _letters(fields: Fields) -> list[Fault]:
    environment = fields.get("environment")
    around = environment if isinstance(environment, dict) else {}
    texts = [fields.get("title"), fields.get("plot"), *(around.get(name) for name in ENVIRONMENT_FIELDS)]
    for _, profile in _cast(fields):
        texts += [profile.get(name) for name in ("name", "description", "position", "state")]
    found, _ = language_by_letters("\n".join(text for text in texts if isinstance(text, str)))
    if found is None or fields.get("language") == found:
        return []
    told = Message(
        "The texts appear to be in {language}. Prompts use the language chosen here.",
        language=Message(LANGUAGES[found]),
    )
    return [Fault("language", told, caution=True)]


def _cast(fields: Fields) -> list[tuple[int, Fields]]:
    cast = fields.get("cast")
    listed = cast if isinstance(cast, list) else []
    return [(place, profile) for place, profile in enumerate(listed) if isinstance(profile, dict)]
