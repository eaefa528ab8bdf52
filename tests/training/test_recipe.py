"""Recipes: what is left out is the paper's, and what the weights hang on has one name."""

import shutil

import pytest

from annotations.rubrics.rubric_file import FaultyFile
from characterbox.errors import TrainingError
from characterbox.training.recipe import Recipe, read_recipe
from tests.training.folders import example, write_base, write_dataset, write_recipe


@pytest.mark.parametrize(
    ("kind", "epochs", "accumulation"),
    [("narrator", 5, 16), ("judge", 5, 32), ("guided", 6, 16), ("reflective", 3, 16), ("role", 5, 8)],
)
def test_the_defaults_are_those_of_the_papers_table_7(tmp_path, kind, epochs, accumulation):
    write_dataset(tmp_path / "data", kind=kind)
    write_base(tmp_path / "base")
    recipe = read_recipe(write_recipe(tmp_path))
    training = recipe.training
    assert (training.epochs, training.accumulation) == (epochs, accumulation)
    assert (training.cutoff, training.batch, training.learning_rate, training.warmup_steps) == (8192, 1, 5e-5, 20)
    assert (recipe.kind, recipe.seed, recipe.out) == (kind, 1, tmp_path / "runs/first")
    assert (recipe.lora.rank, recipe.lora.alpha, recipe.lora.targets) == (16, 32, ("all-linear",))


IDENTITIES = {
    "7e0ff95d4fa546cbf2c4a5d4402845706a0eb0468302c4ca11838f224b7a7160": {
        "training": {"epochs": 5, "accumulation": 16},
    },
    "9ed8b979c6838b15f12445a18d28bd3c4cc3ede41eaf4db07af2cfe4a6dfaad6": {
        "seed": 7,
        "accelerate_digest": "a" * 64,
        "training": {
            "epochs": 3,
            "accumulation": 4,
            "learning_rate": 2e-3,
            "warmup_steps": 2,
            "batch": 2,
            "cutoff": 256,
            "evaluation_steps": 4,
            "packing": False,
        },
        "lora": {"rank": 4, "dropout": 0.1, "targets": ["q_proj"]},
    },
}
"""What runs of before optimizers could be chosen are called, and their recipes."""


@pytest.mark.parametrize("identity", IDENTITIES)
def test_runs_of_before_optimizers_could_be_chosen_keep_their_identity(identity):
    stored = {
        "name": "first",
        "kind": "narrator",
        "dataset": "/data",
        "dataset_digest": "d" * 64,
        "demo": False,
        "base": "/base",
        "base_digest": "b" * 64,
        "out": "/runs/first",
        "seed": 1,
        "lora": {},
        "accelerate": None,
        "accelerate_digest": None,
        **IDENTITIES[identity],
    }
    assert Recipe.model_validate(stored).identity == identity


def test_what_is_written_counts(tmp_path, recipe_file):
    training = '[training]\nepochs = 1\npacking = "auto"\nbf16 = false\n'
    more = f'seed = 7\nout = "elsewhere"\n{training}[lora]\ntargets = "q_proj"\n'
    recipe = read_recipe(write_recipe(tmp_path, more))
    assert (recipe.seed, recipe.out, recipe.training.epochs) == (7, tmp_path / "elsewhere", 1)
    assert (recipe.training.packing, recipe.training.bf16, recipe.lora.targets) == (None, False, ("q_proj",))


def test_the_same_recipe_has_the_same_identity_wherever_it_is(tmp_path, recipe_file):
    here = read_recipe(recipe_file)
    elsewhere = shutil.copytree(tmp_path, tmp_path.parent / f"{tmp_path.name}-elsewhere")
    moved = read_recipe(elsewhere / "run.toml")
    assert (moved.dataset, moved.base, moved.out) != (here.dataset, here.base, here.out)
    assert moved.identity == here.identity
    assert here.model_validate(here.model_dump(mode="json")).identity == here.identity


