"""The tables of datasets: tables of ratings that were brought in from elsewhere. They are only added to."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Float, Integer, Text
from sqlmodel import Field, SQLModel

from characterbox.store.tables import UtcDateTime, now


def _text() -> Any:
    return Column(Text, nullable=False)


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


class DatasetRatingRow(SQLModel, table=True):
    """One rating of a dataset; `id` counts them in the order of their file."""

    __tablename__ = "dataset_rating"
    id: int | None = Field(
        default=None, sa_column=Column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    )
    dataset: str = Field(foreign_key="dataset.id", index=True)
    item: str = Field(sa_column=_text())
    scene: str = Field(sa_column=_text())
    model: str = Field(sa_column=_text())
    language: str | None
    metric: str
    rater: str = Field(sa_column=_text())
    kind: str
    score: float | None = Field(default=None, sa_column=Column(Float))
    reason: str | None = Field(default=None, sa_column=Column(Text))
