"""Scripts of any form: who speaks, what is left out, the rounds of a role, and what is refused."""

import re
import time
from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from characterbox.errors import RoleError
from characterbox.roles.role import MOST_ROUNDS
from characterbox.roles.scripts import FORMATS, MOST_BEFORE, Format, parse_script, rounds_of
from tests.roles.reading import refusal, script

NAMES = ("HOLMES", "DR. WATSON", "MRS HUDSON")
WORDS = ("tide", "lamp", "rope", "clock", "harbour", "fog", "oars", "key")


def test_a_name_is_one_however_it_is_written() -> None:
    found = script(
        "DR. WATSON: One.\nDr Watson: Two.\nDR. WATSON (V.O.): Three.\nRÉNÉ: Four.\nRene: Five.\nO'HARA: Six."
    )
    assert found.speakers() == Counter({"Dr Watson": 3, "Rene": 2, "O'Hara": 1})


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("MRS. O'BRIEN", "Mrs. O'Brien"),
        ("HENRY IV", "Henry IV"),
        ("ALVY'S VOICE", "Alvy's Voice"),
        ("MAN #2", "Man #2"),
    ],
)
def test_a_name_in_capitals_is_shown_as_names_are(written: str, shown: str) -> None:
    assert [*script(f"{written}\nHark.\n\nHe goes.").speakers()] == [shown]


def test_a_round_is_what_was_said_since_the_role_spoke_last() -> None:
    text = (
        "## One\n\n[Rain.]\nVANE: a\nROOK: b\nROOK: c\nVANE: d\nVANE: e\nROOK: f\nVANE: g\n\n## Two\n\nROOK: h\nVANE: i"
    )
    found = rounds_of(script(text), "Inspector Rook", ["rook"])
    assert [(one.act, [(turn.speaker, turn.text) for turn in one.turns]) for one in found] == [
        (1, [(None, "Rain."), ("Vane", "a"), ("Inspector Rook", "b\nc")]),
        (1, [("Vane", "d"), ("Vane", "e"), ("Inspector Rook", "f")]),
        (2, [("Inspector Rook", "h")]),
    ]


def test_a_round_has_the_last_turns_before_the_roles_own() -> None:
    lines = [f"VANE: {number}" for number in range(20)]
    (only,) = rounds_of(script("\n".join([*lines, "ROOK: There."])), "Rook")
    assert [turn.text for turn in only.before] == [f"{number}" for number in range(20 - MOST_BEFORE, 20)]


def test_a_role_that_never_speaks_is_refused_with_those_who_speak_most() -> None:
    found = script("\n".join(f"{name}: {word}" for name in NAMES for word in WORDS) + "\nTIM: So.")
    with pytest.raises(RoleError) as caught:
        rounds_of(found, "Moriarty", ["The Professor"])
    assert str(caught.value) == (
        "case.txt: Moriarty, The Professor never speaks; the most frequent speakers are Holmes (8), Dr. Watson (8),"
        " Mrs Hudson (8), Tim (1). Give one of these names"
    )


@pytest.mark.slow
def test_more_rounds_than_a_role_may_have_are_refused() -> None:
    text = "VANE: No.\nROOK: Yes.\n" * (MOST_ROUNDS + 1)
    with pytest.raises(RoleError, match=r"20,001 rounds of Rook exceed the limit of 20,000"):
        rounds_of(parse_script("case.txt", text), "Rook")


def test_a_text_without_speakers_is_refused_with_its_first_line() -> None:
    told = refusal("\n\nCHAPTER 1\n\nIt was late, and nobody spoke.")
    assert told.startswith(
        "case.txt: this is not a script of a known form: no speaker was found, and line 3 names none: 'It was late, and"
        " nobody spoke.'. Put each speaker in capitals"
    )
    assert refusal(" \n\n") == "case.txt: it contains no text; choose the file of a script"


def test_a_form_may_be_chosen() -> None:
    text = "It was late. " * 5 + "\n\n" + "It went on.\n\n" * 40 + "ROOK: Enough."
    assert "no speaker" in refusal(text)
    assert script(text, "lines").turns[-1].turn.speaker == "Rook"
    assert "no speaker" in refusal("ROOK: Enough.", "screenplay")


