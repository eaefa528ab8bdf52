"""The words of a scene that mean a character: its names, and the parts of its name that are nobody else's."""

import re
from collections.abc import Container, Iterable, Iterator

from characterbox.scenes.scene import Profile, Scene

_PLAIN = frozenset(
    re.findall(
        r"\w+",
        """
        the a an of from in on at and old young little von van de la du mr mrs ms miss mister master dr doctor prof
        professor sir lady lord madam captain king queen prince princess saint st aunt uncle father
        mother brother sister grandfather grandmother
        """,
    )
)
"""Words of a name that tell nobody who it is."""
_COMMON = frozenset(
    {"渔夫", "都头", "都管", "公差", "先生", "夫人", "娘子", "婆婆", "掌柜", "老爷", "公子", "小姐", "大人"}
)
"""What follows a surname and is no given name."""
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
"""Letters of scripts that put no spaces between words."""


def words_for(profile: Profile, scene: Scene) -> Iterator[str]:
    """The words that mean a character: its names, and the parts of its name that are nobody else's."""
    yield profile.name
    yield from profile.other_names
    names = [name for name in scene.names if name != profile.name]
    others = {part.casefold() for name in names for part in re.findall(r"\w+", name)}
    for part in re.findall(r"\w+", profile.name):
        tells = part[0].isupper() or (len(part) > 1 and UNSPACED.match(part))
        if part != profile.name and tells and part.casefold() not in others | _PLAIN:
            yield part
    given = profile.name[1:]
    if given in _COMMON:
        return
    if len(given) == 2 and all(map(UNSPACED.match, profile.name)) and not any(given in name for name in names):
        yield given  # as friends say it


def words_in(text: str, words: Iterable[str], wholes: Container[str]) -> list[str]:
    """Those of the words that mean a character which stand in a text; `wholes` are whole names."""
    return [word for word in words if re.search(bounded(word, part=word not in wholes), text)]


_UNTITLED = r"(?<!Mr\. )(?<!Mr )(?<!Mrs\. )(?<!Mrs )(?<!Ms\. )(?<!Ms )(?<!Miss )(?<!Mister )(?<!Master )"
"""With a title, a part of a name can be somebody else's: `Mrs. Craven` is not Colin Craven."""
_UNFOLLOWED = r"(?!(?-i: [A-Z]))"


def bounded(word: str, *, part: bool) -> str:
    """A pattern of the word as it stands by itself, unless its script has no spaces. A part of a name is no part of
    another one: neither of `Mrs. Craven` nor of `Baker Street`."""
    before = "" if UNSPACED.match(word[0]) else rf"(?<!\w){_UNTITLED if part else ''}"
    behind = "" if UNSPACED.match(word[-1]) else rf"(?!\w){_UNFOLLOWED if part else ''}"
    return f"{before}{re.escape(word)}{behind}"
