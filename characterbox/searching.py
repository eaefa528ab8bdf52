"""What people search for, by words: of stories, of scenes, of what a campaign may rate."""

from annotations.wording import say
from characterbox.errors import SearchError

MOST_SEARCHED = 200
"""Characters of what is searched for, at most."""
MOST_WORDS = 20
"""Words that are searched for at once, at most: all that is there is gone through for each of them."""


def check_searched(text: str, words: int) -> None:
    """Raises SearchError, which says so, if this is more than may be searched for at once."""
    if len(text) > MOST_SEARCHED:
        told = say("a search has {most} characters at most, and this one more; shorten it", most=MOST_SEARCHED)
        raise SearchError(told)
    if words > MOST_WORDS:
        raise SearchError(say("a search has {most} words at most, and this one more; leave some out", most=MOST_WORDS))
