"""The presets are what appendix E of RoleLLM tells, and what a recipe says counts before them."""

import pytest

from characterbox.llm.sampling import Sampling
from characterbox.training.hyperparameters import PRESETS, Training, filled
from characterbox.training.recipe import read_recipe
from tests.training.folders import example, write_base, write_dataset, write_recipe


@pytest.fixture
def role_recipe(tmp_path):
    """Reads a recipe for a dataset of roles, with more lines."""
    write_dataset(tmp_path / "data", [example(1)], kind="role")
    write_base(tmp_path / "base")
    return lambda more="": read_recipe(write_recipe(tmp_path, more))


def test_rolellama_is_trained_as_appendix_e_tells(role_recipe):
    recipe = role_recipe('preset = "RoleLLaMA"\n')
    training, lora = recipe.training, recipe.lora
    assert (training.optimizer, training.learning_rate, training.schedule) == ("adamw", 5e-5, "cosine")
    assert (training.warmup_share, training.warmup_steps) == (0.04, 0)
    assert (training.batch, training.accumulation, training.epochs) == (4, 2, 5)
    assert (training.input_cutoff, training.output_cutoff) == (512, 512)
    assert (lora.rank, lora.alpha) == (8, 32)
    assert (recipe.answering.temperature, recipe.answering.top_k, recipe.answering.top_p) == (0.7, 40, 0.9)


def test_roleglm_is_trained_as_appendix_e_tells(role_recipe):
    recipe = role_recipe('preset = "RoleGLM"\n')
    training, lora = recipe.training, recipe.lora
    assert (training.optimizer, training.learning_rate, training.schedule) == ("lion", 2e-4, "cosine-restarts")
    assert (training.warmup_share, training.warmup_steps) == (None, 0)
    assert (training.batch, training.accumulation) == (4, 1)
    assert (training.input_cutoff, training.output_cutoff) == (1024, 100)
    assert (lora.rank, lora.alpha) == (8, 32)
    assert (recipe.answering.temperature, recipe.answering.top_k, recipe.answering.top_p) == (0.95, None, 0.7)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_mixes_no_examples_in_a_row_and_can_be_told_to(role_recipe, name):
    assert role_recipe(f'preset = "{name}"\n').training.packing is False
    assert role_recipe(f'preset = "{name}"\n[training]\npacking = "auto"\n').training.packing is None


def test_answers_are_drawn_with_what_every_endpoint_takes():
    assert PRESETS["RoleLLaMA"].answering.sampling == Sampling(temperature=0.7, top_p=0.9)


def test_what_is_written_counts_before_the_preset(role_recipe):
    more = 'preset = "RoleGLM"\n[training]\nepochs = 1\noutput_cutoff = 200\n[lora]\nrank = 4\n'
    recipe = role_recipe(more)
    assert (recipe.training.epochs, recipe.training.output_cutoff, recipe.training.input_cutoff) == (1, 200, 1024)
    assert (recipe.lora.rank, recipe.lora.alpha, recipe.training.optimizer) == (4, 32, "lion")
    assert recipe.preset == "RoleGLM"


def test_a_preset_is_named_by_its_values_alone(role_recipe):
    """Whoever writes all of them by hand trains the same weights."""
    by_hand = (
        "[training]\nwarmup_share = 0.04\nbatch = 4\naccumulation = 2\ninput_cutoff = 512\noutput_cutoff = 512\n"
        "packing = false\n[lora]\nrank = 8\n"
    )
    assert role_recipe(by_hand).identity == role_recipe('preset = "RoleLLaMA"\n').identity


@pytest.mark.parametrize(
    ("written", "usual", "warmup"),
    [
        ({}, {"warmup_steps": 0, "warmup_share": 0.04}, (0, 0.04)),
        ({"warmup_steps": 7}, {"warmup_steps": 0, "warmup_share": 0.04}, (7, None)),
        ({"warmup_steps": 0}, {"warmup_steps": 0, "warmup_share": 0.04}, (0, None)),
        ({"warmup_share": 0.1}, {}, (0, 0.1)),
        ({"warmup_share": 0.1}, {"warmup_steps": 20}, (0, 0.1)),
        ({}, {}, (20, None)),
    ],
)
def test_a_warm_up_that_is_written_is_the_only_one(written, usual, warmup):
    found = filled(Training(**written), Training(**usual))
    assert (found.warmup_steps, found.warmup_share) == warmup


def test_a_stored_recipe_is_read_as_it_was(role_recipe):
    for name in PRESETS:
        recipe = role_recipe(f'preset = "{name}"\n')
        assert type(recipe).model_validate(recipe.model_dump(mode="json")) == recipe
