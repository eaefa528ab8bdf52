"""The labels of the form, as a story in either language asks."""

from collections.abc import Mapping

from characterbox.values import Language

LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "action": "What $name does next",
        "dialogue": "What $name says with it",
        "reaction": "How $name reacts",
        "affected": "Whom it affects most",
        "effect": "What it does to them; if it affects nobody, what it visibly does",
        "importance": "How memorable it is for those present: 1 is everyday, 10 changes a life",
        "result": "What comes of it",
        "position": "Where they are now",
        "state": "How they are now",
        "time": "Time",
        "location": "Place",
        "description": "What the place is like now",
        "concluded": "The story has come to its end",
        "belief": "Who I am, where I am, and how I am doing",
        "desire": "What I want",
        "intention": "What I mean to do",
        "others": "What I make of the others",
        "scene": "What the situation means to me",
        "bearing": "What follows from this for how I act",
    },
    "zh": {
        "action": "$name接下来做什么",
        "dialogue": "$name同时说什么",
        "reaction": "$name作何反应",
        "affected": "此举对谁影响最大",
        "effect": "对那个角色造成了什么影响；若未影响任何人，则写此举可见的结果",
        "importance": "在场者会记得多深：1 为平常小事，10 为改变一生",
        "result": "由此产生了什么结果",
        "position": "现在身在何处",
        "state": "现在状态如何",
        "time": "时间",
        "location": "地点",
        "description": "周围此刻的景象",
        "concluded": "故事到此结束",
        "belief": "我是谁、身在何处、身心如何",
        "desire": "我想要什么",
        "intention": "我打算做什么",
        "others": "我怎么看其他人",
        "scene": "眼下的局面对我意味着什么",
        "bearing": "因此我会怎样行事",
    },
}
"""For each field of a form, and each task of prose, what it asks; `$name` is the one who answers."""

HINTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "dialogue": "The words alone. To stay silent, write $silence",
    },
    "zh": {
        "dialogue": "只写台词。若沉默不语，请写$silence",
    },
}

NOBODY: Mapping[Language, str] = {"en": "nobody", "zh": "无人"}
SUBMIT: Mapping[Language, str] = {"en": "Play it", "zh": "就这样演"}
