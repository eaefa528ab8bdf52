"""From the bytes of a scene file to plain data: nothing is executed and nothing guessed."""

import json
import stat
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from yaml.composer import Composer

from annotations.errors import EncodingError
from annotations.exchange import decoding
from annotations.exchange.decoding import Encoding
from annotations.i18n.messages import Message, Readable, listed, to_say
from characterbox.errors import SceneError
from characterbox.scenes.line_numbers import JsonPlaces, Places, YamlPlaces


def decode(name: Readable, raw: bytes, encoding: Encoding | None = None) -> tuple[str, Encoding]:
    """The text of the file `name`, and its encoding: the one that is named, else the one that is certain.

    Raises SceneError where the file is not in it, or none is certain.
    """
    try:
        text, encoding = decoding.decode(raw, encoding)
    except EncodingError as error:
        raise SceneError("{file}: {error}", file=name, error=error) from error
    if "\x00" in text:
        raise SceneError("{name}: its text contains a NUL character; remove it", name=name)
    return text, encoding


MEGABYTE = 1_000_000
LARGEST = {".json": 50 * MEGABYTE, ".yaml": 5 * MEGABYTE, ".yml": 5 * MEGABYTE}
"""Bytes a file of each kind may have. YAML is read far more slowly than JSON, so it may be less."""

_JSON_FAULTS = {
    "Expecting value": to_say("expected a value"),
    "Expecting ',' delimiter": to_say("expected a comma"),
    "Expecting ':' delimiter": to_say("expected a colon"),
    "Expecting property name enclosed in double quotes": to_say("expected a field name in double quotes"),
    "Invalid control character at": to_say("a text contains a line break or a control character"),
    "Invalid \\escape": to_say("unknown escape after a backslash"),
    "Invalid \\uXXXX escape": to_say("expected four hexadecimal digits after \\u"),
    "Extra data": to_say("extra content after the end"),
}
"""What Python says of damaged JSON, and what we say of it; to be said."""
_KEY_NO_TEXT = to_say("a key is not text")
_TAKEN_OTHERWISE = ("\t", "\ufeff")
"""Characters that the two readers of YAML do not take alike."""
_PLAIN_NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True)
class Plain:
    """What a file says, before anybody asks whether it is a scene."""

    data: object
    repeated: tuple[str, ...]
    """Keys that stand more than once in one object; the last one counts."""
    places: Places
    """On which line each of it stands."""
    encoding: Encoding = "UTF-8"
    """In which the file is written."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a scene file. Raises SceneError when there is no such file, or it is too large to be one."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SceneError("{path}: this is a folder or a device; give a file", path=path)
        _check_size(path.name, status.st_size)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise SceneError("{path}: the file does not exist; check the path", path=path) from error
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise SceneError(
            "{path}: the file cannot be read ({error}); check the path and its permissions", path=path, error=why
        ) from error


def parse(name: str, raw: bytes) -> Plain:
    """What the bytes of the file `name` say as JSON or YAML, by the file's ending.

    Raises SceneError with one line: the file, the place in it where that is known, and what to do.
    """
    if _ending(name) not in LARGEST:
        raise unknown_ending(name, LARGEST)
    if _ending(name) == ".json":
        return parse_json(name, raw)
    text, encoding = _decode(name, raw)
    return replace(_parse_yaml(name, text), encoding=encoding)


def unknown_ending(name: str, endings: Iterable[str]) -> SceneError:
    """The error that says which endings the files have that are read."""
    known = listed(endings)
    return SceneError(
        "{name}: the file extension must be one of {endings}; rename the file to match its content",
        name=name,
        endings=known,
    )


def parse_json(name: Readable, raw: bytes) -> Plain:
    """As `parse`, for what is known to be JSON, whatever `name` ends in."""
    text, encoding = _decode(name, raw)
    return replace(_parse_json(name, text), encoding=encoding)


def about_encoding(plain: Plain) -> list[tuple[Readable, Readable]]:
    """What is to be said of the encoding: nothing where it is the one that files should have."""
    if plain.encoding == "UTF-8":
        return []
    return [(Message("encoding"), Message("the file was read as {encoding}", encoding=plain.encoding))]


def _ending(name: Readable) -> str:
    return Path(str(name)).suffix.lower()


def _check_size(name: Readable, size: int) -> None:
    limit = LARGEST.get(_ending(name), LARGEST[".json"])
    if size > limit:
        told = {"name": name, "size": size, "most": limit}
        raise SceneError("{name}: {size:,} bytes exceed the limit of {most:,}; split the file", **told)


def _decode(name: Readable, raw: bytes) -> tuple[str, Encoding]:
    _check_size(name, len(raw))
    text, encoding = decode(name, raw)
    if not text.strip():
        raise SceneError("{name}: the file is empty; download or save it again", name=name)
    return text, encoding


def _parse_json(name: Readable, text: str) -> Plain:
    repeated: list[str] = []

    def keep_last(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return found

    try:
        data = json.loads(text, object_pairs_hook=keep_last)
        return Plain(data, tuple(dict.fromkeys(repeated)), JsonPlaces(text))
    except json.JSONDecodeError as error:
        broken = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        raise _json_fault(name, error, broken=broken) from error
    except RecursionError as error:
        told = Message("{name}: the JSON is nested too deeply to be read; check that this is a scene file", name=name)
        raise SceneError(told) from error
    except ValueError as error:
        told = Message(
            "{name}: a number in the JSON is too long to be read; check that this is a scene file", name=name
        )
        raise SceneError(told) from error


def _json_fault(name: Readable, error: json.JSONDecodeError, *, broken: bool) -> SceneError:
    place = {"name": name, "line": error.lineno, "column": error.colno}
    if broken:
        told = Message(
            "{name}: line {line}, column {column}: the JSON ends unexpectedly; download or save the file again", **place
        )
    else:
        reason = Message(_JSON_FAULTS[error.msg]) if error.msg in _JSON_FAULTS else error.msg
        told = Message(
            "{name}: line {line}, column {column}: not valid JSON ({reason}); fix this line and try again",
            **place,
            reason=reason,
        )
    return SceneError(told)


class _Plainly(yaml.constructor.BaseConstructor):
    """Makes of YAML texts, lists, objects and null, and nothing else.

    Tags are ignored, so nothing can be built or run, and `12:30` or `no` stay what the author wrote.
    """

    repeated: list[str]

    def construct_scalar(self, node: yaml.ScalarNode) -> str | None:  # type: ignore[override]
        value = str(super().construct_scalar(node))
        return None if not node.style and value in _PLAIN_NULLS else value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, object]:  # type: ignore[override]
        found: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, _KEY_NO_TEXT, key_node.start_mark)
            if key in found:
                self.repeated.append(key)
            found[key] = self.construct_object(value_node, deep=True)
        return found


class _PlainYaml(_Plainly, yaml.BaseLoader):
    """Says best what is wrong with a file, and is slow: 4 seconds for one of the largest."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated = []


