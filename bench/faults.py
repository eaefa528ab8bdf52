"""Every fault at every kind of call."""


async def silent_or_crashed() -> int:
    """To be measured."""
    return 0
