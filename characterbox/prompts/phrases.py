"""The short phrases of a language, read from its `words.toml`.

A phrase whose docstring names variables is a template: fill it with `characterbox.prompts.fill`.
"""

from characterbox.values import Value


class Labels(Value):
    """Names of things, as they stand before a colon."""

    name: str
    unknown: str
    """Stands for a gender that the scene does not give."""


class MemoryLines(Value):
    """How what was perceived is told, in the third person throughout."""

    standing: str
    """The heading of how things stood when a round began: $round."""
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


class NarrationLabels(Value):
    """How what the narrator decided is told to a judge of the narrator."""

    decision: str
    """$text: what the narrator decided."""
    unread: str
    """$text: a neutral outcome, where a reply could not be read."""
    nobody: str
    """$text: the influence of an action that touches nobody."""
    unchanged: str
    """The surroundings stay as they were."""
    concluded: str
    """The story has come to its end."""


class Blocks(Value):
    """How the lines and blocks are built that go into the prompts' variables."""

    environment: str
    """$time $location $description: `$environment` of `critique`."""
    time: str
    """$time: a line of a record."""
    location: str
    """$location: a line of a record."""
    surroundings: str
    """$description: a line of a record."""
    novelty: str
    """$novelty: what is new in the surroundings, a line of a character's record."""
    seen: str
    """$name $position: where another is, a line of a record and of `$cast` of `character`."""
    standing: str
    """$name $position $state: where and how somebody is, a line of a record."""
    person: str
    """$name $gender $profile $position $state: one paragraph of `$cast` of `narrator`, and of what judges are shown."""
    self_belief: str
    """$character $belief $desire $intention: a line of the character's own record."""
    environment_belief: str
    """$character $others $scene $bearing: a line of the character's own record."""


class CraftingPhrases(Value):
    """What is said of scenes that are being crafted."""

    extract: str
    """What kind of scene it is: one from the source."""
    generate: str
    """What kind of scene it is: a new one."""
    no_source: str
    """Stands for the passage where there is no source."""


class Words(Value):
    """All short phrases of one language."""

    silence: str
    """The exact answer by which a character says nothing."""
    labels: Labels
    memory: MemoryLines
    neutral: NeutralOutcomes
    trajectory: TrajectoryLabels
    narration: NarrationLabels
    blocks: Blocks
    crafting: CraftingPhrases
