"""A scene written for what characters can perceive: a masked guest, a whisper, a hidden hand and a locked room; with
the replies of a story of two rounds, in which the guest is recognised and the door is opened."""

import json
from collections.abc import Mapping
from typing import Any

from characterbox.llm.request import Request
from characterbox.play.paths import path_of
from characterbox.scenes.scene import Alias, Environment, Profile, Scene
from characterbox.values import Language

Texts = Mapping[str, str]

EN: Texts = {
    "title": "A fox at the countess's table",
    "work": "Carnival nights",
    "time": "Carnival night, an hour before the unmasking",
    "location": "The dining hall of a house on the canal",
    "hall": "A long table is laid for four. A low door with an iron bolt leads down to the wine cellar.",
    "host": "Vera Lund", "guest": "Aldo Renn", "steward": "Tomas", "prisoner": "Mila",
    "alias": "the guest in the fox mask", "title of the guest": "Captain Renn",
    "host is": "The countess keeps forged letters in her desk.",
    "guest is": "He is Aldo Renn, whom the countess had banished, and he has come for the letters.",
    "steward is": "The steward served Aldo Renn as a boy and knows him by his limp.",
    "prisoner is": "The maid read the letters and was locked up for it.",
    "host face": "a tall woman in green silk", "guest face": "a lean man in a fox mask who limps",
    "steward face": "an old man in livery", "prisoner face": "a girl with dust in her hair",
    "host at": "At the head of the table", "guest at": "In the chair by the window",
    "steward at": "Beside the sideboard", "prisoner at": "On the cellar steps, behind the bolted door",
    "host state": "Pleased, and a little bored", "guest state": "Tense under the mask",
    "steward state": "Frightened for his old master", "prisoner state": "Cold and furious",
    "host does": "Vera Lund fills the glass of the guest in the fox mask to the brim.",
    "host says": "One hour, and we shall see who drinks my wine.",
    "guest feels it": "The wine runs over his glove.",
    "guest reacts": "Aldo Renn drinks the glass to the last drop.",
    "first result": "Aldo Renn has emptied the glass, and red drops stain the cloth.",
    "guest felt": "The wine burns in the cut on his lip.",
    "guest does": "Aldo Renn leans towards Tomas as if to ask for bread.",
    "guest whispers": "Are the letters still in the desk?",
    "steward hears it": "The breath of the question reaches his ear.",
    "steward reacts": "Tomas lays a slice of bread on the plate.",
    "second result": "A slice of bread lies on the plate before Aldo Renn.",
    "steward does": "Tomas slides the cellar key under the napkin.",
    "nobody notices": "The key lies under the napkin.",
    "prisoner does": "Mila strikes the door with both fists.",
    "prisoner says": "Let me out!",
    "steward hears knocking": "Dull blows come from behind the sideboard.",
    "steward coughs": "Tomas coughs and lets a spoon fall.",
    "third result": "A spoon lies on the floor by the sideboard.",
    "host unmasks": "Vera Lund reaches out and pulls the fox mask off.",
    "host wonders": "Now then, who are you?",
    "guest is bare": "His face is bare in the candlelight.",
    "guest stands": "Aldo Renn rises and looks at her without a word.",
    "recognition": "The mask is off, and Vera Lund looks into the face of Aldo Renn.",
    "guest opens": "Aldo Renn draws back the bolt and throws the cellar door open.",
    "guest calls": "Come out, whoever you are.",
    "prisoner is free": "Light falls on the steps.",
    "prisoner comes": "Mila runs up into the hall.",
    "fifth result": "Mila stands in the hall, blinking.",
    "in the hall": "Beside the open cellar door", "dust": "Dust drifts from the cellar door.",
    "tears": "tears on both cheeks",
    "steward kneels": "Tomas kneels down before Aldo Renn.",
    "nothing": "Nobody is moved by it.",
    "prisoner thanks": "Mila takes the hand of the lean man.", "prisoner asks": "Who are you?",
    "thought": "I keep this to myself, as {name}.",
}  # fmt: skip
ZH: Texts = {
    "title": "夫人席上的狐狸面具",
    "work": "上元夜话",
    "time": "狂欢夜，离揭面具还有一个时辰",
    "location": "河边大宅的饭厅",
    "hall": "长桌上摆了四副碗筷。一扇带铁闩的矮门通往酒窖。",
    "host": "柳夫人", "guest": "沈越舟", "steward": "老田", "prisoner": "小满",
    "alias": "戴狐狸面具的客人", "title of the guest": "沈校尉",
    "host is": "夫人的书案里藏着几封伪造的书信。",
    "guest is": "此人便是被夫人逼走的沈越舟，今夜是为那些书信来的。",
    "steward is": "管家从前伺候过沈越舟，凭那条跛腿便认得出来。",
    "prisoner is": "丫鬟偷看了书信，因此被锁了起来。",
    "host face": "穿绿绸衣裳的高个子妇人", "guest face": "戴狐狸面具的瘦削男子，走路微跛",
    "steward face": "穿号衣的老人", "prisoner face": "头发上沾着灰的姑娘",
    "host at": "长桌上首", "guest at": "窗边的椅子上",
    "steward at": "碗橱旁边", "prisoner at": "酒窖台阶上，隔着上了闩的门",
    "host state": "心情不错，略觉无聊", "guest state": "面具底下十分紧张",
    "steward state": "替旧主人提心吊胆", "prisoner state": "又冷又怒",
    "host does": "柳夫人给戴狐狸面具的客人斟了满满一杯酒。",
    "host says": "再过一个时辰，就知道是谁在喝我的酒了。",
    "guest feels it": "酒漫出来，浸湿了手套。",
    "guest reacts": "沈越舟把酒喝得一滴不剩。",
    "first result": "沈越舟的杯子空了，桌布上溅了几点红。",
    "guest felt": "酒烧着嘴唇上的伤口。",
    "guest does": "沈越舟向老田探过身去，像是要讨一块饼。",
    "guest whispers": "信还在书案里么？",
    "steward hears it": "问话的气息拂过耳边。",
    "steward reacts": "老田把一块饼放进盘子里。",
    "second result": "沈越舟面前的盘子里多了一块饼。",
    "steward does": "老田把酒窖的钥匙塞到餐巾底下。",
    "nobody notices": "钥匙压在餐巾底下。",
    "prisoner does": "小满用两只拳头捶门。",
    "prisoner says": "放我出去！",
    "steward hears knocking": "碗橱后头传来闷闷的捶打声。",
    "steward coughs": "老田咳了一声，把勺子碰落在地。",
    "third result": "碗橱旁的地上躺着一把勺子。",
    "host unmasks": "柳夫人伸手扯下了那张狐狸面具。",
    "host wonders": "好了，你到底是谁？",
    "guest is bare": "那张脸在烛光里露了出来。",
    "guest stands": "沈越舟站起身，一言不发地望着对面。",
    "recognition": "面具掉了，柳夫人看清了沈越舟的脸。",
    "guest opens": "沈越舟拔开铁闩，推开了酒窖的门。",
    "guest calls": "里面是谁？出来吧。",
    "prisoner is free": "灯光照到了台阶上。",
    "prisoner comes": "小满跑上来，进了饭厅。",
    "fifth result": "小满站在饭厅里，眯着眼睛。",
    "in the hall": "敞开的酒窖门边", "dust": "灰尘从酒窖门口飘出来。",
    "tears": "两颊都是泪痕",
    "steward kneels": "老田在沈越舟面前跪了下来。",
    "nothing": "没有谁受到影响。",
    "prisoner thanks": "小满拉住那个瘦削男子的手。", "prisoner asks": "你是谁？",
    "thought": "这话只在我{name}心里。",
}  # fmt: skip
TEXTS: Mapping[Language, Texts] = {"en": EN, "zh": ZH}
ROUNDS = 2


