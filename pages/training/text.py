"""What is said of datasets and runs in a few words, and how the page looks."""

from collections.abc import Mapping

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count
from characterbox.training.datasets.example import Kind, Split, StoryKind
from characterbox.training.datasets.report import DatasetReport
from characterbox.training.hyperparameters import Optimizer, Schedule
from characterbox.training.run_folder import Name, RunState

STYLE = """
<style>
[class*="st-key-training-row"] { padding-top: .6rem;
  border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-message { margin: 0 0 1rem; max-width: var(--cb-reading); }
.cb-message h4 { margin: 0; padding: 0; opacity: .72; font-size: .875rem; font-weight: normal; }
.cb-message p { margin: .2rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .9375rem; }
.cb-prices td:first-child { text-align: left; }
.cb-before-after { display: grid; grid-template-columns: 1fr 1fr; gap: .25rem 1.5rem; margin: 0 0 1rem;
  padding-top: .6rem; border-top: 1px solid color-mix(in srgb, currentColor 18%, transparent); }
.cb-before-after h4 { grid-column: 1 / -1; margin: 0; padding: 0; opacity: .72; font-size: .875rem;
  font-weight: normal; }
.cb-before-after p { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.cb-before-after .cb-gone { opacity: .72; }
@media (max-width: 640px) { .cb-before-after { grid-template-columns: 1fr; } }
</style>
"""
KINDS: Mapping[Kind, str] = {
    "narrator": to_say("Narrator"),
    "judge": to_say("Judge"),
    "guided": to_say("Characters, guided"),
    "reflective": to_say("Characters, reflective"),
    "role": to_say("Roles"),
}
LEARNT: Mapping[StoryKind, str] = {
    "narrator": to_say("Learns the narrator's decisions: action influence, result and updates (CharacterNR)."),
    "judge": to_say("Learns the scores of a judge or of the experts from trajectories (CharacterRM)."),
    "guided": to_say("Learns the replies of the models that lead the leaderboard."),
    "reflective": to_say("Learns replies that the model itself has rewritten after reading its trajectory."),
}
SPLITS: Mapping[Split, str] = {
    "train": to_say("training"),
    "validation": to_say("validation"),
    "test": to_say("test"),
}
SCHEDULES: Mapping[Schedule, str] = {
    "cosine": to_say("cosine"),
    "cosine-restarts": to_say("cosine with restarts"),
}
OPTIMIZERS: Mapping[Optimizer, str] = {"adamw": "AdamW", "lion": "Lion"}
STATES: Mapping[Name, str] = {
    "not started": to_say("not started"),
    "running": to_say("running"),
    "stopping": to_say("stopping after this step"),
    "stopped": to_say("stopped"),
    "failed": to_say("failed"),
    "done": to_say("done"),
}


def size_told(report: DatasetReport) -> str:
    """How much there is in a dataset."""
    examples = say_count("{count:,} example", "{count:,} examples", report.examples)
    if report.recipe.kind == "role":
        roles = say_count("{count:,} role", "{count:,} roles", len(report.roles))
        return say("{examples} of {roles}", examples=examples, roles=roles)
    stories = say_count("{count:,} story", "{count:,} stories", report.stories)
    return say("{examples} from {stories}", examples=examples, stories=stories)


def state_told(state: RunState) -> str:
    """How a run is, in a few words."""
    told = say(STATES[state.name]).capitalize()
    progress = state.progress
    if progress.steps and state.name in ("running", "stopping", "stopped", "failed"):
        return say("{state} · step {step:,} of {steps:,}", state=told, step=progress.step, steps=progress.steps)
    return told


def time_left(seconds: float) -> str:
    """How long it takes yet."""
    if seconds < 60:
        return say("less than a minute left")
    if seconds < 5400:
        return say_count("about {count:,} minute left", "about {count:,} minutes left", round(seconds / 60))
    return say_count("about {count:,} hour left", "about {count:,} hours left", round(seconds / 3600))
