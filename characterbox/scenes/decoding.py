"""The text of files from outside, with an error that names the file."""

from annotations import decoding
from annotations.decoding import Encoding
from annotations.errors import EncodingError
from annotations.wording import say
from characterbox.errors import SceneError


def decode(name: str, raw: bytes) -> tuple[str, Encoding]:
    """The text of the file `name`, and its encoding. Raises SceneError where that is not certain."""
    try:
        text, encoding = decoding.decode(raw)
    except EncodingError as error:
        raise SceneError(say("{file}: {error}", file=name, error=error)) from error
    if "\x00" in text:
        raise SceneError(say("{name}: there is a NUL in its text; take it out", name=name))
    return text, encoding
