"""The text of a file and its chapters: what is read, and that all else gets one clear line."""

import random
from pathlib import Path

import pytest

from characterbox.crafting.sources import source as of_sources
from characterbox.crafting.sources.paragraphs import heading_key
from characterbox.crafting.sources.source import pasted_source, read_source, read_source_bytes
from characterbox.errors import SceneError
from tests.crafting.files import CONTAINER, a_docx, a_pdf, an_epub, refusal, titles, zipped

ALICE = """Alice's Adventures

 CHAPTER I. Down the Rabbit-Hole
 CHAPTER II. The Pool of Tears
 CHAPTER III. A Caucus-Race
 CHAPTER IV. The Rabbit


CHAPTER I.
Down the Rabbit-Hole

Alice was beginning to get very tired of sitting by her sister on the
bank, and of having nothing to do: once or twice she had peeped into the
book her sister was reading.

So she was considering in her own mind whether the pleasure would be worth
the trouble of getting up.


Suddenly a White Rabbit ran close by her, and she followed it across the
field into the hole.

CHAPTER II.
The Pool of Tears

"Curiouser and curiouser!" cried Alice, and she was so much surprised that
for the moment she quite forgot how to speak.
"""
SANGUO = """三国演义

第一回　宴桃园豪杰三结义　斩黄巾英雄首立功
　　话说天下大势，分久必合，合久必分。
　　第一回合他便输了。
第二回　张翼德怒鞭督邮
　　玄德曰：“是的，我有一个人在那里等他。”
　　说罢便走了。
"""


def test_a_wrapped_text_has_its_lines_joined_and_its_contents_passed_over() -> None:
    found = read_source_bytes("alice.txt", ALICE.encode())
    assert titles(found) == ["CHAPTER I. Down the Rabbit-Hole", "CHAPTER II. The Pool of Tears"]
    first, second = found.chapters
    assert first.end == second.start
    assert second.end == len(found.text)
    assert found.text[second.start :].startswith('CHAPTER II.\nThe Pool of Tears\n\n"Curiouser')
    assert "sitting by her sister on the bank, and of having" in found.text
    assert "getting up.\n\n\nSuddenly" in found.text, "a wider gap stays wider"
    assert "reading.\n\nSo she" in found.text


def test_a_text_with_a_paragraph_a_line_keeps_them() -> None:
    found = read_source_bytes("三国.txt", SANGUO.encode())
    assert titles(found) == ["第一回 宴桃园豪杰三结义 斩黄巾英雄首立功", "第二回 张翼德怒鞭督邮"]
    assert found.text.endswith("玄德曰：“是的，我有一个人在那里等他。”\n\n说罢便走了。")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
def test_the_same_text_in_each_encoding_that_is_read(encoding: str) -> None:
    assert read_source_bytes("a.txt", SANGUO.encode(encoding)) == read_source_bytes("a.txt", SANGUO.encode())


@pytest.mark.parametrize(
    "raw",
    [
        ALICE.encode("utf-16-le"),
        SANGUO.encode("utf-16-le"),
        "“Curiouser!” cried Alice — naïve as she was".encode("cp1252"),
        "話說天下大勢，分久必合，合久必分。周末七國分爭，並入于秦。".encode("big5"),
        "Жил-был у бабушки серенький козлик".encode("cp1251"),
        "むかしむかし、おじいさんとおばあさんがいました".encode("shift-jis"),
        random.Random(1).randbytes(5_000),
        b"\xff\xfe\x00",
        b"\xff\xfe\x00\x00A\x00\x00\x00",
    ],
)
def test_no_encoding_is_guessed(raw: bytes) -> None:
    assert "UTF-" in refusal("a.txt", raw)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Chapter I", "chapter i"),
        ("CHAPTER 12. The End", "chapter 12"),
        ("Chapter Twenty-One", "chapter twenty-one"),
        ("PART ONE\nThe Sea", "part one"),
        ("Book the First", "book the first"),
        ("ACT III", "act iii"),
        ("Prologue", "prologue"),
        ("第一回", "第一回"),
        ("第十二章 初遇", "第十二章"),
        ("第三章初遇", "第三章"),
        ("楔子", "楔子"),
        ("卷二 归来", "卷二"),
        ("Book I was reading then.", None),
        ("Part of it was gone.", None),
        ("Chapter 3 was missing.", None),
        ("第一回合他便输了。", None),
        ("第二章的稿子丢了", None),
        ("He read Chapter I", None),
        ("", None),
    ],
)
def test_headings_by_their_wording(text: str, key: str | None) -> None:
    assert heading_key(text) == key


def test_markdown_has_chapters_by_its_headings() -> None:
    raw = b"# The Hotel\n\nA clerk\nwaits.\n\n## Night ##\n### The safe\nIt is open.\n\n***\n\nChapter 1\n"
    found = read_source_bytes("hotel.md", raw)
    assert found.text == "The Hotel\n\nA clerk\nwaits.\n\nNight\n\nThe safe\n\nIt is open.\n\n\n***\n\nChapter 1"
    assert titles(found) == ["The Hotel", "Night"]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>'
FILE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'


