"""What a reader sees of a table on a page, for tests."""

from html.parser import HTMLParser


class Rows(HTMLParser):
    """The text of a table's cells, row by row, without the notes below, and all tags that were met."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self._in_cell = False
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += data

    def starting(self, label: str) -> list[list[str]]:
        return [row for row in self.rows if row[0].startswith(label)]
