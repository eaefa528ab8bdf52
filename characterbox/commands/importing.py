"""`characterbox import`: import the scenes of a file, or a story that was saved as JSON; tell of a character card."""

import argparse
from pathlib import Path

from annotations.exchange.decoding import as_utf8
from characterbox.commands.database import open_store
from characterbox.commands.exits import BAD_INPUT, say
from characterbox.scenes.cards.profile import CardFile
from characterbox.scenes.file_reading import read_bytes
from characterbox.scenes.import_files import read_any
from characterbox.scenes.import_report import Repair, SceneFile
from characterbox.scenes.leaks import leaks
from characterbox.share.story_file import bring_in, read_story_file
from characterbox.share.story_schema import FORMAT

_BEGINNING = 60
"""Letters in which a file that holds a story says so."""
_BEFORE = b"\xef\xbb\xbf\xff\xfe \t\r\n"
"""Byte order marks and blanks."""


def run(options: argparse.Namespace) -> int:
    """Store the story, or the scenes, of the file, and print what was repaired and refused."""
    content = _content(options.file)
    if _says_story(content):
        return _bring_story(options, as_utf8(options.file.name, content, options.encoding))
    raw = as_utf8(options.file.name, read_bytes(options.file), options.encoding)
    given = read_any(options.file.name, raw, options.language)
    return _tell_card(given) if isinstance(given, CardFile) else _bring_scenes(options, given)


def _says_story(content: bytes) -> bool:
    """Whether a file sets out as a story does, in whatever encoding: in UTF-16, every other byte is 0."""
    begins = content[: 4 * _BEGINNING].replace(b"\0", b"").lstrip(_BEFORE)[:_BEGINNING]
    return b"".join(begins.split()).startswith(b'{"format":"%b"' % FORMAT.encode())


def _bring_scenes(options: argparse.Namespace, scene_file: SceneFile) -> int:
    with open_store(options) as store:
        new = store.scenes.add(scene_file.scenes)
    for repair in scene_file.repairs:
        print(f"repaired: {repair}")
    for scene in scene_file.scenes:
        for leak in leaks(scene):
            print(f"to look at: {Repair(scene.id, leak.field, leak.told)}")
    for refusal in scene_file.refused:
        print(f"refused: {refusal}")
    print(f"{scene_file.name}: {len(scene_file.scenes)} scenes read, {new} new, {len(scene_file.refused)} refused")
    if scene_file.scenes:
        return 0
    say(f"{scene_file.name}: all {len(scene_file.refused)} scenes are refused; the first: {scene_file.refused[0]}")
    return BAD_INPUT


def _tell_card(card: CardFile) -> int:
    """What is in a card. A scene says where its characters are and how, which a card does not: nothing is stored."""
    for repair in card.repairs:
        print(f"repaired: {repair}")
    if card.user is not None:
        print(f"{card.name}: {{{{user}}}} is taken to be {card.user!r}")
    print(f"{card.name}: a character card: {card.character}, {len(card.knowledge)} notes of what it knows, 0 stored")
    say(f"{card.name}: a card is no scene; bring it in on the page Scenes, where a scene is written with it")
    return BAD_INPUT


def _content(file: Path) -> bytes:
    """What the file holds; nothing if it can't be read: then the reading of scenes says why."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _bring_story(options: argparse.Namespace, content: bytes) -> int:
    file = read_story_file(content)
    with open_store(options) as store:
        before = store.stories.count()
        story = bring_in(store.stories, file)
        new = store.stories.count() - before
    print(f"{options.file}: story {story.id}, {len(file.events)} events, {'new' if new else 'there already'}")
    return 0
