"""What the form for a reply asks, in the language of the scene: a person writes in that language, too."""

from collections.abc import Mapping

from characterbox.values import Language

LABELS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "action": "What $name does next",
        "dialogue": "What $name says with it",
        "to": "Whom the words are for",
        "whispered": "Said so low that nobody else hears it",
        "unseen": "Nobody is to notice what $name does",
        "reaction": "How $name reacts",
        "affected": "Whom it affects most",
        "effect": "What it does to them; if it affects nobody, what it visibly does",
        "importance": "How memorable it is for those present: 1 is everyday, 10 changes a life",
        "seen_by": "Who sees what $name does",
        "heard_by": "Who hears what $name says",
        "result": "What comes of it, for all there to see",
        "felt": "What only $other feels of it, if anything",
        "outcome_seen_by": "Who else sees what comes of it",
        "recognised": "Who is recognised",
        "position": "Where $name is now",
        "state": "How $name is now",
        "visible": "What others see of how $name is",
        "other_position": "Where $other is now",
        "other_state": "How $other is now",
        "other_visible": "What others see of how $other is",
        "time": "Time",
        "location": "Place",
        "description": "What the place is like now",
        "concluded": "The story has come to its end",
        "hidden": "Who goes unnoticed from now on",
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
        "to": "话是对谁说的",
        "whispered": "低声说，不让旁人听见",
        "unseen": "$name不想让人察觉这个举动",
        "reaction": "$name作何反应",
        "affected": "此举对谁影响最大",
        "effect": "对那个角色造成了什么影响；若未影响任何人，则写此举可见的结果",
        "importance": "在场者会记得多深：1 为平常小事，10 为改变一生",
        "seen_by": "谁看见了$name的举动",
        "heard_by": "谁听见了$name的话",
        "result": "由此产生了什么结果，只写在场者看得见、听得到的",
        "felt": "只有$other自己才感觉得到的，没有则不写",
        "outcome_seen_by": "还有谁看见了这个结果",
        "recognised": "谁被认出来了",
        "position": "$name现在身在何处",
        "state": "$name现在状态如何",
        "visible": "旁人看得出$name的什么情状",
        "other_position": "$other现在身在何处",
        "other_state": "$other现在状态如何",
        "other_visible": "旁人看得出$other的什么情状",
        "time": "时间",
        "location": "地点",
        "description": "周围此刻的景象",
        "concluded": "故事到此结束",
        "hidden": "此后谁不被察觉",
        "belief": "我是谁、身在何处、身心如何",
        "desire": "我想要什么",
        "intention": "我打算做什么",
        "others": "我怎么看其他人",
        "scene": "眼下的局面对我意味着什么",
        "bearing": "因此我会怎样行事",
    },
}
"""For each field of a form, and each task of prose, what it asks: `$name` is the one who answers, or whose turn it is,
`$other` the one whom that affects."""

HINTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "dialogue": "The words alone; leave it empty to stay silent",
        "dialogue alone": "The words alone. To stay silent, write $silence",
        "reaction alone": "One act that can be seen, without words",
    },
    "zh": {
        "dialogue": "只写台词；若沉默不语，则不填",
        "dialogue alone": "只写台词。若沉默不语，请写$silence",
        "reaction alone": "只写一个看得见的动作，不写台词",
    },
}

CHOICES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "nobody": "nobody",
        "everybody": "everybody",
        "all there": "all who are there",
        "as meant": "as $name means it: $names",
        "recognises": "$by recognises $alias: it is $who",
        "is hidden": "$by neither sees nor hears $who",
    },
    "zh": {
        "nobody": "无人",
        "everybody": "所有人",
        "all there": "在场的人都在内",
        "as meant": "如$name所愿：$names",
        "recognises": "$by认出$alias就是$who",
        "is hidden": "$by看不见也听不见$who",
    },
}
"""What can be chosen besides names."""

PARTS: Mapping[Language, Mapping[str, str]] = {
    "en": {"more": "More", "surroundings": "Environment", "hidden": "Somebody came, left or hid"},
    "zh": {"more": "更多", "surroundings": "环境", "hidden": "有人到来、离开或躲藏"},
}
"""The titles of fields that stand together."""

SUBMIT: Mapping[Language, str] = {"en": "Play it", "zh": "就这样演"}
