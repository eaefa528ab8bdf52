"""`characterbox backup`: write everything to one file."""

import argparse

from characterbox.commands.archives import Progress, log_archive, print_tables, told_to_end
from characterbox.commands.database import chosen_url
from characterbox.store.backup import back_up


def run(options: argparse.Namespace) -> int:
    """Back the database up, while others may use it, and print what the file holds."""
    with told_to_end():
        manifest = back_up(chosen_url(options), options.file, Progress("backing up"))
    log_archive(chosen_url(options), "database.saved", manifest)
    print_tables(manifest)
    print(f"{options.file}: {options.file.stat().st_size:,} bytes; password hashes are in it, so keep it to yourself")
    return 0
