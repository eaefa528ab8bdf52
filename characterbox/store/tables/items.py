"""What is judged or rated: one identity, stored in three columns."""

from typing import Any, Literal

from sqlalchemy import Column, Computed, String

from characterbox.values import Value

ItemKind = Literal["character", "narrator", "scene", "dialogue", "comparison"]
"""`narrator` is all that the narrator decided in a story; a scene is one in all stories that were played from it."""
ITEM_COLUMNS = ("item_kind", "owner", "slug")
"""The columns of an item in tables, and in tables of ratings."""
_LABEL = (
    "CASE WHEN item_kind = 'narrator' THEN owner || '/narrator' WHEN item_kind = 'scene' THEN 'scene/' || owner"
    " WHEN slug = '' THEN owner ELSE owner || ':' || slug END"
)


class Item(Value):
    """What is judged or rated."""

    kind: ItemKind
    owner: str
    """The id of the story; of a scene its key, or of one that could not be read when scenes got keys, work and id with
    a colon between."""
    slug: str = ""
    """Of the character; empty where all of the owner is rated."""

    @property
    def label(self) -> str:
        """The item's name in files, addresses and tables of ratings; the database makes the same of its columns."""
        match self.kind:
            case "narrator":
                return f"{self.owner}/narrator"
            case "scene":
                return f"scene/{self.owner}"
            case _:
                return f"{self.owner}:{self.slug}" if self.slug else self.owner

    def as_columns(self) -> dict[str, str]:
        """The item's columns in a table."""
        return {"item_kind": self.kind, "owner": self.owner, "slug": self.slug}


def item_in(row: Any) -> Item:
    """The item of a row with the columns of one."""
    return Item(kind=row["item_kind"], owner=row["owner"], slug=row["slug"])


def label_column() -> Any:
    """A column with the label of a row's item, which the database makes."""
    return Column(String, Computed(_LABEL, persisted=True))
