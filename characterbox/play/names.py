"""By which name somebody knows a character, and texts told anew in the names that their reader knows.

Everybody writes with the names that they know: the narrator and whoever knows a character write its name, the others
what they call it. Told to somebody else, each is replaced by the name that this one has for the character. Words that
are spoken stay as they are: whoever hears a name has heard it.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from characterbox.scenes.name_words import bounded, words_for
from characterbox.scenes.scene import Scene

Onlooker = str | None
"""The name of a character; None for the narrator, who knows everybody."""
Known = frozenset[str]
"""The names of the characters that somebody has recognised since the scene began."""

_NEAR = 30
"""How many letters before a word can tell whether a sentence begins with it."""


class Names:
    """The names of a cast, as each of them knows the others."""

    def __init__(self, scene: Scene) -> None:
        self._aliases = {
            (onlooker, who.name): alias.name
            for who in scene.cast
            for alias in who.known_as
            for onlooker in (alias.by or [name for name in scene.names if name != who.name])
        }
        self._faces = {who.name: who.public_face or "" for who in scene.cast}
        masked = {who for _, who in self._aliases}
        self._cast = tuple(name.casefold() for name in scene.names)
        self._words = {who.name: tuple(words_for(who, scene)) for who in scene.cast if who.name in masked}
        wholes = {name.casefold() for who in scene.cast for name in (who.name, *who.other_names)}
        self._parts = frozenset(word.casefold() for words in self._words.values() for word in words) - wholes
        """Words that are no whole name of anybody."""
        self._men = {
            word.casefold(): who.gender == "male"
            for who in scene.cast
            if who.gender in ("male", "female")
            for word in self._words.get(who.name, ())
        }
        """Whether a word means a man, where that is told."""
        self._capital = {word.casefold() for words in self._words.values() for word in words if word[0].isupper()}
        """Words that mean nobody where they are written small: `the bob of his head`."""

    @property
    def hidden(self) -> Mapping[tuple[str, str], str]:
        """What somebody calls somebody else whose name it does not know as the scene begins."""
        return self._aliases

    def name(self, onlooker: Onlooker, who: str, known: Known = frozenset()) -> str:
        """The name by which the onlooker knows a character, having recognised those who are `known`."""
        if onlooker is None or who in known:
            return who
        return self._aliases.get((onlooker, who), who)

    def face(self, who: str) -> str:
        """What a stranger sees of a character; empty where the scene does not say."""
        return self._faces[who]

    def retold(self, text: str, author: Onlooker, reader: Onlooker, knows: Known, learnt: Known) -> str:
        """What the author wrote, knowing who is in `knows`, in the names of a reader, who knows who is in `learnt`."""
        if not self._aliases or author == reader:
            return text
        told = self._told(author, reader, knows, learnt)
        if not told:
            return text

        kept = frozenset(name.casefold() for name in told.values())

        def there(found: re.Match[str]) -> str:
            written, title = found["word"] or found["titled"], found["title"] or ""
            word = written.casefold()
            if word in kept or word not in told or (written.islower() and word in self._capital):
                return found[0]
            if title and self._men.get(word) == (title.casefold().strip(". ") in _OF_WOMEN):
                return found[0]  # somebody else of that name
            name = told[word]
            article = "" if name.partition(" ")[0] in _ARTICLES else (found["article"] or "") + title
            owner = found["owner"] or ""
            quoted = found.string.endswith(("'", "‘"), 0, found.start())
            owning = owner if not owner or quoted or name[-1] == "s" else f"{owner}s"
            return (article + name if article else _as_there(name, found)) + owning

        # what the reader calls others, and names of others, are looked for, too: they may hold a word that is told anew
        return _pattern((*told, *kept, *self._cast), self._parts).sub(there, text)

    def _told(self, author: Onlooker, reader: Onlooker, knows: Known, learnt: Known) -> dict[str, str]:
        """What the reader has for each word with which the author means somebody, where it is another word."""
        told: dict[str, str] = {}
        for who, words in self._words.items():
            name = self.name(reader, who, learnt)
            used = self.name(author, who, knows)
            own = words if used == who else (used,)
            told |= {word.casefold(): name for word in own if name != used}
        return told


@lru_cache(maxsize=512)
def _pattern(words: tuple[str, ...], parts: frozenset[str]) -> re.Pattern[str]:
    """Finds the words, the longest first, each with article and title before it, of which some are mere parts of names.
    Kept: it takes 0.1 ms, and a prompt is made of dozens of lines."""
    either = "|".join(bounded(word, part=word in parts) for word in sorted(words, key=len, reverse=True))
    word = rf"(?:(?P<word>{either})|(?P<title>{_TITLE})(?P<titled>{either}))"
    return re.compile(rf"(?P<article>\b(?:the|an?) )?{word}{_OWNER}?", re.IGNORECASE)


_OWNER = r"(?P<owner>(?<=s)['’](?= \w))"
"""What makes an owner of a name that ends in s: `Odysseus' bow`."""


_ARTICLES = frozenset({"the", "a", "an"})
_TITLE = r"\b(?-i:Mrs?|Ms|Miss|Mister|Master)\b\.? "
_OF_WOMEN = frozenset({"mrs", "ms", "miss"})


def _as_there(name: str, found: re.Match[str]) -> str:
    """The name, with a capital where a sentence begins with it."""
    return name[0].upper() + name[1:] if _begins_sentence(found.string, found.start()) else name


_SHORT = ("Mr.", "Mrs.", "Ms.", "Dr.", "St.")
"""Words whose stop ends no sentence."""


def _begins_sentence(text: str, at: int) -> bool:
    """Whether the word there is the first of its sentence, or line."""
    near = text[max(0, at - _NEAR) : at]
    before = near.rstrip()
    ends = before.rstrip("'\"”’)").endswith((".", "!", "?")) and not before.endswith(_SHORT)
    return not before or "\n" in near[len(before) :] or ends
