"""Claims, servers, drafts; prompts line by line, each line once; what a reply cost, and where it came from"""

import hashlib
import re

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ROLES = ("system", "user", "assistant")
KEPT = (
    "story_id", "path", "take", "text", "author", "url", "model", "attempts", "latency",
    "prompt_tokens", "completion_tokens", "cached_tokens", "finish_reason", "created_at",
)  # fmt: skip


def upgrade() -> None:
    connection = op.get_bind()
    with op.batch_alter_table("scene", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_scene_language"))
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_rating_story_id"))
    op.add_column("story", sa.Column("branch", sa.JSON(), nullable=True))
    op.add_column("story", sa.Column("people", sa.JSON(), nullable=False, server_default="[]"))
    op.create_table(
        "part",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_table(
        "claim",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.String(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "server",
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("url"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "draft",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["story_id"], ["story.id"]),
        sa.PrimaryKeyConstraint("story_id", "path"),
        sqlite_with_rowid=False,
    )
    _new_calls(connection)
    _new_replies(connection)
    if connection.dialect.name == "postgresql":
        op.alter_column("story", "people", server_default=None)


def _put_aside(table: str, connection: sa.Connection) -> None:
    op.rename_table(table, f"{table}_before")
    if connection.dialect.name == "postgresql":  # there the names of keys are the schema's, not the table's
        for key in ("pkey", "story_id_fkey"):
            op.execute(f"ALTER TABLE {table}_before RENAME CONSTRAINT {table}_{key} TO {table}_before_{key}")


def _new_calls(connection: sa.Connection) -> None:
    _put_aside("call", connection)
    op.create_table(
        "call",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["story_id"], ["story.id"]),
        sa.PrimaryKeyConstraint("story_id", "path", "take", "asked_at"),
        sqlite_with_rowid=False,
    )
    op.execute("INSERT INTO call SELECT story_id, path, take, asked_at FROM call_before")
    op.drop_table("call_before")


def _new_replies(connection: sa.Connection) -> None:
    _put_aside("reply", connection)
    op.create_table(
        "reply",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("prompt", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("latency", sa.Float(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("cached_tokens", sa.Integer(), nullable=True),
        sa.Column("finish_reason", sa.String(), nullable=True),
        sa.Column("troubles", sa.JSON(), nullable=True),
        sa.Column("price", sa.Float(), nullable=True),
        sa.Column("dropped", sa.JSON(), nullable=True),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["story_id"], ["story.id"]),
        sa.PrimaryKeyConstraint("story_id", "path", "take"),
    )
    _copy(connection)
    op.execute("UPDATE reply SET price = 0 WHERE url = 'rehearsal'")  # of others it is not known any more
    op.drop_table("reply_before")


def _copy(connection: sa.Connection) -> None:
    messages = sa.table("reply_before", *map(sa.column, KEPT))
    messages.append_column(sa.column("digest"))
    messages.append_column(sa.column("messages", sa.JSON()))
    keys = [messages.c.story_id, messages.c.path, messages.c.take]
    reply = sa.table("reply", *map(sa.column, (*KEPT, "digest", "prompt")))
    insert_part = sa.text("INSERT INTO part (id, digest, text) VALUES (:id, :digest, :text)").bindparams(
        sa.bindparam("digest", type_=sa.LargeBinary())
    )
    numbers: dict[bytes, int] = {}
    for story_id, path, take in connection.execute(sa.select(*keys).order_by(messages.c.created_at, *keys)).all():
        here = (messages.c.story_id == story_id) & (messages.c.path == path) & (messages.c.take == take)
        fingerprint, recorded = connection.execute(sa.select(messages.c.digest, messages.c.messages).where(here)).one()
        numbered = []
        for message in recorded:
            places = []
            for line in re.findall(r"\n*[^\n]+|\n+", message["content"]):
                digest = hashlib.sha256(line.encode()).digest()[:16]
                if digest not in numbers:
                    numbers[digest] = len(numbers) + 1
                    connection.execute(insert_part, {"id": numbers[digest], "digest": digest, "text": line})
                places.append(numbers[digest])
            numbered.append((message["role"], places))
        new = [sa.literal(value, sa.LargeBinary()) for value in (bytes.fromhex(fingerprint), _packed(numbered))]
        whole = sa.select(*(messages.c[name] for name in KEPT), *new).where(here)
        connection.execute(sa.insert(reply).from_select([*KEPT, "digest", "prompt"], whole))
    if connection.dialect.name == "postgresql" and numbers:
        op.execute(f"SELECT setval(pg_get_serial_sequence('part', 'id'), {len(numbers)})")


def _packed(messages: list[tuple[str, list[int]]]) -> bytes:
    """Role, count of runs, and each run as the step from the end of the one before, and its length; see `parts`."""
    values: list[int] = []
    expected = 0
    for role, numbers in messages:
        runs: list[list[int]] = []
        for number in numbers:
            if runs and number == sum(runs[-1]):
                runs[-1][1] += 1
            else:
                runs.append([number, 1])
        values += [ROLES.index(role), len(runs)]
        for first, length in runs:
            step = first - expected
            values += [2 * step if step >= 0 else -2 * step - 1, length]
            expected = first + length
    packed = bytearray()
    for value in values:
        while value > 0x7F:
            packed.append(value & 0x7F | 0x80)
            value >>= 7
        packed.append(value)
    return bytes(packed)


def downgrade() -> None:
    raise RuntimeError("earlier versions have no place for claims, branches and servers; keep a copy of the database")
