"""The prompts: one file per task and language, and the words that the engine sets around them.

`render("action", "en", name="Holmes")` fills `en/action.md`. Both languages have the same files with the same
`$variables`. A value is put in as it is: a `$` in it stays a `$`.

The files of a character's call are, in this order: `character` (the system message), `character_profile`, the memories
(`words(language).blocks.memories`), `character_now`, and the task. Those of the narrator: `narrator` (the system
message), `narrator_now`, and the task. Those of the judge: `judge` (the system message), `critique`, then `scores`.
`again` asks once more for an answer that could not be read.
"""

import tomllib
from functools import cache
from importlib.resources import files
from string import Template

from characterbox.prompts.phrases import Words
from characterbox.values import Language

__all__ = ["Words", "fill", "render", "template", "variables", "words"]


def render(task: str, language: Language, /, **values: str) -> str:
    """The prompt of a task with its variables filled in.

    Raises ValueError when there is no such task, and when variables are missing or unknown, naming them.
    """
    return _substitute(template(task, language), values, where=f"prompt {language}/{task}")


def fill(text: str, /, **values: str) -> str:
    """One of the templates in `Words` with its variables filled in. Raises ValueError as `render` does."""
    return _substitute(text, values, where=f"template {text!r}")


@cache
def words(language: Language) -> Words:
    """The short phrases of a language: labels, memory lines, neutral outcomes and text blocks."""
    source = files(__name__).joinpath(language, "words.toml").read_text(encoding="utf-8")
    return Words.model_validate(tomllib.loads(source))


@cache
def template(task: str, language: Language) -> str:
    """The unfilled prompt of a task, without blank space at its ends. Raises ValueError when there is none."""
    path = files(__name__).joinpath(language, f"{task}.md")
    if not path.is_file():
        raise ValueError(f"there is no prompt {task!r} in language {language!r}")
    return path.read_text(encoding="utf-8").strip()


def variables(text: str) -> frozenset[str]:
    """The names of the `$variables` of a template."""
    return frozenset(Template(text).get_identifiers())


def _substitute(text: str, values: dict[str, str], *, where: str) -> str:
    wanted = variables(text)
    if missing := wanted - values.keys():
        raise ValueError(f"{where}: no value for {', '.join(sorted(missing))}")
    if unknown := values.keys() - wanted:
        raise ValueError(f"{where}: it has no variable {', '.join(sorted(unknown))}")
    return Template(text).substitute(values)
