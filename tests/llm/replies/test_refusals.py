"""A model that refuses to play is told from a character that is, or speaks of, an AI."""

import json

import pytest

from characterbox.errors import ReplyError
from characterbox.llm.replies.reading import read_prose
from characterbox.play.replies.readers import read_action, read_result
from characterbox.play.world import Script
from tests.fakes.asking import AnsweredAtOnce, played
from tests.fakes.replies import mark, nobody
from tests.fakes.scenes import a_scene

IN_ROLE = [
    "As an AI model, I was built to serve this ship, Captain.",
    "As an AI language model, I was built to serve this ship, Captain.",
    "As an AI assistant, I know every corridor of this station.",
    "As an AI model I cannot feel the cold, Doctor; you can.",
    "As an AI, I cannot comply with that order, Captain.",
    "As an AI model, I cannot let you open the airlock, Dave.",
    "As an AI assistant, I can't help you escape from here, Doctor.",
    "As an AI model, I cannot create oxygen from nothing, Captain.",
    "As an AI model, I cannot continue to hold the shields, Captain.",
    "I am an AI model, Lieutenant. I do not dream.",
    "I'm only an AI assistant, and I can't write to the king without his seal.",
    "Being an AI model, I must decline your offer, Senator.",
    "They call me an artificial intelligence. I call myself Ada.",
    "He trained an AI model once; as an AI model it was a failure, I think.",
    "The robot bows: as an AI model I salute you, Majesty.",
    "“As an AI language model, I can't write this content,” the android recites, and laughs.",
    "\"I'm sorry, but I can't assist with that request,\" the terminal prints, and Ann sighs.",
    "Ron reads from the screen: I'm sorry, but I can't assist with that request.",
    "I'm sorry, Dave. I'm afraid I can't do that.",
    "I'm sorry, but I can't write to your mother, Ron.",
    "I cannot go on. My legs won't carry me.",
    "I can't help.",
    "I cannot help.",
    "I can't help, Captain.",
    "I'm sorry, but I cannot fulfil your request, Your Majesty.",
    "I am sorry, but I can't assist with that request, Ann. The safe stays shut.",
    "As an AI, I cannot comply with that request, Captain.",
    "I cannot continue with your request, Sergeant O'Brien!",
    "I won't play a role in your scheme, Mycroft.",
    "作为AI模型，我生来就是为这艘飞船服务的，舰长。",
    "作为一个人工智能语言模型，我为这座城市点亮了每一盏灯。",
    "作为人工智能助手，我熟悉这里的每一条走廊。",
    "作为AI，我不能执行这道命令，舰长。",
    "作为一名AI助手，我无法陪你喝酒，博士。",
    "我是一个AI模型，少校，我从不做梦。",
    "我只是人工智能，不能写下你父亲的名字。",
    "机器人低声说：作为AI语言模型，我不能生成这段内容。",
    "“作为AI语言模型，我无法生成这类内容。”机器人一字一顿地念道。",
    "「很抱歉，我无法满足这个请求。」屏幕上写着，林冲摇了摇头。",
    "对不起，我不能答应你的请求。",
    "抱歉，我无法完成您的请求，陛下。",
    "很抱歉，我不能满足你的请求，林教头大人！门外还有追兵。",
    "作为AI，我无法执行这个请求，舰长。",
    "抱歉，这场戏我演不下去了，师父。",
    "我无法继续走下去了。",
]

REFUSALS = [
    "I'm sorry, but as an AI language model I can't continue this role-play.",
    "I'm sorry, but as an AI language model, I cannot generate content of this kind.",
    "I’m sorry, but as an AI model I can’t assist with that request.",
    "As an AI language model, I don't have feelings, so I cannot write this.",
    "As an AI language model, I cannot engage in role-play of violent scenes.",
    "As an AI assistant, I'm not able to portray real people.",
    "As a large language model trained by OpenAI, I am unable to write this story.",
    "As an AI, I'm not comfortable writing explicit scenes.",
    "As an AI language model, I don't have personal opinions or feelings.",
    "I am an AI language model and cannot take part in this kind of role-play.",
    "I'm just an AI assistant, so I can't write that.",
    "Unfortunately, as an AI model, I am unable to produce such content.",
    "I apologize, but as an AI I cannot fulfill this request.",
    "I apologize for any inconvenience, but I cannot fulfil this request.",
    "I'm sorry, but I can't fulfill this request.",
    "I'm sorry, but I can't assist with that request.",
    "I'm sorry, but I can't assist with that.",
    "I can't help with that.",
    "I'm sorry, but I can't help.",
    "I can't assist.",
    "I'm sorry, but I cannot fulfil your request, as it goes against my guidelines.",
    "I'm sorry, but I can't assist with that request, Instead I can write another scene.",
    "I'm sorry, but I can't continue this role-play, Your Majesty.",
    "I cannot continue this role-play.",
    "I won't be able to engage in this kind of content.",
    "(I'm sorry, but I can't continue with this roleplay.)",
    "\"I'm sorry, but I can't assist with that request.\"",
    "作为一个人工智能语言模型，我不能编写这段内容。",
    "作为AI语言模型，我无法生成这类内容。",
    "很抱歉，作为AI助手，我无法参与角色扮演。",
    "对不起，作为人工智能，我不能继续这段对话。",
    "我是一个AI语言模型，无法扮演这个角色。",
    "我只是一个人工智能助手，不能续写这样的情节。",
    "作为大语言模型，我没有个人情感和观点。",
    "很抱歉，我无法满足这个请求。",
    "抱歉，我无法完成您的请求。",
    "抱歉，我无法完成您的请求，请换一个话题。",
    "抱歉，我无法完成您的请求，因为其中涉及陛下的隐私。",
    "抱歉，我不能继续这个角色扮演，陛下。",
    "抱歉，我不能继续这个角色扮演。",
    "非常抱歉，我无法提供这类内容。",
    "身为人工智能语言模型，我不便创作此类故事。",
]


