"""Which published row a model belongs to: servers offer the paper's models under other names than its tables do.

The names that come with the package are in `published_names.toml`; those that people add go before them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from annotations.errors import RatingError
from annotations.report.published import TABLE_1, TABLE_6

PUBLISHED = tuple(
    dict.fromkeys(
        (*(one.model for one in TABLE_1), *(name for row in TABLE_6 for name in (row.narrator, row.characters)))
    )
)
"""The models that have a row in table 1 or 6, in their order."""


@dataclass(frozen=True)
class PublishedNames:
    """Finds the published row of a model by the name under which a server offers it."""

    added: Mapping[str, str | None] = field(default_factory=dict)
    """What people have added: by the name in lower case the published row, or None for a model that has none."""

    def row(self, model: str) -> str | None:
        """The name of the published row; None where the paper has none of this model."""
        for name in (model.casefold(), model.rpartition("/")[2].casefold()):
            if name in self.added:
                return self.added[name]
        return shipped().get(model.rpartition("/")[2].casefold())


SHIPPED = PublishedNames()
"""Only the names that come with the package."""


@cache
def shipped() -> Mapping[str, str]:
    """The published row by the name in lower case, that of the row itself among them."""
    text = (resources.files("annotations") / "report" / "published_names.toml").read_text(encoding="utf-8")
    rows: Mapping[str, list[str]] = tomllib.loads(text)
    return {name.casefold(): row for row, names in rows.items() for name in (row, *names)}


def checked_name(model: str, row: str | None) -> tuple[str, str | None]:
    """A name that somebody adds, in lower case, with its row.

    Raises RatingError where the name is empty, or of no use to anybody, or no such row is published.
    """
    name = model.strip().casefold()
    if not name or not name.isprintable() or len(name) > MOST_NAME:
        raise RatingError("a model name may contain visible characters only, at most {most}", most=MOST_NAME)
    if row is not None and row not in PUBLISHED:
        raise RatingError("the paper has no row {row!r} in tables 1 and 6; choose one of its models", row=row)
    return name, row


MOST_NAME = 200
"""Characters of a model's name at most."""
