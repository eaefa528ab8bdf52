"""The tutorial about a sweep, walked with a real vLLM server up to where all stories are played.

Its last part is about scores: the tiny random model gives hardly any that can be read.
"""

from collections.abc import Callable

import pytest

from tests.docs.conftest import begin, new_app  # noqa: F401 - fixtures
from tests.docs.tutorials.test_sweep import walk_to_the_end_of_a_sweep
from tests.docs.walk import Walk
from tests.vllm.server import BASE


@pytest.mark.parametrize("begin", ["en"], indirect=True)
def test_the_tutorial_about_a_sweep(server, begin: Callable[[str], Walk]) -> None:  # noqa: F811 - as above
    before = server.count("vllm:request_success_total")
    walk_to_the_end_of_a_sweep(begin("sweep"), server.url, BASE)
    assert server.count("vllm:request_success_total") > before
