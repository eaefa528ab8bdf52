"""What Streamlit finds among the installed packages, found once in a process.

It reads the metadata of all of them at each start, and for each `AppTest`. That takes a fifth of a second, and was most
of the time that a test of a page took.
"""

from functools import cache

from streamlit.components.v2 import manifest_scanner


def scan_once() -> None:
    """Have Streamlit look through the installed packages once, from now on."""
    manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
