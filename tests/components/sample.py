"""Two small stories with every kind of step, one in English and one in Chinese, as the player is given them."""

from collections.abc import Sequence
from typing import Any

from annotations.i18n.translation import Tongue, speaking
from characterbox.components.player.text import player_words
from characterbox.pause_reasons import Reason
from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    Reaction,
    SelfBelief,
    StoryEnded,
)
from characterbox.play.settings import Settings
from characterbox.scenes.scene import Environment, Profile, Scene
from characterbox.stage.live.visibility import as_shown

LIGHTHOUSE = Scene(
    id="lighthouse",
    title="The Lamp That Would Not Light",
    work="The Skerry Papers",
    language="en",
    origin="original",
    environment=Environment(
        time="An hour before dusk, in November",
        location="The lamp room of the Skerry light",
        description="The great lens stands dark. Wind presses on the panes, and far out a coaster is beating home.",
    ),
    cast=(
        Profile(
            name="Maud Tarrant",
            description="Keeper of the light for twenty years.",
            position="At the foot of the lens, kneeling beside the oil pump",
            state="Calm on the outside, counting the minutes of daylight that are left",
        ),
        Profile(
            name="Elias",
            description="Her nephew, sixteen, new on the rock.",
            position="On the iron stair, one hand on the rail",
            state="Cold, ashamed, and hoping nobody asks who filled the reservoir",
        ),
        Profile(
            name="Inspector Pell",
            description="Sent by the harbour board.",
            position="By the western window with his notebook",
            state="Patient and a little bored",
        ),
    ),
)


def _turn_of_maud(path: str = "r1/maud-tarrant") -> list[Event]:
    at: dict[str, Any] = {"round": 1, "turn": "Maud Tarrant"}
    maud, elias = "Maud Tarrant", "Elias"
    return [
        Action(
            path=f"{path}/action",
            character=maud,
            text="Maud draws the feed pipe from its collar, tips it over a palm and holds the wet hand to the window. "
            "She looks at the colour for a long moment before she turns towards the stair.",
            **at,
        ),
        Dialogue(
            path=f"{path}/dialogue",
            character=maud,
            text="There is sea water in the oil, Elias. Come here and tell me what you see.",
            **at,
        ),
        ActionInfluence(
            path=f"{path}/influence",
            character=maud,
            affected=elias,
            text="He knows that she knows. The open hand is an invitation as much as an accusation.",
            importance=7,
            **at,
        ),
        Reaction(
            path=f"{path}/reaction/elias",
            character=elias,
            to=maud,
            text="Elias comes down the last three steps, wipes his nose on his sleeve and says, to her hand rather "
            "than to her face, that he left the cask open in the rain.",
            **at,
        ),
        InteractionResult(
            path=f"{path}/result",
            character=maud,
            affected=elias,
            text="The admission costs him less than the silence did. Maud gives him the pipe, and with it the task; "
            "the inspector, who has heard everything, writes nothing down.",
            importance=8,
            **at,
        ),
        CharacterUpdate(
            path=f"{path}/update/maud-tarrant",
            character=maud,
            position="At the foot of the lens, standing beside the oil pump",
            state="Calm, counting the minutes of daylight that are left, but no longer alone with the task",
            **at,
        ),
        CharacterUpdate(
            path=f"{path}/update/elias",
            character=elias,
            position="Beside Maud at the pump, the feed pipe in both hands",
            state="Cold, relieved, and determined to be of use",
            **at,
        ),
        EnvironmentUpdate(
            path=f"{path}/environment",
            time="Three quarters of an hour before dusk, in November",
            location="The lamp room of the Skerry light",
            description="The great lens stands dark, its feed pipe taken out. Wind presses on the panes, and far out a "
            "coaster is beating home.",
            **at,
        ),
    ]


def _turn_of_elias() -> list[Event]:
    at: dict[str, Any] = {"round": 1, "turn": "Elias"}
    path = "r1/elias"
    return [
        Action(
            path=f"{path}/action",
            character="Elias",
            text="He pours the fouled oil into the bucket, drop by drop, until only the clean half is left.",
            **at,
        ),
        Dialogue(path=f"{path}/dialogue", character="Elias", text="", **at),
        ActionInfluence(
            path=f"{path}/influence",
            character="Elias",
            affected=None,
            text="The others let him work.",
            importance=3,
            **at,
        ),
        CharacterUpdate(
            path=f"{path}/update/elias",
            character="Elias",
            position="Beside Maud at the pump, the feed pipe in both hands",
            state="Cold, relieved, and wholly taken up by the work",
            **at,
        ),
        EnvironmentUpdate(
            path=f"{path}/environment",
            time="Three quarters of an hour before dusk, in November",
            location="The lamp room of the Skerry light",
            description="The great lens stands dark, its feed pipe taken out. Wind presses on the panes, and far out a "
            "coaster is beating home.",
            **at,
        ),
    ]


