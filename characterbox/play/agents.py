"""What characters and the narrator are asked, and what they are told for it (paper, section 3.2, appendix D.1)."""

from characterbox.llm.request import NARRATOR, ChatMessage, Form, Request
from characterbox.play.memory import MemoryStream
from characterbox.play.perception import memories
from characterbox.play.question import Question, Record
from characterbox.play.world import Chronicle
from characterbox.prompts import Words, fill, render, words
from characterbox.scenes.scene import Environment, Scene


def record_start(round: int) -> int:
    """The round with which a character's record begins: one or two rounds ago.

    It moves every second round only, so that the prompts of two rounds share their beginning.
    """
    return max(1, round // 2 * 2 - 1)


class Character:
    """One agent of the cast: its private profile and its memories of one story."""

    def __init__(self, scene: Scene, name: str) -> None:
        self._scene = scene
        self._name = name
        self._record = Record(scene.language, name)
        self._older = MemoryStream()
        self._passages_forgotten = 0
        profile, phrases = scene.profile(name), words(scene.language)
        self._profile = render(
            "character_profile",
            scene.language,
            name=name,
            gender=profile.gender or phrases.labels.unknown,
            description=profile.own_account,
        )
        seen = [fill(phrases.blocks.seen, name=who.name, position=who.position) for who in scene.cast]
        self._system = opening("character", scene, cast="\n".join(f"- {line}" for line in seen))

    def request(
        self, path: str, task: str, chronicle: Chronicle, *, form: Form | None = None, **values: str
    ) -> Request:
        """The request for one of the character's tasks, with the values that its prompt needs besides the name.

        Asked again and again, a character is asked along one story, whose chronicle grows.
        """
        language, clock = self._scene.language, chronicle.passage.clock
        since = record_start(chronicle.passage.round)
        record = self._record.sections(chronicle, since)
        me = chronicle.world.characters[self._name]
        here = f"{me.position} {me.state} {chronicle.world.environment.location}"
        query = [*(line.memory.text for line in record[-1].lines), here]
        self._forget(chronicle, since)
        return Question(
            path=path,
            agent=self._name,
            language=language,
            form=form,
            system=self._system,
            profile=(self._profile,),
            record=record,
            recalled=[one.memory for one in self._older.recall(query, clock=clock)],
            clock=clock,
            query=query,
            task=render(task, language, name=self._name, **values),
        ).request()

    def _forget(self, chronicle: Chronicle, since: int) -> None:
        """Leave what happened before the round `since` to be recalled."""
        shown = len(chronicle.passages) - len(chronicle.since(since))
        left = chronicle.passages[self._passages_forgotten : shown]
        language = self._scene.language
        self._older.remember([memory for passage in left for memory in memories(self._name, passage, language)])
        self._passages_forgotten = shown


def environment_block(environment: Environment, words: Words) -> str:
    """The environment as a block of text."""
    return fill(words.blocks.environment, **environment.model_dump()).strip()


def opening(task: str, scene: Scene, *, cast: str) -> ChatMessage:
    """The system message of the characters or the narrator: their contracts, and the scene as it opens."""
    prompt = render(
        task, scene.language, work=scene.work, title=scene.title, cast=cast, **scene.environment.model_dump()
    )
    return ChatMessage("system", prompt)


class Narrator:
    """The agent that knows every profile and decides what comes of what the characters do."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._record = Record(scene.language, NARRATOR)
        self._system = opening("narrator", scene, cast=people(scene))

    def request(self, path: str, task: str, chronicle: Chronicle, *, form: Form, **values: str) -> Request:
        """The request for one of the narrator's tasks; its record is that of the round."""
        now = chronicle.passage
        record = self._record.sections(chronicle, now.round)
        return Question(
            path=path,
            agent=NARRATOR,
            language=self._scene.language,
            form=form,
            system=self._system,
            profile=(),
            record=record,
            recalled=(),
            clock=now.clock,
            query=[line.memory.text for line in record[-1].lines],
            task=render(task, self._scene.language, **values),
        ).request()


def people(scene: Scene) -> str:
    """The cast with all that is known of everybody, a paragraph each."""
    phrases = words(scene.language)
    return "\n".join(
        fill(
            phrases.blocks.person,
            name=who.name,
            gender=who.gender or phrases.labels.unknown,
            profile=who.account,
            position=who.position,
            state=who.state,
        ).strip()
        for who in scene.cast
    )
