"""The names of language models and of those who make them, as patterns for folded text (see
`annotations.blinding.folded_text`).

A coined name is nobody's but a model's. Other names are also those of people, animals, winds and stars: they tell
something only with a version, or where somebody goes by them.
"""

import re

START = r"(?<![A-Za-z0-9])"
END = r"(?![A-Za-z0-9])"
"""The edges of a word in Latin letters; a Chinese character is no part of it."""


def either(words: str) -> str:
    """The pattern for any of these words, each a pattern; they stand one after the other with a comma and a blank."""
    return "(?:" + "|".join(re.split(r",\s+", words)) + ")"


_SIZE = r"\d+(?:\.\d+)?b"
_VARIANT = either(
    """instruct, chat, base, turbo, max, plus, pro, mini, nano, ultra, flash, coder, vl, opus, sonnet, haiku,
    instant, large, medium, small, vision, preview, r1, v3"""
)
_TAIL = rf"(?:[ _-]{{0,3}}v?\d{{1,2}}(?:\.\d{{1,2}})?[a-z]?{END})?(?:[ _-](?:{_VARIANT}|{_SIZE}){END})*{END}"
_COINED = either(
    r"""Chat[ _-]?GPT, GPT, ChatGLM, Character[ -]?GLM, GLM(?=[ _-]?\d), Qwen, QwQ, DeepSeek, InternLM, Mixtral,
    MiniCPM, WizardLM, TinyLlama, Code ?Llama, (?-i:LLaMA), (?-i:PaLM)(?=[ -]?2), StableLM, ERNIE[ -]?Bot,
    Baichuan(?=[ _-]?\d), XVERSE, OpenChat, RWKV, Tongyi Qianwen, Wenxin Yiyan"""
)
_COINED_ZH = either(
    """通义千问, 文心一言, 讯飞星火, 星火认知, 书生[·・.]?浦语, 腾讯混元, 腾讯元宝, 紫东太初, 智谱清言,
    (?:千问|文心|星火|百川|混元|豆包|盘古|天工|日日新|悟道)大模型"""
)
COINED = rf"(?:{START}{_COINED}{_TAIL}|{_COINED_ZH})"

ORDINARY = either(
    """Claude, Gemini, Llama, Mistral, Yi, Phi, Gemma, Ernie, Bard, Kimi, Grok, Vicuna, Alpaca, Baichuan, Doubao,
    Copilot, Hunyuan, Falcon"""
)
ORDINARY_ZH = r"(?:豆包|千问|百川|通义)(?=$|[^\u3400-\u9fff]|智能|助手|人工智能)"

_VERSIONED = "|".join(
    [
        rf"{ORDINARY}[ _-]?(?:(?:v ?|version )?\d\.\d|{_SIZE})",
        rf"(?!Gemini|Falcon){ORDINARY}[_-]?[1-5](?!\d|st|nd|rd|th)",  # spacecraft and rockets are numbered like this
        r"Claude[ -](?:\d[ -])?(?:opus|sonnet|haiku|instant)",
        r"Gemini[ -](?:\d[ -])?(?:pro|ultra|flash|nano)",
        r"(?-i:Mistral[ -](?:Large|Medium|Small|Nemo)|mistral-(?:large|medium|small|nemo))",
    ]
)
MODEL = re.compile(rf"{START}(?:{_COINED}|{_VERSIONED}){_TAIL}|{_COINED_ZH}", re.IGNORECASE)
"""A model, whatever the characters are called."""
PERHAPS_MODEL = re.compile(
    rf"{START}(?P<name>(?-i:Claude|Llama|LLAMA|Grok|Gemma)) [1-4]"
    r"(?=\s*(?:[,.;:!?)\"]|$)| (?:is|was|model|can|by|here|and|or)(?![a-z]))",
    re.IGNORECASE,
)
"""A model, unless a character has that name: then the number may be of anything."""

MAKER = either(
    r"""Google(?: DeepMind)?, DeepMind, Meta(?: AI)?, Facebook, Microsoft, Alibaba(?: Cloud| Group)?, DAMO Academy,
    Baidu, Tencent, Huawei, ByteDance, Apple, Amazon, Nvidia, IBM, xAI, Mistral(?: AI)?, Cohere, Anthropic,
    Open ?AI, DeepSeek, Moonshot(?: AI)?, Zhipu(?: AI)?, 01\.AI, Baichuan(?: AI| Inc| Intelligence)?, iFlytek,
    SenseTime, BAAI, MiniMax, Shanghai AI Lab(?:oratory)?, Tsinghua(?: University)?, StepFun, AI21(?: Labs)?,
    Stability AI, Databricks, EleutherAI, Hugging ?Face"""
)
MAKER_ZH = either(
    """阿里(?:巴巴|云)?, 通义实验室, 达摩院, 百度, 腾讯, 华为, 字节(?:跳动)?, 谷歌, 微软, 苹果, 脸书, 亚马逊, 智谱,
    清华(?:大学)?, 月之暗面, 深度求索, 百川智能, 零一万物, 商汤(?:科技)?, 科大讯飞, 讯飞, 上海人工智能实验室,
    智源(?:研究院)?, 昆仑万维, 面壁智能, 阶跃星辰, 小米, 京东, 快手, 网易, 英伟达, 复旦(?:大学)?, Meta, OpenAI,
    Anthropic, Google, Microsoft, Mistral, DeepSeek, MiniMax"""
)
MAKER_ALONE = (
    rf"{START}(?:OpenAI|(?-i:Open AI)|DeepSeek|Zhipu ?AI|Moonshot AI|Mistral AI|01\.AI|EleutherAI){END}",
    rf"{START}(?-i:Anthropic){END}(?! (?:principle|reasoning|argument|bias|view|selection|cosmolog|landscape))",
    "智谱(?:华章|AI)?|百川智能|深度求索|零一万物|面壁智能|阶跃星辰",
)
"""Makers who are known for their models and for nothing else."""
