"""A training: LoRA on a base by TRL's trainer, from the last whole checkpoint if there is one."""

import math
import shutil
from typing import Any

import torch
from accelerate import PartialState
from peft import LoraConfig
from transformers import set_seed
from trl import SFTConfig, SFTTrainer

from characterbox.training.worker.base import check_targets, chosen, load_model, load_tokenizer
from characterbox.training.worker.checkpoints import last_whole, remove_partial
from characterbox.training.worker.errors import WorkerError
from characterbox.training.worker.examples import Counts, prepared
from characterbox.training.worker.lion import Lion
from characterbox.training.worker.progress import ProgressFile
from characterbox.training.worker.reporting import Reporter
from characterbox.training.worker.result import write_result
from characterbox.training.worker.run import Run
from characterbox.training.worker.stopping import Stopped, finish_steps

_EVALUATIONS = 20
"""How often a run is validated where its recipe leaves that open."""


class _Trainer(SFTTrainer):  # type: ignore[misc]  # TRL is in another environment
    def evaluate(self, *given: Any, **named: Any) -> Any:
        """Validate, without drawing from the random numbers of the training: it comes out the same without."""
        with torch.random.fork_rng():
            return super().evaluate(*given, **named)


def run(run: Run, progress: ProgressFile) -> None:
    """Train, and write the adapter with its model card. Raises WorkerError, and Stopped where it was told to stop."""
    ranks = PartialState()
    tokenizer = load_tokenizer(run)
    with ranks.main_process_first():
        (train, counts), (validation, validated) = (
            prepared(run, tokenizer, split) for split in ("train", "validation")
        )
    if not counts.examples:
        raise _all_too_long(run, counts)
    checkpoints = run.folder / "checkpoints"
    if ranks.is_main_process:
        remove_partial(checkpoints)
    ranks.wait_for_everyone()
    last = last_whole(checkpoints)
    reporter = Reporter(progress, checkpoints)
    rows = {"train": train, "validation": validation if validated.examples else None}
    trainer = _trainer(run, tokenizer, rows, anew=last is None)
    trainer.add_callback(reporter)
    finish_steps()
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    if reporter.stopped:
        raise Stopped
    part = run.folder / "adapter.part"
    trainer.save_model(str(part))
    if ranks.is_main_process:
        write_result(run, part, trainer, {"train": counts, "validation": validated})
        progress.write("done", step=trainer.state.global_step)
        for folder in (checkpoints, run.folder / "prepared"):
            shutil.rmtree(folder, ignore_errors=True)


def _all_too_long(run: Run, counts: Counts) -> WorkerError:
    if len(run.cutoffs) == 1:
        return WorkerError("all_too_long", **run.cutoffs, count=counts.left_out)
    told = ", ".join(f"{name} = {most}" for name, most in run.cutoffs.items())
    return WorkerError("all_over_cutoffs", cutoffs=told, count=counts.left_out)


def _trainer(run: Run, tokenizer: Any, rows: dict[str, Any], *, anew: bool) -> _Trainer:
    recipe, use = run.training, chosen(run)
    set_seed(run.recipe["seed"], deterministic=not torch.cuda.is_available())
    torch.utils.deterministic.fill_uninitialized_memory = (
        False  # no value is read before it is written; half of the time
    )
    config = SFTConfig(
        output_dir=str(run.folder / "checkpoints"),
        seed=run.recipe["seed"],
        num_train_epochs=recipe["epochs"],
        learning_rate=recipe["learning_rate"],
        **_schedule(recipe),
        per_device_train_batch_size=recipe["batch"],
        per_device_eval_batch_size=recipe["batch"],
        gradient_accumulation_steps=recipe["accumulation"],
        optim="adamw_torch",
        weight_decay=0.0,  # Adam; where another optimizer was chosen, `optimizer_cls_and_kwargs` says so
        max_length=recipe["cutoff"] if use["packing"] else None,  # what is longer was left out
        packing=use["packing"],
        eval_packing=False,
        bf16=use["bf16"],
        gradient_checkpointing=use["checkpointing"],
        use_cpu=not torch.cuda.is_available(),
        save_steps=recipe["save_steps"],
        save_total_limit=2,  # one may be broken off as it is written
        eval_strategy="no" if rows["validation"] is None else "steps",
        eval_on_start=anew and rows["validation"] is not None,
        logging_steps=1,
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
    )
    model = load_model(run, _model_options(use))  # DeepSpeed wants to know the configuration before
    check_targets(run, model)
    targets = run.lora["targets"]
    lora = LoraConfig(
        task_type="CAUSAL_LM",
        r=run.lora["rank"],
        lora_alpha=run.lora["alpha"],
        lora_dropout=run.lora["dropout"],
        target_modules="all-linear" if targets == ["all-linear"] else targets,
    )
    trainer = _Trainer(
        model,
        config,
        train_dataset=rows["train"],
        eval_dataset=rows["validation"],
        processing_class=tokenizer,
        peft_config=lora,
        optimizer_cls_and_kwargs=(Lion, {"lr": recipe["learning_rate"]}) if recipe["optimizer"] == "lion" else None,
    )
    together = recipe["batch"] * recipe["accumulation"] * config.world_size
    steps = recipe["epochs"] * math.ceil(len(trainer.train_dataset) / together)
    trainer.args.eval_steps = recipe["evaluation_steps"] or max(1, steps // _EVALUATIONS)
    return trainer


def _schedule(recipe: dict[str, Any]) -> dict[str, Any]:
    """How the rate rises and falls; below 1, transformers takes steps of warm-up as a share of all."""
    warmup = {"warmup_steps": recipe["warmup_steps"] if recipe["warmup_share"] is None else recipe["warmup_share"]}
    if recipe["schedule"] == "cosine":
        return {"lr_scheduler_type": "cosine", **warmup}
    cycles = {"num_cycles": recipe["epochs"]}
    return {"lr_scheduler_type": "cosine_with_restarts", "lr_scheduler_kwargs": cycles, **warmup}


def _model_options(use: dict[str, bool]) -> dict[str, Any]:
    options: dict[str, Any] = {"dtype": torch.bfloat16 if use["bf16"] else torch.float32}
    return {**options, "attn_implementation": "flash_attention_2"} if use["packing"] else options
