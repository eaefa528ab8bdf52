"""What a page runs to be in the language of the interface: it says which one that is, and puts Streamlit's own words
into it, which are English alone."""

import json
from collections.abc import Mapping

from annotations.i18n.messages import to_say
from annotations.i18n.translation import Tongue, say, speaking
from characterbox.components.web import web_text
from characterbox.interface_language import CODES

WORDS = (
    # of files
    to_say("Upload"),
    to_say("Add files"),
    to_say("file upload"),
    to_say("Drag and drop a file here"),
    to_say("Drag and drop files here"),
    to_say("{size} per file"),
    to_say("File must be {size} or smaller."),
    to_say("{type} files are not allowed."),
    # of choices
    to_say("Choose an option"),
    to_say("Choose options"),
    to_say("Choose or add an option"),
    to_say("Choose or add options"),
    to_say("Add options"),
    to_say("No options to select"),
    to_say("No results"),
    to_say("Select all"),
    to_say("Add: {text}"),
    to_say("Remove {what}"),
    to_say("Selected values"),
    to_say("Open"),
    to_say("Clear all"),
    to_say("Clear value"),
    # of fields
    to_say("Press Enter to apply"),
    to_say("Press Enter to submit form"),
    to_say("Press Ctrl+Enter to apply"),
    to_say("Press Ctrl+Enter to submit form"),
    to_say("Press ⌘+Enter to apply"),
    to_say("Press ⌘+Enter to submit form"),
    to_say("Clear entry"),
    to_say("Show password"),
    to_say("Hide password"),
    to_say("Increment"),
    to_say("Decrement"),
    to_say("Choose date"),
    to_say("Clear date"),
    to_say("Use arrow keys to navigate dates. Enter to select. Escape to close."),
    # of pages of a list, tables and boxes
    to_say("Pagination"),
    to_say("Previous page"),
    to_say("Next page"),
    to_say("Page {number}"),
    to_say("Search"),
    to_say("Fullscreen"),
    to_say("Close fullscreen"),
    to_say("Show/hide columns"),
    to_say("Sort ascending"),
    to_say("Sort descending"),
    to_say("Format"),
    to_say("Autosize"),
    to_say("Pin column"),
    to_say("Unpin column"),
    to_say("Hide column"),
    to_say("Statistics"),
    to_say("Copy column name"),
    to_say("Copy to clipboard"),
    to_say("Close"),
    to_say("Expand sidebar"),
    to_say("Collapse sidebar"),
)
"""Streamlit's own words as it writes them; where one has something in braces, anything can stand there."""


def _script(language: Tongue) -> str:
    says = f'document.documentElement.lang = "{CODES[language]}";\n'
    if language == "en":
        return says
    with speaking(language):
        words = json.dumps({word: say(word) for word in WORDS}, ensure_ascii=False).replace("<", "\\u003c")
    return f"{says}{{\nconst words = {words};\n{web_text('page_language/page_language.js')}}}\n"


SCRIPTS: Mapping[Tongue, str] = {language: _script(language) for language in CODES}
"""By the language of the interface; only these very words are let run (routes/security.py)."""
