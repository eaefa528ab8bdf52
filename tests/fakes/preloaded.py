"""Imports whatever the command line and the app import sooner or later, in the process from which theirs are forked."""

import gc
import pkgutil
from importlib import import_module

import numpy.random  # noqa: F401
import scipy.stats  # noqa: F401
import streamlit.web.cli  # noqa: F401
import uvloop  # noqa: F401
from streamlit.components.v2 import manifest_scanner

import characterbox
import pages.parts
from tests.fakes.scanned_once import scan_once

LEFT_OUT = ("__main__", "recompute", "migrations")
"""Modules that do something when they are imported."""

for package in (characterbox, pages.parts):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not any(part in module.name.split(".") for part in LEFT_OUT):
            import_module(module.name)
scan_once()
manifest_scanner.scan_component_manifests()
gc.freeze()  # so that a child that collects garbage does not copy all of it
