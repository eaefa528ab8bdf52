"""Datasets: tables of ratings from elsewhere, under names of their own, each checked against a rubric."""

import secrets
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, delete, insert, select

from annotations.errors import RatingError
from characterbox.accounts.account import Account
from characterbox.accounts.permissions import require
from characterbox.store.accounts.audit_log import record
from characterbox.store.tables.columns import now, table_of
from characterbox.store.tables.ratings import DatasetContentRow, DatasetRow
from characterbox.store.writer import Writer, in_turn
from characterbox.values import Value

if TYPE_CHECKING:
    import pandas as pd

    from annotations.exchange.intake import DryRun

LONGEST_NAME = 120
_DATASET = table_of(DatasetRow)
_CONTENT = table_of(DatasetContentRow)


class Dataset(Value):
    """A dataset without its ratings."""

    id: str
    name: str
    rubric: str
    rubric_version: str
    ratings: int
    added_by: str
    added_at: datetime


class DatasetStore:
    """Keeps datasets. They are never changed, nor removed, but for samples: statistics rest on them."""

    def __init__(self, engine: Engine, writer: Writer) -> None:
        self._engine = engine
        self._writer = writer

    def all(self) -> list[Dataset]:
        """All datasets, the newest first."""
        with self._engine.connect() as connection:
            rows = connection.execute(select(_DATASET).order_by(_DATASET.c.added_at.desc())).mappings()
            return [Dataset.model_validate(dict(row)) for row in rows]

    def frame(self, dataset: str) -> "pd.DataFrame":
        """The ratings of a dataset, by its id, in long form and the order of their file: the columns are `TAKEN`.

        Datasets of earlier versions do not tell what was improvised.
        Raises RatingError if there is no such dataset.
        """
        import pandas as pd  # noqa: PLC0415 - half a second, of which most commands need nothing

        with self._engine.connect() as connection:
            ratings = connection.scalar(select(_CONTENT.c.ratings).where(_CONTENT.c.dataset == dataset))
        if ratings is None:
            raise RatingError("dataset {name!r} does not exist; choose one from the list", name=dataset)
        return pd.read_parquet(BytesIO(ratings))

    def add(self, name: str, trial: "DryRun", actor: Account, id: str | None = None) -> Dataset:
        """Store what a dry run has taken, all or nothing; under a random id where none is given.

        Raises RatingError if nothing was taken, or the name can't be used or is taken.
        """
        from annotations.exchange.intake import TAKEN  # noqa: PLC0415 - half a second, of which most commands need nothing

        if trial.taken.empty:
            raise RatingError("no row can be imported; check the rows and the reasons")
        dataset = Dataset(
            id=secrets.token_hex(6) if id is None else id,
            name=_usable(name),
            rubric=trial.rubric.name,
            rubric_version=trial.rubric.version,
            ratings=len(trial.taken),
            added_by=actor.name,
            added_at=now(),
        )
        ratings = trial.taken[list(TAKEN)].to_parquet(index=False, compression="zstd")

        def write(connection: Connection) -> None:
            if connection.scalar(select(_DATASET.c.id).where(_DATASET.c.name == dataset.name)) is not None:
                raise RatingError("there is already a dataset named {name!r}; choose another name", name=dataset.name)
            connection.execute(insert(_DATASET), dataset.model_dump())
            connection.execute(insert(_CONTENT), {"dataset": dataset.id, "ratings": ratings})
            told = dataset.model_dump(include={"name", "rubric", "rubric_version", "ratings"})
            record(connection, actor, "dataset.add", dataset.id, {**told, "left_out": trial.refused_rows})

        self._writer.submit(in_turn(write)).result()
        return dataset

    def remove_sample(self, id: str, actor: Account) -> None:
        """Remove a dataset that was made as a sample; nothing where it is gone. The database refuses any other.

        Raises NotAllowed if the account may not do that.
        """
        require(actor, "direct")

        def write(connection: Connection) -> None:
            name = connection.scalar(select(_DATASET.c.name).where(_DATASET.c.id == id))
            if name is not None:
                connection.execute(delete(_CONTENT).where(_CONTENT.c.dataset == id))
                connection.execute(delete(_DATASET).where(_DATASET.c.id == id))
                record(connection, actor, "dataset.remove", id, {"name": name})

        self._writer.submit(in_turn(write)).result()


def _usable(name: str) -> str:
    name = " ".join(name.split())
    if not name.isprintable() or not any(map(str.isalnum, name)) or len(name) > LONGEST_NAME:
        raise RatingError(
            "the name of a dataset needs a letter or digit and at most {most} characters", most=LONGEST_NAME
        )
    return name
