"""What is known of a story besides its events and replies."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator
from sqlalchemy import ColumnElement, Row, Update, and_, func, select, update

from characterbox.errors import StoryError
from characterbox.llm.endpoint import Casting
from characterbox.pause_reasons import Reason
from characterbox.play.settings import with_settings
from characterbox.play.world import Script
from characterbox.reason_sentences import AnyReason
from characterbox.roles.dialogue import DIALOGUE
from characterbox.store.tables.columns import table_of
from characterbox.store.tables.stories import EventRow, StoryRow
from characterbox.values import Value

STORY = table_of(StoryRow)
_EVENT = table_of(EventRow)

Status = Literal["running", "paused", "waiting", "cued", "failed", "mismatched", "stopped", "ended"]
"""Running: being played. Paused: put aside by a person. Waiting: an endpoint is down; it goes on when that is back.
Cued: a person who plays an agent has to answer. Failed: broken off by an error, which `reason` tells. Mismatched:
broken off because a record belongs to another prompt, so that a person has to choose. Stopped: ended by a person before
its end, for good. Ended: complete."""

OVER: frozenset[Status] = frozenset({"ended", "stopped"})
"""The statuses of stories that are not played on: their events stand, and others may rest on them."""


class Branch(Value):
    """Where a story parts from the one it was branched from."""

    parent: str
    at: Annotated[int, Field(ge=1)]
    """Number of the first event that may differ, from 1."""
    anew: Literal["all", "this", "changed"]
    """What is asked from there on: everything; only the reply at this event, and what follows from it; only what
    another model or prompt makes different."""


class Story(Value):
    """A stored story without its events."""

    id: str
    title: str
    script: Script
    casting: Casting
    status: Status
    reason: AnyReason | None
    launched_from: Literal["app", "command line", "file", "sweep"]
    """A file: it was imported from one. Where its models are reached was then said by somebody else. A sweep: it goes
    on with the others of it."""
    created_at: datetime
    branch: Branch | None = None
    """What it was branched from; None for a story of its own."""
    people: tuple[str | None, ...] = ()
    """The agents that a person plays; None is the narrator."""
    label: str | None = None
    """What people call it, to tell it from its branches."""

    @field_validator("script", mode="before")
    @classmethod
    def _has_settings(cls, script: Any) -> Any:
        return with_settings(script)


def moving(story: str, status: Status, reason: Reason | None, out_of: Collection[Status] | None = None) -> Update:
    """The change of a story's status, from any, or only where it has one of those."""
    change = update(STORY).where(STORY.c.id == story).values(status=status, reason=reason)
    return change if out_of is None else change.where(STORY.c.status.in_(out_of))


def rounds_played() -> ColumnElement[int]:
    """In a query of stories: the round of the last event, in which the story ended if it has; 0 before the first.

    It can be fewer than the script has, where a story may conclude early.
    """
    last = select(_EVENT.c.content["round"].as_integer()).where(_EVENT.c.story_id == STORY.c.id)
    return func.coalesce(last.order_by(_EVENT.c.seq.desc()).limit(1).scalar_subquery(), 0)


def is_dialogue() -> ColumnElement[bool]:
    """In a query of stories: whether a story is a dialogue with a role. A scene of the library can be called alike."""
    conversation = STORY.c.script["conversation"].as_string()
    return and_(STORY.c.scene.startswith(DIALOGUE, autoescape=True), conversation.is_not(None))


def story_row(story: Story) -> dict[str, Any]:
    """A new story as a row."""
    values = story.model_dump(exclude={"script", "casting", "branch", "people"})
    values |= story.model_dump(mode="json", include={"script", "casting", "branch", "people"})
    scene = story.script.scene
    found_by = {"language": scene.language, "scene": scene.id, "work": scene.work, "models": story.casting.models}
    return {**values, **found_by}


def story_of(row: Row[Any]) -> Story:
    """The story of a row. Raises StoryError if it can't be read."""
    try:
        return Story.model_validate({name: getattr(row, name) for name in Story.model_fields})
    except ValidationError as error:
        raise unreadable(row.id, error) from None


def unreadable(story: str, error: ValidationError) -> StoryError:
    """That what is stored of a story can't be read, with the first thing that is wrong, and nothing of its text."""
    fault = error.errors()[0]
    what = ": ".join([*map(str, fault["loc"]), fault["msg"]])
    return StoryError(
        "story {story}: its stored data cannot be read ({what}); correct it in the database", story=story, what=what
    )
