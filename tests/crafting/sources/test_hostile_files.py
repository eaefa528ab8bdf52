"""Files made to break a reader: each gets one clear line, within the limits of the process that reads it."""

import zlib
from collections.abc import Callable

import pytest

from characterbox.crafting.sources.source import read_source_bytes
from characterbox.errors import SceneError, TooHeavy
from characterbox.processes import limited
from characterbox.processes.limited import Limits, run_limited
from tests.crafting.files import a_docx, zipped

pytestmark = pytest.mark.process


def a_pdf_with(content: bytes) -> bytes:
    """A PDF whose one page has this content, compressed."""
    packed = zlib.compress(content, 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(packed), packed),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    raw = b"%PDF-1.4\n"
    places = []
    for number, one in enumerate(objects, start=1):
        places.append(len(raw))
        raw += b"%d 0 obj\n%s\nendobj\n" % (number, one)
    table = b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return raw + table + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(raw)


def unpacking_to_much() -> bytes:
    return zipped({"word/document.xml": b" " * 210_000_000})


def archives_within() -> bytes:
    return zipped({"word/document.xml": zipped({"a": zipped({"b": b" " * 100_000_000})})})


def many_files() -> bytes:
    return zipped({f"{number}": b"" for number in range(6_000)})


def entities() -> bytes:
    lines = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    return zipped({"META-INF/container.xml": f'<!DOCTYPE x [<!ENTITY a0 "x">{lines}]><x>&a11;</x>'})


@pytest.mark.parametrize(
    ("name", "made", "told"),
    [
        ("a.docx", unpacking_to_much, "larger than .* when unpacked|exceed the limit"),
        ("a.docx", archives_within, "its XML is damaged"),
        ("a.docx", many_files, "it contains .* files, more than the limit of 5,000"),
        ("a.epub", many_files, "it contains .* files, more than the limit of 5,000"),
        ("a.epub", entities, "it declares entities"),
    ],
)
def test_archives_that_unpack_to_much_are_refused(name: str, made: Callable[[], bytes], told: str) -> None:
    with pytest.raises(SceneError, match=told) as refused:
        run_limited(read_source_bytes, name, made())
    assert "\n" not in str(refused.value)


def test_a_tree_that_no_memory_should_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte, unpacked eleven, in a tree of more than 400 MB, or of more seconds than it may take."""
    monkeypatch.setattr(limited, "LIMITS", Limits(waited=600, megabytes=300))
    raw = zipped({"word/document.xml": b"<w>" + b"<a/>" * 2_900_000 + b"</w>"})
    assert len(raw) < 1_000_000
    with pytest.raises((SceneError, TooHeavy), match=r"memory|seconds|damaged"):
        run_limited(read_source_bytes, "a.docx", raw)


def test_a_pdf_that_takes_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=3, waited=600))
    raw = a_pdf_with(b"BT /F1 9 Tf (a) Tj ET\n" * 2_000_000)
    assert len(raw) < 1_000_000
    with pytest.raises(TooHeavy, match="takes more than 3 seconds"):
        run_limited(read_source_bytes, "a.pdf", raw)


def test_a_pdf_that_lacks_memory_is_not_called_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    """pypdf turns what goes wrong into errors of its own."""
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=120, waited=600, megabytes=120))
    with pytest.raises(TooHeavy, match="more than 120 MB of memory"):
        run_limited(read_source_bytes, "a.pdf", a_pdf_with(b"BT /F1 9 Tf (a) Tj ET\n" * 3_000_000))


def test_a_good_file_is_read() -> None:
    raw = a_docx(("Heading 1", "Night"), ("Normal", "A clerk waits."))
    assert run_limited(read_source_bytes, "a.docx", raw) == read_source_bytes("a.docx", raw)