def _turn_of_pell() -> list[Event]:
    at: dict[str, Any] = {"round": 1, "turn": "Inspector Pell"}
    path = "r1/inspector-pell"
    return [
        Action(
            path=f"{path}/action",
            character="Inspector Pell",
            text="The inspector closes his notebook, takes off his good gloves and rolls up one sleeve.",
            **at,
        ),
        Dialogue(
            path=f"{path}/dialogue",
            character="Inspector Pell",
            text="I was a lamp boy myself once. Where do you keep the spirit stove?",
            **at,
        ),
        ActionInfluence(
            path=f"{path}/influence",
            character="Inspector Pell",
            affected=None,
            text="",
            importance=None,
            degraded=True,
            reason=Reason("told", what="The reply named a character who is not in the scene."),
            **at,
        ),
        CharacterUpdate(
            path=f"{path}/update/inspector-pell",
            character="Inspector Pell",
            position="By the pump, kneeling next to the boy",
            state="Patient, and no longer bored",
            **at,
        ),
        EnvironmentUpdate(
            path=f"{path}/environment",
            time="Half an hour before dusk, in November",
            location="The lamp room of the Skerry light",
            description="The great lens stands dark, but a spirit stove burns blue beneath the pump. Wind presses on "
            "the panes, and the coaster has come abreast of the outer buoy.",
            **at,
        ),
    ]


def _beliefs(round_number: int, lines: dict[str, tuple[str, str, str, str, str, str]]) -> list[Event]:
    events: list[Event] = []
    for name, (belief, desire, intention, others, scene, bearing) in lines.items():
        slug = name.lower().replace(" ", "-")
        events += [
            SelfBelief(
                path=f"r{round_number}/{slug}/self-belief",
                round=round_number,
                character=name,
                belief=belief,
                desire=desire,
                intention=intention,
            ),
            EnvironmentBelief(
                path=f"r{round_number}/{slug}/environment-belief",
                round=round_number,
                character=name,
                others=others,
                scene=scene,
                bearing=bearing,
            ),
        ]
    return events


def _english_events() -> list[Event]:
    first = {
        "Maud Tarrant": (
            "I can trust the boy with a tool, if not yet with a cask.",
            "The light burning before the coaster turns for the channel.",
            "Warm the pump and let Elias fill it.",
            "Elias has owned up; Pell is kinder than his letters.",
            "Half an hour of daylight, and clean oil for one night.",
            "I need three pairs of hands, and I have them.",
        ),
        "Elias": (
            "I did wrong and it can still be mended.",
            "To see the lamp lit by something I did.",
            "Watch the stove and say so if it falters.",
            "Aunt Maud is not angry; the inspector is helping us.",
            "The oil must be warm before it is dark.",
            "I had better not look away from the flame.",
        ),
    }
    second = {
        "Maud Tarrant": (
            "I can trust the boy with a tool, and now with a cask.",
            "The light burning before the coaster turns for the channel.",
            "Let Elias strike the match.",
            "Elias has owned up; Pell is kinder than his letters.",
            "The lamp is ready, and the ship is close.",
            "There is nothing left to wait for.",
        ),
    }
    at: dict[str, Any] = {"round": 2, "turn": "Maud Tarrant"}
    return [
        *_turn_of_maud(),
        *_turn_of_elias(),
        *_turn_of_pell(),
        *_beliefs(1, first),
        Action(
            path="r2/maud-tarrant/action",
            character="Maud Tarrant",
            text="She works the pump until the wick is soaked, then holds the matchbox out to her nephew.",
            **at,
        ),
        Dialogue(path="r2/maud-tarrant/dialogue", character="Maud Tarrant", text="Your turn at the light.", **at),
        ActionInfluence(
            path="r2/maud-tarrant/influence",
            character="Maud Tarrant",
            affected="Elias",
            text="It is the first time she has let another hand light the lamp.",
            importance=10,
            **at,
        ),
        Reaction(
            path="r2/maud-tarrant/reaction/elias",
            character="Elias",
            to="Maud Tarrant",
            text="He strikes three matches. The third one holds.",
            **at,
        ),
        InteractionResult(
            path="r2/maud-tarrant/result",
            character="Maud Tarrant",
            affected="Elias",
            text="The flame climbs, the lens gathers it, and out on the water a ship's bell answers twice.",
            importance=9,
            **at,
        ),
        EnvironmentUpdate(
            path="r2/maud-tarrant/environment",
            time="Dusk, in November",
            location="The lamp room of the Skerry light",
            description="The great lens turns, full of light. Wind presses on the panes, and the coaster has turned "
            "for the channel.",
            concluded=True,
            **at,
        ),
        *_beliefs(2, second),
        StoryEnded(path="end", round=2, because="concluded"),
    ]


ENGLISH_EVENTS = _english_events()

TEAHOUSE = Scene(
    id="teahouse",
    title="雨夜茶馆",
    work="渡口旧事",
    language="zh",
    origin="original",
    environment=Environment(
        time="深秋，二更将尽",
        location="渡口边的老茶馆",
        description="雨打着油纸窗，堂中只点一盏灯。末班渡船已经离岸，河上隐约有人喊船。",
    ),
    cast=(
        Profile(
            name="沈掌柜",
            description="茶馆主人，年过五十。",
            position="柜台后面，手里拨着算盘",
            state="面上平静，心里惦记着楼上的客人",
        ),
        Profile(
            name="阿青",
            description="跑堂的姑娘。",
            position="门边，正要上门板",
            state="又冷又困，只想早些歇息",
        ),
    ),
)


