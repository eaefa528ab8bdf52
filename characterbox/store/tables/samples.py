"""The rows of samples."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from characterbox.store.tables.columns import moment, now


class SampleRow(SQLModel, table=True):
    """A story or a dataset that was made as a sample; the row stays when the sample is removed."""

    __tablename__ = "sample"
    id: str = Field(primary_key=True)
    made_at: datetime = Field(default_factory=now, sa_column=moment())
