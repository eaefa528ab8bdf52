"""Who perceives what: everyone present sees actions and results and hears speech; an influence is only felt."""

from collections.abc import Iterable, Sequence

from characterbox.play.events import Action, ActionInfluence, Dialogue, Event, InteractionResult, Reaction
from characterbox.play.memory import Memory
from characterbox.prompts import fill, variables, words
from characterbox.values import Language


def line(event: Event, language: Language) -> str | None:
    """The event as somebody who was there would put it; None for what nobody perceives as such."""
    memory = words(language).memory
    template = {
        Action: memory.action,
        Dialogue: memory.dialogue,
        ActionInfluence: memory.influence,
        Reaction: memory.reaction,
        InteractionResult: memory.result,
    }.get(type(event))
    if template is None or (isinstance(event, ActionInfluence) and event.affected is None):
        return None
    if isinstance(event, Dialogue) and not event.text:
        template = memory.silence
    told = event.model_dump(include=set(variables(template)))
    return fill(template, **told)


def perceives(name: str, event: Event) -> bool:
    """Whether the character called `name` perceives the event."""
    match event:
        case ActionInfluence():
            return event.affected == name
        case Action() | Dialogue() | Reaction() | InteractionResult():
            return True
        case _:
            return False


def memories(name: str, turn: Sequence[Event], *, clock: int, language: Language) -> Iterable[Memory]:
    """What the character keeps of a turn. Its importance is what the narrator said with influence and result."""
    of_action = next((event.importance for event in turn if isinstance(event, ActionInfluence)), None)
    of_result = next((event.importance for event in turn if isinstance(event, InteractionResult)), None)
    for event in turn:
        text = line(event, language)
        if text is not None and perceives(name, event):
            importance = of_result if isinstance(event, Reaction | InteractionResult) else of_action
            yield Memory(event.round, clock, text, importance)
