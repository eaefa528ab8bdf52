"""A character card with all that a card may hold, in each version, and the files that it may come in."""

import base64
import io
import json
import struct
import zipfile
import zlib
from typing import Any

V1: dict[str, Any] = {
    "name": "Sherlock Holmes",
    "description": "{{char}} is a consulting detective. <BOT> knows {{user}} from the war.",
    "personality": "Cold, exact and easily bored.",
    "scenario": "{{Char}} sits by the fire; <USER> has just come in.",
    "first_mes": "You have been in Afghanistan, I perceive.",
    "mes_example": "<START>\n{{user}}: How?\n{{char}}: Elementary.",
}
ENTRIES: list[dict[str, Any]] = [
    {"keys": ["Irene"], "content": "To {{char}} she is the woman.", "enabled": True, "insertion_order": 20},
    {"keys": ["pipe"], "content": "He smokes shag.", "enabled": False, "insertion_order": 1},
    {"keys": ["Baker"], "content": "He lives at 221B.", "enabled": True, "insertion_order": 3, "constant": True},
    {"keys": ["x"], "content": " \n", "enabled": True, "insertion_order": 4},
    {"keys": ["Mycroft"], "content": "His brother is in Whitehall.", "enabled": True, "insertion_order": 3},
]
V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        **V1,
        "creator_notes": "After Conan Doyle.",
        "system_prompt": "",
        "post_history_instructions": "",
        "alternate_greetings": ["Come at once."],
        "character_book": {
            "name": "London",
            "extensions": {"agnai": {"a": 1}},
            "entries": [{**entry, "extensions": {"depth": 4}, "id": place} for place, entry in enumerate(ENTRIES)],
        },
        "tags": ["detective"],
        "creator": "someone",
        "character_version": "1.2",
        "extensions": {"depth_prompt": {"depth": 4, "prompt": "你好"}, "fav": False},
    },
}
V3: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        **V2["data"],
        "character_book": {
            "extensions": {},
            "entries": [
                {**entry, "extensions": {}, "use_regex": False, "id": f"e{place}"}
                for place, entry in enumerate(ENTRIES)
            ],
        },
        "nickname": "Holmes",
        "group_only_greetings": [],
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
        "source": ["https://example.org/holmes"],
        "creator_notes_multilingual": {"zh": "柯南·道尔"},
        "creation_date": 1700000000,
    },
}
CARDS = {"V1": V1, "V2": V2, "V3": V3}


def chunk(kind: bytes, content: bytes, crc: int | None = None) -> bytes:
    checksum = zlib.crc32(kind + content) if crc is None else crc
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


HEAD = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
PIXEL = chunk(b"IDAT", zlib.compress(b"\0\x7f"))
END = chunk(b"IEND", b"")


def base64_of(card: object) -> bytes:
    return base64.b64encode(json.dumps(card, ensure_ascii=False).encode("utf-8", "backslashreplace"))


def png_of(**texts: bytes) -> bytes:
    """A picture of one pixel with those texts, as SillyTavern writes them: before the end."""
    chunks = b"".join(chunk(b"tEXt", keyword.encode() + b"\0" + text) for keyword, text in texts.items())
    return HEAD + PIXEL + chunks + END


def charx_of(card: object, **files: bytes) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", json.dumps(card))
        for name, content in files.items():
            archive.writestr(name.replace("__", "/"), content)
    return found.getvalue()


def files_of(card: dict[str, Any]) -> dict[str, bytes]:
    """The card in all kinds of files that it may come in."""
    kept = {"card.json": json.dumps(card).encode(), "card.png": png_of(chara=base64_of(card))}
    if card.get("spec") == "chara_card_v3":
        kept |= {"card.png": png_of(ccv3=base64_of(card)), "card.charx": charx_of(card)}
    return kept
