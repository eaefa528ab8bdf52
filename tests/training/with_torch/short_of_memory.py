"""Trains a run with 300 MB more of address space than PyTorch takes by itself: `python short_of_memory.py FOLDER`."""

import resource
import sys
from importlib import import_module
from pathlib import Path

from characterbox.training.worker.__main__ import main

import_module("characterbox.training.worker.training")
taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (taken + 300_000_000,) * 2)
sys.exit(main(Path(sys.argv[1]), "train"))
