"""Rouge-L of 100,000 answers in the three parts of RoleBench, half of them Chinese: how long the commands take."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from characterbox.rolebench.released import Row, write_rows
from characterbox.rolebench.scoring import PARTS, ROLE_ANSWERS, Part
from characterbox.scenes.library import bundled
from characterbox.values import LANGUAGE_CODES, Language

ANSWERS = 100_000
ROLES = 20
LENGTHS: dict[Language, dict[Part, int]] = {
    "en": {"raw": 150, "cus": 150, "spe": 450},
    "zh": {"raw": 50, "cus": 50, "spe": 110},
}
"""Characters of an answer: about as many as the released files have."""


def seconds() -> float:
    """Seconds that the commands take one after the other; prints those of each."""
    total = 0.0
    with TemporaryDirectory() as folder:
        for language in LANGUAGE_CODES:
            source = "".join(scene.environment.description for scene in bundled() if scene.language == language)
            for part in PARTS:
                files = Path(folder) / f"{language}-{part}-answers.jsonl", Path(folder) / f"{language}-{part}.jsonl"
                _write(*files, source, language, part)
                taken = _scored(*files, language, part)
                print(f"  {part}, {language}: {taken:.1f} s")
                total += taken
    return total


def _write(predictions: Path, references: Path, source: str, language: Language, part: Part) -> None:
    """The answers of some roles to the same questions, and their references."""
    chance, length = Random(f"{language} {part}"), LENGTHS[language][part]  # noqa: S311 - no secret

    def text() -> str:
        start = chance.randrange(len(source) - length)
        return source[start : start + length]

    def rows(count: int) -> Iterator[Row]:
        for at in range(ANSWERS // (len(PARTS) * len(LANGUAGE_CODES))):
            role, question = f"role {at % ROLES}", f" question {at // ROLES}"
            yield Row(role=role, question=question, generated=tuple(text() for _ in range(count)))

    write_rows(predictions, rows(1))
    several = ROLE_ANSWERS + (language == "en")
    write_rows(references, rows(several if part == "cus" else 1))


def _scored(predictions: Path, references: Path, language: Language, part: Part) -> float:
    words = ["rolebench", "score", str(predictions), "--references", str(references)]
    began = time.perf_counter()
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-m", "characterbox", *words, "--part", part, "--language", language, "--json"],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status = os.waitpid(pid, 0)
    if status:
        raise RuntimeError(f"the answers could not be scored ({language}, {part})")
    return time.perf_counter() - began
