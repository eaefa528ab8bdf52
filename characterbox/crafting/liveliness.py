"""Whether people with names talk in a passage, as far as letters and marks tell it."""

import re
from collections import Counter

_FEWEST_SPEECHES = 3
_FEWEST_NAMES = 2
_OPENED = re.compile(r"[“「『‘]")
_TOLD = re.compile(r"[曰道云][：:](?![“「『‘\"])")
"""In older Chinese prose speeches stand without marks."""
_SPOKEN_LINE = re.compile(
    r"^[ \t]*(?:[A-Z][A-Z .'’-]{1,30}[.:]?|[A-Z][\w .'’-]{0,30}:|[\u4e00-\u9fff]{1,6}：)\s", re.MULTILINE
)
"""As in a play: a name in capitals, or before a colon."""
_SPEAKER_ZH = re.compile(
    r"(?:^|[\s。！？；，”」』…])([\u4e00-\u9fff]{2,3}?)(?:[笑怒叹歎喝问問答骂罵哭忙大冷低]{0,2})[道曰云说說](?=[：:，。“「『])",
    re.MULTILINE,
)
_NAME_EN = re.compile(r"(?<=[a-z,;] )(?:Mr\.? |Mrs\.? |Miss |Dr\.? )?([A-Z][a-z’'-]+)")
"""A word with a capital within a sentence."""
_NO_NAMES = {"I", "I’m", "I'm", "God", "Mr", "Mrs", "Miss", "Dr", "English", "French"}
_PLAYER = re.compile(r"^[ \t]*([A-Z][A-Z .'’-]{1,30})[.:]?\s", re.MULTILINE)


def is_lively(text: str) -> bool:
    """Whether there are some speeches, and at least two names."""
    return speeches_in(text) >= _FEWEST_SPEECHES and len(names_in(text)) >= _FEWEST_NAMES


def speeches_in(text: str) -> int:
    """How many speeches there are, by quotation marks, words of saying with a colon, and lines of a play."""
    marked = len(_OPENED.findall(text)) + text.count('"') // 2
    return max(marked + len(_TOLD.findall(text)), len(_SPOKEN_LINE.findall(text)))


def names_in(text: str) -> set[str]:
    """What looks like a name: in English, a word with a capital within two sentences; in Chinese, who says something;
    in a play, who speaks."""
    capital = [name for name in _NAME_EN.findall(text) if name not in _NO_NAMES]
    players = [name.strip(" .") for name in _PLAYER.findall(text)]
    repeated = {name for found in (capital, players) for name, times in Counter(found).items() if times > 1}
    return repeated | set(_SPEAKER_ZH.findall(text))
