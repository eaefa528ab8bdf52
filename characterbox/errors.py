"""What can go wrong, as one small tree.

CharacterBoxError
├── SceneError       a scene or a scene file cannot be used
├── AddressError     an endpoint or a judge is not named in a way that can be used
├── EndpointError    an endpoint failed for good
├── ReplyError       a reply came and cannot be read
├── RecordMismatch   a recorded reply belongs to another prompt
├── StoryError       a story cannot be found, or not be played on
└── StoreError       the database cannot be used

Messages say what was wrong, where, and what to do.
"""


class CharacterBoxError(Exception):
    """The base of all errors of this package."""


class SceneError(CharacterBoxError):
    """A scene or a scene file cannot be used; the message names file, scene and field."""


class AddressError(CharacterBoxError):
    """An endpoint or a judge is not named in a way that can be used."""


class EndpointError(CharacterBoxError):
    """An endpoint failed for good: unreachable, refusing, or failing after all retries."""


class ReplyError(CharacterBoxError):
    """A reply came and cannot be read."""

    def __init__(self, message: str, *, reply: str) -> None:
        super().__init__(message)
        self.reply = reply


class RecordMismatch(CharacterBoxError):
    """A recorded reply belongs to a prompt that is no longer the one to be asked."""

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class StoryError(CharacterBoxError):
    """A story cannot be found, or cannot be played on."""


class StoreError(CharacterBoxError):
    """The database cannot be used."""
