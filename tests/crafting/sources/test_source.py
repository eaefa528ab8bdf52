"""The text of a file and its chapters: what is read, and that all else gets one clear line."""

import io
import random
from pathlib import Path

import docx
import pytest
from docx.oxml import parse_xml

from characterbox.crafting.sources import source as of_sources
from characterbox.crafting.sources.paragraphs import heading_key
from characterbox.crafting.sources.source import Source, pasted_source, read_source, read_source_bytes
from characterbox.errors import SceneError
from tests.crafting.files import CONTAINER, a_docx, a_pdf, an_epub, zipped

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


def titles(source: Source) -> list[str]:
    return [one.title for one in source.chapters]


def refusal(name: str, raw: bytes) -> str:
    with pytest.raises(SceneError) as caught:
        read_source_bytes(name, raw)
    told = str(caught.value)
    assert told.startswith(f"{name}: ")
    assert "; " in told
    assert "\n" not in told
    return told


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


def test_a_word_file_has_chapters_by_its_styles() -> None:
    raw = a_docx(("Title", "The Hotel"), ("Heading 1", "Night"), ("Normal", "A clerk waits."), ("Heading 3", "Later"))
    found = read_source_bytes("hotel.docx", raw)
    assert found.text == "The Hotel\n\nNight\n\nA clerk waits.\n\nLater"
    assert [(one.title, one.start, one.end) for one in found.chapters] == [("Night", 11, 39)]


def test_a_word_file_without_styles_has_chapters_by_their_wording() -> None:
    raw = a_docx(("Normal", "第一章 夜"), ("Normal", "店员在等。"))
    assert titles(read_source_bytes("hotel.docx", raw)) == ["第一章 夜"]


def test_what_was_inserted_in_a_word_file_is_read_and_what_was_deleted_is_not() -> None:
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    document = docx.Document()
    for marked in (
        '<w:r><w:t>Mr </w:t></w:r><w:smartTag w:element="name"><w:r><w:t>Holmes</w:t></w:r></w:smartTag>'
        '<w:ins w:id="1"><w:r><w:t xml:space="preserve"> slowly</w:t></w:r></w:ins>'
        '<w:del w:id="2"><w:r><w:delText> never</w:delText></w:r></w:del><w:r><w:t xml:space="preserve"> rose</w:t>'
        "<w:br/><w:t>and left.</w:t></w:r>",
    ):
        document.element.body.insert(0, parse_xml(f"<w:p {space}>{marked}</w:p>"))
    document.add_table(1, 1).cell(0, 0).text = "In a table."
    written = io.BytesIO()
    document.save(written)
    assert read_source_bytes("a.docx", written.getvalue()).text == "Mr Holmes slowly rose\nand left.\n\nIn a table."


def test_an_e_book_is_read_along_its_spine() -> None:
    raw = an_epub(
        "<nav><ol><li>Night</li></ol></nav><h1>Night</h1><p>A&nbsp;clerk <em>waits</em>,\n and caf&eacute;s close.</p>",
        "<div>Before<p>within</p>after</div><hr/><p>One<br/>two &amp; <ruby>漢<rt>kan</rt></ruby></p><a id='x'/>tail",
        "<h2>Dawn</h2><h3>The safe</h3>",
    )
    found = read_source_bytes("hotel.epub", raw)
    assert found.text == (
        "Night\n\nA clerk waits, and cafés close.\n\nBefore\n\nwithin\n\nafter\n\n\nOne\ntwo & 漢\n\ntail"
        "\n\nDawn\n\nThe safe"
    )
    assert titles(found) == ["Night", "Dawn"]


def test_a_page_that_is_no_well_formed_xml_is_read_as_browsers_do() -> None:
    assert read_source_bytes("a.epub", an_epub("<p>One<p>two é <b>three")).text == "One\n\ntwo é three"


CLERK = "掌柜守在柜台后面，夜里的雨下个不停：镕、囍。"
"""Two of its letters are in GBK, and not in GB2312."""


def a_book(page: bytes) -> bytes:
    """An e-book of one page."""
    return an_epub("", **{"OEBPS/Text/page 0.xhtml": page})