class _QuickYaml(_Plainly, Composer, yaml.CBaseLoader):
    """Takes a quarter of that: C finds the words of the file. It does no more, since what PyYAML has in C to put them
    together crashes where they are nested deeply."""

    def __init__(self, text: str) -> None:
        yaml.CBaseLoader.__init__(self, text)
        Composer.__init__(self)
        self.repeated = []


def _read_yaml(loader: _QuickYaml | _PlainYaml) -> Plain:
    try:
        root = loader.get_single_node()
        data = None if root is None else loader.construct_document(root)
        return Plain(data, tuple(dict.fromkeys(loader.repeated)), YamlPlaces(root))
    finally:
        loader.dispose()


def _parse_yaml(name: str, text: str) -> Plain:
    if not any(one in text for one in _TAKEN_OTHERWISE):
        with suppress(yaml.YAMLError, ValueError, OverflowError, RecursionError):
            return _read_yaml(_QuickYaml(text))
    try:
        return _read_yaml(_PlainYaml(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = {"line": mark.line + 1, "column": mark.column + 1} if mark else {"line": 1, "column": 1}
        told = {"name": name, **place, "error": Message(str(error.problem))}
        raise SceneError(
            "{name}: line {line}, column {column}: not valid YAML ({error}); fix this line and try again", **told
        ) from error
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise SceneError("{name}: not valid YAML ({error}); fix it and try again", name=name, error=reason) from error
    except (ValueError, OverflowError, RecursionError) as error:
        told = {"name": name, "error": type(error).__name__}
        raise SceneError(
            "{name}: the YAML cannot be read ({error}); check that this is a scene file", **told
        ) from error
