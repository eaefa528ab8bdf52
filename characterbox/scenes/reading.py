"""From the bytes of a scene file to plain data: lists, objects and texts, nothing executed and nothing guessed."""

import json
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import yaml

from characterbox.errors import SceneError

MEGABYTE = 1_000_000
LARGEST = {".json": 50 * MEGABYTE, ".yaml": 5 * MEGABYTE, ".yml": 5 * MEGABYTE}
"""Bytes a file of each kind may have. YAML is read far more slowly than JSON, so it may be less."""

_PLAIN_NULLS = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True)
class Plain:
    """What a file says, before anybody asks whether it is a scene."""

    data: object
    repeated: tuple[str, ...]
    """Keys that stand more than once in one object; the last one counts."""


def read_bytes(path: Path) -> bytes:
    """The bytes of a scene file. Raises SceneError when there is no such file, or it is too large to be one."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SceneError(f"{path}: this is a folder or a device; name a scene file")
        _check_size(path.name, status.st_size)
        return path.read_bytes()
    except FileNotFoundError as error:
        raise SceneError(f"{path}: there is no such file; check the path") from error
    except (OSError, ValueError) as error:
        raise SceneError(f"{path}: the file cannot be read ({error}); check the path and its permissions") from error


def parse(name: str, raw: bytes) -> Plain:
    """What the bytes of the file `name` say as JSON or YAML, by the file's ending.

    Raises SceneError with one line: the file, the place in it where that is known, and what to do.
    """
    _check_size(name, len(raw))
    text = _decode(name, raw)
    if not text.strip():
        raise SceneError(f"{name}: the file is empty; save the scenes into it again")
    return _parse_json(name, text) if _ending(name) == ".json" else _parse_yaml(name, text)


def _ending(name: str) -> str:
    return Path(name).suffix.lower()


def _check_size(name: str, size: int) -> None:
    limit = LARGEST.get(_ending(name), LARGEST[".json"])
    if size > limit:
        raise SceneError(f"{name}: {size:,} bytes are more than the {limit:,} that are read; split the file")


def _decode(name: str, raw: bytes) -> str:
    if _ending(name) not in LARGEST:
        raise SceneError(f"{name}: the ending is none of {', '.join(LARGEST)}; rename the file after what it holds")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SceneError(f"{name}: byte {error.start + 1} is not UTF-8; save the file in the encoding UTF-8") from error


def _parse_json(name: str, text: str) -> Plain:
    repeated: list[str] = []

    def keep_last(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            repeated.extend(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        return found

    try:
        return Plain(json.loads(text, object_pairs_hook=keep_last), tuple(dict.fromkeys(repeated)))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
            raise SceneError(f"{name}: {place}: the JSON breaks off here; fetch or save the file again") from error
        raise SceneError(f"{name}: {place}: not valid JSON ({error.msg}); correct it there") from error
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else "a number in it is too long"
        raise SceneError(f"{name}: the JSON cannot be read, {reason}; is this a scene file?") from error


class _PlainYaml(yaml.BaseLoader):
    """YAML in which every value is a text, a list, an object or null.

    Tags are ignored, so nothing can be built or run, and `12:30` or `no` stay what the author wrote.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.repeated: list[str] = []

    def construct_scalar(self, node: yaml.ScalarNode) -> str | None:  # type: ignore[override]
        value = str(super().construct_scalar(node))
        return None if node.style is None and value in _PLAIN_NULLS else value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[str, object]:  # type: ignore[override]
        found: dict[str, object] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(None, None, "a key is not a text", key_node.start_mark)
            if key in found:
                self.repeated.append(key)
            found[key] = self.construct_object(value_node, deep=True)
        return found


def _parse_yaml(name: str, text: str) -> Plain:
    try:
        loader = _PlainYaml(text)
        try:
            return Plain(loader.get_single_data(), tuple(dict.fromkeys(loader.repeated)))
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise SceneError(f"{name}: {place}not valid YAML ({error.problem}); correct it there") from error
    except yaml.YAMLError as error:
        raise SceneError(f"{name}: not valid YAML ({' '.join(str(error).split())}); correct it") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise SceneError(f"{name}: the YAML cannot be read ({type(error).__name__}); is this a scene file?") from error
