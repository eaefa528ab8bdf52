"""The app as it is built inside Streamlit, with all routes, without being started."""

import asyncio
from contextlib import suppress
from typing import Any

from starlette.applications import Starlette


class EndedBeforeItBegins(Exception):
    """Raised where a server would tell the app to start."""


def built_app() -> Starlette:
    """What the app is inside Streamlit, as it tells whoever asks it by ASGI."""
    return asyncio.run(_built())


async def _built() -> Starlette:
    import app  # noqa: PLC0415 - it is made of the settings of whoever imports it first

    async def receive() -> Any:
        raise EndedBeforeItBegins

    async def send(message: Any) -> None:
        raise AssertionError(f"it says {message}, and was asked nothing")

    scope: dict[str, Any] = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
    with suppress(EndedBeforeItBegins):
        await app.app(scope, receive, send)
    built: Starlette = scope["app"]
    return built
