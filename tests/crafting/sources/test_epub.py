"""E-books as sources: read along the spine, in the encodings that their pages declare."""

import pytest

from characterbox.crafting.sources import source as of_sources
from characterbox.crafting.sources.source import read_source_bytes
from tests.crafting.files import CONTAINER, an_epub, refusal, titles, zipped


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
        (page.encode("gb18030"), "byte 16 is not valid UTF-8, and no encoding is declared; save the book in UTF-8"),
        (
            b'<?xml version="1.0" encoding="UTF-8"?>' + page.encode("gb18030"),
            "byte 54 is not valid in the declared encoding UTF-8",
        ),
        (
            b'<?xml version="1.0" encoding="GBK"?>' + page.encode("utf-16-be"),
            "is not valid in the declared encoding GBK",
        ),
        (b'<?xml version="1.0" encoding="x-odd"?>' + page.encode(), "the declared encoding x-odd is not supported"),
        (b'<?xml version="1.0" encoding="zip"?>' + page.encode(), "the declared encoding zip is not supported"),
        (page.encode("utf-16") + b"\xd8", "is not valid in the declared encoding UTF-16"),
    ):
        refused = refusal("a.epub", a_book(raw))
        assert refused.startswith("a.epub: OEBPS/Text/page 0.xhtml: "), refused
        assert told in refused


def test_a_page_that_the_spine_names_many_times_is_read_once() -> None:
    package = '<package><manifest><item id="a" href="a.xhtml" media-type="text/html"/>'
    package += '<item id="b" href="x/../a.xhtml#end" media-type="text/html"/></manifest><spine>'
    package += '<itemref idref="a"/><itemref idref="b"/>' * 5_000 + "</spine></package>"
    raw = zipped({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package, "OEBPS/a.xhtml": "<p>A clerk.</p>"})
    assert read_source_bytes("a.epub", raw).text == "A clerk."


def test_no_page_is_read_beyond_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_sources, "MOST_CHARACTERS", 100)
    raw = an_epub(*["<p>A clerk waits.</p>"] * 10, '<!DOCTYPE x [<!ENTITY a "a">]>')
    assert "it has more than" in refusal("a.epub", raw)
