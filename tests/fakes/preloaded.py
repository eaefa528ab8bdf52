"""Imports whatever the command line and the app import sooner or later, in the process from which theirs are forked."""

import gc
import inspect
import pkgutil
from importlib import import_module

import numpy.random  # noqa: F401
import scipy.stats  # noqa: F401
import streamlit.web.cli  # noqa: F401
import uvloop  # noqa: F401
from streamlit.components.v2 import manifest_scanner

import characterbox
import pages
from characterbox.scenes.library import bundled
from tests.fakes.scanned_once import scan_once

LEFT_OUT = ("__main__", "recompute", "migrations", "navigation", "page")
"""Modules that do something when they are imported."""
SERVER = (
    "anyio._backends._asyncio",
    "babel.numbers",
    "pandas.core.arrays.arrow._arrow_utils",
    "PIL.ImageFile",
    "pyarrow.pandas_compat",
    "starlette.middleware.sessions",
    "starlette.middleware.trustedhost",
    "starlette.staticfiles",
    "streamlit.emojis",
    "streamlit.runtime.scriptrunner.magic_funcs",
    "streamlit.watcher.polling_path_watcher",
    "streamlit.web.server.app_discovery",
    "streamlit.web.server.starlette.starlette_agent_routes",
    "streamlit.web.skills",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)
"""What Streamlit, uvicorn and the app import when the server starts, or at the first look at a page."""

for package in (characterbox, pages):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not any(part in module.name.split(".") for part in LEFT_OUT):
            import_module(module.name)
for name in SERVER:
    import_module(name)
scan_once()
manifest_scanner.scan_component_manifests()
bundled()
inspect.stack()  # which Streamlit does at the first page, and which has to look at each module once
gc.collect()
gc.freeze()  # so that a child that collects garbage does not copy all of it
