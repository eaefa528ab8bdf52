"""The questions that models are to answer, with what their answers are compared to, from files in the released form.

A general question has references for RAW, the plain answer, and for CUS, the role's; one answer is scored against
both, as in the paper. A question about the role has references for SPE. Where the plain answer stands is decided as for
a file that is scored (see `characterbox.rolebench.scoring`), except that a file of the role's answers alone has no RAW
but from a file `plain.jsonl` beside it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, NamedTuple

from pydantic import Field

from annotations.i18n.messages import cited, listed
from characterbox.errors import RoleError
from characterbox.rolebench.released import Key, Kind, Numbered, Told, placed, read_rows
from characterbox.rolebench.scoring import Part, Place, Plain, place_of_plain, references_of
from characterbox.roles.role import Role
from characterbox.values import Language, Value

TESTS, PLAINS = "test.jsonl", "plain.jsonl"
KINDS: tuple[Kind, ...] = ("general", "specific")
Texts = tuple[str, ...]


class Question(Value):
    """A question to a role, with its references in each part that it is scored in."""

    kind: Kind
    role: Told
    """By name."""
    text: Told
    raw: Texts = ()
    cus: Texts = ()
    spe: Texts = ()

    @property
    def key(self) -> Key:
        """What its row in a file of predictions is known by."""
        return Key(self.role, self.text)

    def references(self, part: Part) -> Texts:
        """What an answer is compared to; none where the question isn't scored in that part."""
        found: Texts = getattr(self, part)
        return found


class QuestionSet(Value):
    """The questions of a benchmark that are to be answered."""

    benchmark: Annotated[str, Field(min_length=1, max_length=300)]
    """What people know it by."""
    questions: Annotated[tuple[Question, ...], Field(min_length=1)]
    available: int
    """How many there were to the roles, before some were drawn."""
    place: Place | None
    """Where the plain answer was taken to stand; None where there are no general questions."""

    def count(self, kind: Kind) -> int:
        """How many are general, or about the role."""
        return sum(one.kind == kind for one in self.questions)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which questions of a folder are to be answered."""

    benchmark: str | None = None
    """What it is to be known by; None for the name of its folder."""
    limit: int | None = None
    """So many of each kind, drawn by chance; None for all."""
    seed: int = 0
    plain: Plain | None = None
    """Where the plain answer stands; None for the usual place."""


class Found(NamedTuple):
    """The questions in a folder, and what is not among them."""

    questions: QuestionSet
    roles: tuple[Role, ...]
    """Those that are asked something."""
    silent: tuple[str, ...]
    """The names of the roles that no question is put to."""
    others: Counter[str]
    """Questions to roles that were not given, by the role's name."""


class Rows(NamedTuple):
    """The rows of a kind, and where they stand."""

    file: Path
    kind: Kind
    rows: Sequence[Numbered]


def read_questions(folder: Path, roles: Sequence[Role], choice: Choice | None = None) -> Found:
    """The questions for tests to these roles, which are of one language, in a folder of RoleBench or one of its files.

    Raises RoleError where there are none, a file can't be read, or a kind has several files, as a folder with both
    splits has.
    """
    choice, language = choice or Choice(), roles[0].language
    names = {role.name.strip().casefold(): role for role in roles}
    questions: list[Question] = []
    others: Counter[str] = Counter()
    place: Place | None = None
    for one in rows_of(folder, language, TESTS):
        if one.kind == "general":
            place = place_of_plain(language, choice.plain, max((len(row.generated) for _, row in one.rows), default=0))
        for question in _questions(one, place):
            if (role := names.get(question.role.casefold())) is None:
                others[question.role] += 1
            else:
                questions.append(question.model_copy(update={"role": role.name.strip()}))
    if not questions:
        raise RoleError(
            "{folder}: there is no question for tests to {roles}; name the benchmark of these roles, or other roles",
            folder=folder,
            roles=listed(cited(role.name) for role in roles),
        )
    asked = {one.role for one in questions}
    name = choice.benchmark or folder.resolve().name
    chosen = (*_drawn(questions, choice),)
    return Found(
        QuestionSet(benchmark=name, questions=chosen, available=len(questions), place=place),
        tuple(role for role in roles if role.name.strip() in asked),
        tuple(role.name for role in roles if role.name.strip() not in asked),
        others,
    )


def rows_of(folder: Path, language: Language, called: str) -> list[Rows]:
    """The rows of the files of this name and language in a folder, general before specific; a file is read itself.

    Raises RoleError where there are none, or several of a kind.
    """
    files: dict[Kind, list[Path]] = {kind: [] for kind in KINDS}
    for file in [folder] if folder.is_file() else sorted(folder.rglob(called)):
        kind, spoken = placed(file.resolve())[0], placed(file.relative_to(folder.parent))[1]
        if kind is not None and spoken in (None, language):
            files[kind].append(file)
    for kind, those in files.items():
        if len(those) > 1:
            raise RoleError(
                "{folder}: it has several files of {kind} questions ({files}); name the folder of one split, such as"
                " instruction-generalization",
                folder=folder,
                kind=kind,
                files=listed(cited(str(file)) for file in those[:3]),
            )
    if not any(files.values()):
        raise RoleError(
            "{folder}: there is no {file} of language {language} in a folder general or role_specific, as the released"
            " files have it",
            folder=folder,
            file=called,
            language=language,
        )
    return [Rows(file, kind, [*read_rows(file)]) for kind, those in files.items() for file in those]


def _questions(found: Rows, place: Place | None) -> Iterator[Question]:
    plains: Mapping[Key, Texts] = {}
    beside = found.file.with_name(PLAINS)
    if found.kind == "general" and place is not None and place.plain == "none" and beside.is_file():
        plains = {one.row.key: one.row.generated for one in read_rows(beside)}
    for _, row in found.rows:
        told = {"kind": found.kind, "role": row.key.role, "text": row.key.question}
        if place is None or found.kind == "specific":
            yield Question(**told, spe=row.generated)
        else:
            raw = references_of(row, "raw", "first") if place.plain == "first" else plains.get(row.key, ())
            yield Question(**told, raw=raw, cus=references_of(row, "cus", place.plain))


def _drawn(questions: Iterable[Question], choice: Choice) -> Iterator[Question]:
    """The questions of each kind in their order, or so many of them."""
    of = {kind: [one for one in questions if one.kind == kind] for kind in KINDS}
    for kind, those in of.items():
        if choice.limit is None or choice.limit >= len(those):
            yield from those
        else:
            chance = Random(f"{choice.seed}/{kind}")  # noqa: S311 - no secret
            yield from (those[at] for at in sorted(chance.sample(range(len(those)), choice.limit)))
