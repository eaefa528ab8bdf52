"""Reads the script in a file.

Of a text file, and of a PDF, the lines are read as they lie: in screenplays, columns and blank lines tell who speaks.
Of Word files and e-books, paragraphs are.
"""

from pathlib import PurePath

from annotations.errors import EncodingError
from annotations.exchange.decoding import Encoding, as_utf8
from annotations.i18n.messages import listed
from characterbox.crafting.sources.pdf import pdf_lines
from characterbox.crafting.sources.source import MOST_CHARACTERS, read_source_bytes
from characterbox.errors import RoleError, SceneError
from characterbox.roles.scripts import Format, Script, parse_script
from characterbox.scenes.archives import LARGEST
from characterbox.scenes.file_reading import decode

_TEXTS = (".txt", ".md", ".markdown", ".fountain")
_PARAGRAPHS = (".docx", ".epub")


def read_script(name: str, raw: bytes, form: Format | None = None, encoding: Encoding | None = None) -> Script:
    """The script in the bytes of the file `name`, whose ending says what kind of file it is.

    Its form is found out if it is not given; the encoding of a text file may be. Raises RoleError with one line: the
    file, what is wrong, and what to do. An upload is to be read in a process with limits.
    """
    try:
        text = _text(name, raw, encoding)
    except (SceneError, EncodingError) as error:
        raise RoleError(error.message) from error
    ending = PurePath(name).suffix.lower()
    return parse_script(name, text, form or ("fountain" if ending == ".fountain" else None))


def _text(name: str, raw: bytes, encoding: Encoding | None) -> str:
    if len(raw) > LARGEST:
        told = {"name": name, "size": len(raw), "most": LARGEST}
        raise RoleError("{name}: {size:,} bytes exceed the limit of {most:,}; split the file", **told)
    match PurePath(name).suffix.lower():
        case ending if ending in _TEXTS:
            text = decode(name, raw, encoding)[0]
        case ".pdf":
            text = "\n".join(pdf_lines(name, raw))
        case ending if ending in _PARAGRAPHS:
            text = read_source_bytes(name, as_utf8(name, raw, encoding)).text
        case _:
            endings = listed((*_TEXTS, ".pdf", *_PARAGRAPHS))
            raise RoleError(
                "{name}: the file extension must be one of {endings}; save the text in one of these formats",
                name=name, endings=endings,
            )  # fmt: skip
    if len(text) > MOST_CHARACTERS:
        raise RoleError("{name}: it has more than {most:,} characters; split it", name=name, most=MOST_CHARACTERS)
    return text
