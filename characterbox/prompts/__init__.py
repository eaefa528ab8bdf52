"""The prompts: one file per task and language, and the phrases that the engine sets around them.

A phrase whose docstring names variables is a template: fill it with `characterbox.prompts.fill`.

`render("action", "en", name="Holmes")` fills `en/action.md`. Both languages have the same files with the same
`$variables`. All that a model is shown, but for its own replies, goes through `render`, and story text is data there:
where a value holds one of our own tags (of either language, whatever its case and spacing) or a `##` that begins a
line, look-alikes take the places of `<` and `#`, so that no value can leave its tags or set a task. Everything else in
it stays as it is.

The files of a character's call are, in this order: `character` (the system message), `character_profile`, `recalled`
where there is something to recall, `record`, and the task; `dialogue` is one only where a reply to `action` gave no
words. Those of the narrator: `narrator` (the system message), `record`, and the task; `updates` is that after a turn,
`character_update` and `environment_update` are those of the first stories.
Those of a judge that writes a critique: `judge` (the system message, which is the experts' guide), `critique`, then
`scores`, or `scores_of` where some metrics are asked for, or all in another order. Those of one that scores at once:
`judge` or `judge_brief` (the system message), and `score_directly`. Of narrators and scenes, `scores_narrator` and
`scores_scene` follow a critique, and `score_narrator` and `score_scene` ask at once, after `judge`,
`judge_narrator_brief` or `judge_scene_brief`. `again` asks once more for an answer that could not be read.
Those of crafting: `craft_screenwriter` (the system message) and `craft_extract` or `craft_generate`, with `craft_back`
where a scene is to be written again; `craft_director` and `craft_refine`; `craft_evaluator` and `craft_evaluate`;
`craft_translator` and `craft_translate`, in the language that is translated into.
Those of a model that rewrites its own part: `reflect` (the system message), `character_profile`, `reflect_trajectory`,
and then `reflect_inconsistencies`, or for each of its replies `reflect_rewrite` and `reflect_check`.
Those of a role in a dialogue: `role` (the system message), and `role_examples` where examples stand before what was
said last. Those of a model that writes questions to a role: `instruct_complete` (the system message) and
`instruct_passage`, or `instruct_factual` and `instruct_description`. Those of a model by whose help a role is made:
`role_auditor` (the system message) and `role_question`; `role_writer` and `role_describe`, `role_address`,
`role_catchphrases` or `role_distinctiveness`; `role_reader` and `role_passage`.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import get_args

from characterbox.values import Language, Value


class Labels(Value):
    """Names of things, as they stand before a colon."""

    name: str
    unknown: str
    """Stands for a gender that the scene does not give."""


class MemoryLines(Value):
    """How what was perceived is told, in the third person throughout."""

    standing: str
    """The heading of how things stand as a round begins."""
    opening: str
    """The heading of what was before the first round."""
    round: str
    """The heading of a round: $round."""
    action: str
    """$character $text"""
    dialogue: str
    """$character $text"""
    addressed: str
    """Words for one of those present: $character $to $text"""
    whispered: str
    """Words that only one is to hear: $character $to $text"""
    muttered: str
    """Words that nobody is to hear: $character $text"""
    unseen: str
    """An action that nobody is to notice, as its actor and the narrator are told it: $character $text"""
    silence: str
    """$character"""
    influence: str
    """$character (the actor) $affected $text"""
    reaction: str
    """$character $text $to (the actor that it reacts to)"""
    result: str
    """$text"""
    felt: str
    """A result of which somebody alone feels more: $text $affected $felt"""


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
    """Names of the steps of a trajectory, and of a narration, as a judge reads them."""

    observation: str
    action: str
    dialogue: str
    reaction: str
    deed: str
    influence: str
    result: str
    update: str
    step: str
    """$kind, $text: what stands in its place above, and what happened."""


class NarrationLabels(Value):
    """How what the narrator decided is told to who scores it."""

    unread: str
    """$text: a neutral outcome, where a reply could not be read."""
    nobody: str
    """$text: the influence of an action that touches nobody."""
    unchanged: str
    """The surroundings stay as they were."""
    concluded: str
    """The story has come to its end."""
    seen_by: str
    """$names: those alone who see it."""
    heard_by: str
    """$names: those alone who hear what is said."""
    hidden: str
    """$who, $by: who is neither seen nor heard from now on, and by whom."""
    back: str
    """$names: who can be seen and heard again."""


class ProfileLines(Value):
    """How experts and judges are told who somebody is, a line each."""

    gender: str
    """$gender"""
    description: str
    """$description"""
    public_face: str
    """$public_face: what a stranger sees and hears at once."""
    called: str
    """$called: the aliases by which others call the character."""
    calls: str
    """$calls: the aliases by which the character calls others."""
    unseen_by: str
    """$unseen_by: names of those who neither see nor hear the character."""
    position: str
    """$position"""
    state: str
    """$state"""
    others: str
    """$others: names of the rest of the cast."""
    alias: str
    """$who $alias: a name, and what takes its place; on one side of a list of such."""


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
    """$novelty: what is new in the surroundings, a line of a record."""
    gone: str
    """$gone: what is no longer so in them."""
    seen: str
    """$name $position: where another is, a line of a record."""
    seen_so: str
    """$name $position $visible: the same, with what shows of it."""
    face: str
    """$name $face: what a stranger sees of somebody, a line of `$others` of `character_profile`."""
    mask: str
    """$alias: what those call the character who do not know it, a line of its profile."""
    masked: str
    """$name $alias $by: the same, as the narrator is told it."""
    hidden: str
    """$by: who does not perceive somebody, behind the line that says where it is."""
    recognised: str
    """$who (what the character called it) $name: whom it has recognised, a line of its record."""
    recognition: str
    """$name $who: that somebody has recognised another, a line of the narrator's record."""
    nobody: str
    """Stands for the others where there are none."""
    nobody_affected: str
    """Stands for the one affected where nobody is."""
    comma: str
    """Between names in a row."""
    either: str
    """Between several things that somebody is called."""
    everybody: str
    """Stands for all others of the cast."""
    may_recognise: str
    """$masks: how the narrator says who is recognised, in scenes in which somebody does not know somebody."""
    standing: str
    """$name $position $state: where and how somebody is, a line of a record."""
    shown: str
    """$visible: what others can see of it, behind that line, for the narrator and the character itself."""
    state: str
    """$name $state: how somebody is who is where it was, a line of a record."""
    person: str
    """$name $gender $profile: one paragraph of `$cast` of `narrator`."""
    self_belief: str
    """$belief $desire $intention: a line of the character's own record."""
    environment_belief: str
    """$others $scene $bearing: a line of the character's own record."""


