"""Whether the story in a file holds together: what each of its parts allows alone, they may not allow together."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from annotations.i18n.messages import Message
from characterbox.llm.embeddings import EMBEDDINGS, vectors_in
from characterbox.pause_reasons import MOST_REASON, stored
from characterbox.play.events import EnvironmentBelief, Event, SelfBelief, StoryEnded
from characterbox.play.paths import READERS, parse_path, place_of
from characterbox.scenes.scene import MOST_NAME, overlong
from characterbox.share.story_schema import FiledReply, Misfit, Place, StoryFile
from characterbox.store.stories.branch_tree import MOST_LABEL, kept_label
from characterbox.store.stories.stories import Status, Story
from characterbox.store.tables.columns import now

_NUMBER = re.compile(r"[1-9]\d{0,8}")
_ID = re.compile("[0-9A-Za-z]{1,64}")
_EXPLAINED: frozenset[Status] = frozenset({"waiting", "failed", "mismatched"})
"""The statuses whose reason is shown."""
MOST_STEP = 2**31 - 1
"""The number of a step, at most."""
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)
"""How far the clock of another computer may be ahead."""
_ACTOR = {
    "action": "character",
    "dialogue": "character",
    "action_influence": "character",
    "reaction": "to",
    "interaction_result": "character",
}
"""The field that says whose turn it is, by the kind of the event."""


def misfits(file: StoryFile) -> Iterator[Misfit]:
    """What is wrong with the story, and where: what pages rely on, and no more.

    Whether its steps follow each other as those of a turn do is not looked at, nor whether all rounds were played, nor
    whether what was remembered is of its prompt: nothing is told of what is not.
    """
    yield from ((("story", *place), why) for place, why in _of_story(file.story))
    yield from _of_events(file)
    yield from _of_journal(file)
    yield from _of_moments(file)


def _of_story(story: Story) -> Iterator[Misfit]:
    names = {*story.script.scene.names}
    if not _ID.fullmatch(story.id):
        yield ("id",), Message("it must consist of at most 64 letters and digits")
    yield from _of_branch(story)
    if story.title != story.script.scene.title:
        yield ("title",), Message("it differs from the title in the scene")
    for field, most in overlong(story.script.scene):
        yield ("script", "scene", field), Message("it is longer than {most} characters", most=most)
    if len(story.label or "") > MOST_LABEL:
        yield ("label",), Message("it is longer than {most} characters", most=MOST_LABEL)
    if story.label is not None and story.label != kept_label(story.label):
        yield ("label",), Message("it contains white space that is not allowed in a label")
    if len(story.people) != len({*story.people}):
        yield ("people",), Message("a person is listed twice")
    if story.reason is not None and len(stored(story.reason)) > MOST_REASON:
        yield ("reason",), Message("it is longer than {most} characters", most=MOST_REASON)
    if unknown := {*story.people} - {None, *names}:
        yield ("people",), _not_in_the_cast(min(map(str, unknown)))
    if {*story.casting.characters} != names:
        yield ("casting",), Message("it does not match the cast")
    if story.status in _EXPLAINED and not str(story.reason or "").strip():
        yield ("reason",), Message("it is missing; the status {status} needs a reason", status=story.status)


def _of_branch(story: Story) -> Iterator[Misfit]:
    if (branch := story.branch) is None:
        return
    if not _ID.fullmatch(branch.parent):
        yield ("branch", "parent"), Message("it must consist of at most 64 letters and digits")
    if branch.parent == story.id:
        yield ("branch", "parent"), Message("a story cannot be its own parent")
    if branch.at > MOST_STEP:
        yield ("branch", "at"), Message("it must be {le} or less", le=MOST_STEP)


def _of_events(file: StoryFile) -> Iterator[Misfit]:
    script, paths, before = file.story.script, set[str](), 0
    names = {*script.scene.names}
    for number, event in enumerate(file.events):
        opens = before == 0 and isinstance(event, SelfBelief | EnvironmentBelief)  # formed before the first round
        first, last = 0 if opens else max(before, 1), min(before + 1, script.rounds)
        if not first <= event.round <= last:
            told = Message(
                "it is {round}, but must be {first} to {last} here", round=event.round, first=first, last=last
            )
            yield ("events", number, "round"), told
        yield from ((("events", number, *field), why) for field, why in _of_event(event, names))
        if event.path in paths:
            yield ("events", number, "path"), Message("an earlier event has the same path")
        if isinstance(event, StoryEnded) and number < len(file.events) - 1:
            yield ("events", number), Message("the story ends here, but more events follow")
        paths.add(event.path)
        before = event.round
    if file.story.status == "ended" and not (file.events and isinstance(file.events[-1], StoryEnded)):
        yield ("events",), Message("the story has ended, but its end is missing")


def _of_event(event: Event, names: set[str]) -> Iterator[Misfit]:
    yield from ((field, _not_in_the_cast(name)) for field, name in _named_in(event) if name not in names)
    between = isinstance(event, SelfBelief | EnvironmentBelief | StoryEnded)
    if between and event.turn is not None:
        yield ("turn",), Message("an event of this kind cannot belong to a turn")
    if not between and event.turn is None:
        yield ("turn",), Message("it is missing; an event of this kind must belong to a turn")
    if (actor := _ACTOR.get(event.kind)) is not None and getattr(event, actor) != event.turn:
        yield (actor,), Message("it must be the character whose turn it is")
    other = "character" if event.kind == "reaction" else "affected"
    if not between and getattr(event, other, None) == event.turn:
        yield (other,), Message("it cannot be the character whose turn it is")
    if event.path != (place := place_of(event)):
        yield ("path",), Message("the path of this event must be {place}", place=place)


def _named_in(event: Event) -> Iterator[tuple[Place, str]]:
    """All names that an event holds, with their places in it."""
    for field in ("turn", "character", "affected", "to"):
        if (name := getattr(event, field, None)) is not None:
            yield (field,), name
    for field in ("seen_by", "heard_by"):
        yield from (((field, at), name) for at, name in enumerate(getattr(event, field, None) or ()))
    for field in ("recognised", "hidden"):
        for number, one in enumerate(getattr(event, field, None) or ()):
            yield (field, number, "who"), one.who
            yield from (((field, number, "by", at), name) for at, name in enumerate(one.by))


def _of_journal(file: StoryFile) -> Iterator[Misfit]:
    replies, calls = [(one.path, one.take) for one in file.journal], [(one.path, one.take) for one in file.asked]
    sizes: dict[str, int] = {}
    for part, places in (("journal", replies), ("asked", calls)):
        known = set[tuple[str, int]]()
        for number, place in enumerate(places):
            if not _is_path(place[0]):
                yield (part, number, "path"), Message("its format is not valid")
            elif part == "journal" and place[0].startswith(EMBEDDINGS):
                yield from _of_vectors(file.journal[number], sizes, number)
            if place in known:
                yield (part, number), Message("an earlier one has the same path and take")
            known.add(place)


def _of_vectors(reply: FiledReply, sizes: dict[str, int], number: int) -> Iterator[Misfit]:
    """What is wrong with vectors; `sizes` tells those of the models before."""
    try:
        size = len(next(iter(vectors_in(reply.reply()).values())))
    except ValueError:
        yield ("journal", number, "text"), Message("it holds no embeddings of its messages")
    else:
        if sizes.setdefault(reply.endpoint.model, size) != size:
            yield ("journal", number, "text"), Message("its embeddings have another size than those before")


def _is_path(path: str) -> bool:
    """Whether somebody can be asked there: for a step of the story, about it once it has ended, or for vectors."""
    if path.startswith(READERS):
        return True
    if path.startswith(EMBEDDINGS):
        return _NUMBER.fullmatch(path.removeprefix(EMBEDDINGS)) is not None
    try:
        parse_path(path)
    except ValueError:
        return False
    return True


def _of_moments(file: StoryFile) -> Iterator[Misfit]:
    moments: list[tuple[Place, datetime]] = [(("story", "created_at"), file.story.created_at)]
    moments += [(("journal", number, "came_at"), one.came_at) for number, one in enumerate(file.journal)]
    moments += [(("asked", number, "asked_at"), one.asked_at) for number, one in enumerate(file.asked)]
    latest = now() + _AHEAD
    for place, moment in moments:
        if moment.tzinfo is None:
            yield place, Message("it has no time zone")
        elif not _EARLIEST <= moment <= latest:
            yield place, Message("it is not in the past")


def _not_in_the_cast(name: str) -> Message:
    return Message("{name!r} is not in the cast", name=name[:MOST_NAME])
