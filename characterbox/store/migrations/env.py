"""Runs the migrations on the connection that the store hands over."""

from alembic import context
from sqlmodel import SQLModel

import characterbox.store.account_tables  # noqa: F401  (fills the metadata)
import characterbox.store.tables  # noqa: F401

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
