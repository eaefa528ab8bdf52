"""The base model, its tokenizer, and what of the machine is used for them."""

from collections.abc import Callable
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.utils import is_flash_attn_2_available

from characterbox.training.worker.errors import WorkerError, told
from characterbox.training.worker.run import Run


def load_tokenizer(run: Run) -> Any:
    """The tokenizer of the base. Raises WorkerError where there is none, or one without a chat template."""
    tokenizer = _loaded(run, AutoTokenizer.from_pretrained)
    if tokenizer.chat_template is None:
        raise WorkerError("no_chat_template", base=run.base)
    return tokenizer


def load_model(run: Run, options: dict[str, Any]) -> Any:
    """The base itself. Raises WorkerError where there is none."""
    return _loaded(run, AutoModelForCausalLM.from_pretrained, **options)


def _loaded(run: Run, load: Callable[..., Any], **options: Any) -> Any:
    try:
        return load(run.base, **options)
    except Exception as error:
        if told(error)[0] != "unexpected":
            raise
        raise WorkerError("base_missing", base=run.base, what=" ".join(str(error).split())[:300]) from error


def check_targets(run: Run, model: Any) -> None:
    """Raises WorkerError for a target of LoRA that is no part of the base."""
    wanted = run.lora["targets"]
    names = [name for name, _ in model.named_modules()]
    absent = [one for one in wanted if not any(name == one or name.endswith(f".{one}") for name in names)]
    if absent and wanted != ["all-linear"]:
        linear = {
            name.rpartition(".")[2] for name, module in model.named_modules() if isinstance(module, torch.nn.Linear)
        }
        raise WorkerError("targets_absent", targets=", ".join(absent), there=", ".join(sorted(linear)))


def hardware() -> str:
    """What computes here, in words."""
    if torch.cuda.is_available():
        return f"{torch.cuda.device_count()} x {torch.cuda.get_device_name(0)}"
    return f"CPU, {torch.get_num_threads()} threads"


def chosen(run: Run) -> dict[str, bool]:
    """Whether sequences are packed, activations computed again, and bfloat16 used: what a recipe leaves to the machine.

    Packing needs kernels that keep the sequences of a pack apart; without them, they would see each other. Raises
    WorkerError where it is wanted without.
    """
    gpu = torch.cuda.is_available()
    able = {
        "packing": gpu and is_flash_attn_2_available(),
        "checkpointing": gpu,
        "bf16": gpu and torch.cuda.is_bf16_supported(),
    }
    if run.training["packing"] and not able["packing"]:
        raise WorkerError("packing_impossible")
    return {name: able[name] if (wanted := run.training[name]) is None else wanted for name in able}
