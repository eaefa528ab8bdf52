"""Datasets of roles to train on (RoCIT), from the files for training and for tests of a benchmark.

A model is customised by a system instruction alone, or with retrieved rounds before the question, and what it is shown
is word for word what it will be asked with: the prompts of zsp and fsd. It learns from general questions, from those
about the roles, or from both (RoleLLM, 2.4 and table 10). Of a row for training each of the role's answers is an
example; of one for tests the first.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from annotations.i18n.messages import cited, listed
from characterbox.errors import RoleError
from characterbox.llm.request import ChatMessage
from characterbox.rolebench.answers.answering import PROMPT_OF, Customisation
from characterbox.rolebench.answers.questions import TESTS, Rows, rows_of
from characterbox.rolebench.folder import ABOUT
from characterbox.rolebench.released import Kind
from characterbox.rolebench.scoring import Part, Plain, place_of_plain, references_of
from characterbox.roles.prompting import question_prompt
from characterbox.roles.role import Role
from characterbox.training.datasets.example import Example, RoleProvenance, Split, role_example

Mix = Literal["general", "specific", "both"]
"""What questions a model learns from; both is the mix of the paper."""
MIXES: tuple[Mix, ...] = get_args(Mix)
TRAINS = "train.jsonl"
_ABOVE = 3
"""Folders above that of the questions in which it may be told how the benchmark came to be."""


@dataclass(frozen=True, slots=True)
class Teaching:
    """What is to be learnt, and how the roles are put on."""

    mix: Mix = "both"
    customisation: Customisation = "system"
    plain: Plain | None = None
    """Where the plain answer stands; None for the usual place."""

    def says(self, kind: Kind) -> bool:
        """Whether questions of a kind are among it."""
        return self.mix in (kind, "both")

    @property
    def told(self) -> str:
        """In a line, for the card of the dataset."""
        ways: Mapping[Customisation, str] = {
            "system": "by system instruction",
            "retrieval": "by system instruction and retrieved rounds",
        }
        return f"{self.mix} questions; roles {ways[self.customisation]}"


@dataclass
class RoleExamples:
    """The examples in a folder of RoleBench, one by one, and what was left out when they have been read."""

    folder: Path
    roles: Sequence[Role]
    """Of one language."""
    teaching: Teaching
    others: Counter[str] = field(default_factory=Counter)
    """Rows of roles that were not given, by the role's name."""
    blank: int = 0
    """Answers without text."""

    def __iter__(self) -> Iterator[tuple[Split, Example]]:
        """Those to be learnt, then those of the test.

        Raises RoleError where there are none, files can't be read, or a role has no rounds to be shown.
        """
        self.others, self.blank = Counter(), 0
        strategy = PROMPT_OF[self.teaching.customisation]
        self._check(shows_rounds=strategy != "zsp")
        prompts = {role.name.strip().casefold(): (role, question_prompt(role, strategy)) for role in self.roles}
        source = _written_by(self.folder)
        splits: tuple[tuple[Split, str], ...] = (("train", TRAINS), ("test", TESTS))
        for split, called in splits:
            for found in rows_of(self.folder, self.roles[0].language, called):
                if self.teaching.says(found.kind):
                    for example in self._of(found, split, prompts, source):
                        yield split, example

    def _check(self, *, shows_rounds: bool) -> None:
        bare = [role.name for role in self.roles if not any(one.before for one in role.rounds)]
        if shows_rounds and bare:
            raise RoleError(
                "the roles {names} have no rounds to be shown; add some from scripts, or choose the customisation by"
                " system instruction",
                names=listed(map(cited, bare)),
            )

    def _of(
        self,
        found: Rows,
        split: Split,
        prompts: Mapping[str, tuple[Role, Callable[[str], tuple[ChatMessage, ...]]]],
        source: Mapping[str, Any],
    ) -> Iterator[Example]:
        longest = max((len(one.row.generated) for one in found.rows), default=0)
        place = place_of_plain(self.roles[0].language, self.teaching.plain, longest)
        for one in found.rows:
            if (known := prompts.get(one.row.key.role.casefold())) is None:
                self.others[one.row.key.role] += 1
                continue
            role, prompt = known
            part: Part = "spe" if found.kind == "specific" else "cus"
            answers = references_of(one.row, part, place.plain)
            sound = [text for text in answers if text.strip()]
            self.blank += len(answers) - len(sound)
            system, *before, question = prompt(one.row.key.question)
            earlier = [(asked.content, said.content) for asked, said in zip(before[::2], before[1::2], strict=True)]
            path = f"{found.file.relative_to(self.folder.parent)}:{one.line}"
            journal = self.folder.resolve().name
            for take, text in enumerate(sound[: None if split == "train" else 1]):
                told = RoleProvenance(role.id, found.kind, role.language, journal, path, take, **source)
                yield role_example(system.content, earlier, question.content, text, told)


def _written_by(folder: Path) -> dict[str, Any]:
    """By which model the answers were written, where the benchmark was built here and says so."""
    top = folder.resolve()
    for place in (top, *[*top.parents][:_ABOVE]):
        try:
            about = json.loads((place / ABOUT).read_bytes())
            return {"models": {"answer": str(about["model"])}, "improvised": bool(about["no_language_model"])}
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue
    return {}
