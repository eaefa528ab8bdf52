"""Items and raters of campaigns, for tests."""

from annotations.design.settings import Candidate, Rater

BOTH = frozenset({"en", "zh"})


def candidate(item: str, scene: str = "s", character: str = "c", model: str = "m", language: str = "en") -> Candidate:
    """An item; what is not said is the same for all."""
    return Candidate(item, scene, character, model, language)


def crossed(scenes: int, characters: int, models: int, chinese: int = 0) -> list[Candidate]:
    """Every model plays every character of every scene; the first scenes are Chinese."""
    return [
        candidate(f"i{s}-{c}-{m}", f"s{s}", f"c{c}", f"m{m}", "zh" if s < chinese else "en")
        for s in range(scenes)
        for c in range(characters)
        for m in range(models)
    ]


def experts(number: int, *languages: str) -> list[Rater]:
    """Raters r0, r1, ..., who read these languages; both when none is named."""
    return [Rater(f"r{place}", frozenset(languages) or BOTH) for place in range(number)]