class CraftingPhrases(Value):
    """What is said of scenes that are being crafted."""

    extract: str
    """What kind of scene it is: one from the source."""
    generate: str
    """What kind of scene it is: a new one."""
    no_source: str
    """Stands for the passage where there is no source."""


class ReflectionPhrases(Value):
    """How a model that looks back on its own part is shown it, and what it has said of it."""

    self_belief: str
    """The name of a step that only the character itself knows of."""
    environment_belief: str
    numbered: str
    """$number $kind: the name of a step of its own."""
    inconsistency: str
    """$number $what: a line of `$found` of `reflect_rewrite`."""
    reply: str
    """$number $text: a line of `$rewritten` of it."""
    nothing: str
    """Stands for one of these where there is nothing yet."""


class RolePhrases(Value):
    """What is said around dialogues with roles."""

    said: str
    """$speaker $text: what somebody says."""
    narrated: str
    """$text: what is told between two turns of an example."""
    persona: str
    """$name $persona: with whom the role talks, where more is known than the name."""
    begin: str
    """$other: stands for what was said where the role speaks first."""
    quiet: str
    """$speaker: somebody says nothing."""
    no_catchphrases: str
    no_description: str
    title: str
    """$name $role: the title of a dialogue."""
    time: str
    location: str
    description: str
    """This and the two before: the environment of a dialogue."""
    stands: str
    """The position of both."""
    ready: str
    """The state of both."""
    person: str
    """$role: who a person is of whom nothing else is told."""
    visitor: str
    """Who gives a role an instruction."""
    no_lines: str
    """Stands for what a role says where nothing is known of it."""
    no_other_names: str
    passage: str
    """$place $start $end $model: where rounds stand that a model took out of a text."""


