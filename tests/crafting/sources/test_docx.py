"""Word files as sources: chapters by styles or wording, and what stands in them."""

import io

import docx
import pytest
from docx.oxml import parse_xml

from characterbox.crafting.sources.source import read_source_bytes
from tests.crafting.files import a_docx, titles, zipped


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
