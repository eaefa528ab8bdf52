"""The app: Streamlit pages, the story stage behind them, and the routes beside them. `streamlit run app.py`."""

import asyncio
import gc
import logging
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from annotations.errors import AnnotationError
from annotations.i18n.translation import TONGUES, heed, speaking, translate
from characterbox.accounts.login_throttle import ask_origin
from characterbox.accounts.permissions import may
from characterbox.atomic_file import not_private
from characterbox.components.figures.background.compute import figures_of
from characterbox.components.figures.background.process import close_figure_process, open_figure_process
from characterbox.components.figures.background.selection import Selection
from characterbox.components.figures.background.source import imported_ratings
from characterbox.components.streamlit_session import (
    address_of_page,
    cookies_of_page,
    oidc_fault,
    read_past_the_unreadable,
    refuse_unsigned,
    tongue_of_page,
    without_proof,
)
from characterbox.errors import CharacterBoxError, StoreError
from characterbox.judging.leaderboard import scores_of
from characterbox.pause_reasons import heed_reader
from characterbox.processes.limited import close_limited
from characterbox.routes import ROUTES
from characterbox.routes.guard import NEEDS, GuardMiddleware
from characterbox.routes.language import TongueMiddleware
from characterbox.routes.limits.size_limits import BoundsMiddleware, bound_web_sockets
from characterbox.routes.limits.turns import TurnsMiddleware
from characterbox.routes.login.authentication import badge_of, extend_session, find_visitor
from characterbox.routes.security import ForwardedMiddleware, HeadersMiddleware, SameOriginMiddleware
from characterbox.samples import bring_samples, samples_left
from characterbox.samples.study import STUDY
from characterbox.settings import exposure_fault, settings
from characterbox.stage.jobs.vllm_jobs import open_starter
from characterbox.stage.stage import Stage, open_stage
from characterbox.store.engine import can_be_read_on_the_way, files_of

DAY = 24 * 3600.0
LOOPBACK = ["127.0.0.1", "localhost"]
log = logging.getLogger(__name__)


def reads_in_full() -> bool:
    """Whether the one for whom a page is drawn here is told what servers said: admins, and all without accounts."""
    visitor = find_visitor(cookies_of_page() or {})
    return visitor is not None and may(visitor.account, "administer")


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
    """Open the stage and play on what was interrupted; at the end, close all that was opened, in good order."""
    check_safe()
    stage = await asyncio.to_thread(open_stage)
    async with AsyncExitStack() as at_the_end:  # what was said last is done first
        at_the_end.push_async_callback(asyncio.to_thread, lambda: open_starter().close())
        at_the_end.push_async_callback(asyncio.to_thread, stage.close)
        at_the_end.callback(close_limited)
        # at once, not in a thread: all of them may be waiting for its answers
        at_the_end.callback(close_figure_process)
        warn_of_readers()
        let_watchers_go(stage)
        heed(tongue_of_page)
        ask_origin(address_of_page)
        pruning = asyncio.create_task(keep_pruned(stage))
        at_the_end.push_async_callback(let_go, pruning)
        heed_reader(reads_in_full)
        read_past_the_unreadable()
        if settings().samples:
            await asyncio.to_thread(give_samples, stage)
        await asyncio.to_thread(stage.resume_all)
        gc.collect()
        gc.freeze()  # what there is now stays: to look through all of it for garbage stops everything for 0.2 s
        ahead = asyncio.create_task(asyncio.to_thread(work_out_ahead, stage))
        at_the_end.push_async_callback(let_go, ahead)
        log.info("the stage is open")
        yield


def give_samples(stage: Stage) -> None:
    """Put the samples into a new database. The app starts also where that fails, as where another one does the same."""
    try:
        bring_samples(stage.store)
    except (AnnotationError, CharacterBoxError) as error:
        log.warning("the samples could not all be stored: %s; the next start of the app tries again", error)


async def keep_pruned(stage: Stage) -> None:
    """Let entries of the log go that are older than is set, now and each day; none where nothing is set."""
    days = settings().audit_days
    while days is not None:
        try:
            await asyncio.to_thread(stage.store.audit.prune, days)
        except StoreError as error:
            log.warning("old entries of the log could not be deleted: %s; it is tried again tomorrow", error)
        await asyncio.sleep(DAY)


def work_out_ahead(stage: Stage) -> None:
    """Work out what pages show first, so that who looks first need not wait for it."""
    scores_of(stage.store)
    if STUDY in samples_left(stage.store):
        for language in TONGUES:
            with speaking(language):
                open_figure_process().recall(figures_of, imported_ratings(STUDY).source, Selection())


async def let_go(ahead: "asyncio.Task[object]") -> None:
    """End what is worked out ahead; what it failed with shows where somebody looks for it."""
    ahead.cancel()
    await asyncio.gather(ahead, return_exceptions=True)


def check_safe() -> None:
    """Raises SystemExit, saying what to do, if the app is set up so that just anybody could come in, or nobody."""
    auth, url = settings().auth, settings().url
    fault = exposure_fault(auth, url, st.get_option("server.address"))
    if fault is None and auth == "oidc":
        fault = oidc_fault()
    if fault is not None:
        raise SystemExit(fault)
    if auth == "oidc":
        refuse_unsigned()
        for name in without_proof():
            section = f"[auth.{name}]" if name else "[auth]"
            log.warning('%s in secrets.toml has no client_kwargs = { code_challenge_method = "S256" }: add it', section)
    if can_be_read_on_the_way(settings().db):
        log.warning("CHARACTERBOX_DB: what is sent to it can be read and changed on its way; add sslmode=verify-full")
    if auth == "local" and url is not None and url.startswith("http:"):
        log.warning("%s is not HTTPS: passwords can be read on their way", url)


def warn_of_readers() -> None:
    """Log a warning for each file of the app's, of stories or of secrets, that others on the computer may read."""
    secrets = map(Path, st.get_option("secrets.files") or ())
    for told in not_private([*files_of(settings().db), *secrets]):
        log.warning("%s", told)


def before() -> list[Middleware]:
    """What comes before everything: how all is answered, whose hosts are, at what length, from where, and whom.

    Raises SystemExit for a setting that cannot be used.
    """
    try:
        auth, url = settings().auth, settings().url
    except CharacterBoxError as error:
        raise SystemExit(translate(error)) from None
    bound_web_sockets()
    hosts = [*LOOPBACK, *([] if url is None else [urlsplit(url).hostname or ""])]
    return [
        Middleware(HeadersMiddleware, settings().embedded_by, https=settings().https),
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
        Middleware(ForwardedMiddleware),
        *([] if auth == "off" else [Middleware(TurnsMiddleware, badge_of)]),
        Middleware(BoundsMiddleware),
        Middleware(SameOriginMiddleware),
        Middleware(TongueMiddleware),
        Middleware(GuardMiddleware, find_visitor, NEEDS[auth], extend_session),
    ]


# `streamlit run` looks for these very words: without them it would serve this file as a page, and without the guard.
app = st.App(
    Path(__file__).parent / "pages" / "navigation.py",
    lifespan=lifespan,
    routes=ROUTES,
    middleware=before(),
)
