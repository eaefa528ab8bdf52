"""The text of files from outside, with an error that names the file."""

from annotations import decoding
from annotations.decoding import Encoding
from annotations.errors import EncodingError
from annotations.wording import say
from characterbox.errors import SceneError


def decode(name: str, raw: bytes, encoding: Encoding | None = None) -> tuple[str, Encoding]:
    """The text of the file `name`, and its encoding: the one that is named, else the one that is certain.

    Raises SceneError where the file is not in it, or none is certain.
    """
    try:
        text, encoding = decoding.decode(raw, encoding)
    except EncodingError as error:
        raise SceneError(say("{file}: {error}", file=name, error=error)) from error
    if "\x00" in text:
        raise SceneError(say("{name}: there is a NUL in its text; take it out", name=name))
    return text, encoding
