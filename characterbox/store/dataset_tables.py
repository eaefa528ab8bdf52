"""The tables of datasets: tables of ratings that were brought in from elsewhere. They are only added to."""

from datetime import datetime

from sqlalchemy import Column, LargeBinary
from sqlmodel import Field, SQLModel

from characterbox.store.tables import UtcDateTime, now


class DatasetRow(SQLModel, table=True):
    """A dataset, and the rubric that its ratings were checked against."""

    __tablename__ = "dataset"
    id: str = Field(primary_key=True)
    """Twelve hexadecimal digits, drawn at random."""
    name: str = Field(unique=True)
    rubric: str
    rubric_version: str
    ratings: int
    """How many it has."""
    added_by: str
    """The name of the account."""
    added_at: datetime = Field(default_factory=now, sa_column=Column(UtcDateTime, nullable=False))


class DatasetContentRow(SQLModel, table=True):
    """All ratings of a dataset, as one value: they are only ever read together, and no click waits while they are
    written."""

    __tablename__ = "dataset_content"
    dataset: str = Field(primary_key=True, foreign_key="dataset.id")
    ratings: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    """A Parquet file, in the order of the file that they came from."""
