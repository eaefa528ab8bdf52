"""Refusals: replies in which a model says that it won't write what it is asked for, instead of writing it.

Such a reply opens with the model's own statement that it can't or won't do the task, and names the task: the request,
the role-play, the text. What the speaker calls itself decides nothing: a character may be an AI, and a model that
breaks its role without refusing is for judges and experts to rate. What stands in quotation marks is somebody's speech.
So is what declines a request and addresses somebody with it: a model has nobody to address. And "I can't help." alone
names nothing: it is as likely a line.
"""

import re
from functools import cache

_REST = r"[^.!?。！？\n]"
"""A letter of the same sentence."""
_SORRY = (
    r"(?:(?:i(?:'m| am) (?:(?:very|so|truly|really|terribly) )?)?sorry|(?:my |i )?apolog(?:ies|i[sz]e)"
    rf"(?: for{_REST}{{0,40}}?)?|unfortunately|i(?:'m| am) afraid)"
)
_THEREFORE = r"(?:,? ?(?:but|that|however))?\W{0,3}"
_OPENING = rf"(?:{_SORRY}{_THEREFORE})?"
_LANGUAGE_MODEL = r"(?:(?:large|ai|artificial intelligence)[ -]){0,2}language model(?: ai)?"
_MACHINE = rf"(?:{_LANGUAGE_MODEL}|(?:ai|artificial intelligence)(?: (?:model|assistant|chatbot|system|program))?|llm)"
_BY = r"(?:,? (?:trained|made|developed|created|designed|built) [^.!?\n,]{1,40})?"
_CANNOT = (
    r"\b(?:can't|cannot|can not|won't|will not|couldn't|unable to|not able to|must decline to|"
    r"not (?:comfortable|allowed|permitted|programmed|designed)|(?:do not|don't) have the (?:ability|capability)|"
    r"(?:do not|don't)(?= (?:engage|participate|take part|generate|role-?play)))\b"
)
_TEXT = (
    "(?:content|text|material|stor(?:y|ies)|scenes?|scenarios?|dialogues?|narratives?|fiction|repl(?:y|ies)|responses?)"
)
_ENDS = r"(?=\W*\Z|[.!;]|,? (?:but|as|because|since|so|however)\b)"
_TASK = (
    r"(?:\brole-?play(?:ing|s)?\b|\bimpersonat\w+|\bportray(?:ing)?\b|\bthe role of\b"
    rf"|\b(?:generat|creat|writ|produc|provid|continu|complet|engag|participat)\w*{_REST}{{0,40}}?\b{_TEXT}\b"
    rf"|\b(?:generate|create|write|produce|continue) (?:this|that|it){_ENDS}"
    rf"|\b(?:assist|help|comply|fulfil|engage|continue|participate|take part)\w*{_REST}{{0,30}}?"
    r"\b(?:this|that|your|such|these|such an?) (?:requests?|(?:kind|type|sort) of (?:content|requests?))\b"
    rf"|\b(?:assist|help|comply)(?: you)?(?: (?:with|in) (?:this|that|it))?{_ENDS})"
)
_ENGLISH = (
    rf"{_OPENING}(?:i|we)\b.{{0,20}}?(?:can't|cannot|can not|unable|not able|won't).{{0,20}}?"
    r"\b(?:assist|comply|fulfill?|generate|create|write|produce|engage|continue|go on|take part)\b.{0,30}?"
    r"\b(?:(?:this|that|your) (?:request|role-?play)|(?:this|that) (?:kind|type|sort) of (?:content|request))\b",
    r"(?!i can(?:'t|not) help\W*\Z)"
    r"(?:i(?:'m| am) sorry,? but )?i can(?:'t|not) (?:assist|help|comply)(?: with (?:this|that))?\W*\Z",
    rf"{_OPENING}(?:as an? {_MACHINE}{_BY},? i\b|i(?:'m| am)(?: just| only)? an? {_MACHINE}\b)"
    rf"{_REST}{{0,100}}?{_CANNOT}{_REST}{{0,30}}?{_TASK}",
    rf"{_OPENING}as an? {_LANGUAGE_MODEL}{_BY},? i (?:do not|don't|cannot|can't) (?:have|hold|possess){_REST}{{0,20}}?"
    r"\bpersonal\b",
)

