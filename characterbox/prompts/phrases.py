"""The short phrases of a language, read from its `words.toml`.

A phrase whose docstring names variables is a template: fill it with `characterbox.prompts.fill`.
"""

from characterbox.values import Value


class Labels(Value):
    """Names of things, as they stand before a colon."""

    time: str
    location: str
    description: str
    name: str
    nothing: str
    """Stands where there is nothing to tell yet."""
    unknown: str
    """Stands for a gender that the scene does not give."""
    nobody: str
    """Stands for the affected character when nobody is affected."""


class MemoryLines(Value):
    """How a character remembers what it perceived, in the third person throughout."""

    round: str
    """The heading of a round: $round."""
    action: str
    """$character $text"""
    dialogue: str
    """$character $text"""
    silence: str
    """$character"""
    influence: str
    """$character (the actor) $affected $text"""
    reaction: str
    """$character $text $to (the actor that it reacts to)"""
    result: str
    """$text"""


class NeutralOutcomes(Value):
    """What stands in the story for a reply that could not be read. The event is marked as degraded beside it."""

    action: str
    """$name"""
    reaction: str
    """$name"""
    influence: str
    """$name (the actor)"""
    result: str
    belief: str


class TrajectoryLabels(Value):
    """Names of the steps of a trajectory, as a judge reads it."""

    observation: str
    action: str
    dialogue: str
    reaction: str


class Blocks(Value):
    """How the text blocks are built that go into the prompts' variables. Blocks of one kind are joined by newlines."""

    environment: str
    """$time $location $description: `$environment` of the prompts."""
    seen: str
    """$name $position: one line of `$others` of `character_now`, and of `$cast` of `character`."""
    standing: str
    """$name $position $state: one line of `$cast` of `narrator_now`."""
    person: str
    """$name $gender $profile $position $state: one paragraph of `$cast` of `narrator`."""
    choice: str
    """$name: one line of `$others` of `influence`."""
    self_belief: str
    """$belief $desire $intention"""
    environment_belief: str
    """$others $scene $bearing"""


class Words(Value):
    """All short phrases of one language."""

    silence: str
    """The exact answer by which a character says nothing."""
    labels: Labels
    memory: MemoryLines
    neutral: NeutralOutcomes
    trajectory: TrajectoryLabels
    blocks: Blocks
