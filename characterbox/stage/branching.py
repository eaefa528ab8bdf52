"""Branches: a story that takes over the replies of another one, and differs from some event on.

Regenerating a reply, editing it, giving a character another model and simply trying once more are all branches: the
story that was there stays as it was, with its ratings.
"""

import asyncio
from dataclasses import dataclass, replace

from annotations.wording import say
from characterbox.errors import StoryError
from characterbox.llm.endpoint import Casting
from characterbox.llm.journal import Reply
from characterbox.llm.record import Inheritance, Record
from characterbox.stage.outlook import outlook
from characterbox.store.stories import Branch, Story, StoryStore


@dataclass(frozen=True, slots=True)
class Plan:
    """A branch before it starts."""

    branch: Branch
    casting: Casting
    edited: Reply | None = None
    """The reply at the branch as a person wrote it; None when it is not edited."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """What a branch will take over."""

    known: int
    """How many replies are taken over for sure; later ones may be, where nothing before them changes."""
    recorded: int
    """How many replies the story has that it branches off."""


def plan(stories: StoryStore, story: Story, branch: Branch, casting: Casting, text: str | None = None) -> Plan:
    """The branch of a story, with `text` in the place of the reply at it, if given.

    Raises StoryError if there is no such event, or no reply behind it.
    """
    inheritance = inherited(stories, branch)
    reply = inheritance.replies.get(inheritance.at)
    if reply is None:
        raise StoryError(
            say("story {id}: event {at} has no reply behind it; branch at another one", id=story.id, at=branch.at)
        )
    if set(casting.characters) != set(story.script.scene.names):
        raise StoryError(
            say("story {id}: the casting of the branch is not that of its scene; cast every character", id=story.id)
        )
    edited = None
    if text is not None:
        edited = replace(
            reply, take=reply.take + 1, text=text, author="edit", attempts=0, troubles=(), latency=0.0, price=None,
            prompt_tokens=None, completion_tokens=None, cached_tokens=None, finish_reason=None, origin=None,
        )  # fmt: skip
    return Plan(branch, casting, edited)


def record_of(stories: StoryStore, story: Story, plan: Plan) -> Record:
    """The record that the branch of a story begins with."""
    own = {} if plan.edited is None else {plan.edited.path: plan.edited}
    return Record(own, plan.casting.endpoint, story.script.seed, "keep", inherited(stories, plan.branch))


def reuse(stories: StoryStore, story: Story, plan: Plan) -> Reuse:
    """How much of the story its branch takes over. Not to be called where an event loop runs."""
    record = record_of(stories, story, plan)
    seen = asyncio.run(outlook(story.script, record))
    recorded = 0 if record.parent is None else len(record.parent.replies)
    return Reuse(seen.known - len(record.replies), recorded)


def check_unbranched(stories: StoryStore, id: str) -> None:
    """Raises StoryError if other stories took replies of this one over, so that they are not to be asked again."""
    if branches := stories.branches(id):
        raise StoryError(
            say(
                "story {id}: {count} branch off it, so its replies stay; branch it to ask again",
                id=id,
                count=len(branches),
            )
        )


def inherited(stories: StoryStore, branch: Branch) -> Inheritance:
    """What a branch takes over. Raises StoryError if the story that it branches off has no such event."""
    paths = [event.path for event in stories.events(branch.parent)]
    if not 1 <= branch.at <= len(paths):
        raise StoryError(
            say("story {id}: it has no event {at}; there are {count}", id=branch.parent, at=branch.at, count=len(paths))
        )
    replies = {reply.path: reply for reply in stories.journal(branch.parent, under="r")}
    return Inheritance(
        story=branch.parent,
        replies=replies,
        before=frozenset(paths[: branch.at - 1]),
        at=paths[branch.at - 1],
        anew=branch.anew,
    )