def _chinese_events() -> list[Event]:
    one: dict[str, Any] = {"round": 1, "turn": "沈掌柜"}
    two: dict[str, Any] = {"round": 1, "turn": "阿青"}
    return [
        Action(
            path="r1/沈掌柜/action",
            character="沈掌柜",
            text="沈掌柜停下算盘，侧耳听了听河上的喊声，随即端起那盏灯，从柜台后面绕了出来，朝门口走去。",
            **one,
        ),
        Dialogue(
            path="r1/沈掌柜/dialogue",
            character="沈掌柜",
            text="门板先别上。阿青，你听，河上那人喊的是谁的名字？",
            **one,
        ),
        ActionInfluence(
            path="r1/沈掌柜/influence",
            character="沈掌柜",
            affected="阿青",
            text="阿青从没见掌柜亲自端灯出来过，她明白今夜来的不是寻常客人。",
            importance=7,
            **one,
        ),
        Reaction(
            path="r1/沈掌柜/reaction/阿青",
            character="阿青",
            to="沈掌柜",
            text="阿青放下门板，把耳朵贴近门缝，听了半晌，脸色慢慢变了。她回过头来，低声说：喊的是您的名字。",
            **one,
        ),
        InteractionResult(
            path="r1/沈掌柜/result",
            character="沈掌柜",
            affected="阿青",
            text="灯焰晃了一晃。两人谁也没有再说话，雨声却像是忽然近了许多。",
            importance=8,
            **one,
        ),
        CharacterUpdate(
            path="r1/沈掌柜/update/沈掌柜",
            character="沈掌柜",
            position="门边，手里端着灯",
            state="面上平静，心里已经猜到来人是谁",
            **one,
        ),
        CharacterUpdate(
            path="r1/沈掌柜/update/阿青",
            character="阿青",
            position="门边，门板靠在一旁",
            state="困意全消，有些害怕",
            **one,
        ),
        EnvironmentUpdate(
            path="r1/沈掌柜/environment",
            time="深秋，二更将尽",
            location="渡口边的老茶馆",
            description="雨打着油纸窗，灯已移到门边，堂中暗了下来。末班渡船已经离岸，河上有人喊着掌柜的名字。",
            **one,
        ),
        Action(path="r1/阿青/action", character="阿青", text="阿青取下墙上的蓑衣，披在身上，推开了半扇门。", **two),
        Dialogue(path="r1/阿青/dialogue", character="阿青", text="", **two),
        ActionInfluence(
            path="r1/阿青/influence",
            character="阿青",
            affected=None,
            text="",
            importance=None,
            degraded=True,
            reason=Reason("told", what="回复中的人物不在场景之内。"),
            **two,
        ),
        CharacterUpdate(
            path="r1/阿青/update/阿青",
            character="阿青",
            position="半开的门前，披着蓑衣",
            state="困意全消，有些害怕",
            **two,
        ),
        EnvironmentUpdate(
            path="r1/阿青/environment",
            time="深秋，三更",
            location="渡口边的老茶馆",
            description="雨从半开的门里飘进来，灯已移到门边，堂中暗了下来。河上的喊声停了。",
            concluded=True,
            **two,
        ),
        *_beliefs(
            1,
            {
                "沈掌柜": (
                    "该来的总会来。",
                    "保住楼上的客人。",
                    "先请来人喝一碗热茶。",
                    "阿青比我想的有胆量。",
                    "渡船已走，谁也离不开这里。",
                    "今夜只能在这间屋里把话说清。",
                ),
            },
        ),
        StoryEnded(path="end", round=1, because="concluded"),
    ]


CHINESE_EVENTS = _chinese_events()


def words_in(language: Tongue) -> dict[str, Any]:
    """What the player says around a story."""
    with speaking(language):
        return player_words()


def player_data(scene: Scene, events: Sequence[Event], **changes: Any) -> dict[str, Any]:
    """What the player is given for an ended story in playback; `changes` replace whole entries."""
    english = scene.language == "en"
    labels = ["qwen2.5-7b-instruct", "glm-4-9b-chat", "gpt-4o-mini"]
    data: dict[str, Any] = {
        "story": {
            "id": f"story-{scene.id}",
            "title": scene.title,
            "status": "ended",
            "reason": None,
            "rounds": 2 if english else 1,
            "seed": 1,
            "narrator": "gpt-4o",
            "models": dict(zip(scene.names, labels, strict=False)),
            "rehearsal": "all",
            "embedder": None,
            "settings": Settings().model_dump(mode="json"),
            "refused": {},
            "people": [],
            "branch": None,
        },
        "scene": scene.model_dump(mode="json"),
        "events": as_shown(scene, events),
        "live": None,
        "mode": "playback",
        "at": None,
        "eyes": [],
        "show_models": True,
        "journal": None,
        "words": words_in(scene.language),
    }
    return data | changes
