"""Translating a scene into the other language, by one model that is asked once, or once more with what was wrong.

It goes over the journal of a crafting, as drafts do. The translation says what the scene says, in the same order, and
names it as its pair. A person looks at it before it is kept.
"""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from annotations.blinding.folded_text import han_share, latin_share
from annotations.i18n.messages import Message
from characterbox.crafting.draft import DRAFT_FORM, check_language, draft_of, fields_in, object_of, scene_of
from characterbox.crafting.request import Role, place_of
from characterbox.crafting.stages import Draft
from characterbox.errors import ReplyError
from characterbox.llm.endpoint import Endpoint, named
from characterbox.llm.request import Ask, ChatMessage, Form, Request, answer
from characterbox.llm.sampling import Sampling
from characterbox.prompts import render
from characterbox.scenes.field_names import PROFILE_NAMES, PROFILE_NOTES
from characterbox.scenes.scene import Crafted, Profile, Scene, prose_of, slug_of
from characterbox.values import LANGUAGES, Language, Value

_TRANSLATED = 0.1
"""Share of the letters of a single text that must be of the language's script: less, and it was left as it was."""
_LONGEST_ID = 40
"""Characters of the id of a scene that stand in that of its translation."""
_TEXT = {"type": "string"}
_DRAFT: dict[str, Any] = DRAFT_FORM.schema["properties"]
TRANSLATION_FORM = Form(
    "scene_translation",
    object_of(
        {
            "work": _TEXT,
            **_DRAFT,
            "characters": {
                "type": "array",
                "items": object_of({"original": _TEXT, **_DRAFT["characters"]["items"]["properties"]}),
            },
        }
    ),
)
"""The form of a draft, with the title of the work, and with each character's name as it stands in the original: by
that it is seen whether they are the same, in the same order."""


class Translation(Value):
    """What is to be translated, and by whom; crafted as a `Wish` is."""

    way: Literal["translate"] = "translate"
    scene: Scene
    """As it is when it is translated."""
    language: Language
    """The one translated into."""
    translator: Endpoint
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    sampling: Sampling = Sampling()
    """How the translator draws its reply."""
    count: ClassVar[int] = 1

    @model_validator(mode="after")
    def _into_the_other_language(self) -> "Translation":
        if self.language == self.scene.language:
            raise ValueError(Message("the scene is already in that language; choose the other one"))
        return self

    @property
    def crafted(self) -> Crafted:
        """How the translation comes to be, as it tells it itself."""
        temperature = self.sampling.temperature
        return Crafted(method="translated", screenwriter=named(self.translator), temperature=temperature)

    @property
    def endpoints(self) -> dict[Role, Endpoint]:
        """Who is asked."""
        return {"translator": self.translator}

    @property
    def improvised(self) -> bool:
        """Whether no language model translates: what comes of it is no result."""
        return self.translator.is_modelless


def translation_id(wish: Translation, crafting: str) -> str:
    """The id of the translation that comes of a crafting."""
    return "-".join(filter(None, (slug_of(wish.scene.id)[:_LONGEST_ID], wish.language, crafting.casefold())))


async def translate_scene(ask: Ask, wish: Translation, crafting: str) -> AsyncIterator[Draft]:
    """The one step of a translation. Raises what `ask` raises."""
    path = f"{place_of(1)}/1/translator"
    work = (" — " if wish.language == "en" else "，").join(filter(None, (wish.scene.work, wish.scene.author)))
    messages = (
        ChatMessage("system", render("craft_translator", wish.language)),
        ChatMessage("user", render("craft_translate", wish.language, work=work, scene=_shown(wish.scene))),
    )
    request = Request(path, "translator", wish.language, messages, TRANSLATION_FORM, sampling=wish.sampling)

    def read(text: str) -> Scene:
        return read_translation(text, wish, crafting)

    try:
        scene = await answer(ask, request, read)
    except ReplyError as error:
        yield Draft(path, 1, "translator", None, error.args[0])
    else:
        yield Draft(path, 1, "translator", scene, None)


def translation_of(scene: Scene, original: Scene) -> str:
    """A translation as `read_translation` reads it."""
    fields = {"work": scene.work, **json.loads(draft_of(scene))}
    fields["characters"] = [
        {"original": original.names[number] if number < len(original.cast) else "", **character}
        for number, character in enumerate(fields["characters"])
    ]
    return json.dumps(fields, ensure_ascii=False, indent=1)


