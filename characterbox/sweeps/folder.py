"""A sweep as one folder, which another person can run again and compare.

All files but those under `measured/` are the same, byte for byte, whenever the models say the same: no time, no latency
and no chance of this run is in them.
"""

import csv
import io
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from annotations.exchange.cells import guarded
from annotations.rubric import load_rubric
from characterbox import __version__
from characterbox.components.figures.cost_files import MEASURED_CALLS, REPRODUCIBLE, calls_csv, costs_csv, costs_json
from characterbox.components.figures.cost_latex import costs_latex
from characterbox.errors import StoryError
from characterbox.judging.board import Board, Wanted, board_of, provenance_of, scores_of
from characterbox.judging.cost_table import cost_table
from characterbox.judging.judge import Judge
from characterbox.judging.provenance import NOT_A_RESULT, STORY, improvised_part
from characterbox.judging.registry import as_known
from characterbox.judging.standings_files import standings_csv, standings_json, standings_latex
from characterbox.judging.verdict import filed_as
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.sweeps.cells import Cell, cells_of, prompts_digest
from characterbox.sweeps.file import SCENES, write_sweep
from characterbox.sweeps.sweep import Sweep

MEASURED = "measured"
"""The part of the folder that differs from run to run."""
SUMS = "SHA256SUMS"
README = """# {name}

A sweep of CharacterBox {version}: {stories} stories, each judged by {judges} judges.{note}

    characterbox sweep sweep.toml --out AGAIN --against .

run in this folder plays and judges all of it again, writes the folder `AGAIN`, and says what differs.

| File | What is in it |
| --- | --- |
| `sweep.toml`, `scenes.json` | The plan, and the scenes that it names |
| `versions.json` | Versions of app, prompts, rubric and judges |
| `stories.csv` | The stories: what was played by whom, with which seed |
| `stories/` | What happened in each, an event a line |
| `ratings.csv` | What the judges gave, a score a line |
| `leaderboard/` | The models by the scores of each judge in each language: CSV, JSON and LaTeX |
| `calls.csv` | What each reply took: tokens, and price where it is known |
| `measured/` | Times and attempts of the calls, and the costs with them: no two runs have the same |
| `SHA256SUMS` | The SHA-256 of each file but those in `measured/`, as `sha256sum -c SHA256SUMS` takes it |

The CSV files are in UTF-8. A text that a spreadsheet would take for a formula has one apostrophe before it.
"""


