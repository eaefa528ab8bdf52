"""What comes of a training: the adapter, its model card, and the figures of the run."""

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from characterbox.training.worker.base import chosen, hardware
from characterbox.training.worker.examples import Counts
from characterbox.training.worker.packages import versions
from characterbox.training.worker.run import Run

_SCHEDULES = {"cosine": "cosine", "cosine-restarts": "cosine that restarts in each epoch"}
_OPTIMIZERS = {"adamw": "AdamW, no weight decay", "lion": "Lion, no weight decay, betas 0.9 and 0.999"}
_USED = ("adapter_model.safetensors", "adapter_config.json")
"""The files of an adapter; the tokenizer is the base's, and the options of the trainer stand in the model card."""


def write_result(run: Run, part: Path, trainer: Any, counts: Mapping[str, Counts]) -> None:
    """Give the adapter in `part` its model card and its place, then write `result.json`."""
    for file in part.iterdir():
        if file.name not in _USED:
            file.unlink()
    found = _figures(run, trainer, counts)
    (part / "README.md").write_text(model_card(run, found), encoding="utf-8")
    shutil.rmtree(run.adapter, ignore_errors=True)
    part.replace(run.adapter)
    new = run.folder / "result.part"
    with new.open("w", encoding="utf-8") as out:
        json.dump(found, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    new.replace(run.folder / "result.json")


def _figures(run: Run, trainer: Any, counts: Mapping[str, Counts]) -> dict[str, Any]:
    history = trainer.state.log_history
    losses = [one["loss"] for one in history if "loss" in one]
    validation = [one["eval_loss"] for one in history if "eval_loss" in one]
    return {
        "identity": run.identity,
        "finished": round(time.time(), 3),
        "steps": trainer.state.global_step,
        "tokens": counts["train"].tokens * run.training["epochs"],
        "loss": {"first": losses[0], "last": losses[-1]},
        "validation_loss": {"first": validation[0], "best": min(validation), "last": validation[-1]}
        if validation
        else None,
        "counts": {split: asdict(one) for split, one in counts.items()},
        "processes": trainer.args.world_size,
        "used": chosen(run),
        "hardware": hardware(),
        "versions": versions(),
    }


def model_card(run: Run, found: Mapping[str, Any]) -> str:
    """The model card of an adapter, in Markdown."""
    recipe, training, lora = run.recipe, run.training, run.lora
    head = {"base_model": run.base, "library_name": "peft", "pipeline_tag": "text-generation"}
    used = ", ".join(name for name, on in found["used"].items() if on) or "none"
    together = training["batch"] * training["accumulation"] * found["processes"]
    tables = {
        "Where it comes from": {
            "base model": run.base,
            "digest of the base": recipe["base_digest"] or "not taken: it was found by its name",
            "kind of dataset": recipe["kind"],
            "digest of the dataset": recipe["dataset_digest"],
            "seed": recipe["seed"],
            "identity of the run": run.identity,
        },
        "Recipe": {
            "epochs": training["epochs"],
            "learning rate": f"{training['learning_rate']:g}, {_SCHEDULES[training['schedule']]}, {_warmup(training)}",
            "optimizer": _OPTIMIZERS[training["optimizer"]],
            "sequences a step": f"{together} ({training['batch']} x {training['accumulation']} x {found['processes']}"
            " processes)",
            "cutoff in tokens": f"{_cutoffs(run)}; longer examples are left out",
            "loss": "on the tokens of the answers alone, without those that are only shown",
            "LoRA": f"rank {lora['rank']}, alpha {lora['alpha']}, dropout {lora['dropout']:g}, on"
            f" {', '.join(lora['targets'])}",
            "packing, gradient checkpointing, bfloat16": used,
        },
        **_like(recipe),
        "Figures": dict(_figure_rows(found)),
        "Made with": {**found["versions"], "hardware": found["hardware"]},
    }
    parts = ["---", *(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()), "---"]
    parts += [f"# {recipe['name']}", "", "A LoRA adapter for role-play, trained with CharacterBox."]
    if recipe["demo"]:
        parts += ["", "**Trained on demo output that no language model wrote. Do not report results of it.**"]
    for title, rows in tables.items():
        parts += ["", f"## {title}", "", "| | |", "| --- | --- |"]
        parts += [f"| {name} | {str(value).replace('|', '&#124;')} |" for name, value in rows.items()]
    return "\n".join(parts) + "\n"


def _warmup(training: Mapping[str, Any]) -> str:
    share = training["warmup_share"]
    return f"{training['warmup_steps']} steps of warm-up" if share is None else f"{share:.3g} of the steps are warm-up"


def _cutoffs(run: Run) -> str:
    names = {"cutoff": "in all", "input_cutoff": "prompt", "output_cutoff": "answer"}
    return ", ".join(f"{most:,} {names[name]}" for name, most in run.cutoffs.items())


def _like(recipe: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The model of a paper that it is trained like, and how that one answers."""
    if recipe["preset"] is None:
        return {}
    told = {name.replace("_", "-"): value for name, value in recipe["answering"].items() if value is not None}
    answers = ", ".join(f"{name} {value:g}" for name, value in told.items())
    return {"Trained like": {"model": f"{recipe['preset']} (RoleLLM, appendix E)", "it answers with": answers}}


def _figure_rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "steps", f"{found['steps']:,}"
    yield "tokens, prompts included", f"{found['tokens']:,}"
    yield "loss, first and last step", " and ".join(f"{found['loss'][name]:.4f}" for name in ("first", "last"))
    validation = found["validation_loss"]
    if validation is not None:
        told = " and ".join(f"{validation[name]:.4f}" for name in ("first", "last"))
        yield "validation loss, before and after", f"{told} (lowest {validation['best']:.4f})"
    for split, counts in found["counts"].items():
        left_out = f", {counts['left_out']:,} left out as too long" if counts["left_out"] else ""
        yield f"examples, {split}", f"{counts['examples']:,}{left_out}"
