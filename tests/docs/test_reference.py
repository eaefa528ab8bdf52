"""The reference says what the code has: commands, settings, and files with their schemas."""

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

from annotations.exchange.intake import dry_run
from annotations.i18n.translation import CATALOGUE
from annotations.marking.rating import COLUMNS, LENGTH, read_ratings
from annotations.rubrics.rubric import load_rubric, parse_rubric
from characterbox.scenes.importer import read_scene_bytes
from characterbox.settings import Settings
from characterbox.sweeps.cast import read_cast
from characterbox.sweeps.file import read_sweep
from tests.docs import generated
from tests.docs.examples import EXAMPLES, with_examples
from tests.docs.generated import REFERENCE, SCHEMAS
from tests.docs.site import REPOSITORY, Piece, blocks, pages, pieces, told

PANEL = (REPOSITORY / "characterbox/components/rubric_panel/words.js").read_text(encoding="utf-8")
ANEW = "python -m tests.docs.generated writes it anew"


def named(form: str) -> list[object]:
    """All blocks of code in one language, each called by its place."""
    found = ((page, block) for page in pages() for block in blocks(page, form))
    return [pytest.param(block, id=f"{told(page)}:{block.line}") for page, block in found]


def test_the_options_of_commands_are_those_of_the_parser() -> None:
    text = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    assert generated.page_of_commands(text) == text, ANEW


def test_the_page_about_the_api_is_what_its_docstrings_tell() -> None:
    assert (REFERENCE / "python.md").read_text(encoding="utf-8") == generated.page_of_api(), ANEW


@pytest.mark.slow
def test_worked_examples_are_what_the_functions_compute() -> None:
    text = (REFERENCE / "statistics.md").read_text(encoding="utf-8")
    assert with_examples(text) == text, ANEW


def test_each_statistic_has_formula_source_and_example() -> None:
    text = (REFERENCE / "statistics.md").read_text(encoding="utf-8")
    sections = {part.partition("\n")[0]: part for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]}
    told_of = {name: part for name, part in sections.items() if "- **Question**" in part}
    assert {*told_of} == {*EXAMPLES}
    for name, part in told_of.items():
        lacking = [line for line in ("Formula", "Source", "Assumes", "Example") if f"- **{line}**:" not in part]
        assert lacking == [], name


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_that_of_the_code(name: str) -> None:
    assert (REFERENCE / f"{name}.schema.json").read_text(encoding="utf-8") == generated.schema(name), ANEW


def test_all_settings_are_told() -> None:
    said = re.findall(
        r"^\| `(CHARACTERBOX_\w+)`", (REFERENCE / "settings.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(said) == sorted(f"CHARACTERBOX_{name.upper()}" for name in Settings.model_fields)


def test_all_columns_of_ratings_are_told() -> None:
    said = re.findall(r"^\| `(\w+)`", (REFERENCE / "rating-files.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert {*COLUMNS, LENGTH, "language", "reason"} <= {*said}


@pytest.mark.parametrize(("page", "schema"), [("sweep-files", "sweep"), ("rubric-files", "rubric")])
def test_all_fields_of_a_file_are_told(page: str, schema: str) -> None:
    text = (REFERENCE / f"{page}.md").read_text(encoding="utf-8")
    said = re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.*?) \|", text, re.MULTILINE)))
    assert {*SCHEMAS[schema][0].model_fields} - {*said} - {"title"} == set()


@pytest.mark.parametrize("block", named("csv"))
def test_a_table_of_ratings_is_read(block: Piece, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(block.text, encoding="utf-8")
    assert len(read_ratings(file)) == block.text.count("\n") - 1
    if "KA" in block.text:
        assert not dry_run(file, load_rubric()).refused


@pytest.mark.parametrize("block", named("toml"))
def test_a_file_in_toml_is_read(block: Piece, tmp_path: Path) -> None:
    if block.name == "rubric.toml":
        jsonschema.validate(tomllib.loads(block.text), SCHEMAS["rubric"][0].model_json_schema())
        assert parse_rubric(block.text, file=block.name).keys
    elif block.name == "cast.toml":
        assert read_cast(block.text.encode()).models
    elif block.name == "sweep.toml":
        file = tmp_path / block.name
        file.write_text(block.text, encoding="utf-8")
        assert read_sweep(file).sweep.scenes
    else:
        assert tomllib.loads(block.text)


@pytest.mark.parametrize("block", named("yaml"))
def test_a_scene_is_read_without_repair(block: Piece) -> None:
    read = read_scene_bytes("scene.yaml", block.text.encode())
    assert (len(read.scenes), read.repairs, read.refused) == (1, (), ())


def test_labels_in_bold_stand_in_the_catalogue() -> None:
    """Where a tutorial has a label, the app has it: the walks say where; this one says so in a moment."""
    catalogue = CATALOGUE.read_text(encoding="utf-8")
    for page in pages():
        if page.parent.name == "tutorials":
            for piece in pieces(page):
                if piece.kind == "label":
                    first = re.split(r"\d", piece.text)[0].strip()
                    assert first in catalogue or first in PANEL, f"{told(page)}, line {piece.line}: {piece.text}"
