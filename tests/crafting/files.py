"""Files of texts, made as those make them who save them: Word files by python-docx, e-books and PDFs by hand."""

import io
import zipfile
from collections.abc import Sequence

import docx
import pytest

from characterbox.crafting.sources.source import Source, read_source_bytes
from characterbox.errors import SceneError

CONTAINER = """<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">
<rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""


def zipped(files: dict[str, str | bytes]) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return found.getvalue()


def a_docx(*paragraphs: tuple[str, str]) -> bytes:
    """A Word file of paragraphs, each with its style."""
    document = docx.Document()
    for style, text in paragraphs:
        document.add_paragraph(text, style=style)
    found = io.BytesIO()
    document.save(found)
    return found.getvalue()


def an_epub(*pages: str, **more: str | bytes) -> bytes:
    """An e-book whose pages have these bodies."""
    names = [f"Text/page {number}.xhtml" for number in range(len(pages))]
    items = "".join(
        f'<item id="p{number}" href="{name.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(names)
    )
    places = "".join(f'<itemref idref="p{number}"/>' for number in range(len(pages)))
    package = f"""<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
    <manifest><item id="css" href="a.css" media-type="text/css"/>{items}</manifest><spine>{places}</spine></package>"""
    head = '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
    texts = {
        f"OEBPS/{name}": f"{head}<head><title>No text</title></head><body>{page}</body></html>"
        for name, page in zip(names, pages, strict=True)
    }
    return zipped({"META-INF/container.xml": CONTAINER, "OEBPS/book.opf": package, **texts, **more})


def a_pdf(*pages: Sequence[str], trailer: str = "") -> bytes:
    """A PDF with these lines on its pages, in Helvetica."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        shown = " T* ".join(f"({line}) Tj" for line in lines)
        stream = f"BT /F1 12 Tf 14 TL 50 750 Td {shown} ET"
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    written = "%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(written))
        written += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start, size = len(written), len(objects) + 1
    written += f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n"
    return f"{written}<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode("latin-1")


def titles(source: Source) -> list[str]:
    """The titles of its chapters."""
    return [one.title for one in source.chapters]


def refusal(name: str, raw: bytes) -> str:
    """Why a file is no source, in one line that names it and says what to do."""
    with pytest.raises(SceneError) as caught:
        read_source_bytes(name, raw)
    told = str(caught.value)
    assert told.startswith(f"{name}: ")
    assert "; " in told
    assert "\n" not in told
    return told
