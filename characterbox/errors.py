"""What can go wrong, as one small tree.

CharacterBoxError
├── SceneError       a scene or a scene file cannot be used
├── RoleError        a role, or a file of one, cannot be used
├── AddressError     an endpoint or a judge is not named in a way that can be used
├── EndpointError    an endpoint failed for good
│   ├── EndpointDown      it can't be reached, or fails whatever is asked: the story waits for it
│   └── ContextOverflow   the prompt is too long for its context window
├── ReplyError       a reply came and cannot be read
├── RecordMismatch   a recorded reply belongs to another prompt
├── StoryError       a story cannot be found, or not be played on
│   ├── PlayedElsewhere   another process, or another part of this one, is at it
│   └── Superseded        somebody else has taken the story over: nothing more is written
├── Interlude        a story rests here: a person paused it
│   └── Cue               a story rests here: a person who plays an agent has to answer
├── AccountError     an account, or what a person wants to do with it, is refused
│   └── NotAllowed        the account of the one who acts lacks the right
├── CampaignError    a campaign cannot be found, or not be changed or rated in like this
│   ├── CampaignPaused    it takes no marks for now
│   └── CampaignUnreadable    what it rests on can't be read: whether a mark can be taken is not known
├── StudyError       the folder of a study cannot be used, or not in this database
├── SearchError      more is searched for than can be at once
├── ProgramError     a program that the app starts cannot be started or stopped
├── TrainingError    a dataset, a recipe or a run of a training cannot be used
├── FileError        a file or a folder cannot be written
├── TooHeavy         reading a file takes more time or memory than it may, or others are being read
└── StoreError       the database cannot be used

Messages say what was wrong, where, and what to do.
"""

from annotations.i18n.messages import MessageError, Readable


class CharacterBoxError(MessageError):
    """The base of all errors of this package."""


class SceneError(CharacterBoxError):
    """A scene or a scene file cannot be used; the message names file, scene and field."""


class RoleError(CharacterBoxError):
    """A role, or a file that it is made of, cannot be used; the message names file, place and remedy."""


class SearchError(CharacterBoxError):
    """More is searched for than can be at once; the message says how much can be."""


class AddressError(CharacterBoxError):
    """An endpoint or a judge is not named in a way that can be used."""


class EndpointError(CharacterBoxError):
    """An endpoint failed for good: unreachable, refusing, or failing after all retries."""


class EndpointDown(EndpointError):
    """An endpoint can't be reached, or fails whatever it is asked; it may come back."""


class ContextOverflow(EndpointError):
    """A prompt is too long for the context window of the model."""


class ReplyError(CharacterBoxError):
    """A reply came and cannot be read. Models are asked anew with this message, whoever looks on."""

    def __init__(self, message: Readable, *, reply: str) -> None:
        super().__init__(message)
        self.reply = reply


class RecordMismatch(CharacterBoxError):
    """A recorded reply belongs to a prompt that is no longer the one to be asked."""

    def __init__(self, message: Readable, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class StoryError(CharacterBoxError):
    """A story cannot be found, or cannot be played on."""


class PlayedElsewhere(StoryError):
    """Another process, or another part of this one, holds the claim on what is to be written."""


class Superseded(StoryError):
    """Another process has taken over what this one was writing to; its writes are refused from then on."""


class Interlude(CharacterBoxError):
    """A story rests at this place, without a failure: no call leaves, and what is under way comes to its end."""


class Cue(Interlude):
    """A person plays the agent that is asked: the story rests until they have answered."""

    def __init__(self, message: Readable, *, agent: str | None) -> None:
        super().__init__(message)
        self.agent = agent
        """None is the narrator."""


class AccountError(CharacterBoxError):
    """An account cannot be found, or not be made, changed or used like this."""


class NotAllowed(AccountError):
    """The account of the one who acts lacks the right to do this."""


class CampaignError(CharacterBoxError):
    """A campaign, or an item of it, cannot be found, or not be changed or rated in like this."""


class CampaignPaused(CampaignError):
    """A campaign takes no marks for now; what is marked meanwhile can be sent when it goes on."""


class CampaignUnreadable(CampaignError):
    """The rubric of a campaign, its practice set or one of its stories can't be read, as by a version of the app that
    does not have it: whether a mark can be taken is not known, and another one may take it."""


class StudyError(CharacterBoxError):
    """The folder of a study cannot be used as it is, or not in this database; the message names file and place."""


class ProgramError(CharacterBoxError):
    """A program that the app starts, such as a vLLM server, cannot be started or stopped."""


class TrainingError(CharacterBoxError):
    """A dataset, a recipe or a run of a training cannot be used; the message names file, place and remedy."""


class FileError(CharacterBoxError):
    """A file or a folder cannot be written; the message names it."""


class TooHeavy(CharacterBoxError):
    """Reading a file takes more time or memory than it may, or too many others are being read."""


class NotItsFault(TooHeavy):
    """A file has not been read, and may be the next time: its turn did not come, or its process was ended."""


class StoreError(CharacterBoxError):
    """The database cannot be used."""
