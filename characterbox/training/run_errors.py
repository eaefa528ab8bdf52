"""What ended a run, as people read it: a sentence for each code of `characterbox.training.worker.errors`."""

from collections.abc import Mapping
from string import Formatter
from typing import Any, Literal

from annotations.i18n.messages import Message, cited, to_say

Task = Literal["train", "merge"]
"""What a process does in the folder of a run."""

TEXTS: Mapping[str, str] = {
    "out_of_memory": to_say(
        "there is not enough memory ({what}); lower batch or cutoff in the recipe, set checkpointing = true, or take a"
        " smaller base or a larger machine"
    ),
    "no_space": to_say("the disk is full; make room, then start the run again: it goes on from its last checkpoint"),
    "base_missing": to_say("the base {base} cannot be loaded ({what}); correct base in the recipe"),
    "no_chat_template": to_say(
        "the base {base} has no chat template, so it is not known how it is asked; use the instruct or chat variant of"
        " the model"
    ),
    "template_refuses": to_say(
        "the chat template of the base refuses a conversation of the dataset ({what}); use another base"
    ),
    "template_changes_prompt": to_say(
        "the chat template of the base writes a prompt in another way once it is answered, so the answer alone cannot"
        " be learnt; use another base"
    ),
    "template_drops_answer": to_say(
        "the chat template of the base leaves out the assistant's answers, so nothing can be learnt; use another base"
    ),
    "tokenizer_loses_text": to_say(
        "the tokenizer of the base loses most of the text; a file of it may be missing (tokenizer.json). Restore it, or"
        " use another base"
    ),
    "result_gone": to_say(
        "the adapter or its figures (result.json) are gone or damaged; start the run again: it is trained anew"
    ),
    "targets_absent": to_say(
        "lora.targets: {targets} is in no layer of the base, whose linear layers are {there}; name some of these, or"
        ' "all-linear"'
    ),
    "all_too_long": to_say(
        "all {count} training examples are longer than cutoff ({cutoff} tokens); raise cutoff in the recipe"
    ),
    "all_over_cutoffs": to_say(
        "all {count} training examples are longer, in tokens, than {cutoffs}; raise these in the recipe"
    ),
    "packing_impossible": to_say(
        "training.packing needs a GPU and the package flash-attn, without which packed examples would see each other;"
        ' set it to "auto" or false'
    ),
    "loss_not_finite": to_say(
        "the loss is not a finite number at step {step}; lower learning_rate in the recipe, or set bf16 = false"
    ),
    "packages_missing": to_say(
        "packages for training are missing ({packages}); run pip install 'characterbox[train]' for the Python that"
        " trains"
    ),
    "packages_old": to_say(
        "packages for training are too old: {packages}; run pip install --upgrade 'characterbox[train]' for the Python"
        " that trains"
    ),
    "other_format": to_say(
        "the Python that trains has another version of CharacterBox; install this version of it there"
    ),
    "died": to_say(
        "the process ended without a word, as one does that is killed; often memory was short. Start the run again:"
        " it goes on from its last checkpoint"
    ),
    "merge_out_of_memory": to_say(
        "there is not enough memory to merge the adapter ({what}); free some, or merge on a larger machine; a server"
        " can load the adapter as it is"
    ),
    "merge_no_space": to_say("the disk is full; make room, then merge again"),
    "merge_died": to_say(
        "the merging ended without a word, as a process does that is killed; often memory was short. Merge again"
    ),
    "unexpected": to_say("the training failed unexpectedly ({what}); see {log}"),
}


def run_fault(code: str, parameters: Mapping[str, Any], log: object, task: Task) -> Message:
    """Why a task failed. What a newer worker says with a code that is not known here is told as it stands."""
    text = TEXTS.get(f"{task}_{code}") or TEXTS.get(code, TEXTS["unexpected"])
    values = {
        "what": code,
        "log": log,
        **{name: cited(value) if isinstance(value, str) else value for name, value in parameters.items()},
    }
    wanted = {name for _, name, _, _ in Formatter().parse(text) if name}
    return Message(text, **{name: values.get(name, "?") for name in wanted})
