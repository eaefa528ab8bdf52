"""What a request asks of the rehearsal: read from the prompts that this project writes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from characterbox.prompts import fill, template, words
from characterbox.values import LANGUAGE_CODES, Language

STRUCTURED = (
    "action",
    "influence",
    "result",
    "updates",
    "character_update",
    "environment_update",
    "self_belief",
    "environment_belief",
    "scores",
    "scores_of",
    "score_directly",
    "scores_narrator",
    "score_narrator",
    "scores_scene",
    "score_scene",
)
CRAFTING = ("craft_extract", "craft_generate", "craft_back", "craft_refine", "craft_evaluate", "craft_translate")
INTERVIEW = ("instruct_passage", "instruct_description")
ROLE_MAKING = (
    "role_question",
    "role_describe",
    "role_address",
    "role_catchphrases",
    "role_distinctiveness",
    "role_passage",
)
REFLECTION = ("reflect_inconsistencies", "reflect_rewrite", "reflect_check")
TASKS = (
    *("dialogue", "reaction", "critique", "critique_narrator", "critique_scene"),
    *CRAFTING,
    *REFLECTION,
    *INTERVIEW,
    *ROLE_MAKING,
    *STRUCTURED,
)
_NEXT_LINE = re.compile(r"\n(?!  )")
_NAME_END = re.compile(r"[|｜:：]|\s[—–-]\s")
_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shape:
    """A template as the texts between its variables: `texts[0] $names[0] texts[1] ...`."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Shape":
        """The shape of a template."""
        parts = _VARIABLE.split(text)
        return cls(texts=tuple(parts[::2]), names=tuple(parts[1::2]))

    def read(self, text: str) -> dict[str, str] | None:
        """The values of the last place in `text` that has this shape; None if there is no such place.

        A variable at the very end reaches to the end of its line.
        """
        at = text.rfind(self.texts[0])
        if at < 0:
            return None
        values: dict[str, str] = {}
        start = at + len(self.texts[0])
        for name, following in zip(self.names, self.texts[1:], strict=True):
            end = text.find(following or "\n", start)
            if end < 0 and following:
                return None
            end = end if end >= 0 else len(text)
            values.setdefault(name, text[start:end])
            start = end + len(following)
        return values


@cache
def shape(task: str, language: Language) -> Shape:
    """The shape of a prompt."""
    return Shape.of(template(task, language))


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a request."""

    role: str
    content: str


@dataclass(frozen=True)
class Brief:
    """A task and what the prompt tells about it; what it does not tell is missing from the mappings."""

    task: str
    language: Language
    values: Mapping[str, str]
    """The variables of the task."""
    record: str
    """What the one who is asked was told lately; empty where the prompt has no record."""
    opening: Mapping[str, str]
    """The variables of the system message."""
    profile: Mapping[str, str]
    """The variables of what a character is told of itself; empty for others."""
    trajectory: Mapping[str, str]
    """The variables of the question that shows the trajectory to a judge."""
    told: str
    """All that the user messages say."""

    @cached_property
    def cast(self) -> tuple[str, ...]:
        """The names in the scene, as the one who is asked knows them."""
        known = names_of(self.opening.get("cast", "") or self.profile.get("others", ""), self.language)
        own = self.profile.get("name")
        return known if own is None or own in known else (own, *known)

    def others(self, name: str) -> tuple[str, ...]:
        """The names of the cast but one."""
        return tuple(other for other in self.cast if other != name)

    @cached_property
    def environment(self) -> dict[str, str]:
        """Time, location and description, as far as the prompt tells them: as they are now, or as they were."""
        blocks = words(self.language).blocks
        begins = {
            "time": fill(blocks.time, time=""),
            "location": fill(blocks.location, location=""),
            "description": fill(blocks.surroundings, description=""),
        }
        told = f"\n{self.values.get('environment', '')}"
        return {
            key: self._latest(begin) or _behind(told, begin) or self.opening.get(key, "")
            for key, begin in begins.items()
        }

    @cached_property
    def positions(self) -> str:
        """Where everybody is, as far as the record tells, a line each."""
        seen = words(self.language).blocks.seen
        return "\n".join(self._latest(fill(seen, name=name, position="")) for name in self.cast)

    @property
    def happening(self) -> str:
        """The turn under way: the last paragraph of the record."""
        return self.record.rpartition("\n\n")[2]

    def _latest(self, begin: str) -> str:
        """How the last line of the record that begins so goes on; empty where there is no such line."""
        _, found, rest = f"\n{self.record}".rpartition(f"\n- {begin}")
        return _NEXT_LINE.split(rest, maxsplit=1)[0].replace("\n  ", "\n") if found else ""


def _behind(text: str, begin: str) -> str:
    """How the line of the text goes on that begins so; empty where there is none."""
    return text.partition(f"\n{begin}")[2].partition("\n")[0]


def brief_of(turns: Sequence[Turn], form: str | None) -> Brief | None:
    """What is asked; None if it is no task of this project.

    `form` is the name of the JSON form that is asked for. Where the last message asks again, the one before counts.
    """
    asked = [turn.content for turn in turns if turn.role == "user"]
    while asked and any(_has_heading(asked[-1], "again", language) for language in LANGUAGE_CODES):
        asked.pop()
    if not asked:
        return None
    headed = _headed(asked[-1])
    if headed is None and form not in STRUCTURED:
        return None
    task, language = headed if headed else (str(form), _language_of(turns))
    told = "\n".join(asked)
    system = "\n".join(turn.content for turn in turns if turn.role in {"system", "developer"})
    return Brief(
        task=task,
        language=language,
        values=shape(task, language).read(asked[-1]) or {},
        record=_first_read(("record",), told, language).get("lines", ""),
        opening=_first_read(("character", "narrator"), system, language),
        profile=_first_read(("character_profile",), told, language),
        trajectory=_first_read(("critique", "score_directly"), told, language),
        told=told,
    )


def names_of(cast: str, language: Language) -> tuple[str, ...]:
    """The names in a block that gives every character a line or paragraph of its own, each with its name first."""
    lines = [line for line in cast.splitlines() if line.strip() and not line[0].isspace()]
    marked = [line[2:] for line in lines if line.startswith("- ")]
    label = words(language).labels.name
    names = (re.sub(rf"^{label}\s*[:：]\s*", "", line) for line in marked or lines)
    return tuple(
        dict.fromkeys(name for name in (_NAME_END.split(name, maxsplit=1)[0].strip() for name in names) if name)
    )


@cache
def _heading(task: str, language: Language) -> str:
    return template(task, language).splitlines()[0]


def _has_heading(text: str, task: str, language: Language) -> bool:
    return _heading(task, language) in text.splitlines()


def _headed(text: str) -> tuple[str, Language] | None:
    """The task and language of the last task heading in the text."""
    headings = _headings()
    return next((headings[line] for line in reversed(text.splitlines()) if line in headings), None)


@cache
def _headings() -> Mapping[str, tuple[str, Language]]:
    return {_heading(task, language): (task, language) for task in TASKS for language in LANGUAGE_CODES}


def _language_of(turns: Iterable[Turn]) -> Language:
    text = "".join(turn.content for turn in turns)
    han = sum("\u4e00" <= letter <= "\u9fff" for letter in text)
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    return "zh" if han * 2 > latin else "en"


def _first_read(tasks: Iterable[str], text: str, language: Language) -> dict[str, str]:
    return next((values for task in tasks if (values := shape(task, language).read(text)) is not None), {})
