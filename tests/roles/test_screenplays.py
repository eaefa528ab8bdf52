"""Screenplays, in which names stand above speeches: by columns, by blank lines, and in Fountain."""

import pytest

from characterbox.roles.scripts import parse_script
from tests.roles.reading import script, turns

INDENTED = """
    FADE IN:

    INT. CLOCKMAKER'S SHOP - NIGHT

    Forty clocks disagree about
    the hour. MRS. VANE dusts one.

                        MRS. VANE
                      (not turning)
                We are closed, unless it
                is about the tall clock.

                        INSPECTOR ROOK (O.S.)
                It is always about the tall
                clock.

                                            CUT TO:

    EXT. HARBOUR - DAWN

    Fog.

                        MRS. VANE
                He lied.
"""


def test_columns_tell_names_speeches_and_narration() -> None:
    found = script(INDENTED)
    assert found.format == "screenplay"
    assert found.acts == ("INT. CLOCKMAKER'S SHOP - NIGHT", "EXT. HARBOUR - DAWN")
    assert [(one.act, one.turn.speaker, one.turn.text, one.line) for one in found.turns] == [
        (1, None, "INT. CLOCKMAKER'S SHOP - NIGHT\nForty clocks disagree about the hour. MRS. VANE dusts one.", 3),
        (1, "Mrs. Vane", "(not turning) We are closed, unless it is about the tall clock.", 8),
        (1, "Inspector Rook", "It is always about the tall clock.", 13),
        (2, None, "EXT. HARBOUR - DAWN\nFog.", 19),
        (2, "Mrs. Vane", "He lied.", 23),
    ]
    assert found.left_out == {"transition": (1, 17)}


def test_a_speech_goes_on_over_the_end_of_a_page() -> None:
    text = """
                        ROOK
                The tide took the key, and
                                (MORE)


                                            (CONTINUED)

                                                  31A.
    7   CONTINUED: (2)                                     7
                        ROOK (CONT'D)
                nobody saw it go.

    He shrugs.

                        VANE
                I saw.
    """
    found = script(text)
    assert [(one.turn.speaker, one.turn.text) for one in found.turns] == [
        ("Rook", "The tide took the key, and nobody saw it go."),
        (None, "He shrugs."),
        ("Vane", "I saw."),
    ]
    assert found.left_out == {"continued": (3, 6, 9), "page": (8,)}


def test_a_speech_of_several_paragraphs_is_one_turn_where_columns_tell_it() -> None:
    text = """
    Wind.

                ROOK
            First, the rope.

            Then the lantern.

    He stops.

                VANE
            Go on.
    """
    assert turns(text)[1] == ("Rook", "First, the rope.\nThen the lantern.")


def test_what_somebody_does_before_the_first_words_belongs_to_the_turn() -> None:
    text = """
    Wind.

                ROOK
    He lights the lamp.
            There.

    The flame holds.

            It burns.

                VANE
            So it does.
    """
    assert turns(text) == [
        (None, "Wind."),
        ("Rook", "(He lights the lamp.) There."),
        (None, "The flame holds."),
        ("Rook", "It burns."),
        ("Vane", "So it does."),
    ]


def test_without_columns_a_blank_line_ends_a_speech() -> None:
    text = """
    INT. BOATHOUSE - DAY

    ROOK
    (softly)
    Who rowed?
    RUN

    He points at the oars.

    VANE (wringing her hands)
    Nobody.
    """
    assert turns(text) == [
        (None, "INT. BOATHOUSE - DAY"),
        ("Rook", "(softly) Who rowed? RUN"),
        (None, "He points at the oars."),
        ("Vane", "(wringing her hands) Nobody."),
    ]


def test_where_each_line_is_a_paragraph_the_one_below_the_name_is_said() -> None:
    text = "ROOK\n\n(softly)\n\n12\n\nHe counts again.\n\nVANE\n\nThirteen.\n\nSilence."
    assert turns(text) == [
        ("Rook", "(softly) 12"),
        (None, "He counts again."),
        ("Vane", "Thirteen."),
        (None, "Silence."),
    ]


def test_a_name_that_nobody_speaks_under_is_narration() -> None:
    text = """
    Wind.

                THE LONG NIGHT

                ROOK
            Listen.

                VANE
            To what?
    """
    assert turns(text)[0] == (None, "Wind.\nTHE LONG NIGHT")


@pytest.mark.parametrize("shot", ["LATER", "CLOSE ON THE LAMP", "THE END"])
def test_a_shot_is_no_speaker(shot: str) -> None:
    text = f"ROOK\n\nListen.\n\n{shot}\n\nThe lamp burns low.\n\nVANE\n\nI do."
    assert [speaker for speaker, _ in turns(text)] == ["Rook", None, "Vane"]


FOUNTAIN = """
    Title: The Tall Clock
    Author:
        Somebody

    # Part the first

    .THE WORKSHOP #4#

    Springs everywhere. [[Too many?
    Ask.]] One uncoils.

    @McBride (on the stairs)
    Mind the
    ~pendulum, pendulum

    ROOK ^
    I always do.

    = He does not.

    !SNAP
    The spring breaks.

    > FADE TO BLACK.

    /* INT. NOWHERE

    ROOK
    Cut. */

    >Ten years pass<

    ===

    INT. HALL - DAY

    MCBRIDE
    (older)
    Again?
"""


def test_fountain_says_by_its_syntax_what_a_line_is() -> None:
    found = script(FOUNTAIN)
    assert found.format == "fountain"
    assert found.acts == ("Part the first, THE WORKSHOP", "INT. HALL - DAY")
    assert [(one.act, one.turn.speaker, one.turn.text) for one in found.turns] == [
        (1, None, "THE WORKSHOP\nSprings everywhere. One uncoils."),
        (1, "McBride", "(on the stairs) Mind the\npendulum, pendulum"),
        (1, "Rook", "I always do."),
        (1, None, "SNAP\nThe spring breaks.\nTen years pass"),
        (2, None, "INT. HALL - DAY"),
        (2, "McBride", "(older) Again?"),
    ]
    assert found.left_out == {
        "title page": (1, 2, 3), "note": (26, 27, 28, 29, 9, 10), "synopsis": (19,), "transition": (24,), "page": (33,),
    }  # fmt: skip


def test_two_blanks_keep_a_speech_of_fountain_together() -> None:
    found = parse_script("case.txt", "Title: X\n\nROOK\nOne.\n  \nTwo.\n\nHe goes.\n")
    assert [one.turn.text for one in found.turns] == ["One. Two.", "He goes."]


def test_a_name_of_fountain_stands_between_a_blank_line_and_a_speech() -> None:
    text = "Title: X\n\nROOK\n\nHe is named, and silent.\nVANE\nso is she.\n\nROOK\nNow."
    assert [speaker for speaker, _ in turns(text, "fountain")] == [None, "Rook"]


def test_a_note_that_does_not_end_is_text() -> None:
    assert turns("Title: X\n\nRain. [[forever\n\nROOK\nYes. /* no")[1] == ("Rook", "Yes. /* no")
