"""Scripts in which names stand before speeches: with a colon, with a full stop, and in Chinese."""

import pytest

from tests.roles.reading import refusal, script, turns


def test_names_with_a_colon_as_they_are_written() -> None:
    text = """
    **ROOK:** Who wound it?
    **VANE** (from the stairs): Not I.
    Rook (V.O.): Remember: nobody did.
    VANE [aside]: He knows.
    """
    assert turns(text) == [
        ("Rook", "Who wound it?"),
        ("Vane", "(from the stairs) Not I."),
        ("Rook", "Remember: nobody did."),
        ("Vane", "[aside] He knows."),
    ]


def test_a_transcript_has_times_and_actions() -> None:
    text = """
    [00:01:07] VANE: Is it on?

    00:01:09 --> 00:01:12

    ROOK (01:12): It is.
    [laughter, and a chair
    that falls]
    Go on.
    """
    found = script(text)
    assert [(one.turn.speaker, one.turn.text) for one in found.turns] == [
        ("Vane", "Is it on?"),
        ("Rook", "It is."),
        (None, "laughter, and a chair that falls"),
        ("Rook", "Go on."),
    ]
    assert found.left_out == {"time": (1, 3)}


def test_a_speech_of_several_paragraphs_is_one_turn() -> None:
    text = """
    VANE: My mother had a clock that ran
    backwards.

    She never was late.

    ROOK: How?
    """
    found = script(text)
    assert [one.turn.text for one in found.turns] == [
        "My mother had a clock that ran backwards.\nShe never was late.",
        "How?",
    ]
    assert found.unnamed == (4,)


def test_paragraphs_without_a_name_are_narration_where_one_stands_before_the_first_speech() -> None:
    text = """
    The shop is dark, and forty clocks tick.

    VANE: Closed.

    The door opens
    all the same.

    ROOK: Only me.
    """
    assert turns(text) == [
        (None, "The shop is dark, and forty clocks tick."),
        ("Vane", "Closed."),
        (None, "The door opens all the same."),
        ("Rook", "Only me."),
    ]


def test_what_tells_of_the_script_is_narration() -> None:
    text = """
    Time: winter
    NARRATOR: It snowed.
    ROOK: It does.
    Narrator: It stopped.

    Then it rained.
    VANE: It does.
    """
    assert turns(text) == [
        (None, "Time: winter\nIt snowed."),
        ("Rook", "It does."),
        (None, "It stopped.\nThen it rained."),
        ("Vane", "It does."),
    ]


PLAY = """
    ACT I.

    SCENE 1. A cellar, with a clock.

    Enter ROOK, with a lamp.

    ROOK. What, is the hour so old
    That even clocks have laid their hands to rest
      upon their faces?

    And yet it ticks.

    [Enter MRS. VANE.]

    MRS. VANE.
    (Aside.)
    He has found it.
    _Come up, sir!_

    ROOK [turning]. Madam.
    CUT TO:

    ACT II.

    MRS. VANE. Too late.
"""


def test_a_stage_play_has_names_with_a_full_stop() -> None:
    found = script(PLAY)
    assert found.format == "play"
    assert found.acts == ("ACT I., SCENE 1. A cellar, with a clock.", "ACT II.")
    assert [(one.act, one.turn.speaker, one.turn.text) for one in found.turns] == [
        (1, None, "SCENE 1. A cellar, with a clock.\nEnter ROOK, with a lamp."),
        (1, "Rook", "What, is the hour so old\nThat even clocks have laid their hands to rest upon their faces?\n"
            "And yet it ticks."),
        (1, None, "Enter MRS. VANE."),
        (1, "Mrs. Vane", "(Aside.) He has found it."),
        (1, None, "Come up, sir!"),
        (1, "Rook", "[turning] Madam."),
        (2, "Mrs. Vane", "Too late."),
    ]  # fmt: skip


