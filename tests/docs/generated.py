"""What of the documentation is made from the code: the options of commands, the schemas of files, worked examples.

    python -m tests.docs.generated

writes all of it; `test_reference.py` holds the pages against it.
"""

import argparse
import inspect
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema

from annotations.rubrics.rubric import Rubric
from characterbox import cli
from characterbox.api.database import Database, stats
from characterbox.play.events import Event
from characterbox.share.story_schema import StoryFile
from characterbox.sweeps.file import WrittenSweep
from tests.docs.examples import with_examples
from tests.docs.site import DOCS

REFERENCE = DOCS / "en/reference"
BEGIN, END = "<!-- made from the command line -->", "<!-- end -->"
SCHEMAS: dict[str, tuple[type[BaseModel], str]] = {
    "sweep": (WrittenSweep, "CharacterBox sweep"),
    "rubric": (Rubric, "CharacterBox rubric"),
    "story": (StoryFile, "CharacterBox story"),
}


class _Schema(GenerateJsonSchema):
    """As pydantic makes it; a value that a function of ours reads may be anything that JSON has."""

    def handle_invalid_for_json_schema(self, schema: CoreSchema, error_info: str) -> JsonSchemaValue:
        return {}


def schema(name: str) -> str:
    """The JSON Schema of a kind of file, as it stands in its file."""
    model, title = SCHEMAS[name]
    made = model.model_json_schema(schema_generator=_Schema)
    plain = _without_titles({**made, "title": None, "description": None})
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return json.dumps({**head, **plain}, indent=1, ensure_ascii=False) + "\n"


def _without_titles(part: Any) -> Any:
    """The part without what pydantic says of its own accord: the names of fields as titles, and docstrings."""
    if isinstance(part, list):
        return [_without_titles(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: {name: _without_titles(one) for name, one in value.items()}
        if key == "properties"
        else _without_titles(value)
        for key, value in part.items()
        if key != "title" and not (key == "description" and not isinstance(value, dict))
    }


def commands() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Each command, and each action of one, by its whole name."""
    for name, parser in _choices(cli._parser()):
        inner = [*_choices(parser)]
        yield from ((f"{name} {action}", one) for action, one in inner)
        if not inner:
            yield name, parser


def _choices(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


def command_tables() -> str:
    """The part of the page about commands that the parser gives."""
    told = dict(_told(cli._parser()))
    return "\n".join(_section(name, parser, told) for name, parser in commands())


def _told(parser: argparse.ArgumentParser, before: str = "") -> Iterator[tuple[str, str]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                yield before + choice.dest, str(choice.help)
            for name, inner in action.choices.items():
                yield from _told(inner, f"{name} ")


def _section(name: str, parser: argparse.ArgumentParser, told: dict[str, str]) -> str:
    rows = [f"| {_called(action)} | {_meaning(action)} |" for action in parser._actions if action.dest != "help"]
    said = told[name]
    head = [f"### {name}", "", f"{said[:1].upper()}{said[1:]}.", "", "| option | meaning |", "| --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def _called(action: argparse.Action) -> str:
    choices = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else ""
    given = action.metavar or choices or action.dest.upper()
    if not action.option_strings:
        return f"`{given}`"
    value = "" if action.nargs == 0 else f" {given}"
    return ", ".join(f"`{option}{value}`" for option in action.option_strings)


def _meaning(action: argparse.Action) -> str:
    meaning = (action.help or "").replace("|", "\\|")
    return f"{meaning}; needed" if action.required and action.option_strings else meaning


def page_of_commands(text: str) -> str:
    """The page with its part that is made anew."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{command_tables()}\n{END}{rest.partition(END)[2]}"


def page_of_api() -> str:
    """The page about the Python API, as its docstrings tell it."""
    parts = [API_HEAD, *(f"### {name}\n\n{_documented(found)}" for name, found in _public())]
    return "\n".join(parts)


API_HEAD = """---
other: how-to/python.html
---
# Python API

What `import characterbox` offers: `Database`, `stats`, the values that they take and give (`Scene`, `Story`, `Judge`,
`Event`, `Settings`) and the two kinds of errors, `CharacterBoxError` and `AnnotationError`. The package has type hints
(`py.typed`), and is imported in a moment: what takes long is loaded as it is first used. How to begin is told in
[Use it from Python](../how-to/python.md).
"""


def _public() -> Iterator[tuple[str, Callable[..., object]]]:
    yield "Database", Database
    for name, found in vars(Database).items():
        if not name.startswith("_"):
            yield f"Database.{name}", found.__func__ if isinstance(found, classmethod) else found
    yield "stats", stats


def _documented(function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    parameters = [one for name, one in signature.parameters.items() if name not in ("self", "cls")]
    named = [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]
    placed = [one for one in parameters if one not in named]
    plain = [*map(_argument, placed), *(["*"] if named else []), *map(_argument, named)]
    result = "" if inspect.isclass(function) else f" -> {_plain(signature.return_annotation)}"
    called = f"{function.__name__}({', '.join(plain)}){result}"
    if len(called) > 100:
        spread = "".join(f"    {one},\n" for one in plain)
        called = f"{function.__name__}(\n{spread}){result}"
    told = inspect.getdoc(function.__init__ if inspect.isclass(function) else function)
    return f"```py\n{called}\n```\n\n{told}\n"


def _argument(parameter: inspect.Parameter) -> str:
    default = parameter.default
    if default is inspect.Parameter.empty:
        return f"{parameter.name}: {_plain(parameter.annotation)}"
    told = f"{type(default).__name__}()" if isinstance(default, BaseModel) else repr(default)
    return f"{parameter.name}: {_plain(parameter.annotation)} = {told}"


def _plain(annotation: object) -> str:
    """A type without the modules that its parts are from."""
    if annotation is None:
        return "None"
    whole = annotation.__name__ if inspect.isclass(annotation) else str(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", whole.replace(str(Event), "Event"))


def write() -> None:
    """Write all that is made."""
    for name in SCHEMAS:
        (REFERENCE / f"{name}.schema.json").write_text(schema(name), encoding="utf-8")
    (REFERENCE / "python.md").write_text(page_of_api(), encoding="utf-8")
    for name, anew in (("commands.md", page_of_commands), ("statistics.md", with_examples)):
        page = REFERENCE / name
        page.write_text(anew(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
