"""`characterbox ratings`: what goes out comes in again, and nothing is left out unasked."""

import csv
import json

import pytest

from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns.export import FORMATS
from tests.fakes.campaigns import rate, running
from tests.fakes.databases import store_in
from tests.fakes.scenes import a_scene

HEADER = "item,scene,model,metric,rater,kind,score\n"
GOOD = "1,s,m,KA,ann,expert,4\n2,s,m,KA,ann,expert,5\n"
BAD = "3,s,m,KA,ann,expert,-1\n"


@pytest.fixture
async def campaign(tmp_path):
    """The id of a campaign in the database of the commands, in which Max has rated one item."""
    store = store_in(tmp_path / "cli.db")
    campaign, _, assigned = running(store, a_scene("Ann", "Bob"), "Max")
    await rate(store, assigned["Max"][0], 1, 2, 3, 4, 5, 1, 2)
    store.close()
    return campaign.id


@pytest.fixture
def datasets(tmp_path):
    """The names and sizes of what is stored."""

    def datasets():
        store = store_in(tmp_path / "cli.db")
        found = [(dataset.name, dataset.ratings) for dataset in store.datasets.all()]
        store.close()
        return found

    return datasets


@pytest.fixture
def table(tmp_path):
    """Writes a file of ratings."""

    def table(text, name="published.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return table


def test_ratings_are_written_to_a_file(in_process, campaign, tmp_path):
    done = in_process("ratings", "export", campaign, "--out", "out.csv")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"out.csv: {(tmp_path / 'out.csv').stat().st_size:,} bytes\n"
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    assert [(row["rater"], row["metric"], row["score"]) for row in found][:2] == [
        ("Max", "KA", "1"),
        ("Max", "BA", "2"),
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_can_be_written_without_names(in_process, campaign, tmp_path, format):
    done = in_process("ratings", "export", campaign, "--format", format, "--pseudonyms", "--out", "out")
    assert done.status == 0, done.err
    content = (tmp_path / "out").read_bytes()
    assert content
    assert b"Max" not in content


def test_all_campaigns_go_into_one_table(in_process, campaign, tmp_path):
    assert in_process("ratings", "export", "--out", "all.csv").status == 0
    assert campaign in (tmp_path / "all.csv").read_text()
    assert in_process("ratings", "export", campaign, "--repeats", "--out", "repeats.csv").status == 0
    assert len((tmp_path / "repeats.csv").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none", "--out", "new"), "campaign 'none' does not exist"),
        (("--format", "jsonl", "--out", "new"), "jsonl: a file holds one campaign; name the campaign"),
        (("--out", "there"), "there: it is there already; give another name, or delete it first"),
        (("--out", "no/such/file"), "no/such/file: there is no folder no/such; make it first, or name another place"),
        ((), "the following arguments are required: --out"),
        (("--format", "xlsx", "--out", "new"), "invalid choice: 'xlsx'"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_no_file(in_process, tmp_path, words, message):
    (tmp_path / "there").write_text("kept")
    done = in_process("ratings", "export", *words)
    assert done.status == 2
    assert message in done.one_line()
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith("cli.db")] == ["there"]
    assert (tmp_path / "there").read_text() == "kept"


def test_without_commit_it_is_a_dry_run(in_process, table, datasets):
    done = in_process("ratings", "import", table(HEADER + GOOD + BAD), "--rubric", "character")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "refused: line 4, column score: '-1' is outside the scale;"
        " enter a whole number from 1 to 5; leave it empty if the rating is missing",
        f"2 ratings can be taken under the rubric character {load_rubric().version}",
        "  by kinds: expert 2",
        "  by raters: ann 2",
        "  by metrics: KA 2",
        "1 row is refused",
        "nothing is stored yet; give --commit to store what can be taken",
    ]
    assert datasets() == []


def test_what_is_clean_is_stored_under_the_name_of_the_file(in_process, table, datasets):
    done = in_process("ratings", "import", table(HEADER + GOOD), "--rubric", "character", "--commit")
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1].startswith("dataset 'published' (")
    assert done.out.splitlines()[-1].endswith("): 2 ratings are stored; 0 rows are refused")
    assert datasets() == [("published", 2)]


def test_nothing_is_left_out_unasked(in_process, table, datasets):
    file = table(HEADER + GOOD + BAD)
    done = in_process("ratings", "import", file, "--rubric", "character", "--name", "mine", "--commit")
    assert done.status == 2
    assert "1 row is refused, so nothing is stored; mend them, or give --leave-out" in done.one_line()
    assert "refused: line 4" in done.out
    assert datasets() == []
    words = (
        "ratings",
        "import",
        file,
        "--rubric",
        f"character@{load_rubric().version}",
        "--name",
        "mine",
        "--commit",
        "--leave-out",
    )
    done = in_process(*words)
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1].endswith("): 2 ratings are stored; 1 row is refused")
    assert datasets() == [("mine", 2)]
    assert "there is already a dataset named 'mine'" in in_process(*words).one_line()


@pytest.mark.parametrize(
    ("text", "rubric", "message"),
    [
        (HEADER + GOOD, "none", "there is no rubric 'none'; there are: character, "),
        (HEADER + GOOD, "character@9", "there is no version '9' of the rubric 'character'"),
        ("item\n1\n", "character", "published.csv: line 1: the header has no column scene"),
        (HEADER, "character", "published.csv: the file contains no ratings"),
    ],
)
def test_what_cannot_be_tried_is_told(in_process, table, text, rubric, message):
    done = in_process("ratings", "import", table(text), "--rubric", rubric, "--commit")
    assert done.status == 2
    assert message in done.one_line()


def test_a_file_that_is_not_there_is_told(in_process):
    done = in_process("ratings", "import", "none.csv", "--rubric", "character")
    assert "none.csv: the file cannot be read: No such file or directory" in done.one_line()


def test_what_was_exported_can_be_imported(in_process, campaign, datasets, tmp_path):
    for format in ("csv", "parquet", "label-studio"):
        assert in_process("ratings", "export", campaign, "--format", format, "--out", format).status == 0
        done = in_process("ratings", "import", format, "--rubric", "character", "--commit")
        assert done.status == 0, done.err
    assert datasets() == [("label-studio", 7), ("parquet", 7), ("csv", 7)]
    assert json.loads((tmp_path / "label-studio").read_text())[0]["meta"]["model"] == "m"
