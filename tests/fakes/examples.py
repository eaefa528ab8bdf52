"""How many examples a property is tried with."""

from hypothesis import settings

QUICK, ORDINARY, THOROUGH = "quick", "ordinary", "thorough"
"""Profiles of hypothesis: that of `make quick`, that of `make test`, and that of `make soak`."""


def is_soak() -> bool:
    """Whether all is tried in full."""
    return settings.get_current_profile_name() == THOROUGH


def examples(ordinary: int, thorough: int = 100) -> int:
    """The number for the profile that is asked for; in `make quick` a third of the ordinary ones."""
    return {QUICK: max(1, ordinary // 3), THOROUGH: thorough}.get(settings.get_current_profile_name(), ordinary)
