"""Trains several runs one after the other in one process: `python in_one.py FOLDER ...`. PyTorch is imported once."""

import sys
from pathlib import Path

from characterbox.training.worker.__main__ import main

for folder in sys.argv[1:]:
    main(Path(folder), "train")
