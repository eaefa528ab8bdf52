"""Which character a model means by the name that it writes."""

import re
from collections.abc import Collection, Iterable

from characterbox.llm.replies.reading import is_nothing
from characterbox.scenes.scene import slug_of

_NOBODY = re.compile(r"[\W_]{0,20}(?:(?:nobody|none|no[ -]?one)\b|没有(?:任何)?人|无人)", re.IGNORECASE)
_EXCEPTED = re.compile(r"\b(?:but|except|save|other than)\b|除", re.IGNORECASE)
_ASIDE = re.compile(r"[,，、;；:：。(（\[【]|\s[-–—]+\s|——")
"""Where the words that say more about somebody begin, after the name."""
_POSSESSIVE = frozenset({"s", "of"})
"""Words that tell of something else than the name beside them: `Watson's dog`, `the dog of Watson`."""
_ARTICLES = frozenset({"the", "a", "an"})
_TITLES = _ARTICLES | {
    *("mr", "mrs", "ms", "miss", "mister", "master", "dr", "doctor", "prof", "professor", "sir", "lady", "lord"),
    *("madam", "agent", "captain", "king", "queen", "prince", "princess", "saint", "st", "aunt", "uncle"),
}
"""Words that do not tell one character from another."""
_HAN = re.compile("[\u4e00-\u9fff]")
_HAN_TITLES = "先生|小姐|女士|教授|医生|博士|将军|大人|侦探|队长|特工|道长|长老|法师|大师|大圣|教头|陛下|殿下"
_HAN_KINSHIP = "师父|师傅|师兄|师弟|师姐|师妹|老师"
"""Titles only before a name: behind it they can tell of somebody else (`孙悟空师父` is his master)."""


def means_nobody(text: str) -> bool:
    """Whether a value says that it is nobody, in whatever words (`nobody in particular`)."""
    return is_nothing(text) or (_NOBODY.match(text) is not None and not _EXCEPTED.search(text))


def match_name(text: str, names: Iterable[str]) -> str | None:
    """The one name that is meant, whatever its case, spaces, brackets or title; None if none or several could be.

    A part of a name does (`Holmes`), and so does a name with more around it (`Holmes, the detective`); but not a name
    that shares only a part with another (`Mycroft Holmes` is not `Sherlock Holmes`), nor what belongs to somebody
    (`Watson's dog`). Around a name of Chinese characters, which has no end to be seen, only a title is understood. A
    name wins over the word: `Nobody (asleep)` is the one who is called Nobody, if there is one.
    """
    slugs = {slug_of(name): name for name in names}
    if (wanted := slug_of(text)) in slugs:
        return slugs[wanted]
    aside = _ASIDE.search(text)
    named, more = (text[: aside.start()], text[aside.start() :]) if aside else (text, "")
    if is_nothing(text) or (_NOBODY.match(text) and slug_of(named) not in slugs):
        return None
    turned = [slug for slug in slugs if sorted(slug.split("-")) == sorted(wanted.split("-"))]
    if len(turned) == 1:
        return slugs[turned[0]]
    if not slug_of(named):
        named, more = text, ""
    close = _close(named, slugs)
    if len(close) != 1 or any(_mentions(slug_of(more), slug) for slug in slugs if slug != close[0]):
        return None
    return slugs[close[0]]


def _close(text: str, slugs: Collection[str]) -> list[str]:
    """The slugs of the names that the text may mean."""
    wanted = slug_of(re.sub(r"(?<=s)['’](?=\s)", "'s", text))
    if wanted in slugs:
        return [wanted]
    if _HAN.search(wanted):
        around = rf"(?:{_HAN_TITLES}|{_HAN_KINSHIP})?-?{{}}-?(?:{_HAN_TITLES})?"
        return [slug for slug in slugs if re.fullmatch(around.format(slug), wanted)] or [
            slug for slug in slugs if wanted in slug
        ]
    parts = set(wanted.split("-"))
    told = parts - _TITLES or parts - _ARTICLES
    words = {slug: set(slug.split("-")) for slug in slugs}
    words = {slug: own for slug, own in words.items() if not (parts - own) & _POSSESSIVE}
    return [slug for slug, own in words.items() if parts >= own] or [
        slug for slug, own in words.items() if told and told <= own
    ]


def _mentions(text: str, slug: str) -> bool:
    return slug in text if _HAN.search(slug) else set(slug.split("-")) <= set(text.split("-"))
