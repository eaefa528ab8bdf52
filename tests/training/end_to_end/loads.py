"""Loads a dataset folder as it is with `datasets`, and has TRL look at it: `python loads.py FOLDER`; prints JSON."""

import json
import sys

from datasets import load_dataset
from trl import is_conversational


def main(folder: str) -> None:
    loaded = load_dataset(folder, cache_dir=f"{folder}-cache")
    told = {split: len(rows) for split, rows in loaded.items()}
    conversational = all(is_conversational(rows[0]) for rows in loaded.values())
    columns = sorted({name for rows in loaded.values() for name in rows.column_names})
    print(json.dumps({"rows": told, "conversational": conversational, "columns": columns}))


if __name__ == "__main__":
    main(sys.argv[1])
