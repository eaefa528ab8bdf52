"""What can go wrong, as one small tree.

AnnotationError
├── RatingError          a rubric, a rating or a file of ratings cannot be used
│   ├── FaultyFile       a TOML file that people write has faults, each with its line (see `toml_file`)
│   └── EncodingError    it is not certain in which encoding a text file is, or it is not in the one that is named
└── UndefinedStatistic   the ratings do not determine the statistic

Messages say what was wrong, where, and what to do.
"""

from annotations.messages import MessageError


class AnnotationError(MessageError):
    """The base of all errors of this package."""


class RatingError(AnnotationError):
    """A rubric, a rating or a file of ratings cannot be used; the message names the place and the remedy."""


class EncodingError(RatingError):
    """A text file is not in the encoding that is named, or none is named and none is certain."""


class UndefinedStatistic(AnnotationError):
    """The ratings do not determine the statistic; the message is the reason, fit to be shown in its place."""
