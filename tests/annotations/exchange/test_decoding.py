"""The encoding of a text file: certain, or named by people; what is uncertain is shown as it would read."""

import re

import pytest

from annotations.errors import EncodingError
from annotations.exchange.decoding import ENCODINGS, as_utf8, certain_encoding, cut_short, decode, is_text, readings
from tests.fakes.in_english import in_english

PROSE = "话说天下大势，分久必合，合久必分。这是一个很长的故事，说的是他们在路上遇到的人和事。\n"
FEW = "item,scene\na,西游记\n"
CODECS = {
    "UTF-8": "utf-8", "UTF-16": "utf-16", "UTF-16LE": "utf-16-le", "UTF-16BE": "utf-16-be", "GB18030": "gb18030",
    "Big5": "big5", "Windows-1252": "cp1252",
}  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        (FEW.encode(), "UTF-8"),
        (FEW.encode("utf-8-sig"), "UTF-8"),
        (FEW.encode("utf-16"), "UTF-16"),
        (PROSE.encode("gb18030"), "GB18030"),
        (b"", "UTF-8"),
    ],
)
def test_what_is_certain_is_read(raw, encoding):
    text, known = decode(raw)
    assert known == certain_encoding(raw) == encoding
    assert text == raw.decode(CODECS[encoding]).removeprefix("\ufeff")


@pytest.mark.parametrize("encoding", ["GB18030", "Big5", "UTF-16LE", "UTF-16BE"])
def test_few_letters_make_nothing_certain_but_can_be_named(encoding):
    text = FEW if encoding != "Big5" else "item,scene\na,西遊記\n"
    raw = text.encode(CODECS[encoding])
    assert certain_encoding(raw) is None
    with pytest.raises(EncodingError, match="--encoding"):
        decode(raw)
    assert readings(raw)[encoding] == [text.splitlines()[1]]
    assert decode(raw, encoding) == (text, encoding)


def test_the_lines_that_are_shown_are_those_that_tell_encodings_apart():
    raw = ("# about\n" * 50 + "’tis a naïve façade\n").encode("cp1252")
    assert readings(raw)["Windows-1252"] == ["’tis a naïve façade"]
    assert all(line for lines in readings(raw).values() for line in lines)


def test_big5_that_can_be_read_as_gb18030_is_not_taken_for_it():
    raw = "西遊記，話說天下大勢，分久必合，合久必分，這是一個很長的故事，說的是他們在路上遇到的人和事".encode("big5")
    assert certain_encoding(raw) is None
    assert readings(raw)["Big5"][0].startswith("西遊記")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_what_is_not_in_the_encoding_that_is_named_is_refused(encoding):
    if encoding in ("UTF-16LE", "UTF-16BE", "UTF-16"):
        raw = "西游记".encode() + b"\xd8\xd8"
    else:
        raw = b"name\n\xff\x81\xff\x00"
    with pytest.raises(EncodingError):
        decode(raw, encoding)


def test_the_line_of_a_fault_is_told():
    with pytest.raises(EncodingError, match=r"byte 5 \(line 2\) is not UTF-8"):
        decode(b"a\nbc\xe9\n", "UTF-8")
    with pytest.raises(EncodingError, match=r"byte 5 \(line 2\) is not UTF-8, and no other encoding is certain"):
        decode(b"a\nbc\xe9\n")


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16", "GB18030"])
@pytest.mark.parametrize("named", [False, True])
def test_a_file_that_is_cut_short_is_known_for_what_it_is_and_told_where_it_ends(encoding, named):
    raw = (PROSE * 2).rstrip().encode(CODECS[encoding])[:-1]
    assert certain_encoding(raw) == encoding
    with pytest.raises(
        EncodingError, match=rf"byte \d+ \(line \d\) is not {encoding}; .*may be truncated or damaged: "
    ) as e:
        decode(raw, encoding if named else None)
    assert "save" not in str(e.value)


def test_one_damaged_byte_leaves_utf_8_what_it_is():
    raw = bytearray((PROSE * 3).encode())
    raw[len(PROSE.encode()) + 3] = 0xFF
    with pytest.raises(
        EncodingError, match=rf"byte {len(PROSE.encode()) + 4} \(line 2\) is not UTF-8; .*truncated or damaged"
    ):
        decode(bytes(raw))


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Größe, façade, “PERÒ”: déjà vu à Orléans", "cp1252"),
        (PROSE, "gb18030"),
        ("联通", "gb18030"),
        ("話說天下大勢，分久必合，合久必分", "big5hkscs"),
        ("むかしむかし、おじいさんとおばあさんがいました", "shift-jis"),
        ("Жил-был у бабушки серенький козлик", "cp1251"),
    ],
)
def test_no_other_encoding_is_taken_for_damaged_utf_8(text, encoding):
    for cut in range(3):
        raw = (text * 9).encode(encoding)
        assert certain_encoding(raw[: len(raw) - cut]) in (None, "GB18030" if encoding == "gb18030" else None)


@pytest.mark.parametrize(("encoding", "left"), [("UTF-8", 2), ("GB18030", 1)])
def test_few_letters_of_which_the_last_is_cut_are_told_to_be_cut_short(encoding, left):
    raw = FEW.rstrip().encode(CODECS[encoding])[:-1]
    told = (
        f"if the file is {encoding}, it is cut off within the character at byte {len(raw) - left + 1} (line 2):"
        " download it again"
    )
    assert encoding not in readings(raw)
    assert told in in_english(cut_short(raw))
    with pytest.raises(EncodingError, match=re.escape(told)):
        decode(raw)
    with pytest.raises(EncodingError, match="may be cut short"):
        decode(raw, encoding)


def test_nothing_is_cut_short_where_the_last_letter_is_whole():
    for encoding in ("utf-8", "gb18030", "cp1252"):
        assert cut_short("naïve".encode(encoding)) == []


def test_ascii_in_utf_16_is_no_utf_8_though_it_is_named():
    with pytest.raises(EncodingError, match="this is not UTF-8 text"):
        decode("item,scene".encode("utf-16-le"), "UTF-8")


def test_what_is_no_text_has_no_encoding_to_choose():
    assert readings(b"\x00\xff\x00\xd8\x00") == {}
    with pytest.raises(EncodingError, match="not text in any supported encoding"):
        decode(b"\x00\xff\x00\xd8\x00")


def test_only_plain_text_is_put_into_utf_8():
    raw = FEW.encode("gb18030")
    assert as_utf8("a.csv", raw, "GB18030").decode() == FEW
    assert as_utf8("a.docx", b"PK\x03\x04", None) == b"PK\x03\x04"
    assert not is_text("a.json", b"\x89PNG\r\n")
    assert not is_text("a.toml", raw), "it is UTF-8 by its definition"
    with pytest.raises(EncodingError, match=r"a\.docx: this is not a plain text file"):
        as_utf8("a.docx", raw, "GB18030")
    with pytest.raises(EncodingError, match=r"a\.csv: byte \d+ is not UTF-8"):
        as_utf8("a.csv", raw, "UTF-8")