def test_whatever_the_weights_hang_on_changes_the_identity(tmp_path, recipe_file):
    seen = {read_recipe(recipe_file).identity}
    training = ('optimizer = "lion"', 'schedule = "cosine-restarts"', "warmup_share = 0.04", "input_cutoff = 512")
    for more in (
        *("seed = 2\n", "[training]\nepochs = 4\n", "[lora]\nrank = 8\n", 'accelerate = "gpus.yaml"\n'),
        *(f"[training]\n{line}\n" for line in (*training, "output_cutoff = 512")),
    ):
        (tmp_path / "gpus.yaml").write_text("num_processes: 2\n", encoding="utf-8")
        seen.add(read_recipe(write_recipe(tmp_path, more)).identity)
    recipe_file.write_text('name = "b"\ndataset = "data"\nbase = "Qwen/Qwen2.5-7B"\n', encoding="utf-8")
    seen.add(read_recipe(recipe_file).identity)
    weights = tmp_path / "base/model.safetensors"
    write_recipe(tmp_path)
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    seen.add(read_recipe(recipe_file).identity)
    shutil.rmtree(tmp_path / "data")
    write_dataset(tmp_path / "data", [example(number) for number in range(25)])
    seen.add(read_recipe(recipe_file).identity)
    assert len(seen) == 13


def test_how_often_checkpoints_are_written_changes_no_weights(tmp_path, recipe_file):
    identity = read_recipe(recipe_file).identity
    assert read_recipe(write_recipe(tmp_path, "[training]\nsave_steps = 7\n")).identity == identity


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("[training]\nepochs = 0\n", r"run.toml: line 5, training.epochs: must be 1 or more"),
        ("[training]\nepoch = 2\n", r"line 5, training.epoch: does not belong here"),
        ("[training]\npacking = 3\n", r'line 5, training.packing: must be true, false or "auto"'),
        ("[training]\nlearning_rate = 0\n", r"line 5, training.learning_rate: must be greater than 0"),
        ('[training]\noptimizer = "sgd"\n', "line 5, training.optimizer: must be "),
        ("[training]\nwarmup_share = 4\n", "line 5, training.warmup_share: must be less than 1"),
        ("[training]\nwarmup_steps = 3\nwarmup_share = 0.1\n", "warmup_steps and warmup_share say the same"),
        ('preset = "RoleGPT"\n', "line 4, preset: must be "),
        ("[lora]\ntargets = []\n", r"line 5, lora.targets: is empty"),
        ("seed = 1.5\n", r"line 4, seed: must be a whole number"),
        ("seed = \n", r"line 4: this is not valid TOML"),
    ],
)
def test_faults_are_told_with_their_lines(tmp_path, recipe_file, more, told):
    with pytest.raises(FaultyFile, match=told):
        read_recipe(write_recipe(tmp_path, more))


def test_a_name_that_is_no_name_of_a_folder_is_refused(tmp_path, recipe_file):
    recipe_file.write_text('name = "../x"\ndataset = "data"\nbase = "base"\n', encoding="utf-8")
    with pytest.raises(FaultyFile, match=r"line 1, name: must be letters, digits"):
        read_recipe(recipe_file)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('base = "./nothing"', "base: ./nothing is neither a folder nor the name of a model"),
        ('base = "a/b/c"', "base: a/b/c is neither a folder nor the name"),
        ('base = "data"', "has no config.json"),
        (f'base = "{"a" * 300}"', "a+ cannot be read .File name too long."),
        ('base = "~nobody-at-all/x"', "the home folder ~nobody-at-all does not exist"),
        ('base = "base"\naccelerate = "gpus.yaml"', "accelerate: .*gpus.yaml cannot be read"),
        ('base = "base"\naccelerate = "run.toml"', "accelerate: .*run.toml is no configuration of accelerate"),
        ('base = "base"\nout = "a\\u0000b"', "is no path: it holds a zero byte"),
    ],
)
def test_a_base_that_can_t_be_used_is_told(tmp_path, recipe_file, line, told):
    recipe_file.write_text(f'name = "a"\ndataset = "data"\n{line}\n', encoding="utf-8")
    with pytest.raises(TrainingError, match=told):
        read_recipe(recipe_file)


def test_a_base_needs_a_chat_template(tmp_path, recipe_file):
    (tmp_path / "base/tokenizer_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TrainingError, match="has no chat template"):
        read_recipe(recipe_file)
    (tmp_path / "base/chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    assert read_recipe(recipe_file).base == str(tmp_path / "base")
