"""Archives that come from outside: what is refused, with one clear line, and before it has filled the memory."""

import contextlib
import io
import random
import zipfile

import pytest

from characterbox.errors import SceneError
from characterbox.scenes import archives
from characterbox.scenes.archives import Archive, unpack


def archive(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", compression) as written:
        for name, content in files.items():
            written.writestr(zipfile.ZipInfo(name), content, compression)
    return found.getvalue()


def test_files_come_out_by_name() -> None:
    assert unpack("a.charx", archive({"card.json": b"{}", "assets/icon.png": b"x"})) == {
        "card.json": b"{}",
        "assets/icon.png": b"x",
    }


@pytest.mark.parametrize("path", ["../out.json", "/etc/passwd", "a/../../b", "C:/windows", "a\\b"])
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    with pytest.raises(SceneError, match="points outside the archive"):
        unpack("a.charx", archive({path: b"x"}))


def test_a_bomb_is_refused_by_what_comes_out_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1_000_000)
    bomb = archive({"card.json": b"0" * 20_000_000})
    assert len(bomb) < 30_000
    with pytest.raises(SceneError, match=r"a\.charx: it is larger than 1,000,000 bytes when unpacked"):
        unpack("a.charx", bomb)


def test_more_files_than_are_read_are_refused() -> None:
    with pytest.raises(SceneError, match="5,001 files"):
        unpack("a.charx", archive({f"{number}": b"" for number in range(5001)}))


@pytest.mark.parametrize("cut", [0, 10, 60, -1])
def test_a_damaged_archive_is_refused(cut: int) -> None:
    whole = archive({"card.json": b"{}" * 100})
    with pytest.raises(SceneError, match="damaged"):
        unpack("a.charx", whole[:cut])


def test_changed_content_is_refused() -> None:
    whole = bytearray(archive({"card.json": b"{}" * 100}, zipfile.ZIP_STORED))
    whole[60] ^= 1
    with pytest.raises(SceneError, match="damaged"):
        unpack("a.charx", bytes(whole))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_refused() -> None:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as written:
        written.writestr("card.json", "{}")
        written.writestr("card.json", "[]")
    with pytest.raises(SceneError, match="twice"):
        unpack("a.charx", found.getvalue())


@pytest.mark.parametrize("path", [".", "", "./."])
def test_a_name_of_no_file_is_refused(path: str) -> None:
    with pytest.raises(SceneError, match="is not a valid file name"):
        unpack("a.charx", archive({path: b"x"}))


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_a_packing_that_unpacks_to_any_size_at_once_is_refused(packing: int) -> None:
    whole = bytearray(archive({"card.json": b"{}" * 100}, packing))
    for _ in ("sound", "damaged"):
        with pytest.raises(SceneError, match="uses an unsupported compression method"):
            unpack("a.charx", bytes(whole))
        whole[50:60] = bytes(10)


@pytest.mark.parametrize("seed", range(30))
def test_damage_anywhere_gives_one_line_or_the_files(seed: int) -> None:
    draw = random.Random(seed)
    whole = archive({"card.json": b'{"a": 1}' * 20, "b": b"x"})
    for _ in range(60):
        raw = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        with contextlib.suppress(SceneError):
            unpack("a.charx", bytes(raw))


def test_what_nobody_asks_for_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1_000)
    files = Archive("a.epub", archive({"page": b"x", "film": b"0" * 5_000}))
    assert "film" in files
    assert [*files] == ["page", "film"]
    assert files["page"] == b"x"
    with pytest.raises(SceneError, match=r"it is larger than .* when unpacked"):
        files["film"]
