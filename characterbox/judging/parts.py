"""What there is to rate: one part for every character of every story that has ended. And who rates it."""

import unicodedata
from dataclasses import dataclass

from annotations.errors import RatingError
from characterbox.errors import StoryError
from characterbox.scenes.scene import slug_of
from characterbox.store.ratings import RatingStore, item_of
from characterbox.store.stories import Story, StoryStore

MAX_NAME = 80
"""The longest name of a rater, in characters."""


@dataclass(frozen=True, slots=True)
class Part:
    """One character's part in a story that has ended."""

    story: Story
    name: str
    """The character."""

    @property
    def item(self) -> str:
        """The name under which the part is rated."""
        return item_of(self.story, self.name)


def ended_parts(stories: StoryStore) -> list[Part]:
    """All parts, those of the oldest story first, so that a part keeps its place when others end."""
    return [Part(story, name) for story in reversed(stories.stories("ended")) for name in story.script.scene.names]


def find_part(stories: StoryStore, item: str) -> Part:
    """The part that is rated under `item`. Raises StoryError if there is none, or its story has not ended."""
    id, _, slug = item.partition(":")
    if not item.isprintable():
        raise StoryError(f"item {item!r}: there is none with this name; choose one from the list")
    story = stories.story(id)
    for name in story.script.scene.names:
        if slug_of(name) == slug:
            break
    else:
        raise StoryError(f"item {item!r}: nobody in the story has this name; choose one from the list")
    if story.status != "ended":
        raise StoryError(f"item {item!r}: its story has not ended; it can be rated when it has")
    return Part(story, name)


def scores(ratings: RatingStore, item: str, rater: str) -> dict[str, int]:
    """The scores of a rater that count, by metric; a withdrawn one is not among them."""
    given = ratings.of_rater(item, rater, "expert")
    return {metric: rating.score for metric, rating in given.items() if rating.score is not None}


def rater_name(text: str) -> str:
    """A rater's name as it is stored: NFC, without outer blanks and with single inner ones.

    Raises RatingError for an empty or overlong name, and for one with characters that cannot be seen.
    """
    name = unicodedata.normalize("NFC", text.strip())
    if any(unicodedata.category(letter)[0] == "C" or letter in "\u2028\u2029" for letter in name):
        raise RatingError("rater: the name holds a control character; write it with letters, digits and spaces")
    name = " ".join(name.split())
    if not name:
        raise RatingError("rater: the name is missing; write who is rating")
    if len(name) > MAX_NAME:
        raise RatingError(f"rater: the name has {len(name)} characters; use at most {MAX_NAME}")
    return name
