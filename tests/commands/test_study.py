"""`characterbox study`: from an empty folder to the bundle, with the rehearsal and with people who rate."""

import csv
import hashlib
import io
import shutil
import subprocess
import sys
import zipfile
from contextlib import closing

import pytest

from characterbox.accounts.account import COMMAND_LINE
from characterbox.campaigns.lifecycle import move
from characterbox.settings import as_url
from characterbox.store import Store
from characterbox.studies.folder import DESIGN, read_study
from tests.fakes.warm_cli import start
from tests.studies.raters import rate_all

pytestmark = pytest.mark.slow


@pytest.fixture
def stored(tmp_path):
    """A store on the database of the commands."""
    with closing(Store(as_url(str(tmp_path / "cli.db")))) as store:
        yield store


@pytest.fixture
def study(in_process, tmp_path):
    """The folder of a new study of one round and ten items for each expert."""
    done = in_process("study", "init", "pilot")
    assert done.status == 0, done.err
    edit(tmp_path / "pilot", "sweep.toml", "rounds = 3", "rounds = 1")
    edit(tmp_path / "pilot", "campaign.toml", "# characters = 1 ", "characters = 1 ")
    return tmp_path / "pilot"


def edit(folder, name, before, after):
    file = folder / name
    assert before in file.read_text("utf-8")
    file.write_text(file.read_text("utf-8").replace(before, after), "utf-8")


def opinion(item, metric):
    """The strong model is about two points better."""
    chance = hashlib.sha256(f"{item.item} {metric}".encode()).digest()[0] % 3
    return min(5, (4 if item.model == "rehearsal" else 2) + chance - 1)


def rate(store, most=None):
    [campaign] = [one for one in store.campaigns.all() if one.settings.name == "pilot"]
    rate_all(store, campaign, opinion, most)
    return campaign


def calls(store):
    return sum(len(store.stories.journal(story.id)) for story in store.stories.stories())


def rows(text):
    return [*csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))]


def outcomes_in(folder):
    return rows((folder / "results" / "tables" / "hypotheses.csv").read_text("utf-8"))


def assert_whole(folder):
    """Every file has its sum, the bundle holds the same files, and what it recomputes is equal."""
    results = folder / "results"
    sums = dict(line.split("  ")[::-1] for line in (results / "SHA256SUMS").read_text("utf-8").splitlines())
    files = {file.relative_to(results).as_posix(): file for file in results.rglob("*") if file.is_file()}
    assert {*files} == {*sums, "SHA256SUMS"}
    assert all(hashlib.sha256(files[name].read_bytes()).hexdigest() == digest for name, digest in sums.items())
    with zipfile.ZipFile(folder / "bundle.zip") as bundle:
        assert {*bundle.namelist()} == {*files}
        assert all(bundle.read(name) == file.read_bytes() for name, file in files.items())
    assert [one.name for one in folder.iterdir() if one.name.startswith(".")] == []


@pytest.mark.process
def test_a_study_from_its_beginning_to_its_bundle_and_what_was_changed_is_told(in_process, study, stored):
    planned = in_process("study", "run", study, "--plan")
    assert planned.status == 0
    assert "12 stories, 0 of them played; 12 judgements, 0 of them made" in planned.out
    assert "rated by people: 12 trajectories; Expert 1: 12 items, 1.0 hours; Expert 2: 12 items" in planned.out
    assert "not registered" in planned.one_line()
    assert stored.stories.count() == 0, "a plan asks nothing"

    registered = in_process("study", "register", study)
    assert registered.status == 0
    digest = hashlib.sha256((study / "registered" / "registration.toml").read_bytes()).hexdigest()
    assert f"SHA-256 {digest}: pilot" in registered.out

    played = in_process("study", "run", study)
    assert played.status == 4, played.err
    assert "12 of 12 stories played, 12 of 12 judged" in played.err
    [campaign] = [one for one in stored.campaigns.all() if one.settings.name == "pilot"]
    assert "people have to rate: Expert 1 0 of 12, Expert 2 0 of 12; they rate at" in played.err
    assert f"/annotate?campaign={campaign.id}" in played.err
    asked = calls(stored)

    rate(stored, most=5)
    waiting = in_process("study", "run", study)
    assert waiting.status == 4
    assert "Expert 1 5 of 12, Expert 2 5 of 12" in waiting.err
    rate(stored)
    done = in_process("study", "run", study)
    assert done.status == 0, done.err
    assert done.out.splitlines()[-1].endswith("written")
    assert calls(stored) == asked, "nothing is asked twice"
    assert len(stored.campaigns.all()) == 1
    assert_whole(study)
    assert_recomputes(study)
    assert_tells_all(study)
    again = in_process("study", "run", study)
    assert again.out.splitlines()[-1].endswith("as they were; nothing is new")

    (study / "registered" / "notes.txt").write_text("mine alone", "utf-8")
    edit(study, "study.toml", "beyond = 0.7", "beyond = 0.6")
    edit(study, "analysis.toml", "level = 0.05", "level = 0.01")
    told = in_process("study", "run", study)
    assert told.status == 0
    assert "changed: study.toml: hypotheses[3].test.beyond was 0.7, is 0.6." in told.err
    changes = (study / "results" / "changes.md").read_text("utf-8")
    assert "- analysis.toml: level was 0.05, is 0.01." in changes
    assert "--- registered/study.toml" in changes
    assert [row["registered"] for row in outcomes_in(study)] == ["True", "True", "False"]
    published = {file.name for file in (study / "results" / "registered").iterdir()}
    assert published == {*DESIGN, "scenes.json", "registration.toml"}, "what was registered, and nothing beside it"
    assert "Registered, and not among them any more" in (study / "results" / "README.md").read_text("utf-8")
    assert_whole(study)


