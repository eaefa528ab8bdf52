"""A story as Markdown, with everything that the narrator decided and the characters believed."""

import re
from collections.abc import Iterator, Mapping, Sequence

from annotations.i18n.translation import say, speaking
from characterbox.components.player.asides import asides, manner
from characterbox.components.player.text import made
from characterbox.components.settings_text import played_with
from characterbox.llm.endpoint import Casting, label_of
from characterbox.play.events import (
    Action,
    ActionInfluence,
    CharacterUpdate,
    Dialogue,
    EnvironmentBelief,
    EnvironmentUpdate,
    Event,
    InteractionResult,
    Reaction,
    SelfBelief,
    StoryEnded,
)
from characterbox.play.settings import Settings
from characterbox.play.world import World
from characterbox.scenes.scene import Environment, Scene

_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~$&!])")
_LINE_START = re.compile(r"^([^\S\n]*+)(\d++(?=[.)])|[-+=:])", re.MULTILINE)


def markdown(
    scene: Scene,
    events: Sequence[Event],
    casting: Casting,
    settings: Settings,
    refused: Mapping[str, Sequence[str]],
) -> str:
    """The text, in the language of the scene; all text of the story is data in it, whatever marks it holds.

    `refused` is what models did not take, by their names.
    """
    with speaking(scene.language):
        embedder = label_of(casting.memory)
        told = [] if casting.handwritten else played_with(settings, refused, embedder)
        facts = ["\n".join(f"- {_line(line)}" for line in told)] if told else []
        return "\n\n".join([*_head(scene, made(casting)), *facts, *_body(scene, events)]) + "\n"


def _head(scene: Scene, how: str | None) -> Iterator[str]:
    yield f"# {_line(scene.title)}"
    yield f"*{_line(scene.work)}*"
    if how is not None:
        yield how
    yield _surroundings(scene.environment)
    cast = say("Cast")
    yield f"## {cast}"
    for who in scene.cast:
        yield f"**{_line(who.name)}.** {_line(who.position)}{_semicolon()}{_line(who.state)}"


def _body(scene: Scene, events: Sequence[Event]) -> Iterator[str]:
    world, round, turn = World.opening(scene), -1, None
    for event in events:
        if event.round != round and not isinstance(event, StoryEnded):
            round, turn = event.round, None
            title = say("Round {n}", n=round) if round else say("Before the first round")
            yield f"## {title}"
        if event.turn != turn:
            turn = event.turn
            if turn is not None:
                yield f"### {_line(turn)}"
        yield from _told(event)
        yield from (_quoted(_line(aside)) for aside in asides(event, world))
        world = world.after(event)


def _told(event: Event) -> Iterator[str]:
    match event:
        case Action():
            yield _data(event.text)
        case Dialogue():
            spoken = event.text.strip() or say("(says nothing)")
            how = f"*{_line(said)}* " if (said := manner(event)) else ""
            yield f"**{_line(event.character)}**{_colon()}{how}{_data(spoken)}"
        case ActionInfluence():
            whom = say("affects nobody") if event.affected is None else f"→ {_line(event.affected)}"
            yield _quoted(f"{_line(event.character)} {whom}{_colon()}{_data(event.text)}")
        case Reaction():
            how = say("(reaction)")
            yield f"**{_line(event.character)}** {how}{_colon()}{_data(event.text)}"
        case InteractionResult():
            yield "\n".join(f"*{line}*" for line in _data(event.text).splitlines() if line.strip())
            if event.felt:
                yield _quoted(f"{_line(say('Felt only by {name}', name=event.affected))}{_colon()}{_data(event.felt)}")
        case CharacterUpdate():
            yield _quoted(_standing(event))
        case EnvironmentUpdate():
            now = Environment(time=event.time, location=event.location, description=event.description)
            yield _quoted(_surroundings(now))
        case SelfBelief():
            lines = {say("Belief"): event.belief, say("Desire"): event.desire, say("Intention"): event.intention}
            yield _believed(event.character, lines)
        case EnvironmentBelief():
            lines = {
                say("View of others"): event.others,
                say("View of the scene"): event.scene,
                say("Effect on actions"): event.bearing,
            }
            yield _believed(event.character, lines)
        case StoryEnded():
            ends = {
                "rounds": say("All rounds have been played."),
                "concluded": say("The narrator considered the story finished."),
            }
            yield f"---\n\n{ends[event.because]}"


def _standing(now: CharacterUpdate) -> str:
    looks = [f"{say('Visible to others')}{_colon()}{_line(now.visible)}"] if now.visible else []
    return f"{_line(now.character)}{_colon()}{_semicolon().join([_line(now.position), _line(now.state), *looks])}"


def _surroundings(environment: Environment) -> str:
    return f"*{_line(environment.time)} · {_line(environment.location)}*\n\n{_data(environment.description)}"


def _believed(name: str, lines: dict[str, str]) -> str:
    return "\n".join(
        [f"**{_line(name)}**", "", *(f"- {about}{_colon()}{_line(text)}" for about, text in lines.items())]
    )


def _colon() -> str:
    return say(": ")


def _semicolon() -> str:
    return say("; ")


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _data(text: str) -> str:
    """Text of the story, with all marks escaped."""
    return _LINE_START.sub(_escape_start, _MARKS.sub(r"\\\1", text.strip()))


def _escape_start(match: re.Match[str]) -> str:
    """What would begin a list, a heading or a quotation at the start of a line."""
    return f"{match[1]}{match[2]}\\" if match[2].isdigit() else f"{match[1]}\\{match[2]}"


def _line(text: str) -> str:
    """The same on one line."""
    return " ".join(_data(text).split())