def check_free(folder: Path) -> None:
    """Raises StoryError if a folder is there already, with something in it, or can't be made."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise StoryError(f"{folder}: it is there already; give another name, or delete it first")
    if not folder.parent.is_dir():
        raise StoryError(f"{folder.parent}: there is no such folder to write to")


def write_folder(store: Store, sweep: Sweep, folder: Path) -> None:
    """Write a sweep, as far as it is done. The folder gets its name when it is whole; StoryError if it is there."""
    check_free(folder)
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        for name, content in _files(store, sweep):
            file = part / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        (part / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums_of(part).items()), "utf-8")
        if folder.exists():
            folder.rmdir()
        os.replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def folder_zip(store: Store, sweep: Sweep) -> bytes:
    """The folder of a sweep as one file, the same byte for byte where the folder is."""
    packed, name = io.BytesIO(), slug_of(sweep.name)
    with TemporaryDirectory() as place, ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        folder = Path(place) / name
        write_folder(store, sweep, folder)
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            entry = ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}")  # without the time of the file
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), ZIP_DEFLATED)
    return packed.getvalue()


def scenes_file(sweep: Sweep) -> bytes:
    """The scenes of a sweep, as its file names them."""
    return _json({"scenes": [scene.model_dump(mode="json", exclude_none=True) for scene in sweep.scenes]})


def sums_of(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file that is the same in each run, by its name, in order."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    names = [file.relative_to(folder).as_posix() for file in files]
    return {
        name: sha256(file.read_bytes()).hexdigest()
        for name, file in zip(names, files, strict=True)
        if name != SUMS and not name.startswith(f"{MEASURED}/")
    }


def _files(store: Store, sweep: Sweep) -> Iterator[tuple[str, bytes]]:
    cells = [*cells_of(sweep)]
    judges = [known for judge in sweep.judges if (known := as_known(store, judge)) is not None]
    note = f"\n\n**It was {NOT_A_RESULT}.** The rehearsal plays or judges in it." if sweep.improvised else ""
    told = {"name": sweep.name, "version": __version__, "stories": sweep.size, "judges": len(sweep.judges)}
    yield "README.md", README.format(**told, note=note).encode()
    yield "sweep.toml", write_sweep(sweep).encode()
    yield SCENES, scenes_file(sweep)
    yield "versions.json", _json(_versions(sweep, judges))
    statuses = store.sweeps.statuses([cell.id for cell in cells])
    yield "stories.csv", table(STORY_COLUMNS, (_story_row(cell, statuses) for cell in cells))
    for cell in cells:
        if cell.id in statuses:
            events = store.stories.events(cell.id)
            lines = (json.dumps(event.model_dump(mode="json"), ensure_ascii=False) for event in events)
            yield f"stories/{cell.id}.jsonl", "".join(f"{line}\n" for line in lines).encode()
    yield "ratings.csv", table(RATING_COLUMNS, rating_rows(store, sweep, cells, judges))
    yield from _boards(store, sweep)
    yield from _costs(store, sweep, judges)


def boards(store: Store, sweep: Sweep) -> Iterator[Board]:
    """How the models stand by the scores of each judge of a sweep, in each language."""
    scores = scores_of(store, sweep.name)
    judges = [known for judge in sweep.judges if (known := as_known(store, judge)) is not None]
    for language in scores.languages:
        for judge in judges:
            if judge.rater in scores.judges(language):
                yield board_of(scores, Wanted("judge", language, judge.rater, sweep.name))


def _boards(store: Store, sweep: Sweep) -> Iterator[tuple[str, bytes]]:
    for board in boards(store, sweep):
        of, name = provenance_of(board), f"leaderboard/{board.wanted.language}-{filed_as(str(board.wanted.judge))}"
        yield f"{name}.csv", standings_csv(board.standings, of)
        yield f"{name}.json", standings_json(board.standings, of).encode()
        yield f"{name}.tex", standings_latex(board.standings, of).encode()


def _costs(store: Store, sweep: Sweep, judges: Sequence[Judge]) -> Iterator[tuple[str, bytes]]:
    """The calls that made the sweep, without those of others who judged its stories, or narrated them again."""
    own = {*(filed_as(judge.rater) for judge in judges)}
    calls = [
        call
        for call in store.spending.calls(sweep.name)
        if call.role in ("narrator", "character") or (call.role == "judge" and call.agent in own)
    ]
    yield "calls.csv", "".join(calls_csv(calls, REPRODUCIBLE)).encode()
    yield f"{MEASURED}/calls.csv", "".join(calls_csv(calls, MEASURED_CALLS)).encode()
    costs = cost_table(store, sweep.name)
    yield f"{MEASURED}/costs.csv", costs_csv(costs).encode()
    yield f"{MEASURED}/costs.json", costs_json(costs).encode()
    yield f"{MEASURED}/costs.tex", costs_latex(costs).encode()


STORY_COLUMNS = (
    *("place", "story", "scene", "work", "language", "characters", "narrator", "seed", "repeat", "status"),
    "improvised",
)
RATING_COLUMNS = (
    *("place", "story", "item", "scene", "language", "model", "rater", "rubric", "rubric_version", "metric"),
    *("score", "reason", "improvised"),
)


def _story_row(cell: Cell, statuses: Mapping[str, str]) -> Mapping[str, object]:
    return {
        "place": cell.place,
        "story": cell.id,
        "scene": cell.scene.id,
        "work": cell.scene.work,
        "language": cell.scene.language,
        "characters": str(cell.character),
        "narrator": str(cell.narrator),
        "seed": cell.seed,
        "repeat": cell.repeat,
        "status": statuses.get(cell.id, "missing"),
        "improvised": STORY if cell.casting.improvised else "",
    }


def rating_rows(
    store: Store, sweep: Sweep, cells: Iterable[Cell], judges: Sequence[Judge]
) -> Iterator[Mapping[str, object]]:
    """What the judges of a sweep gave, a score a row, in the order of the plan."""
    by_id = {cell.id: cell for cell in cells}
    by_rater = {judge.rater: judge for judge in judges}
    for row in store.sweeps.ratings(sweep.name, [*by_rater]):
        played = by_id[row["story"]].casting.improvised is not None
        judged = by_rater[row["rater"]].endpoint.is_rehearsal
        yield {**row, "improvised": improvised_part(played, judged)}


def table(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> bytes:
    """Rows as CSV, with a header."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        cells = (row[column] for column in columns)
        writer.writerow(["" if cell is None else guarded(cell) if isinstance(cell, str) else cell for cell in cells])
    return written.getvalue().encode()


def _versions(sweep: Sweep, judges: Sequence[Judge]) -> Mapping[str, Any]:
    rubric = load_rubric()
    return {
        "characterbox": __version__,
        "prompts": prompts_digest(),
        "rubric": {"name": rubric.name, "version": rubric.version},
        "judges": {
            judge.rater: {
                "endpoint": str(judge.endpoint),
                "prompts": judge.protocol.prompts_digest(rubric),
                **judge.protocol.model_dump(mode="json"),
            }
            for judge in judges
        },
        "seeds": [*sweep.seeds],
        "rehearsal": sweep.improvised,
    }


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()
