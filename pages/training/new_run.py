"""A new training run: dataset, base model and recipe; what is left as it is follows the paper (table 7) or, of roles,
a model of RoleLLM."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from pydantic import ValidationError

from annotations.errors import AnnotationError
from annotations.i18n.messages import wrong_with
from annotations.i18n.translation import say, translate
from characterbox.accounts.permissions import require
from characterbox.errors import CharacterBoxError
from characterbox.stage.stage import Stage, open_stage
from characterbox.training.datasets.collection import DatasetCollection
from characterbox.training.datasets.example import Kind
from characterbox.training.hyperparameters import PRESETS, PresetName, Training, usual
from characterbox.training.recipe import WrittenRecipe, resolve
from characterbox.training.runs import Runs
from pages.shared.current_user import allowed, current_user
from pages.shared.form import MOST_LINE, Numbers, fault
from pages.shared.links import go, place_link
from pages.shared.text import caution, plain, quiet
from pages.story.actions import do, show_error

WIDTH = 400
"""Pixels of a field."""


def new_run(stage: Stage) -> None:
    """Say what is trained with what, and start it."""
    st.title(say("New training run"))
    datasets = DatasetCollection.of_user()
    names = datasets.names()
    if not names:
        st.caption(say("A training run needs a training dataset. Write one first."))
        st.button(
            say("New training dataset"), type="primary", on_click=go, kwargs={"new": "dataset"}, key="training-first"
        )
        place_link(say("All training"), ":material/arrow_back:")
        return
    st.caption(say("LoRA on a base model. All settings but LoRA's own follow the paper unless you change them."))
    if not allowed("administer"):
        caution(say("Only admins can start training runs."))
    written, kind, fine = _form(datasets, names)
    recipe, told = _read(written)
    if written["name"]:
        fault(told)
    show_error()
    st.button(
        say("Start training"),
        type="primary",
        key="training-start",
        disabled=recipe is None or kind is None or not fine or not allowed("administer"),
        on_click=do,
        args=(_start, recipe),
    )
    quiet(say("The run continues when you close this page. You can stop it, and resume it from its last checkpoint."))
    place_link(say("All training"), ":material/arrow_back:")


def _form(datasets: DatasetCollection, names: list[str]) -> tuple[dict[str, Any], Kind | None, bool]:
    written: dict[str, Any] = {
        "name": st.text_input(say("Name"), max_chars=MOST_LINE, key="training-name", width=WIDTH)
    }
    chosen = st.query_params.get("dataset")
    name = st.selectbox(
        say("Training dataset"),
        names,
        index=names.index(chosen) if chosen in names else 0,
        key="training-dataset",
        width=WIDTH,
    )
    kind: Kind | None = None
    try:
        kind = datasets.report(name).recipe.kind
    except CharacterBoxError as error:
        fault(translate(error))
    written["dataset"] = str(datasets.folder(name))
    written["base"] = st.text_input(
        say("Base model"),
        max_chars=MOST_LINE,
        placeholder="Qwen/Qwen2.5-7B-Instruct",
        help=say("The name of a chat model on Hugging Face, or its folder on this computer."),
        key="training-base",
        width=WIDTH,
    )
    preset = _preset() if kind == "role" else None
    written["preset"] = preset
    numbers = Numbers()
    with st.expander(say("Settings")):
        written |= _settings(numbers, kind or "narrator", preset)
    return written, kind, numbers.fine


def _preset() -> PresetName | None:
    """The model of RoleLLM that a model of roles is trained like."""
    found: PresetName | Literal["table-7"] = st.selectbox(
        say("Preset"),
        [*PRESETS, "table-7"],
        format_func=lambda one: say("none (table 7)") if one == "table-7" else say("{model} (RoleLLM)", model=one),
        key="training-preset",
        width=WIDTH,
    )
    return None if found == "table-7" else found


def _settings(numbers: Numbers, kind: Kind, preset: PresetName | None) -> dict[str, Any]:
    """What can be changed: first what the paper tells, then what it does not."""
    usually, lora = usual(kind, preset)
    own = kind if preset is None else f"{kind}-{preset}"
    first, second = _origins(preset)
    quiet(first)
    with st.container(horizontal=True):
        training = _training(numbers, usually, own)
    quiet(second)
    with st.container(horizontal=True):
        rank = numbers.ask(say("LoRA rank"), 1, 1024, lora.rank, key=f"training-rank-{own}", width=160)
        alpha = numbers.ask(say("LoRA alpha"), 1, 4096, lora.alpha, key=f"training-alpha-{own}", width=160)
        dropout = st.number_input(
            say("LoRA dropout"), 0.0, 0.99, lora.dropout, 0.05, key=f"training-dropout-{own}", width=160
        )
        seed = numbers.ask(say("Seed"), 0, 2**31 - 1, 1, key="training-seed", width=160)
    return {"seed": seed, "training": training, "lora": {"rank": rank, "alpha": alpha, "dropout": dropout}}


def _origins(preset: PresetName | None) -> tuple[str, str]:
    """Where the settings of training come from, and those of LoRA."""
    if preset is None:
        return say("From the paper (table 7):"), say("Our own choice, as the paper does not report them:")
    return (
        say("From RoleLLM (appendix E):")
        if preset == "RoleLLaMA"
        else say("From RoleLLM (appendix E), which does not report the epochs of RoleGLM:"),
        say("Rank and alpha from RoleLLM, dropout and seed our own choice:"),
    )


def _training(numbers: Numbers, usually: Training, own: str) -> dict[str, Any]:
    """How it is trained; `own` ends the keys of fields whose usual value is not that of others."""

    def ask(name: str, label: str, low: int, high: int, value: int | None) -> Any:
        return numbers.ask(label, low, high, value, key=f"training-{name}-{own}", width=160)

    written = {
        "epochs": ask("epochs", say("Epochs"), 1, 1000, usually.epochs),
        "accumulation": ask("accumulation", say("Gradient accumulation"), 1, 10_000, usually.accumulation),
        "learning_rate": st.number_input(
            say("Learning rate"),
            1e-9,
            1.0,
            usually.learning_rate,
            1e-5,
            format="%g",
            key=f"training-rate-{own}",
            width=160,
        ),
    }
    if usually.warmup_share is None:
        written["warmup_steps"] = ask("warmup", say("Warm-up steps"), 0, 1_000_000, usually.warmup_steps)
    else:
        percent = ask("warmup", say("Warm-up (% of steps)"), 1, 99, round(100 * usually.warmup_share))
        written["warmup_share"] = percent / 100
    for name, label, most in (
        ("cutoff", say("Cutoff (tokens)"), usually.cutoff if usually.input_cutoff is None else None),
        ("input_cutoff", say("Longest prompt (tokens)"), usually.input_cutoff),
        ("output_cutoff", say("Longest answer (tokens)"), usually.output_cutoff),
    ):
        if most is not None:
            written[name] = ask(name, label, 16, 10_000_000, most)
    return written


def _read(written: Mapping[str, Any]) -> tuple[WrittenRecipe | None, str | None]:
    """What was written as a recipe, or what is wrong with it."""
    try:
        return WrittenRecipe(**{**written, "base": written["base"].strip() or None}), None
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        if first["loc"][:1] == ("base",):
            return None, say("Enter a base model.")
        return None, translate(wrong_with(first))


def _start(written: WrittenRecipe) -> None:
    stage, actor = open_stage(), current_user()
    require(actor, "administer")
    try:
        recipe = resolve(written, Path.home())
    except AnnotationError as error:
        raise CharacterBoxError("{why}", why=plain(translate(error))) from None
    Runs.of_user(stage.store.audit).start(actor, recipe)
    go(run=written.name)
