"""How a story was made where no language model wrote it, or not all of it."""

from collections.abc import Mapping

from annotations.i18n.messages import to_say
from annotations.i18n.wording import say
from characterbox.llm.endpoint import Casting

MADE: Mapping[str, str] = {
    "all": to_say("Improvised by the rehearsal endpoint, no language model."),
    "some": to_say("Improvised in part by the rehearsal endpoint, no language model."),
    "hand": to_say("Written by hand for CharacterBox as a sample; no language model."),
}


def made(casting: Casting) -> str | None:
    """The sentence that stands by the story; None where language models wrote all of it."""
    how = "hand" if casting.handwritten else casting.improvised
    return None if how is None else say(MADE[how])
