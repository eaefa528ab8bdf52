"""Cards that cannot be read: one clear line each, without filling the memory."""

import base64
import io
import json
import struct
import tracemalloc
import zipfile
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from characterbox.errors import SceneError
from characterbox.scenes import archives
from characterbox.scenes.cards import png
from characterbox.scenes.cards.profile import CardFile, read_card
from characterbox.scenes.import_files import read_any
from tests.fakes.examples import examples
from tests.scenes.cards.sherlock import END, HEAD, PIXEL, V1, V2, V3, base64_of, charx_of, chunk, png_of

TEXT = chunk(b"tEXt", b"chara\0" + base64_of(V2))
NESTED = b'{"name":"A","personality":"x","mes_example":' + b"[" * 200 + b"]" * 200 + b"}"

DAMAGED: dict[str, tuple[str, bytes, str]] = {
    "JSON cut off": (
        "a.json",
        json.dumps(V2).encode()[:-9],
        r"a\.json: line 1, column \d+: the JSON ends unexpectedly",
    ),
    "UTF-16 cut off": ("a.json", json.dumps(V2).encode("utf-16")[:-1], r"a\.json: byte \d+ \(line 1\) is not UTF-16"),
    "GBK": ("a.json", '{"name": "西游记"}'.encode("gbk"), r"a\.json: byte \d+ \(line 1\) is not UTF-8"),
    "a list": ("a.json", b"[1]", r"a\.json: not a character card"),
    "hidden event": ("a.json", b'{"name": "package", "description": "x"}', r"a\.json: not a character card"),
    "an unknown spec": (
        "a.json",
        b'{\n"spec": "chara_card_v9"}',
        r"a\.json: line 2: spec: 'chara_card_v9' is not supported",
    ),
    "a spec that is no text": ("a.json", b'{"spec": [2]}', r"a\.json: line 1: spec: '\[2\]' is not supported"),
    "no data": ("a.json", b'{"spec": "chara_card_v2"}', r"a\.json: line 1: data: it is missing"),
    "nested": ("a.json", NESTED, r"a\.json: the JSON is nested too deeply to be read"),
    "nested more": ("a.json", b'{"a":' * 100_000, r"a\.json: the JSON is nested too deeply to be read"),
    "no number": (
        "a.json",
        b'{"name": "A", "personality": "x", "x": 1e999}',
        r"a\.json: it contains a number that JSON does not allow",
    ),
    "no PNG": ("a.png", b"GIF89a", r"a\.png: not a PNG file"),
    "an empty picture": ("a.png", b"", r"a\.png: not a PNG file"),
    "no card in it": ("a.png", png_of(Comment=b"x"), r"a\.png: the image contains no character card"),
    "cut off": ("a.png", png_of(chara=base64_of(V2))[:-20], r"a\.png: byte [\d,]+: the image ends unexpectedly"),
    "cut off in a length": ("a.png", HEAD + b"\0\0", r"a\.png: byte 34: the image ends unexpectedly"),
    "no head": ("a.png", HEAD[:8] + TEXT + END, r"a\.png: the image does not begin with its header"),
    "a broken checksum": ("a.png", HEAD + chunk(b"tEXt", b"chara\0e30=", 7) + END, r"a\.png: byte 34: .* checksum"),
    "a length too long": ("a.png", HEAD + struct.pack(">I", 2**32 - 1) + b"tEXt" + END, r"the image ends unexpectedly"),
    "no base64": ("a.png", png_of(chara=b"{not base64}"), r"a\.png: chara: not valid base64"),
    "base64 cut off": ("a.png", png_of(ccv3=base64_of(V3)[:-3]), r"a\.png: ccv3: not valid base64"),
    "JSON cut off in it": (
        "a.png",
        png_of(chara=base64.b64encode(b'{"spec":')),
        r"a\.png: chara: line 1, column 9: the",
    ),
    "no UTF-8 in it": (
        "a.png",
        png_of(chara=base64.b64encode(b"\xff")),
        r"a\.png: chara: byte 1 \(line 1\) is not UTF-8",
    ),
    "nothing in it": ("a.png", png_of(chara=b""), r"a\.png: chara: the file is empty"),
    "a bad zTXt": ("a.png", HEAD + chunk(b"zTXt", b"chara\0\0xxxx") + END, r"a\.png: chara: the text .* is damaged"),
    "half a zTXt": (
        "a.png",
        HEAD + chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"x" * 99)[:9]) + END,
        r"the text in the image is incomplete",
    ),
    "a bad iTXt": (
        "a.png",
        HEAD + chunk(b"iTXt", b"chara\0\0") + END,
        r"a\.png: chara: the text in the image is dam",
    ),
    "no archive": ("a.charx", b"PK\x03\x04", r"a\.charx: the archive is damaged"),
    "no card.json": (
        "a.charx",
        charx_of(V3).replace(b"card.json", b"cart.json"),
        r"a\.charx: it contains no 'card\.json'",
    ),
    "a path that leads out": ("a.charx", charx_of(V3, **{"..__x": b""}), r"a\.charx: '\.\./x' in it points outside"),
    "a card that is none": ("a.charx", charx_of([1]), r"a\.charx: card\.json: not a character card"),
    "another kind of file": ("a.webp", b"RIFF", r"a\.webp: not a character card"),
}


