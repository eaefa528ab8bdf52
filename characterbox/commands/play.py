"""`characterbox play`: play a story, one JSON object per event."""

import argparse
import asyncio
import json
import shlex
import signal
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.commands.exits import ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.errors import AddressError, EndpointError, RecordMismatch, SceneError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint, parse_embedding_model
from characterbox.llm.replies.character_names import match_name
from characterbox.llm.sampling import Sampling, read
from characterbox.play.events import Event
from characterbox.play.settings import MemorySettings, Settings
from characterbox.play.world import Script
from characterbox.scenes.library import open_scene
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Story

USUAL = Settings()


def run(options: argparse.Namespace) -> int:
    """Play a new story or resume one; its events go to standard output as JSON, one a line."""
    with open_store(options) as store:
        story = _resumed(store, options) if options.resume is not None else _new_story(store, options)
        say(f"story {story.id}")
        try:
            return with_client(store, lambda client: _perform(store, client, story, options))
        except EndpointError as error:
            say(str(error))
            say(f"the story is kept; go on with: {_resume_command(story.id, options)}")
            return ENDPOINT_FAILED
        except RecordMismatch as error:
            raise StoryError(f"story {story.id}: {error}: --on-mismatch keep, or --on-mismatch ask") from None
        except (KeyboardInterrupt, asyncio.CancelledError, BrokenPipeError):
            say(f"interrupted; go on with: {_resume_command(story.id, options)}")
            return INTERRUPTED


async def _perform(store: Store, client: Client, story: Story, options: argparse.Namespace) -> int:
    unheard: list[OSError] = []

    def on_event(_: int, event: Event) -> None:
        told = json.dumps({**event.model_dump(mode="json"), "story": story.id}, ensure_ascii=False)
        try:
            if not unheard:
                print(told, flush=True)
        except OSError as error:
            unheard.append(error)
            performing.cancel()

    pace = PlaybackControl(people=story.people)
    performing = asyncio.ensure_future(
        perform(store.stories, client, story, pace, on_event=on_event, on_mismatch=options.on_mismatch)
    )
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, performing.cancel)
    try:
        status = await performing
    finally:
        if unheard:
            raise unheard[0]
    if status == "cued":
        raise StoryError(f"story {story.id}: a person plays in it, and has to answer now; open it in the app")
    return 0


def _new_story(store: Store, options: argparse.Namespace) -> Story:
    if options.file is None:
        raise SceneError("play: FILE is missing; give a scene file or bundled:NAME, or --resume STORY")
    scene = open_scene(options.file, options.scene, options.encoding)
    chosen = _given(options, ("rounds", "seed"))
    script = Script(scene=scene, may_conclude=options.may_conclude, settings=_settings(options), **chosen)
    return store.stories.create(script, _casting(scene.names, options), "command line")


def _settings(options: argparse.Namespace, before: Settings = USUAL) -> Settings:
    """The settings as the options say; what they leave open is as before."""
    return Settings(
        prompts=before.prompts,
        narrator=_sampling(options.narrator_temperature, options.top_p, before.narrator),
        characters=_sampling(options.character_temperature, options.top_p, before.characters),
        memory=before.memory.model_copy(update=_given(options, MemorySettings.model_fields)),
        last_beliefs=_given(options, ["last_beliefs"]).get("last_beliefs", before.last_beliefs),
    )


def _sampling(temperature: float | str | None, top_p: float | str | None, before: Sampling) -> Sampling:
    given = {"temperature": temperature, "top_p": top_p}
    return before.model_copy(update={name: read(value) for name, value in given.items() if value is not None})


def _given(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(options, name)) is not None}


def _resumed(store: Store, options: argparse.Namespace) -> Story:
    """The story to be played on, its models reached where the options say."""
    story = store.stories.story(options.resume)
    script = story.script
    if options.file is not None and open_scene(options.file, options.scene, options.encoding) != script.scene:
        raise StoryError(f"story {story.id}: it plays another scene than {options.file}; leave FILE out to resume it")
    for name in ("rounds", "seed"):
        if getattr(options, name) not in (None, getattr(script, name)):
            raise StoryError(f"story {story.id}: --{name} is {getattr(script, name)} since its start; leave it out")
    if _settings(options, script.settings) != script.settings:
        raise StoryError(f"story {story.id}: its settings are those of its start; leave them out")
    casting = _casting(script.scene.names, options, story.casting)
    if casting != story.casting:
        _check_same_models(story, casting)
        store.stories.recast(story.id, casting)
    return story.model_copy(update={"casting": casting})


def _check_same_models(story: Story, casting: Casting) -> None:
    """A story keeps its models, though they may be reached elsewhere: what it shows is to be theirs from end to end."""
    recalls = [one.memory.model if one.memory else "letters" for one in (story.casting, casting)]
    if recalls[0] != recalls[1]:
        raise StoryError(
            f"story {story.id}: recall is by {recalls[0]}, not by {recalls[1]}; launch a new story for that"
        )
    if story.status == "ended":
        raise StoryError(f"story {story.id}: it has ended; launch a new one to play it with other endpoints")
    for agent in (None, *story.script.scene.names):
        before, now = story.casting.endpoint(agent), casting.endpoint(agent)
        if (before.model, before.is_rehearsal) != (now.model, now.is_rehearsal):
            who = agent or "the narrator"
            raise StoryError(
                f"story {story.id}: {who} is played by {before}, not by {now}; launch a new story for that"
            )


def _casting(names: Sequence[str], options: argparse.Namespace, before: Casting | None = None) -> Casting:
    """Who plays whom, as the options say; what they leave open is as before, or the rehearsal endpoint."""
    rehearsal = Endpoint.parse(REHEARSAL)
    narrator = before.narrator if before else rehearsal
    characters = dict(before.characters) if before else dict.fromkeys(names, rehearsal)
    if options.narrator is not None:
        narrator = _endpoint("--narrator", options.narrator)
    memory = None if before is None else before.memory
    if options.memory is not None:
        memory = _endpoint("--memory", options.memory, parse_embedding_model)
    if options.character is not None:
        characters = dict.fromkeys(names, _endpoint("--character", options.character))
    for one in options.cast:
        name, separator, endpoint = one.partition("=")
        if not separator:
            raise StoryError("--cast: use the form NAME=URL#MODEL")
        matched = match_name(name, names)
        if matched is None:
            raise StoryError(f"--cast: {name!r} is none of the cast: {', '.join(names)}")
        characters[matched] = _endpoint(f"--cast {matched}", endpoint)
    return Casting(narrator=narrator, characters=characters, memory=memory)


def _endpoint(option: str, text: str, parse: Callable[[str], Endpoint] = Endpoint.parse) -> Endpoint:
    try:
        return parse(text)
    except AddressError as error:
        raise AddressError(f"{option}: {error}") from None


def _resume_command(story: str, options: argparse.Namespace) -> str:
    database = ["--db", options.db] if options.db and "@" not in options.db else []  # there may be a password in it
    return shlex.join(["characterbox", "play", "--resume", story, *database])
