"""A researcher who looks at the reliability page, again and again, in a browser of its own: `URL NAME`.

Each time that the page is there it says how often it was.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

from bench.browser import reader
from bench.ratings_database import PASSWORD, Rated

PATIENCE = 120_000


@contextmanager
def looked_at(url: str, rated: Rated) -> Iterator[None]:
    """The researcher looks. Raises RuntimeError if the page was never there."""
    command = [sys.executable, "-m", "bench.dashboard_viewer", url, rated.researcher]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)  # noqa: S603 - our own command
    looks = b""
    try:
        yield
    finally:
        process.terminate()
        looks = process.communicate()[0]
    if not looks:
        raise RuntimeError("nobody has seen the figures meanwhile")


def main(url: str, name: str) -> None:
    """Look until somebody ends it, and say each time how often it was."""
    with reader() as page:
        page.goto(f"{url}/sign-in?next=/validity")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        for looks in count(1):
            page.get_by_role("region", name="Reliability").wait_for(timeout=PATIENCE)
            print(looks, flush=True)
            page.reload()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