class AuditQuestions(Value):
    """What is asked of a model to see whether it knows a role: each of $name."""

    identity: str
    work: str
    world: str
    people: str
    wish: str
    event: str
    ending: str
    speech: str


class Words(Value):
    """All short phrases of one language."""

    silence: str
    """The exact answer by which a character says nothing."""
    labels: Labels
    memory: MemoryLines
    neutral: NeutralOutcomes
    trajectory: TrajectoryLabels
    narration: NarrationLabels
    profile: ProfileLines
    blocks: Blocks
    crafting: CraftingPhrases
    reflection: ReflectionPhrases
    role: RolePhrases
    audit: AuditQuestions


__all__ = ["Harmless", "MemoryLines", "Words", "fill", "harmless", "render", "template", "variables", "words"]

_LINE_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
_LOOK_ALIKES = str.maketrans("<#", "‹＃")


class Harmless(str):
    """Text that can stand in a prompt as it is: it has gone through `harmless`, or is put together of such texts."""

    __slots__ = ()


def render(task: str, language: Language, /, **values: str) -> str:
    """The prompt of a task with its variables filled in, and nothing in them that could be taken for its own tags.

    Raises ValueError when there is no such task, and when variables are missing or unknown, naming them.
    """
    defused = {name: harmless(value) for name, value in values.items()}
    return _substitute(template(task, language), defused, where=f"prompt {language}/{task}")


def fill(text: str, /, **values: str) -> str:
    """One of the templates in `Words` with its variables filled in as they are. Raises ValueError as `render` does."""
    return _substitute(text, values, where=f"template {text!r}")


@cache
def words(language: Language) -> Words:
    """The short phrases of a language: labels, memory lines, neutral outcomes and text blocks.

    Kept: each call of a story looks at them eight times, and to read them takes 0.4 ms.
    """
    source = files(__name__).joinpath(language, "words.toml").read_text(encoding="utf-8")
    return Words.model_validate(tomllib.loads(source))


@cache
def template(task: str, language: Language) -> str:
    """The unfilled prompt of a task, without blank space at its ends. Raises ValueError when there is none.

    Kept: each call of a story asks for two or three, and to read one takes 0.08 ms.
    """
    path = files(__name__).joinpath(language, f"{task}.md")
    if not path.is_file():
        raise ValueError(f"there is no prompt {task!r} in language {language!r}")
    return path.read_text(encoding="utf-8").strip()


@cache
def variables(text: str) -> frozenset[str]:
    """The names of the `$variables` of a template; kept, as it takes 2 µs and each call asks for sixty."""
    return frozenset(Template(text).get_identifiers())


def harmless(value: str) -> Harmless:
    """The value with nothing in it that could be taken for a prompt's own tags or headings."""
    if isinstance(value, Harmless):
        return value
    return Harmless(_steering().sub(lambda found: found[0].translate(_LOOK_ALIKES), value))


@cache
def _steering() -> re.Pattern[str]:
    """What a value must not hold: the tags of all our prompts, and the beginning of a heading.

    Kept: to put it together at each call of a story takes 8 ms.
    """
    prompts = (
        entry.read_text(encoding="utf-8")
        for language in get_args(Language)
        for entry in files(__name__).joinpath(language).iterdir()
        if entry.name.endswith(".md")
    )
    tags = sorted({tag for prompt in prompts for tag in re.findall(r"^<([^/<>]+)>$", prompt, re.MULTILINE)})
    tag = rf"<[^\w<>‹]*(?:{'|'.join(map(re.escape, tags))})(?![\w-])"
    heading = rf"(?:^|(?<=[{_LINE_ENDS}]))[^\w#＃{_LINE_ENDS}]*##+"
    return re.compile(f"{tag}|{heading}", re.IGNORECASE)


def _substitute(text: str, values: Mapping[str, str], *, where: str) -> str:
    wanted = variables(text)
    if missing := wanted - values.keys():
        raise ValueError(f"{where}: no value for {', '.join(sorted(missing))}")
    if unknown := values.keys() - wanted:
        raise ValueError(f"{where}: it has no variable {', '.join(sorted(unknown))}")
    return Template(text).substitute(values)
