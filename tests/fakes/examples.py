"""How many examples a property is tried with."""

from hypothesis import settings


def examples(ordinary: int, thorough: int) -> int:
    """The fewer in the ordinary run; all of them in `make soak`, which asks for the profile of that name."""
    return thorough if settings.get_current_profile_name() == "thorough" else ordinary
