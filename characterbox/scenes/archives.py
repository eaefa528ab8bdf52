"""Archives from outside (CHARX, docx, epub): read in memory, bounded, and never by the paths that they name."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import IO

from characterbox.errors import SceneError
from characterbox.scenes.file_reading import MEGABYTE

LARGEST = 50 * MEGABYTE
"""Bytes that an archive may have."""
MOST_UNPACKED = 200 * MEGABYTE
"""Bytes that may come out of it."""
MOST_FILES = 5_000
_ENTRY = b"PK\x01\x02"
"""What each entry of the table of contents begins with."""
_PACKINGS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Those of docx, epub and CHARX. Others unpack a hundred thousand bytes at once to any size."""
_PIECE = 64 * 1024
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OSError)


def unpack(name: str, raw: bytes) -> dict[str, bytes]:
    """All files in the archive `name` by their names. Raises SceneError as `Archive` does."""
    return dict(Archive(name, raw))


class Archive(Mapping[str, bytes]):
    """The files in an archive by their names. Each is unpacked when it is asked for, and not kept here.

    Raises SceneError if the archive is damaged, locked, or too large, or names a path that leads out of it.
    """

    def __init__(self, name: str, raw: bytes) -> None:
        if len(raw) > LARGEST:
            raise SceneError(
                "{name}: {size:,} bytes exceed the limit of {most:,}; make the file smaller",
                name=name,
                size=len(raw),
                most=LARGEST,
            )
        if (count := raw.count(_ENTRY)) > MOST_FILES:  # before a table of them is made, which is larger than they are
            raise SceneError(
                "{name}: it contains {count:,} files, more than the limit of {most:,}; split it",
                name=name,
                count=count,
                most=MOST_FILES,
            )
        self._name = name
        self._unpacked = 0
        try:
            self._file = zipfile.ZipFile(io.BytesIO(raw))
        except _DAMAGE as error:
            raise self._damaged(error) from error
        entries = [entry for entry in self._file.infolist() if not entry.filename.endswith("/")]
        _check(name, entries)
        self._entries = {entry.filename: entry for entry in entries}

    def __getitem__(self, path: str) -> bytes:
        """What an archive says of its sizes may be wrong: what comes out is counted."""
        entry = self._entries[path]
        pieces = []
        try:
            with self._file.open(entry) as file:
                for piece in _pieces(file):
                    self._unpacked += len(piece)
                    if self._unpacked > MOST_UNPACKED:
                        told = {"name": self._name, "most": MOST_UNPACKED}
                        raise SceneError("{name}: it is larger than {most:,} bytes when unpacked; split it", **told)
                    pieces.append(piece)
        except _DAMAGE as error:
            raise self._damaged(error) from error
        return b"".join(pieces)

    def __contains__(self, path: object) -> bool:
        return path in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def _damaged(self, error: Exception) -> SceneError:
        return SceneError(
            "{name}: the archive is damaged ({error}); download or save the file again", name=self._name, error=error
        )


def _check(name: str, entries: list[zipfile.ZipInfo]) -> None:
    seen: set[str] = set()
    for entry in entries:
        if entry.flag_bits & 0x1:
            raise SceneError("{name}: the file has a password; save it without one", name=name)
        path = PurePosixPath(entry.filename)
        if not path.parts:
            raise SceneError(
                "{name}: {path!r} in it is not a valid file name; save the file again",
                name=name,
                path=entry.filename[:80],
            )
        if path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in path.parts[0]:
            raise SceneError(
                "{name}: {path!r} in it points outside the archive; save the file again",
                name=name,
                path=entry.filename[:80],
            )
        if entry.compress_type not in _PACKINGS:
            raise SceneError(
                "{name}: {path!r} in it uses an unsupported compression method; save the file again",
                name=name,
                path=entry.filename[:80],
            )
        if entry.filename in seen:
            raise SceneError(
                "{name}: {path!r} occurs in it twice; save the file again", name=name, path=entry.filename[:80]
            )
        seen.add(entry.filename)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_PIECE):
        yield piece