def read_translation(text: str, wish: Translation, crafting: str) -> Scene:
    """The translation in a reply. Raises ReplyError, saying what of the original it does not hold, or adds to it."""
    original, fields = wish.scene, fields_in(text)
    characters = _same_characters(fields["characters"], original, text)
    scene = scene_of(
        {
            "id": translation_id(wish, crafting),
            "title": fields.get("title"),
            "work": fields.get("work"),
            "author": original.author,
            "language": wish.language,
            "origin": original.origin,
            "environment": {key: fields.get(key) for key in ("time", "location", "description")},
            "cast": characters,
            "plot": fields.get("plot"),
            "passage": None if original.passage is None else original.passage.model_dump(),
            "crafted": wish.crafted.model_dump(),
            "pair": original.id,
        },
        text,
    )
    if problem := _unlike(scene, original) or _untranslated(scene):
        raise ReplyError(problem, reply=text)
    check_language(scene, text)
    return scene


def _shown(scene: Scene) -> str:
    return json.dumps({"work": scene.work, **json.loads(draft_of(scene))}, ensure_ascii=False, indent=1)


def _same_characters(characters: object, original: Scene, reply: str) -> list[dict[str, Any]]:
    """The characters of a reply, which must be those of the original. Raises ReplyError if they are others."""
    found = [one for one in characters if isinstance(one, dict)] if isinstance(characters, list) else []
    if len(found) != len(original.cast):
        counts = {"count": len(found), "wanted": len(original.cast)}
        told = Message(
            "the translation has {count} characters, and the original {wanted}: translate each one", **counts
        )
        raise ReplyError(told, reply=reply)
    if [slug_of(str(one.get("original"))) for one in found] != [slug_of(name) for name in original.names]:
        names = ", ".join(original.names)
        told = Message(
            "the characters are not those of the original in their order; 'original' must say, one each: {names}",
            names=names,
        )
        raise ReplyError(told, reply=reply)
    for number, one in enumerate(found):
        for field in ("position", "state"):
            if not str(one.get(field) or "").strip():
                missing = f"characters[{number}].{field}"
                raise ReplyError(Message("{field} is missing; translate it, too", field=missing), reply=reply)
    return [{key: value for key, value in one.items() if key != "original"} for one in found]


def _unlike(scene: Scene, original: Scene) -> Message | None:
    """Where a translation says more or less than the original; None if it does neither."""
    if (scene.plot is None) != (original.plot is None):
        return (
            Message("the plot is missing")
            if scene.plot is None
            else Message("the original has no plot; leave it empty")
        )
    for number, (now, before) in enumerate(zip(scene.cast, original.cast, strict=True)):
        place = f"characters[{number}]"
        for kind in (*PROFILE_NOTES, *PROFILE_NAMES, "known_as"):
            count, wanted = len(getattr(now, kind)), len(getattr(before, kind))
            if count != wanted:
                notes = {"field": f"{place}.{kind}", "count": count, "wanted": wanted}
                return Message("{field} has {count} notes, and the original {wanted}: translate each one", **notes)
        for field in ("gender", "public_face"):
            if (getattr(now, field) is None) != (getattr(before, field) is None):
                if getattr(now, field) is None:
                    return Message("{field} is missing", field=f"{place}.{field}")
                return Message("{field}: the original says none; leave it empty", field=f"{place}.{field}")
        for (field, those), (_, names) in zip(_others(now, scene), _others(before, original), strict=True):
            if those != names:
                who = ", ".join(scene.names[one] for one in sorted(names)) or "[]"
                told = {"field": f"{place}.{field}", "who": who}
                return Message("{field} does not name those of the original: {who}", **told)
    return None


def _others(profile: Profile, scene: Scene) -> list[tuple[str, set[int]]]:
    """Whom the fields of a profile name, by their places in the cast."""
    named = [("unseen_by", profile.unseen_by)]
    named += [(f"known_as[{number}].by", alias.by) for number, alias in enumerate(profile.known_as)]
    return [(field, {scene.names.index(name) for name in names}) for field, names in named]


def _untranslated(scene: Scene) -> Message | None:
    """A text that is not in the letters of the language; None if all are. In Chinese a name may be in Latin letters."""
    share = han_share if scene.language == "zh" else latin_share
    texts = prose_of(scene)
    texts |= {f"cast[{number}].gender": one.gender for number, one in enumerate(scene.cast) if one.gender is not None}
    if scene.language == "en":
        texts |= {"work": scene.work}
        for number, one in enumerate(scene.cast):
            texts[f"cast[{number}].name"] = one.name
            texts |= {f"cast[{number}].other_names[{place}]": name for place, name in enumerate(one.other_names)}
            texts |= {f"cast[{number}].known_as[{place}].name": alias.name for place, alias in enumerate(one.known_as)}
    for field, text in texts.items():
        if any(sign.isalpha() for sign in text) and share(text) < _TRANSLATED:
            place = {"field": field.replace("cast[", "characters["), "language": Message(LANGUAGES[scene.language])}
            return Message("{field} is not in {language}; translate it", **place)
    return None