def assert_recomputes(study):
    words = [sys.executable, "recompute.py"]
    done = subprocess.run(words, cwd=study / "results" / "recompute", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all equal" in done.stdout
    assert (study / "results" / "recompute" / "recomputed.csv").is_file(), "which stands in nobody's way"


def assert_tells_all(study):
    """What a reader looks for is there, and no name of an expert is."""
    results = study / "results"
    readme, methods = ((results / name).read_text("utf-8") for name in ("README.md", "methods.md"))
    assert "demo output (no language model); do not report" in readme
    assert "Nothing was changed" in (results / "changes.md").read_text("utf-8")
    assert "6 scenes (6 in English; 2 to 4 characters each) were played by 2 models" in methods
    assert "`strong (rehearsal)`" in methods
    assert "2 experts were given the parts of one character a scene in all scenes, drawn at random" in methods
    assert "Of these 24 assignments 24 were scored." in methods
    for name in DESIGN:
        assert (results / "design" / name).read_bytes() == (results / "registered" / name).read_bytes()
    for name in ("reliability", "validity", "leaderboard-en-the-experts"):
        assert (results / "figures" / f"{name}.svg").read_text("utf-8").startswith("<svg ")
        assert (results / "tables" / f"{name}.md").is_file()
        assert "\\begin{tabular}" in (results / "tables" / f"{name}.tex").read_text("utf-8")
    first = outcomes_in(study)[0]
    assert (first["outcome"], first["n"], first["counts"], first["registered"]) == ("supported", "6", "scenes", "True")
    assert first["note"] == "Demo output (no language model); do not report"
    ratings = rows((results / "recompute" / "ratings.csv").read_text("utf-8"))
    assert {row["rater"] for row in ratings if row["kind"] == "expert"} == {"rater-1", "rater-2"}
    everything = b"".join(file.read_bytes() for file in results.rglob("*") if file.is_file())
    assert b"Expert 1" not in everything
    assert b"Expert 2" not in everything


def test_stories_that_were_played_before_are_told_and_so_is_a_study_that_is_not_registered(in_process, study, stored):
    assert in_process("study", "run", study).status == 4
    refused = in_process("study", "register", study)
    assert refused.status == 2
    assert "12 stories of this study are in the database already" in refused.one_line()
    rate(stored)
    assert in_process("study", "run", study).status == 0
    assert "**The study was not registered**" in (study / "results" / "changes.md").read_text("utf-8")
    assert "**Not registered**" in (study / "results" / "README.md").read_text("utf-8")
    assert {row["registered"] for row in outcomes_in(study)} == {"False"}

    (study / "run.toml").unlink()  # registered afterwards, by way of a database that knows nothing of it
    assert in_process("study", "register", study, "--db", study / "other.db").status == 0
    told = in_process("study", "run", study)
    assert told.status == 0
    assert "changed: Stories: 12 of 12 were begun before the registration, the first on" in told.err
    assert "marks of experts were made before the registration" in told.err
    assert "begun before the registration" in (study / "results" / "changes.md").read_text("utf-8")


def test_results_that_somebody_changed_are_not_written_over_and_those_broken_off_are_written_again(
    in_process, study, stored, monkeypatch
):
    in_process("study", "run", study)
    rate(stored)
    with monkeypatch.context() as broken:
        broken.setattr("characterbox.studies.results.write_folder", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            in_process("study", "run", study)
    assert not (study / "results").exists()
    assert not (study / "bundle.zip").exists()
    assert in_process("study", "run", study).status == 0
    (study / "results").rename(study / ".results.old")  # broken off between the two moves of a second time
    assert in_process("study", "run", study).out.splitlines()[-1].endswith("nothing is new")
    assert_whole(study)
    (study / "results" / ".DS_Store").write_text("a desktop's", "utf-8")
    assert in_process("study", "run", study).status == 0
    (study / "results" / "methods.md").write_text("My own words.", "utf-8")
    refused = in_process("study", "run", study)
    assert refused.status == 2
    assert "results: changed since it was written (methods.md)" in refused.err.splitlines()[-1]
    assert (study / "results" / "methods.md").read_text("utf-8") == "My own words."


def test_a_closed_campaign_is_analysed_as_far_as_it_is_rated(in_process, study, stored):
    in_process("study", "run", study)
    campaign = rate(stored, most=8)
    move(stored, COMMAND_LINE, campaign.id, "closed")
    edit(study, "analysis.toml", "# fastest_seconds = 20.0 ", "fastest_seconds = 1.0 ")
    none_left = in_process("study", "run", study)
    assert none_left.status == 0, none_left.err
    outcome = outcomes_in(study)[0]
    assert (outcome["outcome"], outcome["estimate"]) == ("undecided", "")
    methods = (study / "results" / "methods.md").read_text("utf-8")
    assert "16 found, 112 ratings left out" in methods
    assert "Of these 24 assignments 16 were scored." in methods


def test_a_price_that_is_not_known_and_an_endpoint_that_is_down_end_it_with_a_line(in_process, study):
    edit(
        study,
        "cast.toml",
        'weak = { endpoint = "rehearsal#rehearsal-wooden" }',
        'weak = { endpoint = "http://127.0.0.1:9/v1#tiny" }',
    )
    edit(study, "sweep.toml", "budget = 20.0", "budget = 0.000001")
    refused = in_process("study", "run", study)
    assert refused.status == 2
    assert "tiny" in refused.err.splitlines()[-1], "no budget can be kept where a price is not known"
    edit(study, "cast.toml", '/v1#tiny" }', '/v1#tiny", price = { input = 1.0, output = 2.0 } }')
    down = in_process("study", "run", study)
    assert down.status == 3
    assert "not all of it is played and judged" in down.err.splitlines()[-1]


def test_what_another_study_has_played_is_taken_over_and_asked_for_by_nobody(in_process, study, stored):
    assert in_process("study", "run", study).status == 4
    asked = calls(stored)
    shutil.copytree(study, study.with_name("second"), ignore=shutil.ignore_patterns("run.toml"))
    second = study.with_name("second")
    for name in ("sweep.toml", "campaign.toml"):
        edit(second, name, 'name = "pilot"', 'name = "second"')
    assert in_process("study", "run", second).status == 4
    assert calls(stored) == asked
    [campaign] = [one for one in stored.campaigns.all() if one.settings.name == "second"]
    rate_all(stored, campaign, opinion)
    assert in_process("study", "run", second).status == 0
    judged = rows((second / "results" / "sweep" / "ratings.csv").read_text("utf-8"))
    assert len(judged) == 7 * sum(len(scene.cast) * 2 for scene in read_study(second).sweep.scenes)
    experts = rows((second / "results" / "recompute" / "ratings.csv").read_text("utf-8"))
    assert len([row for row in experts if row["kind"] == "expert"]) == 2 * 12 * 7, "those of its own campaign alone"


@pytest.mark.process
def test_killed_while_it_plays_it_goes_on_and_asks_nothing_twice(in_process, command, environment, study, stored):
    running = start(["study", "run", str(study)], study.parent, environment)
    running.until(lambda: sum(len(stored.stories.events(one.id)) for one in stored.stories.stories()) >= 40)
    running.kill()
    before = calls(stored)
    assert before
    done = command("study", "run", study)
    assert done.status == 4, done.err
    assert "12 of 12 stories played, 12 of 12 judged" in done.err
    paths = [(one.id, reply.path) for one in stored.stories.stories() for reply in stored.stories.journal(one.id)]
    assert len(paths) == len({*paths}) > before, "no question has a second take"
    assert len(stored.campaigns.all()) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("study",), "ACTION"),
        (("study", "run", "nowhere"), "nowhere: there is no such folder"),
        (("study", "register"), "there is no study.toml in it"),
        (("study", "init", "."), "it is there already"),
        (("study", "init", "x", "--preset", "none"), "paper"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_line(in_process, words, told):
    done = in_process(*words)
    assert done.status == 2
    assert told in done.one_line()
