"""The matrix: which role gets what from the running app, cell by cell, as the app really answers.

`make security` writes it into docs/en/reference/security.md; `test_matrix` holds the app against what stands there.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from starlette.routing import WebSocketRoute

from characterbox.accounts.account import ROLES
from tests.browser.app import REPOSITORY
from tests.fakes.built_app import built_app
from tests.security.shared_server import NOBODY, Drawn, Server, shared_server

DOCUMENT = REPOSITORY / "docs/en/reference/security.md"
OFF = "accounts off"
COLUMNS = (NOBODY, "viewer", "expert", "researcher", "admin", OFF)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PRESSED = ("button", "download_button", "file_uploader")
"""Elements that do something, or take something in, as soon as they are used; all others show, or choose for these."""
VIEWS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "stage": [{}, {"story": "STORY"}],
    "playback": [{}, {"story": "STORY"}, {"story": "STORY", "view": "judges"}, {"compare": "STORY"}],
    "scenes": [
        {}, {"scene": "bundled:holmes-study"}, {"scene": "bundled:holmes-study", "edit": "1"},
        {"scene": "bundled:holmes-study", "translate": "1"}, {"new": "1"}, {"import": "1"}, {"craft": "1"},
        {"export": "1"}, {"inspect": "1"},
    ],
    "sweeps": [{}, {"new": "1"}],
    "models": [{}, {"server": "rehearsal"}, {"new": "api"}, {"new": "started"}],
    "campaigns": [{}, {"new": "1"}, {"rubrics": "1"}, {"datasets": "1"}],
    "annotate": [{}],
    "validity": [{}],
    "leaderboard": [{}],
    "admin": [{}, {"new": "1"}, {"account": "ACCOUNT"}, {"log": "newest"}],
}  # fmt: skip
"""The views of each page, by what follows the ? in their addresses."""


@dataclass(frozen=True)
class Row:
    """One thing that can be asked of the app, and who gets it."""

    what: str
    who: frozenset[str]

    def cells(self) -> str:
        """The row as it stands in the document."""
        marks = " | ".join("yes" if column in self.who else "no" for column in COLUMNS)
        return f"| {self.what} | {marks} |"


def matrix(folder: Path) -> Mapping[str, Sequence[Row]]:
    """The tables, by name: routes, pages with their views, and what can be done on them."""
    with ExitStack() as both:
        local, off = (both.enter_context(shared_server(folder / f"{auth}.db", auth)) for auth in ("local", "off"))
        asked = {who: (local, who) for who in (NOBODY, *ROLES)} | {OFF: (off, NOBODY)}
        drawn = {column: dict(_drawn(*asked[column])) for column in COLUMNS}
        return {
            "routes": _rows({column: {*_answered(*asked[column])} for column in COLUMNS}),
            "pages": _rows({column: {*drawn[column]} for column in COLUMNS}),
            "actions": _rows({column: {*_offered(drawn[column])} for column in COLUMNS}),
        }


def written(tables: Mapping[str, Sequence[Row]]) -> Mapping[str, str]:
    """The tables as they stand in the document."""
    head = f"| | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 1)}"
    return {name: "\n".join([head, *(row.cells() for row in rows)]) for name, rows in tables.items()}


def in_document(text: str) -> Mapping[str, str]:
    """The tables that stand in the text of the document, by their names."""
    return {found[1]: found[2] for found in _PLACE.finditer(text)}


_PLACE = re.compile(r"<!-- table: (\w+) -->\n(.*?)\n<!-- end -->", re.DOTALL)


def _rows(found: Mapping[str, set[str]]) -> list[Row]:
    everything = sorted({what for column in COLUMNS for what in found[column]})
    return [Row(what, frozenset(column for column in COLUMNS if what in found[column])) for what in everything]


def _answered(server: Server, who: str) -> Iterator[str]:
    """The routes that do not refuse this one: by any method, or by those that are told."""
    for route in built_app().routes:
        path = getattr(route, "path", "") or "/"
        if isinstance(route, WebSocketRoute):
            with server.visit(who) as visit:
                if visit is not None:
                    yield f"`{path}` (web socket)"
            continue
        filled = re.sub(r"\{\w+(:path)?\}", "none", path.replace("{story}", server.story))
        methods = [method for method in METHODS if not _refuses(server, who, method, filled)]
        if methods:
            yield f"`{path}`" if len(methods) == len(METHODS) else f"`{path}` ({', '.join(methods)})"


def _refuses(server: Server, who: str, method: str, path: str) -> bool:
    own = {"origin": server.app.url, "sec-fetch-site": "same-origin"}
    refused = server.request(who, method, path, headers=own).status_code in (401, 403)
    if path == "/sign-out" and method == "POST":
        server.sign_in(who)
    return refused


def _drawn(server: Server, who: str) -> Iterator[tuple[str, Drawn]]:
    """The pages and views that are drawn for this one."""
    with server.visit(who) as visit:
        if visit is None:
            return
        offered = visit.open().pages
        for page, views in VIEWS.items():
            for view in views if page in offered else ():
                filled = {"STORY": server.story, "ACCOUNT": server.account}
                query = urlencode({name: filled.get(value, value) for name, value in view.items()})
                drawn = visit.open(query, offered[page])
                if drawn.page == offered[page]:
                    yield f"{page} {' '.join(view)}".strip(), drawn


def _offered(drawn: Mapping[str, Drawn]) -> Iterator[str]:
    """What can be done on the views that were drawn, by the words on it."""
    for place, one in drawn.items():
        page = place.partition(" ")[0]
        for element in one.of(*PRESSED):
            yield f"{page}: {element.label}"
        for component in one.of("bidi_component"):
            yield f"{page}: events of {component.component_name}"


def main() -> None:
    """Write the tables into the document."""
    with TemporaryDirectory() as folder:
        tables = written(matrix(Path(folder)))
    text = DOCUMENT.read_text(encoding="utf-8")
    text = _PLACE.sub(lambda place: f"<!-- table: {place[1]} -->\n{tables[place[1]]}\n<!-- end -->", text)
    DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
