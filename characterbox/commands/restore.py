"""`characterbox restore`: put back what was backed up, into an empty database."""

import argparse

from characterbox.commands.archives import Progress, log_archive, print_tables, told_to_end
from characterbox.commands.database import chosen_url
from characterbox.store.restore import restore


def run(options: argparse.Namespace) -> int:
    """Restore the archive, and print what it held."""
    with told_to_end():
        manifest = restore(options.file, chosen_url(options), Progress("restoring"))
    log_archive(chosen_url(options), "database.restored", manifest)
    print_tables(manifest)
    print(f"{options.file}: restored, as of {manifest.made_at:%Y-%m-%d %H:%M} UTC")
    return 0
