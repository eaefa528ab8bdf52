"""What the narrator, the model of the world, is asked (paper, section 3.2 and appendix D.1)."""

from characterbox.llm.request import NARRATOR, Form, Request
from characterbox.play.character import opening
from characterbox.play.chronicle import Chronicle
from characterbox.play.question import Question
from characterbox.play.record import Record
from characterbox.prompts import fill, render, words
from characterbox.scenes.scene import Scene


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
