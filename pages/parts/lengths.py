"""How much can be written into a field of a page. Streamlit takes no more than that, whatever a browser sends.

What may be stored is often shorter: then the function that stores it says so.
"""

from characterbox.components.rerun import MOST_TEXT

MOST_LINE = 2_000
"""Characters of a field of one line, at most: as many as the address of a page may have of it."""
MOST_LINES = 20_000
"""Characters of a field of some lines, at most."""
MOST_PASTED = MOST_TEXT
"""Characters of a field into which whole texts are pasted, at most: as many as a page may send in one field."""