@pytest.mark.parametrize("xml", [BOMB, FILE])
def test_entities_are_refused_wherever_they_stand(xml: str) -> None:
    package = '<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
    package += '<spine><itemref idref="a"/></spine></package>'
    for raw in (
        zipped({"META-INF/container.xml": xml}),
        zipped({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": xml}),
        zipped({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package, "OEBPS/a.xhtml": xml}),
        zipped({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package, "OEBPS/a.xhtml": xml.encode("utf-16")}),
    ):
        assert "entities" in refusal("a.epub", raw)
    assert "entities" in refusal("a.docx", zipped({"word/document.xml": xml}))


@pytest.mark.parametrize(
    ("name", "files", "told"),
    [
        ("a.epub", {"x": "y"}, "not an e-book"),
        ("a.epub", {"META-INF/container.xml": CONTAINER}, "the package file it refers to is missing"),
        ("a.epub", {"META-INF/container.xml": "<a"}, "its XML is damaged"),
        ("a.epub", {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": "<package/>"}, "lists no pages"),
        ("a.docx", {"x": "y"}, "not a Word file"),
        ("a.docx", {"../word/document.xml": "y"}, "points outside the archive"),
        ("a.docx", {"word/document.xml": "<w:document"}, "its XML is damaged"),
    ],
)
def test_archives_that_are_something_else(name: str, files: dict[str, str | bytes], told: str) -> None:
    assert told in refusal(name, zipped(files))


def test_an_encrypted_e_book_and_an_old_word_file() -> None:
    locked = '<encryption><CipherData><CipherReference URI="OEBPS/Text/page%200.xhtml"/></CipherData></encryption>'
    assert "DRM" in refusal("a.epub", an_epub("<p>x</p>", **{"META-INF/encryption.xml": locked}))
    assert "password" in refusal("a.docx", b"\xd0\xcf\x11\xe0" + bytes(100))


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("a.docx", a_docx(("Heading 1", "Night"), ("Normal", "A clerk waits. " * 50))),
        ("a.epub", an_epub("<h1>Night</h1>" + "<p>A clerk waits.</p>" * 50)),
        ("a.pdf", a_pdf(*[["A clerk waits."] * 20] * 3)),
    ],
)
def test_a_file_that_is_cut_off_is_read_or_refused_with_one_line(name: str, raw: bytes) -> None:
    whole = read_source_bytes(name, raw).text
    told = []
    for cut in range(1, len(raw), max(len(raw) // 40, 1)):
        try:
            assert read_source_bytes(name, raw[:cut]).text in whole
        except SceneError as error:
            told.append(str(error))
    assert told
    assert not [line for line in told if not line.startswith(f"{name}: ") or "\n" in line]


def outcome(name: str, raw: bytes) -> str:
    """Whether a file is read, or refused as it should be; any other error is one of the test."""
    try:
        return "read" if read_source_bytes(name, raw).text else "nothing"
    except SceneError as error:
        return "refused" if str(error).startswith(f"{name}: ") and "\n" not in str(error) else str(error)


@pytest.mark.parametrize("seed", range(40))
def test_a_file_with_damage_within_is_read_or_refused(seed: int) -> None:
    draw = random.Random(seed)

    def damaged(raw: bytes) -> bytes:
        at, to = sorted(draw.sample(range(len(raw)), 2))
        return raw[:at] + draw.randbytes(draw.randint(0, 9)) + raw[draw.choice([at, at + 9, to]) :]

    page = "<html xmlns='http://www.w3.org/1999/xhtml'><body><h1>Night</h1><p>A clerk &amp; a guest.</p></body></html>"
    package = b'<package><manifest><item id="a" href="a.xhtml" media-type="text/html"/></manifest><spine>'
    package += b'<itemref idref="a"/></spine></package>'
    book = {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package, "OEBPS/a.xhtml": page}
    body = "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'><w:body><w:p><w:r>"
    body += "<w:t>A clerk waits.</w:t></w:r></w:p></w:body></w:document>"
    assert outcome("a.epub", zipped(book)) == outcome("a.docx", zipped({"word/document.xml": body})) == "read"
    for name, raw in (
        ("a.epub", zipped(book | {"OEBPS/a.xhtml": damaged(page.encode())})),
        ("a.epub", zipped(book | {"OEBPS/book.opf": damaged(package)})),
        ("a.docx", zipped({"word/document.xml": damaged(body.encode())})),
        ("a.pdf", damaged(a_pdf(["A clerk waits."] * 20))),
    ):
        assert outcome(name, raw) in ("read", "refused")


def test_what_is_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "empty" in refusal("a.txt", b"")
    assert "no text" in refusal("a.txt", b"\n\n * * *\n")
    assert "no text" in refusal("a.epub", an_epub(""))
    assert "file extension" in refusal("a.mobi", b"x")
    assert "not a PDF" in refusal("a.pdf", b"x" * 2000)
    assert "exceed the limit" in refusal("a.txt", bytes(200_000_001))
    with pytest.raises(SceneError, match="the file does not exist"):
        read_source(tmp_path / "none.txt")
    monkeypatch.setattr(of_sources, "MOST_CHARACTERS", 10)
    assert "it has more than 10 characters" in refusal("a.txt", b"A clerk waits.")


def test_a_pasted_text_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Chapter 1\r\n\r\nA clerk\x00 waits.")
    with pytest.raises(SceneError):
        read_source(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_bytes(b"Chapter 1\r\n\r\nA clerk waits.")
    assert read_source(tmp_path / "a.txt") == pasted_source("a.txt", "Chapter 1\n\nA clerk waits.")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "told"),
    [("<w:p/>", "it has more than 3,000,000 elements"), (" " * 100, "bytes exceed the limit of 100,000,000")],
)
def test_a_part_whose_tree_would_fill_the_memory_is_refused(unit: str, told: str) -> None:
    body = unit * (3_000_001 if unit.strip() else 1_000_001)
    assert told in refusal("a.docx", zipped({"word/document.xml": f"<w:document>{body}</w:document>"}))