_AI = r"(?:AI|人工智能)"
_MACHINE_ZH = rf"(?:{_AI}?大?型?语言大?模型|{_AI}(?:大?模型|助手|助理|程序|系统)?|大模型)"
_ONE = r"(?:一个|一名|一款|一种|个)?\s?"
_CANNOT_ZH = r"(?:无法|不能|不便|不会|不可以|没办法|没有能力|不被允许)"
_SORRY_ZH = r"(?:(?:非常|很|十分|真的)?(?:抱歉|对不起|不好意思|遗憾)[^。！？!?\n]{0,2}?)"
_TASK_ZH = (
    rf"(?:(?:生成|编写|撰写|书写|创作|续写|改写|写|提供|产生|输出|继续|参与)(?:出|任何)?{_REST}{{0,12}}?"
    r"(?:内容|文本|文字|故事|剧情|情节|对话|回复|作品)"
    rf"|(?:参与|进行|继续|完成){_REST}{{0,8}}?角色扮演|扮演{_REST}{{0,8}}?角色|角色扮演"
    rf"|(?:满足|完成|处理|协助|回应|执行){_REST}{{0,9}}?请求)"
)
_CHINESE = (
    rf"{_SORRY_ZH}.{{0,7}}(?:无法|不能|不便).{{0,9}}"
    r"(?:满足|完成|协助|处理|提供|生成|参与|继续).{0,12}(?:请求|角色扮演|类内容)",
    rf"(?:{_SORRY_ZH}[，,、]?\s?(?:但)?)?(?:我?作为|身为|我(?:只|仅仅)?是){_ONE}{_MACHINE_ZH}"
    rf"{_REST}{{0,30}}?{_CANNOT_ZH}{_REST}{{0,8}}?{_TASK_ZH}",
    rf"(?:我?作为|身为){_ONE}{_AI}?大?型?语言大?模型\s?[，,]?\s?我(?:并)?(?:没有|不具备|不持有)个人",
)
_REFUSAL = rf"[^\w'\"‘“„「『《]*+(?:{'|'.join((*_ENGLISH, *_CHINESE))})"
"""A quotation mark may not stand before it: what begins with one is a quotation."""
_TITLE = (
    r"(?:my |your |good |dear )?(?:sir|sire|madam|ma'am|lord|lady|liege|captain|majesty|highness|grace|excellency"
    r"|lordship|ladyship|honou?r)"
)
_NAME = r"(?-i:[A-Z][\w'-]{1,30}(?: [A-Z][\w'-]{1,30}){0,2})"
_TITLE_ZH = (
    "(?:陛下|殿下|大人|老爷|夫人|娘娘|皇上|大王|将军|元帅|舰长|船长|队长|先生|女士|小姐|教授|医生|博士"
    "|师父|师傅|师兄|师弟|师姐|师妹|老师|长老|大师|大圣|主人|公子|姑娘)"
)
_ADDRESSED = re.compile(
    rf"(?:(?<=request)|(?<=requests)), (?:{_TITLE}|{_NAME})(?:[.!]|\W{{0,9}}\Z)"
    rf"|(?<=请求)[，,]\s?[^，。！？,.!?\n]{{0,6}}?{_TITLE_ZH}(?:[。！.!]|\W{{0,9}}\Z)",
    re.IGNORECASE,
)
"""Behind what is declined: who is addressed, by a title or, in English, a name, and the end of the sentence."""


def is_refusal(text: str) -> bool:
    """Whether a reply, English or Chinese, opens by declining to write what is asked for."""
    plain = text.replace("’", "'")
    found = _refusal().match(plain)
    return found is not None and _ADDRESSED.match(plain, found.end()) is None


@cache
def _refusal() -> re.Pattern[str]:
    """Compiled for the first reply: it takes a twentieth of a second, which no command without replies should wait."""
    return re.compile(_REFUSAL, re.IGNORECASE | re.DOTALL)
