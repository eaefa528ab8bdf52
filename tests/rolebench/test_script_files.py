"""Scripts in files: as lines where the layout tells who speaks, else as paragraphs."""

import pytest

from characterbox.errors import RoleError
from characterbox.rolebench import script_files
from characterbox.rolebench.script_files import read_script
from characterbox.roles.scripts import Script
from tests.crafting.files import a_docx, a_pdf, an_epub

LINES = [
    "INT. BOATHOUSE - DAY",
    "",
    "               ROOK",
    "          Who rowed the",
    "          boat?",
    "",
    "He points at the oars.",
    "",
    "               VANE",
    "          Nobody.",
]
SAID = [
    (None, "INT. BOATHOUSE - DAY"),
    ("Rook", "Who rowed the boat?"),
    (None, "He points at the oars."),
    ("Vane", "Nobody."),
]


def turns(script: Script) -> list[tuple[str | None, str]]:
    return [(one.turn.speaker, one.turn.text) for one in script.turns]


def refusal(name: str, raw: bytes) -> str:
    with pytest.raises(RoleError) as caught:
        read_script(name, raw)
    return str(caught.value)


@pytest.mark.parametrize("name", ["boat.txt", "boat.MD"])
def test_a_text_file_is_read_line_by_line(name: str) -> None:
    found = read_script(name, "\r\n".join(LINES).encode("utf-8-sig"))
    assert (found.name, found.format, turns(found)) == (name, "screenplay", SAID)


def test_a_text_in_an_encoding_that_is_named() -> None:
    raw = "罗探长：谁划的船？\n文太太：没有人。".encode("big5", "replace")
    assert read_script("a.txt", raw, encoding="Big5").format == "chinese"
    with pytest.raises(RoleError, match="not UTF-8"):
        read_script("a.txt", "VANE: caf\xe9".encode("cp1252"))


def test_a_file_of_fountain_is_fountain() -> None:
    assert read_script("boat.fountain", b"ROOK\nWho rowed?\n\n>He points<").format == "fountain"
    assert read_script("boat.fountain", b"ROOK: Who rowed?", "lines").format == "lines"


def test_a_pdf_keeps_its_columns() -> None:
    assert turns(read_script("boat.pdf", a_pdf(LINES))) == SAID


def test_running_heads_of_a_pdf_are_left_out_and_names_at_the_top_of_a_page_are_not() -> None:
    pages = [["The Tide     1.", *LINES[:6]], ["The Tide     2.", "", *LINES[6:]]]
    more = [["The Tide     3.", "", "               VANE (CONT'D)", "          I was asleep."]]
    found = read_script("boat.pdf", a_pdf(*(tuple(page) for page in [*pages, *more])))
    assert turns(found) == [*SAID, ("Vane", "I was asleep.")]


def test_paragraphs_of_a_word_file_and_of_an_e_book() -> None:
    texts = ["INT. BOATHOUSE - DAY", "ROOK", "(softly)", "Who rowed?", "He points.", "VANE", "Nobody."]
    said = [
        (None, "INT. BOATHOUSE - DAY"),
        ("Rook", "(softly) Who rowed?"),
        (None, "He points."),
        ("Vane", "Nobody."),
    ]
    word = a_docx(*(("Normal", text) for text in texts))
    assert turns(read_script("boat.docx", word)) == said
    book = an_epub("".join(f"<p>{text}</p>" for text in texts))
    assert turns(read_script("boat.epub", book)) == said


def test_a_file_that_cannot_be_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "the file extension must be one of .txt, .md, .markdown, .fountain, .pdf, .docx, .epub" in refusal(
        "a.csv", b"x"
    )
    assert "not a Word file" in refusal("a.docx", an_epub("<p>x</p>"))
    assert "not a PDF" in refusal("a.pdf", b"x")
    assert "scan" in refusal("a.pdf", a_pdf([], []))
    assert "it contains no text" in refusal("a.txt", b" \n ")
    monkeypatch.setattr(script_files, "LARGEST", 8)
    assert "9 bytes exceed the limit of 8" in refusal("a.txt", b"ROOK: No.")
    monkeypatch.setattr(script_files, "LARGEST", 9)
    monkeypatch.setattr(script_files, "MOST_CHARACTERS", 8)
    assert "more than 8 characters" in refusal("a.txt", b"ROOK: No.")
