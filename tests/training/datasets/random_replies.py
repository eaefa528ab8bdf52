"""Stories whose replies are drawn by a seed, in all the ways in which models write them: readable ones or not."""

import json
import random
from contextlib import contextmanager

import characterbox.play.steps as steps
from characterbox.errors import ReplyError
from characterbox.llm.calls.answers import Completion
from characterbox.llm.endpoint import Endpoint
from characterbox.play.settings import FIRST, Settings
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from tests.fakes.scenes import a_scene, masked_scene
from tests.fakes.stories import a_story, casting_at

MODEL = Endpoint(url="http://127.0.0.1:9/v1", model="teacher")
TEXTS = ("She nods.", "他点了点头。", 'He says "no", and goes.', "A long look; then nothing.", "…")
SCENES = (a_scene("Ann", "Bob", "Cai"), a_scene("Ann", "Bob", language="zh"), masked_scene(), a_scene("Ann"))


class Drawn:
    """Answers requests with replies that are drawn."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = ()
        """The characters, for fields that name them without a choice."""

    def prompt_room(self, _endpoint):
        return None

    async def complete(self, _endpoint, request, **_):
        return Completion(self._text(request), "stop")

    def _text(self, request):
        draw = self.random
        if draw.random() < 0.08:
            return draw.choice(["", "I can't help with that.", "{", "?"])
        if request.form is None or draw.random() < 0.1:
            return draw.choice(TEXTS)
        fields = {name: self._field(name, schema) for name, schema in request.form.schema["properties"].items()}
        if draw.random() < 0.05:
            del fields[draw.choice([*fields])]
        written = json.dumps(fields, ensure_ascii=draw.random() < 0.5)
        return draw.choice([written, f"```json\n{written}\n```", f"Here it is: {written}"])

    def _field(self, name, schema):
        draw, names = self.random, _names_in(schema)
        match name:
            case "importance":
                return draw.choice([1, 5, 10, "7", "8/10", None])
            case "concluded" | "whispered" | "unseen":
                return draw.choice([True, False, None, "no"])
            case "to" | "affected":
                return draw.choice([*names, None, "nobody"])
            case "seen_by" | "heard_by":
                return draw.choice([None, [], names, "everyone", "nobody"])
            case "recognised" | "hidden":
                who, by = draw.choice(self.names), draw.sample(self.names, draw.randint(1, len(self.names)))
                return draw.choice([None, [], [{"who": who, "by": by}], {"who": who, "by": ", ".join(by)}])
            case "dialogue" | "felt" | "position" | "visible" | "location":
                return draw.choice([*TEXTS, None, ""])
            case _:
                return draw.choice(TEXTS)


def _names_in(schema):
    match schema:
        case {"enum": names}:
            return list(names)
        case dict():
            return [name for value in schema.values() for name in _names_in(value)]
        case list():
            return [name for value in schema for name in _names_in(value)]
        case _:
            return []


@contextmanager
def what_is_read():
    """Takes down what each reply is read as that a story asks for, by the path of the request."""
    read, ask = {}, steps.answer

    async def answer(*args):
        request = args[1]
        try:
            read[request.path] = await ask(*args), request.form
        except ReplyError:
            read[request.path] = None, request.form
            raise
        return read[request.path][0]

    steps.answer = answer
    try:
        yield read
    finally:
        steps.answer = ask


async def drawn_story(store, seed, model=MODEL, scene=None, **script):
    """A story that is played to its end; gives it, and what each of its replies was read as."""
    drawn = Drawn(seed)
    scene = scene or drawn.random.choice(SCENES)
    drawn.names = scene.names
    settings = drawn.random.choice([Settings(), Settings(), FIRST])
    story = a_story(store, scene, **{"rounds": 2, "settings": settings, "seed": seed, **script})
    store.stories.recast(story.id, casting_at(model, scene))
    with what_is_read() as read:
        story = store.stories.story(story.id)
        await perform(store.stories, drawn, story, PlaybackControl(), on_event=lambda *_: None)
    return store.stories.story(story.id), read
