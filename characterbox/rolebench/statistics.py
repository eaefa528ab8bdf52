"""What a folder of RoleBench holds, in the figures of table 9 of the paper (RoleLLM, appendix D.1).

A sample is a role with a question; the same one in several files, as each split has all of them, counts once. Whether a
question asks for an opinion, for common sense or for knowledge no row says, so that these three lines of the table are
left out. Categories and rounds are in no released row, either: they are told where the roles lie in the folder.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotations.i18n.messages import to_say
from characterbox.errors import RoleError
from characterbox.rolebench.folder import ROLES
from characterbox.rolebench.released import Kind, Row, Type, placed, read_rows
from characterbox.roles.role import Role
from characterbox.roles.role_files import read_roles
from characterbox.roles.words import words_of
from characterbox.values import LANGUAGE_CODES, Language

_SAMPLES = ("train", "test")
"""The files that hold samples; others hold what was answered to them."""


@dataclass
class _Tally:
    """What was found of a language and part."""

    samples: set[tuple[str, str]] = field(default_factory=set)
    questions: dict[str, int] = field(default_factory=dict)
    """Words by question."""
    types: dict[Type, int] = field(default_factory=dict)
    """Samples by type."""
    answers: int = 0
    words: int = 0
    """Of all answers."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table."""

    name: str
    """To be said."""
    depth: int
    """How far it is set in: it is a part of the line above that is set in less."""
    samples: float | None
    """The figure; None where the folder does not tell it."""
    instructions: int | None = None
    """Different questions, where samples are counted."""


def table_of(folder: Path) -> list[Line]:
    """The table of a folder. Raises RoleError where there are no files of samples, or one of them can't be read."""
    tallies: dict[tuple[Kind, Language], _Tally] = {}
    roles: dict[Language, set[str]] = {language: set() for language in LANGUAGE_CODES}
    for file, part, language in _files(folder):
        tally = tallies.setdefault((part, language), _Tally())
        for _, row in read_rows(file):
            roles[language].add(row.key.role)
            _count(tally, row, part, language)
    if not any(tally.samples for tally in tallies.values()):
        raise RoleError(
            "{folder}: there are no rows of RoleBench; train.jsonl and test.jsonl lie in folders general and"
            " role_specific, below one whose name tells the language, such as rolebench-eng",
            folder=folder,
        )
    return [*_of_roles(_roles(folder), roles), *_of_samples(tallies)]


def _files(folder: Path) -> Iterator[tuple[Path, Kind, Language]]:
    for file in sorted(folder.rglob("*.jsonl")):
        if file.stem not in _SAMPLES:
            continue
        part, language = placed(file.relative_to(folder.parent))
        if part is None or language is None:
            raise RoleError(
                "{file}: neither its folders tell whether it is general or role_specific, nor which language it has;"
                " name them as in the released files",
                file=file,
            )
        yield file, part, language


def _count(tally: _Tally, row: Row, part: Kind, language: Language) -> None:
    """Count a row, unless its sample was counted. The plain answer is no answer of a role's."""
    if row.key in tally.samples:
        return
    tally.samples.add(row.key)
    if row.key.question not in tally.questions:
        tally.questions[row.key.question] = len(words_of(row.question, language))
    has_plain = part == "general" and language == "en" and len(row.generated) > 1
    answers = row.generated[1:] if has_plain else row.generated
    tally.answers += len(answers)
    tally.words += sum(len(words_of(text, language)) for text in answers)
    if row.type is not None:
        type = row.type[0] if isinstance(row.type, tuple) else row.type
        tally.types[type] = tally.types.get(type, 0) + 1


def _roles(folder: Path) -> tuple[Role, ...]:
    file = folder / ROLES
    return read_roles(ROLES, file.read_bytes()) if file.is_file() else ()


def _of_roles(known: tuple[Role, ...], names: Mapping[Language, set[str]]) -> Iterator[Line]:
    categories = {one.category for one in known if one.category is not None}
    works = {one.work_category for one in known if one.work_category is not None}
    yield Line(to_say("Role categories"), 0, len(categories) or None)
    yield Line(to_say("Script categories"), 0, len(works) or None)
    yield Line(to_say("Roles"), 0, sum(map(len, names.values())))
    yield Line(to_say("English"), 1, len(names["en"]))
    yield Line(to_say("Chinese"), 1, len(names["zh"]))
    yield Line(to_say("Dialogue rounds"), 0, sum(1 for one in known for _ in one.rounds) or None)


def _keys(part: Kind) -> list[tuple[Kind, Language]]:
    return [(part, language) for language in LANGUAGE_CODES]


def _of_samples(tallies: Mapping[tuple[Kind, Language], _Tally]) -> Iterator[Line]:
    def total(name: str, depth: int, *keys: tuple[Kind, Language]) -> Line:
        found = [tallies[key] for key in keys if key in tallies]
        return Line(name, depth, sum(len(one.samples) for one in found), sum(len(one.questions) for one in found))

    general, specific = _keys("general"), _keys("specific")
    yield total(to_say("Samples / instructions"), 0, *general, *specific)
    yield total(to_say("General"), 1, *general)
    yield total(to_say("English"), 2, *general[:1])
    yield total(to_say("Chinese"), 2, *general[1:])
    yield total(to_say("Role-specific"), 1, *specific)
    yield total(to_say("English"), 2, *specific[:1])
    yield total(to_say("Chinese"), 2, *specific[1:])
    types = [tallies[key].types for key in specific if key in tallies]
    yield Line(to_say("script-agnostic"), 2, sum(one.get("script_agnostic", 0) for one in types))
    yield Line(to_say("script-based"), 2, sum(one.get("script_based", 0) for one in types))
    every = tallies.values()
    questions, answers = sum(len(one.questions) for one in every), sum(one.answers for one in every)
    words = sum(sum(one.questions.values()) for one in every)
    yield Line(to_say("Instruction length in words (mean)"), 0, words / questions)
    yield Line(to_say("Response length in words (mean)"), 0, sum(one.words for one in every) / answers)
