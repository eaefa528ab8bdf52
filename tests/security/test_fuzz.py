"""A part of the fuzz run, and with `make soak` all of it."""

import pytest

from tests.security.fuzz import fuzz, report
from tests.security.watched import Seen

pytestmark = [pytest.mark.process, pytest.mark.slow]


@pytest.mark.parametrize(
    ("auth", "count"),
    [
        ("local", 400),
        ("off", 100),
        pytest.param("local", 18_000, marks=[pytest.mark.soak, pytest.mark.timeout(3_600)]),
        pytest.param("off", 2_000, marks=[pytest.mark.soak, pytest.mark.timeout(3_600)]),
    ],
)
def test_wild_requests_neither_break_nor_slow_nor_bloat_the_app(tmp_path, auth, count):
    seen = Seen()
    fuzz(tmp_path, auth, count, seen)
    told = "\n".join(report(seen))
    assert not seen.faults, told
    assert seen.requests() >= count * 9 // 10, told
