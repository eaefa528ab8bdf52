"""The four principles by which answers are cleaned (RoleLLM, appendix C, 5), in the words of both languages.

An answer is whole, so that it ends with a mark that ends a sentence; it does not say that a model speaks; it does not
begin with the name of the role; and it does not decline to answer. Only what an answer says decides, not whether it is
good: for a role that is a machine, the second principle is as strict as for others.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from annotations.i18n.messages import to_say
from characterbox.llm.replies.refusals import is_refusal
from characterbox.roles.role import Role

Flaw = Literal["unfinished", "reveals_model", "begins_with_name", "declines"]
FLAWS: tuple[Flaw, ...] = get_args(Flaw)
TOLD: Mapping[Flaw, str] = {
    "unfinished": to_say("the answer does not end with a mark that ends a sentence"),
    "reveals_model": to_say("the answer says that a model speaks"),
    "begins_with_name": to_say("the answer begins with the role's name"),
    "declines": to_say("the answer declines to answer"),
}
"""What is told of each."""
_BEHIND = " \t\r\n\"'”’」』》)）]】*_~～"
"""May stand behind the mark that ends a sentence."""
_ENDS = tuple(".!?…。！？")
_BEFORE = " \t\r\n\"'“‘「『《(（[【*_"
_MODEL = r"(?:an? )?(?:(?:large |ai |artificial intelligence )?language model|ai\b|artificial intelligence\b|llm\b)"
_MODEL_ZH = r"(?:一个|一名|一款|一种|个)?(?:AI|人工智能|大?型?语言模型|大模型|聊天机器人)"
_REVEALS = re.compile(
    rf"\bas {_MODEL}|\bi(?:'m| am) (?:just |only |merely )?{_MODEL}|(?:作为|身为|我(?:只|仅仅)?是){_MODEL_ZH}",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"(?:(?:i(?:'m| am) )?(?:so |very |really )?(?:sorry|afraid)[,.]? (?:but )?(?:that )?)?"
    r"i (?:can't|cannot|can not|won't|will not|am unable to|am not able to|must decline to|refuse to)"
    r" (?:answer|help|assist|provide|comply|fulfil|discuss|respond|give you)\b"
    r"|(?:(?:很|非常|十分)?(?:抱歉|对不起)[，,。]?)?(?:但)?我?(?:无法|不能|不便|拒绝)"
    r"(?:回答|提供|满足|协助|帮助|完成|讨论|答复)",
    re.IGNORECASE,
)


def flaw_of(text: str, role: Role) -> Flaw | None:
    """The first of the principles that an answer of a role breaks; None if it breaks none."""
    if not text.rstrip(_BEHIND).endswith(_ENDS):
        return "unfinished"
    plain = text.replace("’", "'")
    if _REVEALS.search(plain):
        return "reveals_model"
    begins = plain.lstrip(_BEFORE)
    if any(_begins_with(begins, name) for name in (role.name, *role.other_names)):
        return "begins_with_name"
    if _DECLINES.match(begins) or is_refusal(text):
        return "declines"
    return None


def _begins_with(text: str, name: str) -> bool:
    """Whether a text begins with a name, as a whole word where words are set apart."""
    if text[: len(name)].casefold() != name.casefold():
        return False
    following = text[len(name) : len(name) + 1]
    return not (following.isascii() and following.isalnum())