@pytest.mark.parametrize("broken", [False, True])
def test_a_page_is_read_in_the_encoding_that_it_declares(broken: bool) -> None:
    space, lines = 'xmlns="http://www.w3.org/1999/xhtml"', "<p>1<br><p>" if broken else "<p>1</p><p>"

    def page(text: str, xml: str = "", meta: str = "") -> str:
        said = f'<?xml version="1.0" encoding="{xml}"?>' if xml else ""
        head = f'<meta charset="{meta}"/>' if meta else ""
        return f"{said}<html {space}><head>{head}</head><body>{lines}{text}</p></body></html>"

    old = '<meta http-equiv="Content-Type" content="text/html; charset=gb2312"/>'
    for raw, text in (
        *((page(CLERK, xml=name).encode("gb18030"), CLERK) for name in ("gb2312", "GBK", "GB18030")),
        *((page(CLERK, meta=name).encode("gb18030"), CLERK) for name in ("gb2312", "gbk", "GB18030")),
        (page(CLERK).replace("<head>", f"<head>{old}").encode("gb18030"), CLERK),
        (page(CLERK).encode(), CLERK),
        (page(CLERK).encode("utf-8-sig"), CLERK),
        (page(CLERK, meta="gb2312").encode(), CLERK),
        (page(CLERK, xml="utf-16").encode(), CLERK),
        (page(CLERK).encode("utf-16"), CLERK),
        (page(CLERK, xml="UTF-16").encode("utf-16"), CLERK),
        (page(CLERK, xml="UTF-16").encode("utf-16-le"), CLERK),
        (page(CLERK, xml="UTF-16").encode("utf-16-be"), CLERK),
        (page("掌櫃守著櫃台。", xml="Big5").encode("big5"), "掌櫃守著櫃台。"),
        (page("“Café” – 1", xml="iso-8859-1").encode("cp1252"), "“Café” – 1"),
    ):
        assert read_source_bytes("a.epub", a_book(raw)).text == f"1\n\n{text}", raw


def test_a_page_that_is_in_no_encoding_that_it_declares_is_refused_with_the_place() -> None:
    page = f"<html><body><p>{CLERK}</p></body></html>"
    for raw, told in (
        (page.encode("gb18030"), "byte 16 is not UTF-8, and no encoding is declared; save the book in UTF-8"),
        (b'<?xml version="1.0" encoding="UTF-8"?>' + page.encode("gb18030"), "byte 54 is not UTF-8, which is declared"),
        (b'<?xml version="1.0" encoding="GBK"?>' + page.encode("utf-16-be"), "is not GBK, which is declared"),
        (b'<?xml version="1.0" encoding="x-odd"?>' + page.encode(), "declared as x-odd, which is not read"),
        (b'<?xml version="1.0" encoding="zip"?>' + page.encode(), "declared as zip, which is not read"),
        (page.encode("utf-16") + b"\xd8", "is not UTF-16, which is declared"),
    ):
        refused = refusal("a.epub", a_book(raw))
        assert refused.startswith("a.epub: OEBPS/Text/page 0.xhtml: "), refused
        assert told in refused


def test_a_pdf_has_its_lines_joined_and_its_page_heads_dropped() -> None:
    head = ["The Hotel"]
    pages = [
        [*head, "CHAPTER 1", "The clerk waited behind the desk, and the clock beside the stairs was won-",
         "derfully slow. He had no book.", "Somebody came in from the rain and looked at the open safe, at the", "1"],
        [*head, "clerk, and at the stairs.", "2"],
        [*head, "CHAPTER 2", "Nobody spoke until the clock beside the stairs had struck the full hour.", "3"],
        [*head, "It was midnight.", "4"],
    ]  # fmt: skip
    found = read_source_bytes("hotel.pdf", a_pdf(*pages))
    assert found.text == (
        "CHAPTER 1\n\nThe clerk waited behind the desk, and the clock beside the stairs was wonderfully slow. He had "
        "no book.\n\nSomebody came in from the rain and looked at the open safe, at the clerk, and at the stairs."
        "\n\nCHAPTER 2\n\nNobody spoke until the clock beside the stairs had struck the full hour. It was midnight."
    )
    assert titles(found) == ["CHAPTER 1", "CHAPTER 2"]


def test_the_running_heads_of_chapters_are_no_headings() -> None:
    pages = [["CHAPTER 1", "It rained.", "1"], ["2 CHAPTER 1", "It snowed."], ["The Hotel 3", "It was cold."],
             ["4 CHAPTER 1", "It thawed."], ["The Hotel 5", "It froze."], ["CHAPTER 2", "It hailed."],
             ["The Hotel 7"]]  # fmt: skip
    found = read_source_bytes("hotel.pdf", a_pdf(*pages))
    assert titles(found) == ["CHAPTER 1", "CHAPTER 2"]
    told = "CHAPTER 1 It rained. It snowed. It was cold. It thawed. It froze. CHAPTER 2 It hailed."
    assert " ".join(found.text.split()) == told


