"""Answers of a model to the questions of RoleBench, scored against the released ones in three parts (RoleLLM, 4.1).

- RAW: a plain answer to a general instruction, given by no role. Is the answer right?
- CUS: a role's answers to the same instruction, five in the paper. Does it speak like the role?
- SPE: the answer to a question about the role itself. Does it know what the role knows?

The rule by which a row of a file of references gives its references:

- SPE: all its texts; in the released files there is one.
- RAW and CUS, where the plain answer stands first (`plain="first"`): RAW has the first text, CUS all others.
- RAW and CUS, where it stands in no row beside the role's (`plain="none"`): CUS has all texts. RAW has the only text of
  a row, in a file of plain answers; of a row with several, none is taken for a plain answer.

Where it stands no file says. Unless told, it stands first in an English file in which some row has several texts, and
in no other. Files made by the rule of the paper have six texts then; copies with at most five may hold the role's
alone, and it is for those who score to look, and to say so: `Score.doubtful` tells when.

Of a row of predictions the first text is the answer; how many rows have more is told. Rows of both files belong
together that have the same role and question but for blanks at their ends, and none is left out silently.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np

from annotations.i18n.messages import Message, cited, count_message
from annotations.resampling.crossed import crossed_mean
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Ints
from characterbox.errors import RoleError
from characterbox.rolebench.released import Key, Numbered, Row, read_rows
from characterbox.rolebench.rouge import Answered, Policy, rouge_scores
from characterbox.roles.words import TOKENIZERS
from characterbox.values import Language

Part = Literal["raw", "cus", "spe"]
PARTS: tuple[Part, ...] = get_args(Part)
Plain = Literal["first", "none"]
PLAIN: tuple[Plain, ...] = get_args(Plain)
ROLE_ANSWERS = 5
"""Answers of the role to a general instruction, by the paper, before those that failed its cleaning were taken out."""


@dataclass(frozen=True)
class Asked:
    """What is to be scored, and how."""

    part: Part
    language: Language
    policy: Policy = "best"
    plain: Plain | None = None
    """Where the plain answer stands in a row of references; None for the usual place."""
    partial: bool = False
    """Whether references may lack a prediction."""


class Place(NamedTuple):
    """Where the plain answer was taken to stand in rows of references."""

    plain: Plain
    doubtful: bool
    """Whether the first text of a row was taken for it although nobody said so, and no row has more texts than a role
    has answers."""


@dataclass(frozen=True)
class Score:
    """Rouge-L of answers."""

    asked: Asked
    mean: Estimate
    """From 0 to 1; n counts answers."""
    roles: int
    questions: int
    """Different ones."""
    fewest: int
    most: int
    """References of an answer."""
    plain: Plain | None
    """Where the plain answer was taken to stand; None of role-specific answers."""
    doubtful: bool
    """Whether the first text of a row was taken for the plain answer although nobody said so, and no row has more texts
    than a role has answers."""
    missing: int
    """References without a prediction."""
    several: int
    """Predictions of which only the first text was scored."""
    each: Mapping[Key, float] = field(repr=False)
    """Of each answer, from 0 to 1."""

    @property
    def tokenizer(self) -> str:
        """What split the texts."""
        return TOKENIZERS[self.asked.language]

    @property
    def references(self) -> str:
        """The policy, and how many references an answer has, such as `best of 5` or `mean of 1 to 5`."""
        span = f"{self.most}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        return f"{self.asked.policy} of {span}"


def score_files(predictions: Path, references: Path, asked: Asked, *, processes: int = 1) -> Score:
    """Score a file of predictions against one of references, in so many processes (see `rouge_scores`).

    Raises RoleError where a file, or a row of it, can't be used, and where rows of either have none in the other.
    """
    known = {one.row.key: one for one in read_rows(references)}
    longest = max((len(one.row.generated) for one in known.values()), default=0)
    place = None if asked.part == "spe" else place_of_plain(asked.language, asked.plain, longest)
    plain = None if place is None else place.plain
    given = [*_matched(predictions, references, known)]
    keys = [row.key for _, row in given]
    missing = _missing(predictions, references, known, set(keys), partial=asked.partial)
    taken = [references_of(known[key].row, asked.part, plain) for key in keys]
    if bare := [known[key] for key, found in zip(keys, taken, strict=True) if not found]:
        raise _no_reference(references, bare, asked.part)
    answers = {row.key: Answered(row.generated[0], found) for (_, row), found in zip(given, taken, strict=True)}
    several = sum(len(row.generated) > 1 for _, row in given)
    return score_answers(answers, asked, place, missing=missing, several=several, processes=processes)


def score_answers(
    answers: Mapping[Key, Answered],
    asked: Asked,
    place: Place | None,
    *,
    missing: int,
    several: int = 0,
    processes: int = 1,
) -> Score:
    """Score answers with what they are compared to, wherever both come from; there is one answer at least."""
    scores = rouge_scores([*answers.values()], asked.language, asked.policy, processes=processes)
    roles, questions = (numbered(names) for names in zip(*answers, strict=True))
    counts = [len(one.references) for one in answers.values()]
    return Score(
        asked,
        crossed_mean(np.array(scores), roles, questions),
        roles=int(roles.max()) + 1,
        questions=int(questions.max()) + 1,
        fewest=min(counts),
        most=max(counts),
        plain=None if place is None else place.plain,
        doubtful=place is not None and place.doubtful,
        missing=missing,
        several=several,
        each=dict(zip(answers, scores, strict=True)),
    )


def place_of_plain(language: Language, told: Plain | None, longest: int) -> Place:
    """Where the plain answer stands in a file whose longest row has so many texts, unless it is told."""
    plain = told or ("first" if language == "en" and longest > 1 else "none")
    return Place(plain, doubtful=plain == "first" and told is None and longest <= ROLE_ANSWERS)


def references_of(row: Row, part: Part, plain: Plain | None) -> tuple[str, ...]:
    """The texts that an answer is compared to, by the rule above; none where the row has none of that part."""
    if part == "spe":
        return row.generated
    if plain == "first":
        return row.generated[:1] if part == "raw" else row.generated[1:]
    return row.generated if part == "cus" or len(row.generated) == 1 else ()


def numbered(names: Sequence[str]) -> Ints:
    """The place of each name among all different ones; in what order a file has its rows does not matter."""
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    return np.array([places[name] for name in names])


def _matched(predictions: Path, references: Path, known: Mapping[Key, Numbered]) -> Iterator[Numbered]:
    """The predictions. Raises RoleError where there is none, and where some have no reference."""
    first, unknown, count = None, 0, 0
    for one in read_rows(predictions):
        count += 1
        if one.row.key not in known:
            first, unknown = first or one, unknown + 1
        yield one
    if first is not None:
        raise RoleError(
            "{file}: {count} without a reference in {other}, the first in line {line} ({role}); leave these rows out,"
            " or name the references of all",
            file=predictions,
            count=_rows(unknown),
            other=references,
            line=first.line,
            role=cited(repr(first.row.role)),
        )
    if not count:
        raise RoleError("{file}: it has no rows, so there is nothing to score", file=predictions)


def _missing(
    predictions: Path, references: Path, known: Mapping[Key, Numbered], given: set[Key], *, partial: bool
) -> int:
    """How many references have no prediction. Raises RoleError for some where that may not be."""
    absent = [one for key, one in known.items() if key not in given]
    if absent and not partial:
        raise RoleError(
            "{file}: {count} without a prediction in {other}, the first in line {line} ({role}); have these questions"
            " answered, or give --partial to score the others alone",
            file=references,
            count=_rows(len(absent)),
            other=predictions,
            line=absent[0].line,
            role=cited(repr(absent[0].row.role)),
        )
    return len(absent)


def _no_reference(references: Path, bare: list[Numbered], part: Part) -> RoleError:
    told = {"file": references, "count": _rows(len(bare)), "line": bare[0].line}
    if part == "cus":
        return RoleError(
            "{file}: {count} with the plain answer alone and none of the role's, the first in line {line}; take these"
            " rows out of both files, or give --plain none if all texts are the role's",
            **told,
        )
    return RoleError(
        "{file}: {count} with several texts, none of which is known to be the plain answer, the first in line {line};"
        " name a file of plain answers, or give --plain first if they stand first",
        **told,
    )


def _rows(count: int) -> Message:
    return count_message("{count:,} row", "{count:,} rows", count)
