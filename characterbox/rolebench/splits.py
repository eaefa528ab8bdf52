"""How a benchmark is split for training and for tests, and the rows of each part (RoleLLM, appendix F, figure 6).

By instruction: four of five general instructions train, the fifth tests, the same for all roles; of the questions about
a role those that were kept train, and at most 50 others test. By role: eight of nine roles train, the ninth tests, with
500 general instructions each and all questions about it. Which ones these are the seed says.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from characterbox.rolebench.benchmark import Answered, RoleBench
from characterbox.rolebench.context_instruct import Candidate, Questions
from characterbox.rolebench.released import Row
from characterbox.values import Language

TEST_INSTRUCTIONS = 1 / 5
TEST_ROLES = 1 / 9
INSTRUCTIONS_OF_TEST_ROLE = 500
FOLDERS: Mapping[Language, str] = {"en": "rolebench-eng", "zh": "rolebench-zh"}


@dataclass(frozen=True, slots=True)
class Split:
    """What tests; all else trains."""

    instructions: frozenset[str]
    roles: frozenset[str]
    """Names; none where there are not two roles to split."""
    of_roles: frozenset[str]
    """The instructions with which roles test."""


def split_of(bench: RoleBench, seed: int) -> Split:
    """How a benchmark is split."""
    instructions = [*dict.fromkeys(one.instruction for one in bench.answers)]
    roles = [one.role.name for one in bench.questions]
    some = min(len(instructions), INSTRUCTIONS_OF_TEST_ROLE)
    return Split(
        _drawn(instructions, share(len(instructions), TEST_INSTRUCTIONS), f"{seed}/instructions"),
        _drawn(roles, share(len(roles), TEST_ROLES), f"{seed}/roles"),
        _drawn(instructions, some, f"{seed}/of-roles"),
    )


def share(count: int, part: float) -> int:
    """So many of `count` test: the nearest to their part, but one at least, unless nothing would be left to train."""
    return 0 if count < 2 else max(1, round(count * part))


def _drawn(items: Sequence[str], count: int, seed: str) -> frozenset[str]:
    return frozenset(Random(seed).sample(items, count))  # noqa: S311 - no secret


def files_of(bench: RoleBench, language: Language, seed: int) -> dict[str, list[Row]]:
    """The rows of each file, by its path; files without rows are left out."""
    split, top = split_of(bench, seed), FOLDERS[language]
    found: dict[str, list[Row]] = {}
    for way, tests in (("instruction", False), ("role", True)):
        if tests and not split.roles:
            continue
        place = f"{top}/{way}-generalization"
        for part, rows in _general(bench.answers, language, split, by_role=tests):
            found.setdefault(f"{place}/general/{part}.jsonl", []).extend(rows)
        for part, rows in _specific(bench.questions, split, by_role=tests):
            found.setdefault(f"{place}/role_specific/{part}.jsonl", []).extend(rows)
    return {path: rows for path, rows in found.items() if rows}


def _general(
    answers: Iterable[Answered], language: Language, split: Split, *, by_role: bool
) -> Iterator[tuple[str, list[Row]]]:
    """Rows of general instructions. In English the plain answer stands first, as in the released files; in Chinese, as
    there, it does not, and has a file of its own."""
    for one in answers:
        role, question = one.role.name, one.instruction
        tests = role in split.roles if by_role else question in split.instructions
        if tests and by_role and question not in split.of_roles:
            continue
        row = {"role": role, "question": question}
        before = (one.plain or "",) if language == "en" else ()
        if one.references:
            yield "test" if tests else "train", [Row(**row, generated=(*before, *one.references))]
        if tests and one.references:
            yield "baseline", [Row(**row, generated=(one.baseline or "",))]
            if language == "zh":
                yield "plain", [Row(**row, generated=(one.plain or "",))]


def _specific(questions: Iterable[Questions], split: Split, *, by_role: bool) -> Iterator[tuple[str, list[Row]]]:
    """Rows of questions about roles; their type is a text in files for training, and a list in those for tests."""
    for one in questions:
        name = one.role.name
        if by_role:
            part = "test" if name in split.roles else "train"
            yield part, [_row(name, each, listed=part == "test") for each in (*one.kept, *one.test)]
        else:
            yield "train", [_row(name, each, listed=False) for each in one.kept]
            yield "test", [_row(name, each, listed=True) for each in one.test]


def _row(role: str, one: Candidate, *, listed: bool) -> Row:
    type = (one.type,) if listed else one.type
    return Row(role=role, question=one.triplet.question, generated=(one.triplet.answer,), type=type)
