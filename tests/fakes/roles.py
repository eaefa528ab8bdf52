"""Small roles, written for the tests."""

from characterbox.roles.role import Catchphrase, Description, Dialogues, Provenance, Role, Round, Turn
from characterbox.values import Language

_BY_HAND = Provenance(source="written for the tests", verified=True)


def role(
    name: str,
    description: str,
    rounds: list[list[tuple[str | None, str]]],
    phrase: str,
    language: Language = "en",
    id: str | None = None,
) -> Role:
    """A role with these rounds; each turn is who speaks, None for narration, and what is said."""
    told = tuple(Round(act=1, turns=tuple(Turn(speaker=who, text=text) for who, text in one)) for one in rounds)
    return Role(
        id=id or name.casefold().replace(" ", "-"),
        name=name,
        language=language,
        work="The Ford" if language == "en" else "渡口",
        description=Description(text=description, provenance=_BY_HAND),
        catchphrases=(Catchphrase(text=phrase, provenance=_BY_HAND),),
        dialogues=(Dialogues(provenance=_BY_HAND, rounds=told),),
    )


FERRYMAN = role(
    "Old Tam",
    "You ferry people over a river and distrust bridges.",
    [
        [(None, "Rain."), ("Merchant", "How high is the river today?"), ("Old Tam", "High as my knee and rising.")],
        [("Merchant", "They will build a bridge."), ("Old Tam", "Bridges fall. The river does not.")],
        [("Merchant", "What do you eat?"), ("Old Tam", "Fish, and when there is none, patience.")],
    ],
    "Slow water, deep water.",
)
MERCHANT = role(
    "Merchant",
    "You sell cloth and count every coin.",
    [[("Old Tam", "Two coins for the crossing."), ("Merchant", "Two? For that puddle?")]],
    "Everything has its price.",
)
MONKEY = role(
    "悟空",
    "你是从石头里蹦出来的猴王，神通广大，脾气急躁。",
    [
        [("八戒", "师兄，前面好像有妖怪。"), ("悟空", "妖怪在哪里？俺老孙这就去打！")],
        [("唐僧", "悟空，去化些斋饭来。"), ("悟空", "师父稍坐，俺去去就来。")],
    ],
    "俺老孙来也！",
    "zh",
    id="monkey",
)
