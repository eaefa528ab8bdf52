"""Roles made of what there is: the rounds of a script, a character card, a profile of a scene. No model is asked.

What is made is unverified, and says where each part comes from.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from pydantic import ValidationError

from annotations.i18n.messages import wrong_with
from characterbox.errors import RoleError
from characterbox.roles.role import Description, Dialogues, Provenance, Role, Round, Turn
from characterbox.roles.scripts import Script, rounds_of
from characterbox.scenes.cards.lorebook import Names, resolved
from characterbox.scenes.cards.profile import USER, CardFile
from characterbox.scenes.scene import MOST_NAME, Profile, Scene, slug_of
from characterbox.values import Language

_EXAMPLE = re.compile(r"<START>", re.IGNORECASE)
_LABEL = re.compile(r"\{\{(char|user)\}\}[^\S\n]{0,5}[:：]", re.IGNORECASE)


def role_id(language: Language, name: str) -> str:
    """What a new role of this name is known by."""
    return f"{language}-{slug_of(name)}"


def role_of_script(script: Script, speakers: Sequence[str], language: Language, work: str, author: str | None) -> Role:
    """The role that speaks in a script under the first of these names, and under the others, too.

    Raises RoleError if it never speaks, or can't be a role.
    """
    name, *others = speakers
    rounds = rounds_of(script, name, others)
    dialogues = Dialogues(provenance=Provenance(source=script.name), rounds=rounds)
    return _role(
        id=role_id(language, name),
        name=name,
        language=language,
        work=work,
        author=author or None,
        other_names=tuple(others),
        dialogues=(dialogues,),
    )


def role_of_profile(scene: Scene, profile: Profile) -> Role:
    """The role that a character of a scene is, without dialogues."""
    source = Provenance(source=f"{scene.title} ({scene.work})")
    return _role(
        id=role_id(scene.language, profile.name),
        name=profile.name,
        language=scene.language,
        work=scene.work,
        author=scene.author,
        other_names=profile.other_names,
        description=Description(text=profile.description, provenance=source),
    )


def role_of_card(card: CardFile, language: Language, work: str) -> Role:
    """The role that a character card describes: its greetings and the examples of its speech are its dialogues."""
    source = Provenance(source=card.name)
    rounds = tuple(_rounds_of_card(card, language))
    return _role(
        id=role_id(language, card.character),
        name=card.character,
        language=language,
        work=work,
        other_names=card.other_names,
        description=Description(text=card.description, provenance=source),
        dialogues=(Dialogues(provenance=source, rounds=rounds),) if rounds else (),
    )


def _role(**parts: object) -> Role:
    try:
        return Role.model_validate(parts)
    except ValidationError as error:
        raise RoleError("{name}: {why}", name=str(parts["name"]), why=wrong_with(error.errors()[0])) from None


def _rounds_of_card(card: CardFile, language: Language) -> Iterator[Round]:
    fields = card.card.fields
    greetings = fields.get("alternate_greetings")
    names = Names(card.character, USER[language])

    def said(text: object) -> str:
        return resolved(text, names)[0].strip() if isinstance(text, str) else ""

    for greeting in (fields.get("first_mes"), *(greetings if isinstance(greetings, list) else ())):
        if text := said(greeting):
            yield Round(turns=(Turn(speaker=card.character, text=text),))
    examples = fields.get("mes_example")
    for number, block in enumerate(_EXAMPLE.split(examples if isinstance(examples, str) else ""), 1):
        yield from _rounds_of_example(block, number, card.character, USER[language][:MOST_NAME], said)


def _rounds_of_example(block: str, number: int, name: str, user: str, said: Callable[[object], str]) -> Iterator[Round]:
    """The rounds of one example conversation, whose turns begin with {{char}}: and {{user}}:."""
    before: list[Turn] = []
    pieces = _LABEL.split(block)[1:]
    for who, text in zip(pieces[::2], pieces[1::2], strict=True):
        if not (spoken := said(text)):
            continue
        turn = Turn(speaker=name if who.casefold() == "char" else user, text=spoken)
        if turn.speaker == name:
            yield Round(act=number, turns=(*before, turn))
            before = []
        else:
            before.append(turn)