@pytest.mark.parametrize(("name", "raw", "message"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_card_gives_one_line_that_names_it(name: str, raw: bytes, message: str) -> None:
    with pytest.raises(SceneError, match=message) as caught:
        read_card(name, raw)
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)


@pytest.mark.parametrize("name", ["a.json", "a.png", "a.charx"])
def test_200_megabytes_are_refused_before_anything_is_read(name: str) -> None:
    raw = {"a.json": b" ", "a.png": HEAD + PIXEL, "a.charx": b"PK\x03\x04"}[name].ljust(200_000_000, b" ")
    tracemalloc.start()
    with pytest.raises(SceneError, match=r"200,000,000 bytes exceed the limit of 50,000,000"):
        read_card(name, raw)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt"])
def test_a_bomb_in_a_text_is_refused_by_what_comes_out_of_it(kind: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "MOST_TEXT", 1_000_000)
    before = b"chara\0\0" if kind == b"zTXt" else b"chara\0\1\0\0\0"
    raw = HEAD + chunk(kind, before + zlib.compress(b"0" * 50_000_000, 9)) + END
    assert len(raw) < 60_000
    tracemalloc.start()
    told = r"a\.png: chara: it is larger than 1,000,000 bytes when unpacked; shorten the card"
    with pytest.raises(SceneError, match=told):
        read_card("a.png", raw)
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()


def test_a_bomb_in_an_archive_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1_000_000)
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", b"0" * 20_000_000)
    with pytest.raises(SceneError, match=r"a\.charx: it is larger than 1,000,000 bytes when unpacked"):
        read_card("a.charx", found.getvalue())


def test_a_picture_in_too_many_parts_is_refused() -> None:
    with pytest.raises(SceneError, match="more than 100,000 PNG chunks"):
        read_card("a.png", HEAD + chunk(b"tIME", b"") * 100_000 + END)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
SPOILT = st.dictionaries(st.sampled_from([*V3["data"]]), JUNK, max_size=4)
PARTS = st.sampled_from(["character_book", "extensions", "assets"])
INNER = st.dictionaries(st.sampled_from(["entries", "characterbox", "content", "keys"]), JUNK | st.lists(SPOILT))


def outcome(name: str, raw: bytes) -> object:
    """What reading gives. Any other error fails the test."""
    try:
        return read_any(name, raw)
    except SceneError as error:
        return error


@pytest.mark.slow
@settings(max_examples=examples(50, 200), deadline=None)
@given(st.sampled_from([V1, V2, V3]), SPOILT, PARTS, INNER, st.sampled_from(["a.json", "a.png", "a.charx"]))
def test_whatever_a_card_says_there_is_a_character_or_a_scene_error(
    card: dict[str, object], spoilt: dict[str, object], part: str, inner: object, name: str
) -> None:
    data = card.get("data")
    fields = {**(data if isinstance(data, dict) else card), part: inner, **spoilt}
    made = {**card, "data": fields} if isinstance(data, dict) else fields
    files = {"a.json": json.dumps(made).encode(), "a.png": png_of(chara=base64.b64encode(json.dumps(made).encode()))}
    found = outcome(name, files[name] if name in files else charx_of(made))
    if isinstance(found, CardFile):
        found.profile("Here", "Calm")
        assert "\n".join(map(str, found.repairs)).encode("utf-8") is not None
    elif isinstance(found, SceneError):
        assert str(found).startswith(name)
        assert "\n" not in str(found)


@settings(max_examples=examples(50, 200), deadline=None)
@given(st.sampled_from(["a.png", "a.charx"]), st.integers(0, 900), st.binary(max_size=4))
def test_whatever_bytes_are_changed_there_is_a_character_or_a_scene_error(name: str, place: int, other: bytes) -> None:
    whole = png_of(ccv3=base64_of(V3)) if name == "a.png" else charx_of(V3)
    raw = whole[:place] + other + whole[place + len(other) :]
    found = outcome(name, raw)
    assert isinstance(found, CardFile | SceneError)
    if isinstance(found, SceneError):
        assert "\n" not in str(found)
