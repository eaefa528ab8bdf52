"""`characterbox import`: bring in the scenes of a file."""

import argparse

from characterbox.commands.database import open_store
from characterbox.commands.exits import BAD_INPUT, say
from characterbox.scenes.importer import read_scene_file


def run(options: argparse.Namespace) -> int:
    """Store the scenes of the file, and print what was repaired and refused."""
    scene_file = read_scene_file(options.file, options.language)
    store = open_store(options)
    try:
        new = store.scenes.add(scene_file.scenes)
    finally:
        store.close()
    for repair in scene_file.repairs:
        print(f"repaired: {repair}")
    for refusal in scene_file.refused:
        print(f"refused: {refusal}")
    print(f"{scene_file.name}: {len(scene_file.scenes)} scenes read, {new} new, {len(scene_file.refused)} refused")
    if scene_file.scenes:
        return 0
    say(f"{scene_file.name}: all {len(scene_file.refused)} scenes are refused; the first: {scene_file.refused[0]}")
    return BAD_INPUT
