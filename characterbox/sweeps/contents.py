"""What the folder of a sweep holds, file by file.

All files but those under `measured/` are the same, byte for byte, whenever the models say the same: no time, no price,
and nothing else of this run or this database is in them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from annotations.errors import UndefinedStatistic
from annotations.marking.rating import STORY, improvised_part, judge_called
from annotations.rubrics.rubric import load_rubric
from characterbox import __version__
from characterbox.components.figures.files.costs import (
    MEASURED_CALLS,
    REPRODUCIBLE,
    calls_csv,
    costs_csv,
    costs_json,
    csv_lines,
)
from characterbox.components.figures.tables.costs import costs_latex
from characterbox.components.figures.tables.leaderboard import standings_latex
from characterbox.judging.cost_table import table_of
from characterbox.judging.judge import Judge
from characterbox.judging.leaderboard import Board, Wanted, board_of, provenance_of, scores_of
from characterbox.judging.leaderboard_files import standings_csv, standings_json
from characterbox.judging.provenance import NOT_A_RESULT
from characterbox.judging.verdict import filed_as
from characterbox.play.events import Event
from characterbox.play.paths import JUDGES
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.stories.call_costs import NOTHING
from characterbox.store.stories.costs_across_stories import Call, Part
from characterbox.sweeps.file import SCENES, write_sweep
from characterbox.sweeps.progress import known_of
from characterbox.sweeps.sweep import Cell, Sweep, cells_of, prompts_digest

MEASURED = "measured"
"""The part of the folder that differs from run to run."""
_LONGEST = 40
"""Letters of a judge's name in the name of a file."""
README = """# {name}

A sweep of CharacterBox {version}: {stories} stories, each judged by {judges} judges.{note}

    characterbox sweep sweep.toml --db again.db --out ../again --against .

run in this folder plays and judges all of it again, writes it to a folder beside this one, and says what differs.

| File | What is in it |
| --- | --- |
| `sweep.toml`, `scenes.json` | The plan, and the scenes that it names |
| `versions.json` | Versions of app, prompts, rubric and judges |
| `stories.csv` | The stories: what was played by whom, with which seed; how many replies could not be read |
| `stories/` | What happened in each, an event a line |
| `ratings.csv` | What the judges gave, a score a line |
| `leaderboard/` | The models by the scores of each judge in each language: CSV, JSON and LaTeX |
| `calls.csv` | Every reply: whose it is, and its tokens |
| `measured/` | Prices, cached tokens, times and attempts of the calls, and the costs: no two runs have the same |
| `SHA256SUMS` | The SHA-256 of each file but those in `measured/`, as `sha256sum -c SHA256SUMS` takes it |
The CSV files are in UTF-8. A text that a spreadsheet would take for a formula has one apostrophe before it.
"""


def scenes_file(sweep: Sweep) -> bytes:
    """The scenes of a sweep, as its file names them."""
    return _json({"scenes": [scene.model_dump(mode="json", exclude_none=True) for scene in sweep.scenes]})


def files_of(store: Store, sweep: Sweep) -> Iterator[tuple[str, bytes]]:
    """The files by name, each with its content."""
    cells = [*cells_of(sweep)]
    judges = known_of(store, sweep)
    note = f"\n\n**This is {NOT_A_RESULT}.** The rehearsal plays or judges in it." if sweep.improvised else ""
    told = {"name": sweep.name, "version": __version__, "stories": sweep.size, "judges": len(sweep.judges)}
    yield "README.md", README.format(**told, note=note).encode()
    yield "sweep.toml", write_sweep(sweep).encode()
    yield SCENES, scenes_file(sweep)
    yield "versions.json", _json(_versions(sweep, judges))
    statuses = store.sweeps.statuses([cell.id for cell in cells])
    degraded = store.sweeps.degraded([*statuses])
    rows = ({**_story_row(cell, statuses), "degraded": degraded.get(cell.id, 0)} for cell in cells)
    yield "stories.csv", _table(STORY_COLUMNS, rows)
    for cell in cells:
        if cell.id in statuses:
            events = store.stories.events(cell.id)
            yield f"stories/{cell.id}.jsonl", "".join(map(_event_line, events)).encode()
    yield "ratings.csv", _table(RATING_COLUMNS, _rating_rows(store, sweep, cells, judges))
    yield from _boards(store, sweep)
    yield from _costs(store, sweep, judges)


def _event_line(event: Event) -> str:
    """An event with its reason in English, as folders of older versions have it: they are compared byte by byte."""
    content = event.model_dump(mode="json") | {"reason": event.reason and str(event.reason)}
    return f"{json.dumps(content, ensure_ascii=False)}\n"