def test_italic_names_of_a_play_may_have_small_letters() -> None:
    assert turns("_Rook._ Hark!\n\n_Vane._ What?\n\n_Exeunt._") == [
        ("Rook", "Hark!"),
        ("Vane", "What?"),
        (None, "Exeunt."),
    ]


def test_the_numbers_of_a_list_are_no_names() -> None:
    assert [speaker for speaker, _ in turns("ROOK. Three things.\n\nII. The rope.\n\nVANE. Go on.")] == ["Rook", "Vane"]


CHINESE = """
    第一幕 钟表铺

    时间：深夜
    △四十只钟各走各的。

    文太太：（头也不抬）打烊了。
    罗探长（画外音）：我只问那只落地钟。
    【门开了】
    文太太:你又来了。

    你总是半夜来。
    旁白：钟敲了十三下。

    第二场 码头 日 外

    罗探长：他撒谎！
"""


def test_a_script_in_chinese() -> None:
    found = script(CHINESE)
    assert found.format == "chinese"
    assert found.acts == ("第一幕 钟表铺", "第二场 码头 日 外")
    assert [(one.act, one.turn.speaker, one.turn.text) for one in found.turns] == [
        (1, None, "第一幕 钟表铺\n时间：深夜\n四十只钟各走各的。"),
        (1, "文太太", "（头也不抬）打烊了。"),
        (1, "罗探长", "我只问那只落地钟。"),
        (1, None, "门开了"),
        (1, "文太太", "你又来了。\n你总是半夜来。"),
        (1, None, "钟敲了十三下。"),
        (2, None, "第二场 码头 日 外"),
        (2, "罗探长", "他撒谎！"),
    ]
    assert found.unnamed == (11,)


def test_blanks_may_part_a_name_in_chinese_from_the_speech() -> None:
    text = """
    序幕
    文太太　　打烊了。
    罗探长　　（推门）我只问一句。
    〔钟声。
    文太太　　问吧。
    """
    assert turns(text) == [
        ("文太太", "打烊了。"),
        ("罗探长", "（推门）我只问一句。"),
        (None, "钟声。"),
        ("文太太", "问吧。"),
    ]


@pytest.mark.parametrize(
    "heading",
    ["1、日 内 钟表铺", "3-2 钟表铺 夜 内", "场景三：码头", "内景 钟表铺 日", "【第十二集】", "第3场", "尾声"],
)
def test_headings_in_chinese_begin_acts(heading: str) -> None:
    found = script(f"文太太：早。\n\n{heading}\n\n罗探长：早。")
    assert found.acts == (heading.strip("【】"),)
    assert found.turns[-1].act == 1


@pytest.mark.parametrize(
    "heading",
    ["ACT TWO", "Scene 3", "EPISODE 12: The Tide", "Chapter the Last", "## The harbour", "PROLOGUE", "INT. HALL"],
)
def test_headings_begin_acts(heading: str) -> None:
    found = script(f"VANE: Morning.\n\n{heading}\n\nROOK: Morning.")
    assert found.acts == (heading.lstrip("# "),)
    assert found.turns[-1].act == 1


@pytest.mark.parametrize("line", ["Part of me knew.", "Act one way, think another.", "第一回合我就输了，你知道。"])
def test_sentences_are_no_headings(line: str) -> None:
    assert script(f"VANE: Morning.\n\n{line}\n\nROOK: Morning.").acts == ()


@pytest.mark.parametrize(
    "novel",
    [
        "“你是谁？”他问。\n\n行者道：“我是送钟的。”\n\n八戒笑道：“师兄！”\n\n他们走了。\n\n天黑了。",
        "It was late.\n\n'Who is there?' said Mrs. Vane.\n\nNobody answered: the clocks had stopped.\n\nTHE END",
        "CHAPTER I\n\nMy dear Sir: the clock came on Monday. " + "It ticks and ticks.\n\n" * 30,
    ],
)
def test_the_prose_of_a_novel_is_no_script(novel: str) -> None:
    assert "no speaker was found" in refusal(novel)
