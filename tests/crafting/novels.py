"""Novels of any length: chapters, paragraphs and speeches, from a seed."""

import random

from characterbox.values import Language

_NAMES = {"en": ["Anna", "Holmes", "Lestrade", "Beatrice"], "zh": ["林黛玉", "贾宝玉", "薛宝钗", "王熙凤"]}
_WORDS = {
    "en": ["the", "rain", "fell", "upon", "old", "stairs", "while", "nobody", "knew", "a", "letter", "had", "gone"],
    "zh": list("雨落旧阶夜深人静不知信去何处门外灯影水声山高路远天明时节花开又谢"),
}
_VOWELS = "aeiou"


def novel(language: Language, length: int, seed: int = 1) -> str:
    """A novel of about so many characters, in chapters of some 20,000."""
    draw = random.Random(seed)
    written: list[str] = []
    total, chapter = 0, 0
    while total < length:
        if total >= chapter * 20_000:
            chapter += 1
            written.append(f"Chapter {chapter}" if language == "en" else f"第{chapter}章 夜雨")
        written.append(_paragraph(language, draw))
        total += len(written[-1]) + 2
    return "\n\n".join(written)


def _paragraph(language: Language, draw: random.Random) -> str:
    sentences = [_sentence(language, draw) for _ in range(draw.randint(1, 8))]
    name = draw.choice(_NAMES[language])
    if draw.random() < 0.5:
        return "".join(sentences).strip()
    if language == "en":
        return f"“{''.join(sentences).strip()}” said {name}, and {name} looked at {draw.choice(_NAMES[language])}."
    return f"{name}道：“{''.join(sentences)}”"


def _sentence(language: Language, draw: random.Random) -> str:
    words = [draw.choice(_WORDS[language]) for _ in range(draw.randint(5, 25))]
    if language == "zh":
        return "".join(words) + "。"
    odd = "".join(draw.choice("bdfgklmnprst") + draw.choice(_VOWELS) for _ in range(3))
    return " ".join([odd.capitalize(), *words]) + ". "