SPEECHES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)),
    min_size=2,
    max_size=20,
)
WRITTEN = {
    "screenplay": lambda name, said: f"          {name}\n     {said}\n\n",
    "fountain": lambda name, said: f"@{name}\n{said}\n\n",
    "play": lambda name, said: f"{name}. {said}\n\n",
    "lines": lambda name, said: f"{name}: {said}\n",
    "chinese": lambda name, said: f"{name}：{said}\n",
}


@pytest.mark.parametrize("form", FORMATS)
@given(speeches=SPEECHES)
def test_every_word_that_is_spoken_stands_in_one_turn(form: Format, speeches: list[tuple[str, str]]) -> None:
    numbered = [(name, f"{said} n{number}") for number, (name, said) in enumerate(speeches)]
    text = "\n\n".join(["Rain falls.", "".join(WRITTEN[form](name, said) for name, said in numbered)])
    found = parse_script("x", text, form)
    said = [(one.turn.speaker, one.turn.text) for one in found.turns if one.turn.speaker]
    shown = {"HOLMES": "Holmes", "DR. WATSON": "Dr. Watson", "MRS HUDSON": "Mrs Hudson"}
    assert said == [(shown[name], text) for name, text in numbered]
    for name in found.speakers():
        rounds = rounds_of(found, name)
        assert all(one.turns[-1].speaker == name for one in rounds)
        assert all(turn.speaker != name for one in rounds for turn in one.before)
        assert sum(len(one.answer.split("\n")) for one in rounds) == found.speakers()[name]


PIECES = st.sampled_from(
    [
        *(
            "\n",
            "\n\n",
            "  \n",
            "\t",
            "          ",
            "HOLMES",
            "Watson",
            "福尔摩斯",
            "：",
            ":",
            ".",
            "(MORE)",
            "(V.O.)",
            "[",
            "]",
        ),
        *(
            "INT. HALL - DAY",
            "ACT I",
            "第一幕",
            "△",
            "【",
            "】",
            "（笑）",
            "@",
            "^",
            "~",
            ">",
            "<",
            "=",
            "#",
            "!",
            "/*",
            "*/",
        ),
        *(
            "[[",
            "]]",
            "*",
            "_",
            "**",
            "12",
            "00:01",
            "CUT TO:",
            "Enter",
            "Title:",
            "旁白",
            "\u3000",
            "he said",
            "\ud800",
            "\x85",
        ),
    ]
)
ANY = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@example(text="", form="fountain")
@example(text="", form="screenplay")
@given(text=ANY, form=st.sampled_from([None, *FORMATS]))
def test_any_text_is_read_or_refused(text: str, form: Format | None) -> None:
    try:
        found = parse_script("x", text, form)
    except RoleError:
        return
    lines = len(re.split(r"\r\n?|\n", text))
    assert all(0 <= one.act <= len(found.acts) and 1 <= one.line <= lines for one in found.turns)
    assert [one.act for one in found.turns] == sorted(one.act for one in found.turns)
    assert all(1 <= line <= lines for numbers in found.left_out.values() for line in numbers)
    for name in found.speakers():
        assert all(one.turns[-1].speaker == name for one in rounds_of(found, name))


@given(pieces=st.lists(PIECES, max_size=30), form=st.sampled_from([None, *FORMATS]))
def test_no_word_is_lost(pieces: list[str], form: Format | None) -> None:
    text = "".join(f"{piece} word{number}." for number, piece in enumerate(pieces))
    try:
        found = parse_script("x", text, form)
    except RoleError:
        return
    lines = re.split(r"\r\n?|\n", text)
    left_out = " ".join(lines[number - 1] for numbers in found.left_out.values() for number in numbers)
    told = [f"{one.turn.speaker or ''} {one.turn.text}" for one in found.turns]
    kept = Counter(re.findall(r"word\d+", " ".join([*told, *found.acts]).lower()))
    missing = {f"word{number}" for number in range(len(pieces))} - kept.keys()
    assert missing <= {*re.findall(r"word\d+", left_out)}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_time_grows_with_the_length(form: Format) -> None:
    one = "".join(WRITTEN[form](name, " ".join(WORDS)) for name in NAMES) + "\n[Rain.]\n\n"

    def took(times: int) -> float:
        started = time.thread_time()
        parse_script("x", one * times, form)
        return time.thread_time() - started

    assert took(4_000) < 9 * min(took(1_000), took(1_000))
