"""`characterbox role talk`: a dialogue with a role in the terminal, or of two roles. Ended in any way, it can go on."""

import argparse
import asyncio
import shlex
import signal
import sys

from characterbox.accounts.account import COMMAND_LINE
from characterbox.commands.exits import ENDPOINT_FAILED, INTERRUPTED, say
from characterbox.commands.roles.role import role_named
from characterbox.errors import EndpointError, RecordMismatch, ReplyError, RoleError, StoryError
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint
from characterbox.llm.request import Request
from characterbox.play.conversation import of_roles, with_person
from characterbox.play.events import Dialogue, Event
from characterbox.play.world import Script
from characterbox.processes.concurrency import held
from characterbox.prompts import words
from characterbox.roles.prompting import Strategy
from characterbox.roles.role import Role
from characterbox.stage import branching, playback_control
from characterbox.stage.client import open_client
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Branch, Story

GUEST = {"en": "Guest", "zh": "访客"}
"""What a role calls the person, by its language."""
END, RETRY = "/end", "/retry"
"""What a person enters instead of something to say: that the dialogue is over, and that the role is to answer anew."""


def talk(options: argparse.Namespace, store: Store) -> int:
    """Let a person and a role, or two roles, speak in turns; gives the exit status."""
    story = _resumed(store, options) if options.resume is not None else _new(store, options)
    say(f"story {story.id}")
    if story.people:
        say(f"{END} ends the dialogue, {RETRY} asks for another reply; Ctrl-D leaves it")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    talking = _Talk(store, story)
    try:
        return talking.until_end()
    except (EndpointError, RecordMismatch) as error:
        say(str(error))
        return ENDPOINT_FAILED
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        return INTERRUPTED
    finally:
        if store.stories.story(talking.story.id).status != "ended":
            database = ["--db", options.db] if options.db and "@" not in options.db else []
            again = ["characterbox", "role", "talk", "--resume", talking.story.id, *database]
            say(f"the dialogue is kept; go on with: {shlex.join(again)}")


def _new(store: Store, options: argparse.Namespace) -> Story:
    if options.role is None:
        raise RoleError("ROLE: name a role to talk with; --resume STORY goes on with a dialogue")
    role = role_named(store, options.role)
    model = Endpoint.parse(options.model or REHEARSAL)
    strategy: Strategy = options.strategy or ("fsd" if role.dialogues else "zsp")
    if strategy != "zsp" and not role.dialogues:
        raise RoleError("--strategy: {id} has no dialogues to show; use zsp", id=role.id)
    if options.other is None:
        return _create(store, _for_person(options, role, strategy), {role.name: model}, model)
    if options.person is not None or options.persona is not None:
        raise RoleError("--as, --persona: two roles talk without you; leave --with out to talk yourself")
    other = role_named(store, options.other)
    script = of_roles((other, role), 5 if options.rounds is None else options.rounds, strategy)
    speaks = {role.name: model, other.name: Endpoint.parse(options.other_model) if options.other_model else model}
    return _create(store, script, speaks, model)


def _for_person(options: argparse.Namespace, role: Role, strategy: Strategy) -> Script:
    if options.other_model is not None or options.rounds is not None:
        raise RoleError("--other-model, --rounds: they are for two roles; name the other one with --with")
    person = " ".join((options.person or GUEST[role.language]).split())
    return with_person(role, person, options.persona, strategy)


def _create(store: Store, script: Script, speaks: dict[str, Endpoint], model: Endpoint) -> Story:
    people = tuple(name for name in script.scene.names if name not in speaks)
    casting = Casting(narrator=model, characters=dict.fromkeys(people, model) | speaks)
    return store.stories.create(script, casting, "command line", people=people)


def _resumed(store: Store, options: argparse.Namespace) -> Story:
    given = (options.role, options.model, options.strategy, options.person, options.persona, options.other,
             options.other_model, options.rounds)  # fmt: skip
    if any(one is not None for one in given):
        raise RoleError("--resume: a dialogue keeps its roles, models and settings; leave the other options out")
    story = store.stories.story(options.resume)
    if story.script.conversation is None:
        raise StoryError(f"story {story.id}: it is no dialogue with a role; go on with: characterbox play --resume")
    if story.status == "ended":
        raise StoryError(f"story {story.id}: the dialogue has ended; begin a new one")
    return story


class _Talk:
    """A dialogue in the terminal: the models' words as they come, a person's line by line."""

    def __init__(self, store: Store, story: Story) -> None:
        self.story = story
        self._store = store
        self._told = 0
        """Events that were printed."""
        self._typed = ""
        """The path of what the person has just typed, and sees."""
        self._coming = ""
        """What has come of a reply."""

    def until_end(self) -> int:
        # what a person types is awaited between the runs of the loop: Ctrl-C ends it at once
        with asyncio.Runner() as runner:
            client = runner.run(_client(self._store))
            try:
                while runner.run(self._play(client)) == "cued":
                    self._ask(runner)
            finally:
                runner.run(client.close())
        return 0

    async def _play(self, client: Client) -> str:
        pace = PlaybackControl(people=self.story.people, show=self._show, watched=lambda: True)
        return await perform(self._store.stories, client, self.story, pace, on_event=self._tell)

    def _ask(self, runner: asyncio.Runner) -> None:
        """Record what the person says, once it can be."""
        [request, *_] = playback_control.questions(self._store.stories, self._store.stories.story(self.story.id))
        while True:
            text = input(f"{request.agent}: " if sys.stdin.isatty() else "").strip()
            if text == RETRY:
                if self._told > 0:
                    self._another_take()
                    return
            elif text:
                try:
                    runner.run(self._record(request, words(request.language).silence if text == END else text))
                except ReplyError as error:
                    say(str(error))
                else:
                    self._typed = request.path if sys.stdin.isatty() else ""
                    return

    async def _record(self, request: Request, text: str) -> None:
        stories = self._store.stories
        async with held(stories.claimed(self.story.id)) as claimed:
            story = await asyncio.to_thread(stories.story, self.story.id)
            person = COMMAND_LINE.id
            reply = await asyncio.to_thread(playback_control.answered, stories, story, request.path, text, person)
            await claimed.answered(reply)

    def _another_take(self) -> None:
        """Go on in a branch in which the last reply is asked for again."""
        stories = self._store.stories
        branch = branching.parting(stories, Branch(parent=self.story.id, at=self._told, anew="this"))
        parent = stories.story(self.story.id)
        plan = branching.plan(stories, parent, branch, parent.casting)
        self.story = stories.create(parent.script, plan.casting, "command line", people=parent.people, branch=branch)
        self._told = branch.at - 1
        say(f"story {self.story.id}")

    def _show(self, request: Request, piece: str) -> None:
        """Print what has come of a reply; without a piece, it begins, perhaps again."""
        if request.agent is None or not piece:
            self._coming = ""
            return
        print(piece if self._coming else f"{request.agent}: {piece}", end="", flush=True)
        self._coming += piece

    def _tell(self, number: int, event: Event) -> None:
        """Print what was said: whole, unless it was printed as it came. What was printed before is not told again."""
        if number <= self._told or not isinstance(event, Dialogue):
            return
        self._told = number
        came, self._coming = self._coming.strip(), ""
        if came:
            print()
        if event.degraded:
            say(f"{event.path}: the reply could not be read: {event.reason}")
        elif came != event.text and event.path != self._typed:
            print(f"{event.character}: {event.text}", flush=True)


async def _client(store: Store) -> Client:
    return open_client(store, for_owner=True)
