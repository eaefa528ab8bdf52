"""How large a file the server takes."""

import tomllib
from pathlib import Path

from characterbox.share.story_file import MOST_BYTES
from pages.campaigns import datasets
from pages.crafting import form
from pages.scenes import import_files
from pages.sweeps import new
from pages.validity.ratings import LARGEST_UPLOAD


def test_the_server_takes_the_largest_file_of_any_page_and_no_larger_one():
    config = tomllib.loads((Path(__file__).parents[3] / ".streamlit/config.toml").read_text(encoding="utf-8"))
    pages = (form, datasets, import_files, new)
    assert config["server"]["maxUploadSize"] == max(MOST_BYTES >> 20, LARGEST_UPLOAD, *(one.LARGEST for one in pages))
