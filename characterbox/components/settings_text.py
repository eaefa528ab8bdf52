"""The settings of a story in words: how replies are drawn, what is remembered, and what models did not take of it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count
from characterbox.llm.sampling import UNSENT, Sampling
from characterbox.play.settings import FIRST, Settings

_OPTIONS = {"temperature": to_say("temperature"), "top_p": to_say("top-p"), "seed": to_say("seed")}
"""The options that shape a reply, by their names in a request."""


def temperatures(settings: Settings) -> str:
    """The temperatures of the narrator and the characters, in a few words."""
    narrator, characters = settings.narrator.temperature, settings.characters.temperature
    if narrator == characters:
        return temperature_told(narrator)
    return say("temperature {narrator} (narrator), {t} (characters)", narrator=_told(narrator), t=_told(characters))


def temperature_told(temperature: float | None) -> str:
    """One temperature."""
    return say("temperature {t}", t=_told(temperature))


def sampling_told(sampling: Sampling) -> str:
    """How replies are drawn."""
    if sampling == UNSENT:
        return say("set by the endpoint")
    drawn = say("temperature {t}, top-p {p}", t=_told(sampling.temperature), p=_told(sampling.top_p))
    if sampling.max_tokens is None:
        return drawn
    return say("{drawn}, at most {most:,} tokens", drawn=drawn, most=sampling.max_tokens)


def settings_told(settings: Settings, embedder: str | None = None) -> dict[str, str]:
    """All settings, by what they are called; `embedder` is the embedding model by which characters recall, if any."""
    recall = say("by wording") if embedder is None else say("by meaning, with {model}", model=embedder)
    return {
        say("Narrator"): sampling_told(settings.narrator),
        say("Characters"): sampling_told(settings.characters),
        say("Memory"): _memory(settings),
        say("Recall"): recall,
        say("Beliefs after the last round"): say("updated") if settings.last_beliefs else say("left out"),
        say("Prompts"): say("version {n}", n=settings.prompts),
    }


def refusals(refused: Mapping[str, Sequence[str]]) -> list[str]:
    """What models did not take, by the names of options, and what came of it: a sentence for each model."""
    return [
        say("{model} does not support {options}; the model default applies.", model=model, options=_either(options))
        for model, options in refused.items()
    ]


def played_with(settings: Settings, refused: Mapping[str, Sequence[str]], embedder: str | None = None) -> list[str]:
    """The settings and the refusals, a line each, for a reader who has nothing but the story."""
    lines = (say("{name}: {what}", name=name, what=what) for name, what in settings_told(settings, embedder).items())
    return [*lines, *refusals(refused)]


def _memory(settings: Settings) -> str:
    memory = settings.memory
    record = say_count(
        "up to {count:,} token of earlier rounds", "up to {count:,} tokens of earlier rounds", memory.record_tokens
    )
    if settings.prompts == FIRST.prompts:  # whose record was bounded otherwise
        record = say("the previous one or two rounds")
    weights = say(
        "relevance {relevance:g}, recency {recency:g}, importance {importance:g}",
        relevance=memory.relevance,
        recency=memory.recency,
        importance=memory.importance,
    )
    return say(
        "{record}, {recalled}; weights: {weights}; half-life {turns}",
        record=record,
        recalled=say_count("{count} memory recalled", "{count} memories recalled", memory.recalled),
        weights=weights,
        turns=say("1 turn") if memory.half_life == 1 else say("{turns:g} turns", turns=memory.half_life),
    )


def _told(option: float | None) -> str:
    return say("set by the endpoint") if option is None else f"{option:g}"


def _either(options: Iterable[str]) -> str:
    told = [say(_OPTIONS[name]) if name in _OPTIONS else name for name in options]
    return reduce(lambda first, other: say("{first} or {other}", first=first, other=other), told)