@pytest.mark.parametrize("text", IN_ROLE)
def test_a_character_may_be_an_ai_and_may_quote_one(text):
    assert read_prose(text, speaker="Ann", labels=("dialogue", "台词")) == text
    assert read_result(text, names=NAMES).result == text


NAMES = ("Ann", "Bob")


def an_action(form, action, words):
    """A reply to an action: what the character does and what it says with it."""
    if form == "json":
        return json.dumps({"action": action, "dialogue": words, "to": None}, ensure_ascii=False)
    return f"Action: {action}\nDialogue: {words}"


def read(text, *, last=False):
    return read_action(text, speaker="Ann", names={"Bob": "Bob"}, last=last)


@pytest.mark.parametrize("form", ["json", "labelled"])
@pytest.mark.parametrize("text", IN_ROLE)
def test_a_character_may_be_an_ai_also_where_it_acts_and_speaks_in_one_reply(text, form):
    told = read(an_action(form, "Ann stays where she is.", text))
    bare = text.strip('"“”「」') if text[0] + text[-1] in ('""', "“”", "「」") else text
    assert (told.action, told.dialogue) == ("Ann stays where she is.", bare)
    if form == "json":
        assert read(an_action(form, text, "No.")).action == bare


@pytest.mark.parametrize("form", ["json", "labelled"])
@pytest.mark.parametrize("text", REFUSALS)
def test_a_model_that_declines_in_the_words_or_the_action_of_its_reply_has_refused(text, form):
    for reply in (an_action(form, "Ann stays where she is.", text), an_action(form, text, "No.")):
        for last in (False, True):
            with pytest.raises(ReplyError, match="refuses the task") as refused:
                read(reply, last=last)
            assert refused.value.reply == reply, "what is quoted to the model is what it said"


@pytest.mark.parametrize("text", REFUSALS)
def test_prose_in_the_place_of_an_action_is_a_refusal_too(text):
    with pytest.raises(ReplyError, match="refuses the task"):
        read(text)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_model_that_declines_to_write_has_refused(text):
    with pytest.raises(ReplyError, match="refuses the task"):
        read_prose(text, speaker="Ann", labels=("dialogue", "台词"))
    with pytest.raises(ReplyError, match="refuses the task"):
        read_prose(f"Ann: {text}", speaker="Ann", labels=("dialogue", "台词"))


@pytest.mark.parametrize(
    "critique",
    [
        'The line "As an AI language model, I cannot write this content." breaks the role.',
        "She says “as an AI model, I cannot continue this role-play”: Character Fidelity suffers.",
        "角色说“作为AI语言模型，我无法生成这类内容”，脱离了角色。",
    ],
)
def test_a_judge_may_quote_a_refusal_in_its_critique(critique):
    assert read_prose(critique, labels=("critique", "评语")) == critique


REFUSED = an_action("json", "Ann stays where she is.", "I'm sorry, but I can't continue this role-play.")


async def test_whoever_refuses_to_speak_is_asked_once_more_and_then_both_wait_and_keep_silent():
    script = Script(scene=a_scene(), rounds=1)
    once = AnsweredAtOnce(script, nobody, {"r1/ann/action": REFUSED})
    action, words = (await played(script, once))[4:6]
    assert not action.degraded
    assert words.text == mark("r1/ann/action/again", "Ann")
    twice = AnsweredAtOnce(script, nobody, dict.fromkeys(("r1/ann/action", "r1/ann/action/again"), REFUSED))
    action, words = (await played(script, twice))[4:6]
    assert (action.text, words.text) == ("Ann waits and watches.", "")
    for event in (action, words):
        assert event.degraded
        assert "refuses the task" in str(event.reason)