def test_a_pdf_of_pictures_and_a_locked_one() -> None:
    assert "scan" in refusal("a.pdf", a_pdf([], []))
    locked = "/Encrypt << /Filter /Standard /V 1 /R 2 /O <00> /U <00> /P -4 >> /ID [<00> <00>]"
    assert "password" in refusal("a.pdf", a_pdf(["Secret"], trailer=locked))


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
        ("a.epub", {"x": "y"}, "this is no e-book"),
        ("a.epub", {"META-INF/container.xml": CONTAINER}, "the package it names is missing"),
        ("a.epub", {"META-INF/container.xml": "<a"}, "the XML in it is damaged"),
        ("a.epub", {"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": "<package/>"}, "names no pages"),
        ("a.docx", {"x": "y"}, "this is no Word file"),
        ("a.docx", {"../word/document.xml": "y"}, "leads out of the archive"),
        ("a.docx", {"word/document.xml": "<w:document"}, "the XML in it is damaged"),
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
    assert "ending" in refusal("a.mobi", b"x")
    assert "no PDF" in refusal("a.pdf", b"x" * 2000)
    assert "more than the" in refusal("a.txt", bytes(200_000_001))
    with pytest.raises(SceneError, match="there is no such file"):
        read_source(tmp_path / "none.txt")
    monkeypatch.setattr(of_sources, "MOST_CHARACTERS", 10)
    assert "characters are more than" in refusal("a.txt", b"A clerk waits.")


def test_a_pasted_text_and_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Chapter 1\r\n\r\nA clerk\x00 waits.")
    with pytest.raises(SceneError):
        read_source(tmp_path / "a.txt")
    (tmp_path / "a.txt").write_bytes(b"Chapter 1\r\n\r\nA clerk waits.")
    assert read_source(tmp_path / "a.txt") == pasted_source("a.txt", "Chapter 1\n\nA clerk waits.")


def test_a_page_that_the_spine_names_many_times_is_read_once() -> None:
    package = '<package><manifest><item id="a" href="a.xhtml" media-type="text/html"/>'
    package += '<item id="b" href="x/../a.xhtml#end" media-type="text/html"/></manifest><spine>'
    package += '<itemref idref="a"/><itemref idref="b"/>' * 5_000 + "</spine></package>"
    raw = zipped({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package, "OEBPS/a.xhtml": "<p>A clerk.</p>"})
    assert read_source_bytes("a.epub", raw).text == "A clerk."


def test_no_page_is_read_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_sources, "MOST_CHARACTERS", 100)
    raw = an_epub(*["<p>A clerk waits.</p>"] * 10, '<!DOCTYPE x [<!ENTITY a "a">]>')
    assert "characters are more than" in refusal("a.epub", raw)


@pytest.mark.parametrize("count", [10_000, pytest.param(40_000, marks=pytest.mark.soak)])
def test_styles_of_a_word_file_that_stand_on_each_other_are_looked_at_once(count: int) -> None:
    w = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
    based = "".join(f"<w:style w:styleId='{n}'><w:basedOn w:val='{n + 1}'/></w:style>" for n in range(count))
    last = f"<w:style w:styleId='{count}'><w:name w:val='heading 1'/></w:style>"
    ring = (
        "<w:style w:styleId='x'><w:basedOn w:val='y'/></w:style><w:style w:styleId='y'><w:basedOn w:val='x'/></w:style>"
    )
    odd = f"<w:style w:styleId='z'><w:name w:val='heading {'9' * 5_000}'/></w:style>"
    lines = "".join(
        f"<w:p><w:pPr><w:pStyle w:val='{style}'/></w:pPr><w:r><w:t>Of {style}</w:t></w:r></w:p>"
        for style in ("7", "x", "z")
    )
    document = f"<w:document {w}><w:body>{lines}</w:body></w:document>"
    styles = f"<w:styles {w}>{based}{last}{ring}{odd}</w:styles>"
    found = read_source_bytes("a.docx", zipped({"word/document.xml": document, "word/styles.xml": styles}))
    assert [chapter.title for chapter in found.chapters] == ["Of 7"]
    assert found.text == "Of 7\n\nOf x\n\nOf z"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "told"),
    [("<w:p/>", "its elements are more than the 3,000,000"), (" " * 100, "bytes are more than the 100,000,000")],
)
def test_a_part_whose_tree_would_fill_the_memory_is_refused(unit: str, told: str) -> None:
    body = unit * (3_000_001 if unit.strip() else 1_000_001)
    assert told in refusal("a.docx", zipped({"word/document.xml": f"<w:document>{body}</w:document>"}))
