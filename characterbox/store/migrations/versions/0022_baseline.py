"""The schema of the first version that anybody may have."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = None
branch_labels = None
depends_on = None

LOG = "the audit log is only added to"
KEPT = {
    "mark": (
        "marks are only added to",
        "id = NEW.id OR (assignment = NEW.assignment AND (revision = NEW.revision OR click = NEW.click))",
    ),
    "verdict": ("verdicts are only added to", "id = NEW.id"),
    "dataset": ("datasets are only added to", "id = NEW.id OR name = NEW.name"),
    "dataset_content": ("datasets are only added to", "dataset = NEW.dataset"),
}
"""Tables whose rows are neither changed, deleted nor replaced: what is said instead, and which row would be replaced."""


def upgrade() -> None:
    """Make all tables, and have the database itself refuse changes of what is only added to."""
    op.create_table(
        "account",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password", sa.String(), nullable=True),
        sa.Column("email", sa.String(), nullable=True),
        sa.Column("issuer", sa.String(), nullable=True),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("email"),
        sa.UniqueConstraint("issuer", "subject"),
        sa.UniqueConstraint("key"),
    )
    op.create_table(
        "audit_pruning",
        sa.Column("before", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("before"),
    )
    op.create_table(
        "campaign",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
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
        "dataset",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("rubric", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("ratings", sa.Integer(), nullable=False),
        sa.Column("added_by", sa.String(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "judge",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "version"),
        sa.UniqueConstraint("name", "digest"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "key_binding",
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("bound_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bound_by", sa.String(), nullable=True),
        sa.Column("bound_by_name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("origin", "key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "part",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest"),
    )
    op.create_table(
        "preference",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rated_scene",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "rubric",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("added_by", sa.String(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", "version"),
    )
    op.create_table(
        "scene_chain",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("newest", sa.Integer(), nullable=False),
        sa.Column("away_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "scene_rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("improvised", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_scene_rating_target", "scene_rating", ["scene", "metric", "rater"], unique=False)
    op.create_table(
        "secret",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "server",
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("url"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "server_proposal",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("proposed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("proposed_by", sa.String(), nullable=True),
        sa.Column("proposed_by_name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_server_proposal_proposed_by"), "server_proposal", ["proposed_by"], unique=False)
    op.create_table(
        "source",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "story",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("script", sa.JSON(), nullable=False),
        sa.Column("casting", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("launched_from", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("branch", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("people", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("scene", sa.String(), server_default="", nullable=False),
        sa.Column("work", sa.String(), server_default="", nullable=False),
        sa.Column("models", sa.JSON(), server_default="[]", nullable=False),
        sa.Column("label", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_story_created_at"), "story", ["created_at"], unique=False)
    op.create_index(op.f("ix_story_status"), "story", ["status"], unique=False)
    op.create_index(
        "ix_story_with_people",
        "story",
        ["id"],
        unique=False,
        sqlite_where=sa.text("CAST(people AS TEXT) != '[]'"),
        postgresql_where=sa.text("CAST(people AS TEXT) != '[]'"),
    )
    op.create_table(
        "sweep",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("launched_from", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "throttle",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "assignment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("purpose", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaign.id"],
        ),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["account.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("campaign", "rater", "item", "take"),
    )
    op.create_index(op.f("ix_assignment_rater"), "assignment", ["rater"], unique=False)
    op.create_table(
        "audit",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(), nullable=True),
        sa.Column("actor_name", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["actor"],
            ["account.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "call",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("story_id", "path", "take", "asked_at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "campaign_item",
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("story_id", sa.String(), nullable=True),
        sa.Column("character", sa.String(), nullable=True),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaign.id"],
        ),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("campaign", "item"),
    )
    op.create_table(
        "campaign_rater",
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("languages", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaign.id"],
        ),
        sa.ForeignKeyConstraint(
            ["rater"],
            ["account.id"],
        ),
        sa.PrimaryKeyConstraint("campaign", "rater"),
    )
    op.create_table(
        "crafting",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("source", sa.String(), nullable=True),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("launched_from", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source"],
            ["source.digest"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "dataset_content",
        sa.Column("dataset", sa.String(), nullable=False),
        sa.Column("ratings", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["dataset.id"],
        ),
        sa.PrimaryKeyConstraint("dataset"),
    )
    op.create_table(
        "draft",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("story_id", "path"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "event",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("story_id", "seq"),
        sa.UniqueConstraint("story_id", "path"),
    )
    op.create_table(
        "extension",
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaign.id"],
        ),
        sa.PrimaryKeyConstraint("campaign", "account"),
    )
    op.create_table(
        "invitation",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account"],
            ["account.id"],
        ),
        sa.ForeignKeyConstraint(
            ["made_by"],
            ["account.id"],
        ),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index(op.f("ix_invitation_account"), "invitation", ["account"], unique=False)
    op.create_table(
        "passkey",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("public_key", sa.String(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account"],
            ["account.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_passkey_account"), "passkey", ["account"], unique=False)
    op.create_table(
        "rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("rubric", sa.String(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_rating_target", "rating", ["item", "metric", "rater"], unique=False)
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
        sa.Column("troubles", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("price", sa.Float(), nullable=True),
        sa.Column("dropped", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("memory", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("story_id", "path", "take"),
    )
    op.create_index(
        "ix_reply_by_person",
        "reply",
        ["story_id"],
        unique=False,
        sqlite_where=sa.text("author != 'model'"),
        postgresql_where=sa.text("author != 'model'"),
    )
    op.create_table(
        "scene_version",
        sa.Column("chain", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("scene", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("work", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("pair", sa.String(), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["chain"],
            ["scene_chain.id"],
        ),
        sa.PrimaryKeyConstraint("chain", "version"),
    )
    op.create_index(op.f("ix_scene_version_key"), "scene_version", ["key"], unique=False)
    op.create_index(op.f("ix_scene_version_scene"), "scene_version", ["scene"], unique=False)
    op.create_table(
        "session",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account"],
            ["account.id"],
        ),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index(op.f("ix_session_account"), "session", ["account"], unique=False)
    op.create_table(
        "sweep_failure",
        sa.Column("sweep", sa.String(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["sweep"],
            ["sweep.name"],
        ),
        sa.PrimaryKeyConstraint("sweep", "task"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "sweep_story",
        sa.Column("sweep", sa.String(), nullable=False),
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.ForeignKeyConstraint(
            ["sweep"],
            ["sweep.name"],
        ),
        sa.PrimaryKeyConstraint("sweep", "story_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tag",
        sa.Column("story_id", sa.String(), nullable=False),
        sa.Column("tag", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["story_id"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("story_id", "tag"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "verdict",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("campaign", sa.String(), nullable=False),
        sa.Column("item", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("adjudicator", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["campaign"],
            ["campaign.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_verdict_campaign"), "verdict", ["campaign"], unique=False)
    op.create_table(
        "vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("one", sa.String(), nullable=False),
        sa.Column("other", sa.String(), nullable=False),
        sa.Column("better", sa.String(), nullable=True),
        sa.Column("rater", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=True),
        sa.Column("blind", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["one"],
            ["story.id"],
        ),
        sa.ForeignKeyConstraint(
            ["other"],
            ["story.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_vote_pair", "vote", ["one", "other"], unique=False)
    op.create_table(
        "crafting_call",
        sa.Column("crafting", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["crafting"],
            ["crafting.id"],
        ),
        sa.PrimaryKeyConstraint("crafting", "path", "take", "asked_at"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "crafting_reply",
        sa.Column("crafting", sa.String(), nullable=False),
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
        sa.Column("troubles", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("price", sa.Float(), nullable=True),
        sa.Column("dropped", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("memory", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["crafting"],
            ["crafting.id"],
        ),
        sa.PrimaryKeyConstraint("crafting", "path", "take"),
        sqlite_with_rowid=True,
    )
    op.create_table(
        "mark",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("assignment", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("click", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("content", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment"],
            ["assignment.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("assignment", "click"),
        sa.UniqueConstraint("assignment", "revision"),
    )
    if op.get_bind().dialect.name == "postgresql":
        _keep_on_postgresql()
    else:
        _keep_on_sqlite()


def downgrade() -> None:
    raise RuntimeError("there is no earlier schema; keep a copy of the database")


def _keep_on_sqlite() -> None:
    for table, (refusal, same) in {"audit": (LOG, "id = NEW.id"), **KEPT}.items():
        prunable = " WHEN NOT EXISTS (SELECT 1 FROM audit_pruning WHERE OLD.at < before)" if table == "audit" else ""
        for act, what in (
            ("update", f"UPDATE ON {table}"),
            ("delete", f"DELETE ON {table}{prunable}"),
            ("replace", f"INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"),  # nosec B608 # names of this file
        ):
            op.execute(f"CREATE TRIGGER {table}_{act} BEFORE {what} BEGIN SELECT RAISE(ABORT, '{refusal}'); END")


def _keep_on_postgresql() -> None:
    for table, (refusal, _) in {"audit": (LOG, ""), **KEPT}.items():
        deletion = "" if table == "audit" else " OR DELETE"
        refuse = "dataset_refuse" if table == "dataset_content" else f"{table}_refuse"
        if table != "dataset_content":
            op.execute(
                f"CREATE FUNCTION {refuse}() RETURNS trigger LANGUAGE plpgsql AS"
                f" $$ BEGIN RAISE EXCEPTION '{refusal}'; END $$"
            )
        op.execute(
            f"CREATE TRIGGER {table}_kept BEFORE UPDATE{deletion} OR TRUNCATE ON {table}"
            f" FOR EACH STATEMENT EXECUTE FUNCTION {refuse}()"
        )
    op.execute(
        "CREATE FUNCTION audit_prune() RETURNS trigger LANGUAGE plpgsql AS"  # nosec B608 # names of this file
        " $$ BEGIN IF EXISTS (SELECT 1 FROM audit_pruning WHERE OLD.at < before) THEN RETURN OLD; END IF;"
        f" RAISE EXCEPTION '{LOG}'; END $$"
    )
    op.execute("CREATE TRIGGER audit_delete BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_prune()")
