"""The tutorial about a sweep, walked through with a real vLLM server, in both languages."""

from collections.abc import Callable

from tests.docs.conftest import begin, new_app  # noqa: F401 - fixtures
from tests.docs.test_sweep import walk_sweep
from tests.docs.walk import Walk
from tests.vllm.server import BASE


def test_the_tutorial_about_a_sweep(server, begin: Callable[[str], Walk]) -> None:  # noqa: F811 - as above
    walk_sweep(begin("sweep"), server.url, BASE)
