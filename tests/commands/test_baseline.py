"""What the version of the baseline schema left behind is used as it is: database, backup, stories, ratings and sweep.

`tests/baseline/baseline.tar.xz` was written by commit 44393ef with the rehearsal as all models: stories that ended, one
that waits for a server that is down, one with neutral outcomes, a campaign with marks and a verdict, judges, an
experiment, a cross-check, two sweeps, a crafting, a dataset, a vote, a draft and a scene with two versions, beside what
that commit exported of them.
"""

import json
import re
import tarfile
from pathlib import Path

import pandas as pd
import pytest

from characterbox.cli import main
from characterbox.settings import database_url
from characterbox.store import Store
from characterbox.sweeps.sweep import cells_of, stored_sweep

pytestmark = pytest.mark.slow

ARCHIVE = Path(__file__).parents[1] / "baseline" / "baseline.tar.xz"
STORIES = ("279d6f93b7db", "77487545e12e", "7a78f8d7d462", "a4f3f19808bf", "c5ba6e8960d9", "cab0e66b4ab2")
PILOT = "6f83a13f0dad"


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    """The folder of what was left behind."""
    folder = tmp_path_factory.mktemp("baseline")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="module")
def opened(baseline):
    """The URL of that database, brought up to date."""
    url = database_url(baseline / "database.db")
    Store(url).close()
    return url


def run(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    assert ended.value.code == 0, capsys.readouterr().err
    return capsys.readouterr().out


def without_version(text):
    """A story without what no file of then told: its settings, and what models did not take."""
    told = json.loads(text)
    told["story"]["script"].pop("settings", None)
    for reply in told["journal"]:
        reply.pop("refused", None)
    return {name: value for name, value in told.items() if name not in ("version", "exported_at")}


def without_settings(markdown):
    """A story without its list of settings, which stands before the cast."""
    return re.sub(r"\n- (?:Narrator: set by the endpoint|叙述者：由模型接口决定)\n(?:- .+\n)+", "", markdown, count=1)


RENAMED = {
    r"Improvised by the rehearsal endpoint, no language model\.": (
        "Demo output from the built-in rehearsal (no language model)."
    ),
    r"Improvised in part by the rehearsal endpoint, no language model\.": (
        "Partly demo output from the built-in rehearsal (no language model)."
    ),
    "由内置排练端点即兴生成，未使用语言模型。": "演示输出，由内置演练（非语言模型）生成。",
    r"(?<=\*\*) in return: ": " (reaction): ",
    r"(?<=\*\*) 回应：": " （反应）：",
    "^- believes: ": "- Belief: ",
    "^- wants: ": "- Desire: ",
    "^- means to: ": "- Intention: ",
    "^- of the others: ": "- View of others: ",
    "^- of the scene: ": "- View of the scene: ",
    "^- and so: ": "- Effect on actions: ",
    "^- 相信：": "- 信念：",
    "^- 想要：": "- 愿望：",
    "^- 打算：": "- 意图：",
    "^- 对他人：": "- 对他人的看法：",
    "^- 对场景：": "- 对场景的看法：",
    "^- 因此：": "- 对行动的影响：",
}
"""What stands around the words of a story, as it was told then and is now."""


def as_told_now(text):
    """A story of then in the words of today's interface; all that the story itself says is as it was."""
    for then, now in RENAMED.items():
        text = re.sub(then, now, text, flags=re.MULTILINE)
    return text


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.parametrize("form", ["json", "markdown", "text"])
def test_its_stories_are_exported_as_before(opened, baseline, capsys, story, form):
    before = (baseline / "stories" / f"{story}.{form}").read_text(encoding="utf-8")
    now = run(capsys, "export", "--format", form, story, "--db", opened)
    if form == "json":
        assert without_version(now) == without_version(before)
    else:
        assert (without_settings(now) if form == "markdown" else now) == as_told_now(before)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("all.csv", ["--format", "csv"]),
        ("pilot.csv", ["--format", "csv", "--pseudonyms", PILOT]),
        ("pilot.jsonl", ["--format", "jsonl", PILOT]),
    ],
)
def test_its_ratings_are_exported_as_before(opened, baseline, tmp_path, capsys, file, words):
    run(capsys, "ratings", "export", *words, "--out", tmp_path / file, "--db", opened)
    assert (tmp_path / file).read_bytes() == (baseline / "ratings" / file).read_bytes()


def test_its_items_for_label_studio_are_as_before_but_for_what_experts_read_of_a_character(
    opened, baseline, tmp_path, capsys
):
    file = tmp_path / "label-studio.json"
    run(capsys, "ratings", "export", "--format", "label-studio", PILOT, "--out", file, "--db", opened)
    tasks = [json.loads(path.read_bytes()) for path in (file, baseline / "ratings" / "label-studio.json")]
    now, before = ([task["data"].pop("character") for task in of_a_version] for of_a_version in tasks)
    assert tasks[0] == tasks[1]
    assert len(now) == len(before) > 0
    for told, was in zip(now, before, strict=True):
        standing, *account = was.splitlines()
        name, position, state = standing.split(" | ")
        lines = [f"Profile: {account[0]}", *account[1:], f"Position: {position}", state]
        assert told.splitlines()[0] == name
        assert {*told.splitlines()} >= {*lines}


@pytest.mark.parametrize("story", STORIES)
def test_its_exported_stories_are_imported_and_exported_as_before(baseline, tmp_path, capsys, story):
    url = database_url(tmp_path / "new.db")
    run(capsys, "import", baseline / "stories" / f"{story}.json", "--db", url)
    store = Store(url)
    [imported] = store.stories.stories()
    store.close()
    before = (baseline / "stories" / f"{story}.markdown").read_text(encoding="utf-8")
    now = run(capsys, "export", "--format", "markdown", imported.id, "--db", url)
    assert without_settings(now) == as_told_now(before) != now


def test_its_backup_is_restored_to_the_same_rows(opened, baseline, tmp_path, capsys):
    url = database_url(tmp_path / "restored.db")
    run(capsys, "restore", baseline / "backup.zip", "--db", url)
    restored, here = Store(url), Store(opened)
    assert restored.stories.stories() == here.stories.stories()
    for story in STORIES:
        assert restored.stories.journal(story) == here.stories.journal(story)
        assert restored.stories.events(story) == here.stories.events(story)
        assert restored.stories.costs(story) == here.stories.costs(story)
    restored.close()
    here.close()


@pytest.mark.process
def test_its_sweep_is_run_again_with_the_settings_of_today(baseline, tmp_path, capsys):
    url = database_url(tmp_path / "again.db")
    run(capsys, "sweep", baseline / "sweep" / "sweep.toml", "--out", tmp_path / "again", "--db", url)
    before, now = (pd.read_csv(folder / "stories.csv") for folder in (baseline / "sweep", tmp_path / "again"))
    assert before["story"].tolist() != now["story"].tolist(), "played otherwise, they are others"
    assert (before["scene"].tolist(), now["scene"].tolist()) == (["alice-tarts"], ["alice-tarts-2"]), "its own, as then"
    others = ["story", "scene"]
    pd.testing.assert_frame_equal(now.drop(columns=others), before.drop(columns=others))


@pytest.mark.parametrize("place", [0, 1])
def test_its_sweeps_keep_their_stories(opened, place):
    store = Store(opened)
    heading = store.sweeps.all()[place]
    sweep = stored_sweep(store.sweeps.content(heading.name))
    there = store.sweeps.statuses([cell.id for cell in cells_of(sweep)])
    store.close()
    assert len(there) == sweep.size == heading.stories
    assert {judge.protocol.temperature for judge in sweep.judges} == {None}