def boards(store: Store, sweep: Sweep) -> Iterator[Board]:
    """How the models stand by the scores of each judge of a sweep, in each language; without those that gave none."""
    scores, judges = scores_of(store, sweep.name), known_of(store, sweep)
    for language in scores.languages:
        for judge in judges:
            with suppress(UndefinedStatistic):
                yield board_of(scores, Wanted("judge", language, judge.rater, sweep.name))


def _boards(store: Store, sweep: Sweep) -> Iterator[tuple[str, bytes]]:
    """In the words of the plan: which version of a judge it was in this database is no part of it."""
    judges = {judge.rater: judge.name for judge in known_of(store, sweep)}
    places = {judge.name: place for place, judge in enumerate(sweep.judges, 1)}
    for board in boards(store, sweep):
        judge = judges[str(board.wanted.judge)]
        whose = str(judge_called(judge, board.judged_by_rehearsal))
        of = replace(provenance_of(board), scores=whose)
        name = f"leaderboard/{board.wanted.language}-{places[judge]}-{slug_of(whose)[:_LONGEST]}"
        yield f"{name}.csv", standings_csv(board.standings, of)
        yield f"{name}.json", standings_json(board.standings, of).encode()
        yield f"{name}.tex", standings_latex(board.standings, of).encode()


def _costs(store: Store, sweep: Sweep, judges: Sequence[Judge]) -> Iterator[tuple[str, bytes]]:
    """The calls that made the sweep, without those of others who judged its stories, or narrated them again."""
    own = {filed_as(judge.rater): slug_of(judge.name) for judge in judges}
    calls = [
        _in_words_of_plan(call, own)
        for call in store.spending.calls(sweep.name)
        if call.role in ("narrator", "character", "embedding model") or (call.role == "judge" and call.agent in own)
    ]
    calls.sort(key=lambda call: (call.story, call.path, call.take))
    yield "calls.csv", "".join(calls_csv(calls, REPRODUCIBLE)).encode()
    yield f"{MEASURED}/calls.csv", "".join(calls_csv(calls, MEASURED_CALLS)).encode()
    stories = [
        replace(
            story,
            checks=Part(NOTHING, frozenset()),
            judgings=tuple(judging for judging in story.judgings if judging.judge in own),
        )
        for story in store.spending.spending(sweep.name)
    ]
    costs = table_of(stories, [judge.rater for judge in judges], store.published_names.names())
    yield f"{MEASURED}/costs.csv", costs_csv(costs).encode()
    yield f"{MEASURED}/costs.json", costs_json(costs).encode()
    yield f"{MEASURED}/costs.tex", costs_latex(costs).encode()


def _in_words_of_plan(call: Call, judges: Mapping[str, str]) -> Call:
    if call.role != "judge":
        return call
    name = judges[call.agent]
    path = call.path.removeprefix(f"{JUDGES}{call.agent}/")
    return call._replace(agent=name, path=f"{JUDGES}{name}/{path}")


STORY_COLUMNS = (
    *("place", "story", "scene", "work", "language", "characters", "narrator", "seed", "repeat", "status"),
    *("degraded", "improvised"),
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


def _rating_rows(
    store: Store, sweep: Sweep, cells: Sequence[Cell], judges: Sequence[Judge]
) -> Iterator[Mapping[str, object]]:
    """What the judges of a sweep gave, a score a row, in the order of the plan."""
    by_id = {cell.id: cell for cell in cells}
    by_rater = {judge.rater: judge for judge in judges}
    for row in store.sweeps.ratings(sweep.name, [*by_rater]):
        judge, cell = by_rater[row["rater"]], by_id[row["story"]]
        played = cell.casting.improvised is not None
        yield {**row, "rater": judge.name, "improvised": improvised_part(played, judge.endpoint.is_modelless)}


def _table(columns: Sequence[str], rows: Iterator[Mapping[str, object]]) -> bytes:
    """Rows as CSV, with a header."""
    return "".join(csv_lines(columns, ([row[column] for column in columns] for row in rows))).encode()


def _versions(sweep: Sweep, judges: Sequence[Judge]) -> Mapping[str, Any]:
    rubric = load_rubric()
    return {
        "characterbox": __version__,
        "prompts": sweep.prompts or prompts_digest(),
        "rubric": {"name": rubric.name, "version": rubric.version},
        "judges": {
            judge.name: {
                "endpoint": str(judge.endpoint),
                "prompts": judge.protocol.prompts_digest(rubric),
                **judge.protocol.model_dump(mode="json"),
            }
            for judge in judges
        },
        "settings": sweep.settings.model_dump(mode="json"),
        "seeds": [*sweep.seeds],
        "rehearsal": sweep.improvised,
    }


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()
