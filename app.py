"""The app: Streamlit pages, the story stage behind them, and the routes beside them. `streamlit run app.py`."""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from characterbox.routes import ROUTES
from characterbox.routes.same_origin import SameOriginMiddleware
from characterbox.stage.stage import Stage, open_stage
from characterbox.stage.starter import open_starter

LOOPBACK = ["127.0.0.1", "localhost"]


def let_watchers_go(stage: Stage) -> None:
    """Have a signal to end the app end the live streams too: the server waits for open connections."""
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def handle(number: int, frame: FrameType | None, before: Any = before) -> None:
            stage.hub.close()
            if callable(before):
                before(number, frame)

        signal.signal(number, handle)


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Open the stage and play on what was interrupted; at the end, close it in good order."""
    address = st.get_option("server.address")
    if address not in LOOPBACK:
        raise SystemExit(f"server.address is {address!r}: there is no sign-in yet, so serve on 127.0.0.1 only")
    stage = await asyncio.to_thread(open_stage)
    try:
        let_watchers_go(stage)
        await asyncio.to_thread(stage.resume_all)
        logging.getLogger(__name__).info("the stage is open")
        yield
    finally:
        try:
            await asyncio.to_thread(stage.close)
        finally:
            await asyncio.to_thread(open_starter().close)


app = st.App(
    Path(__file__).parent / "pages" / "navigation.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=LOOPBACK), Middleware(SameOriginMiddleware)],
)