def scene(language: Language) -> Scene:
    """The countess and her steward, the guest whom she does not know, and the maid whom they neither see nor hear."""
    t = TEXTS[language]
    host, guest, steward, prisoner = (t[who] for who in ("host", "guest", "steward", "prisoner"))

    def profile(who: str, **more: Any) -> Profile:
        told = {"description": t[f"{who} is"], "position": t[f"{who} at"], "state": t[f"{who} state"]}
        return Profile(name=t[who], **told, public_face=t[f"{who} face"], **more)

    return Scene(
        id="masked-guest", title=t["title"], work=t["work"], language=language, origin="original",
        environment=Environment(time=t["time"], location=t["location"], description=t["hall"]),
        cast=(
            profile("host", unseen_by=(prisoner,)),
            profile(
                "guest", known_as=(Alias(name=t["alias"], by=(host, prisoner)),),
                other_names=(t["title of the guest"],), unseen_by=(prisoner,),
            ),
            profile("steward", unseen_by=(prisoner,)),
            profile("prisoner", unseen_by=(host, guest, steward)),
        ),
    )  # fmt: skip


def replies(language: Language) -> dict[str, str]:
    """What narrator and characters reply, by path."""
    t = TEXTS[language]
    host, guest, steward, prisoner = (t[who] for who in ("host", "guest", "steward", "prisoner"))
    told: dict[str, Any] = {}

    def act(round: int, who: str, action: str, said: str | None = None, **more: Any) -> None:
        told[path_of(round, who, "action")] = {"action": t[action], "dialogue": said and t[said], **more}

    def touch(round: int, who: str, affected: str | None, effect: str, **more: Any) -> None:
        told[path_of(round, who, "influence")] = {"affected": affected, "effect": t[effect], "importance": 4, **more}

    def answer(round: int, who: str, affected: str, reaction: str, result: str, **more: Any) -> None:
        told[path_of(round, who, "reaction", affected)] = t[reaction]
        told[path_of(round, who, "result")] = {"result": t[result], "importance": 5, **more}

    def update(round: int, who: str, **more: Any) -> None:
        told[path_of(round, who, "updates")] = {"concluded": False, **more}

    act(1, host, "host does", "host says")
    touch(1, host, guest, "guest feels it")
    answer(1, host, guest, "guest reacts", "first result", felt=t["guest felt"])
    update(1, host)
    act(1, guest, "guest does", "guest whispers", to=steward, whispered=True)
    touch(1, guest, steward, "steward hears it")
    answer(1, guest, steward, "steward reacts", "second result")
    update(1, guest)
    act(1, steward, "steward does", unseen=True)
    touch(1, steward, None, "nobody notices")
    update(1, steward)
    act(1, prisoner, "prisoner does", "prisoner says")
    touch(1, prisoner, steward, "steward hears knocking", seen_by=[], heard_by=[steward])
    answer(1, prisoner, steward, "steward coughs", "third result", seen_by=[host, guest])
    update(1, prisoner)
    act(2, host, "host unmasks", "host wonders", to=t["alias"])
    touch(2, host, guest, "guest is bare")
    answer(2, host, guest, "guest stands", "recognition", recognised=[{"who": guest, "by": [host]}])
    update(2, host)
    act(2, guest, "guest opens", "guest calls")
    touch(2, guest, prisoner, "prisoner is free", heard_by=[host, steward, prisoner])
    answer(2, guest, prisoner, "prisoner comes", "fifth result", seen_by=[host, steward])
    freed = {"other_position": t["in the hall"], "other_visible": t["tears"], "hidden": []}
    update(2, guest, description=f"{t['hall']} {t['dust']}" if language == "en" else t["hall"] + t["dust"], **freed)
    act(2, steward, "steward kneels")
    touch(2, steward, None, "nothing")
    update(2, steward)
    act(2, prisoner, "prisoner thanks", "prisoner asks")
    touch(2, prisoner, None, "nothing")
    update(2, prisoner)
    for round in range(ROUNDS + 1):
        for who in (host, guest, steward, prisoner):
            thought = t["thought"].format(name=who)
            told[path_of(round, who, "self-belief")] = dict.fromkeys(("belief", "desire", "intention"), thought)
            told[path_of(round, who, "environment-belief")] = dict.fromkeys(("others", "scene", "bearing"), thought)
    return {
        path: text if isinstance(text, str) else json.dumps(text, ensure_ascii=False) for path, text in told.items()
    }


def text_of(request: Request) -> str:
    """All that a request tells."""
    return "\n".join(message.content for message in request.messages)
