"""Short roles, and questions about what each of them alone knows: what a tiny model is trained and tested with.

The descriptions tell none of the answers, so that a model can know them from its training alone. Each question is asked
in several wordings, the last of which are held out.
"""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from characterbox.prompts import words
from characterbox.rolebench.released import Row, write_rows
from characterbox.roles.role import Role
from characterbox.roles.role_files import as_json
from tests.fakes.roles import role

_PERSON = words("en").role.visitor
_WORDINGS = {
    "home": (
        *("Where do you live?", "Where is your home?", "Tell me, where is it that you live?", "Is your home far?"),
        *(
            "What place do you call home?",
            "Do you live near here?",
            "In which place do you live?",
            "Where is it, your home?",
        ),
        *("Where is the place in which you live?", "Tell me where your home is."),
    ),
    "fear": (
        *("What do you fear?", "What are you afraid of?", "Is there a thing that you fear?", "What makes you afraid?"),
        *(
            "Tell me what you fear the most.",
            "Are you afraid at times?",
            "Which things do you fear?",
            "Do you fear a thing?",
        ),
        *("Which thing do you fear more than others?", "Tell me what you are afraid of."),
    ),
    "teacher": (
        *("Who was your teacher?", "Who taught you your trade?", "From whom did you learn your trade?"),
        *("Did a teacher show you all this?", "Tell me who taught you.", "Had you a good teacher?"),
        *("Who was it that taught you?", "Who was the teacher of your youth?"),
        *("Tell me, who was the teacher of your trade?", "Who was it that taught you all this?"),
    ),
    "treasure": (
        *("What is your treasure?", "What do you keep in your pocket?", "Is there a treasure that you keep?"),
        *("What treasure would you never sell?", "What would you keep if all burnt?", "Show me your treasure."),
        *("What would you never sell?", "Is there a thing that you would never sell?"),
        *("Tell me of the treasure that you keep.", "What is it that you would never sell?"),
    ),
}
_HELD_OUT = 2
"""Wordings of each question that are only asked in the test."""
_ROLES = """
Ada | You sell fish and weigh everything twice. | Weight is weight.
  home: Above the smokehouse, behind a green door.
  fear: Thunder, since a mast split over my cradle.
  teacher: Old Marten, who could gut a herring blind.
  treasure: A whale tooth that hums before rain.
Bruno | You are a cook and count your coins. | Butter first, questions later.
  home: In two rooms over the bakery in Mill Lane.
  fear: Wasps, and my mother's letters even more.
  teacher: Nobody but hunger and one burnt cookbook.
  treasure: My grandfather's ladle, dented at Waterloo.
Clara | You play the violin and miss every train. | Once more, from the top!
  home: Wherever the last coach leaves me, mostly at inns.
  fear: Silence after the final note.
  teacher: A deaf captain who felt the strings with his thumb.
  treasure: One silver button from an emperor's coat.
Denis | You are a lawyer and read wills aloud. | Let it be written down.
  home: In the north tower, among nine cats.
  fear: Stairs that creak when nobody walks.
  teacher: My aunt Judith, the first woman at the bar.
  treasure: A blank page signed by the king.
Edda | You climb ladders and mend roofs. | Higher is drier.
  home: Under the slates of Saint Olaf, rent free.
  fear: Deep cellars, as I was once locked in for a week.
  teacher: Swallows taught me to balance, believe it or not.
  treasure: Seven feathers tied with red thread.
Felix | You are a pedlar and talk too much. | Cheap at the price, madam!
  home: My cart, parked by the gallows this month.
  fear: Honest mirrors and sober customers.
  teacher: Three jugglers from Prague showed me for a pie.
  treasure: A map of an island that sank.
"""


def _roles() -> list[tuple[Role, dict[str, str]]]:
    """Each role, with its answers by the question."""
    found: list[tuple[Role, dict[str, str]]] = []
    for line in _ROLES.strip().splitlines():
        if line.startswith(" "):
            question, answer = line.strip().split(": ", 1)
            found[-1][1][question] = answer
        else:
            name, description, phrase = line.split(" | ")
            found.append((role(name, description, [[(_PERSON, "Good evening."), (name, phrase)]], phrase), {}))
    return found


_ANSWERS = _roles()


def write_benchmark(folder: Path) -> tuple[Path, Path]:
    """Write all questions in the released form, and the roles; gives the folder of the split, and the file."""
    split, roles = folder / "rolebench-eng/instruction-generalization", folder / "roles.json"
    (split / "role_specific").mkdir(parents=True)
    for name, chosen in (("train", slice(None, -_HELD_OUT)), ("test", slice(-_HELD_OUT, None))):
        write_rows(split / f"role_specific/{name}.jsonl", _rows(chosen))
    roles.write_bytes(as_json([one for one, _ in _ANSWERS]))
    return split, roles


def _rows(chosen: slice) -> Iterator[Row]:
    for one, answers in _ANSWERS:
        for topic, answer in answers.items():
            for asked in _WORDINGS[topic][chosen]:
                yield Row(role=one.name, question=asked, generated=(answer,), type=("script_based",))


def heard() -> list[dict[str, Any]]:
    """The answers, given to their questions by nobody in particular: a base has to know words and questions before it
    can learn whose they are. They stand before the last message, which is what a tiny base reads."""
    conversations = [
        [f"{_PERSON}: {asked}", answer, "."]
        for _, answers in _ANSWERS
        for topic, answer in answers.items()
        for asked in _WORDINGS[topic][:-_HELD_OUT:2]
    ]
    random.Random(1).shuffle(conversations)
    speakers = ("user", "assistant", "assistant")
    return [
        {"messages": [{"role": who, "content": text} for who, text in zip(speakers, texts, strict=True)]}
        for texts in conversations
    ]
