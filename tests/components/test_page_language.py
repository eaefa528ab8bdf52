"""Streamlit's own words are those that are put into the language of the page: its next version may have others."""

import re
from pathlib import Path

import pytest
import streamlit

from characterbox.components.page_language import SCRIPTS, WORDS


@pytest.mark.slow
def test_streamlit_still_has_these_words():
    static = Path(streamlit.__file__).parent / "static" / "static" / "js"
    files = [file for file in static.glob("*.js") if not file.name.startswith("PlotlyChart")]
    scripts = "".join(file.read_text(encoding="utf-8") for file in files)
    parts = {word: max(re.split(r"\{\w+\}", word), key=len) for word in WORDS if not word.startswith("Press ")}
    assert [word for word, part in parts.items() if part not in scripts] == []
    assert "Press Enter to ${" in scripts
    assert "+Enter to ${" in scripts


def test_the_english_page_runs_nothing_but_what_says_so_and_no_script_can_end_early():
    assert SCRIPTS["en"] == 'document.documentElement.lang = "en";\n'
    assert "</script" not in SCRIPTS["zh"]
