"""A database in which two judges have judged ten thousand trajectories, written as rows and not by playing."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from annotations.report.published import TABLE_1
from annotations.rubrics.rubric import load_rubric
from bench.story import casting, script
from characterbox.store import Store

JUDGES = ("GPT-4", "CharacterRM")
SCENES, REPEATS, CHARACTERS = 185, 2, 3
MODELS = tuple(dict.fromkeys(one.model for one in TABLE_1))
TRAJECTORIES = SCENES * len(MODELS) * REPEATS * CHARACTERS
AT = "2026-05-01 10:00:00.000000"
_URL = "http://127.0.0.1:8000/v1"
_STEPS = 30
"""Replies of each story besides those of judges."""


def boarded_database(db: Path) -> None:
    """Scenes in both languages, each played twice by each model; every trajectory judged by both judges. Of the events
    of a story only the last is there."""
    store = Store(f"sqlite:///{db}")
    store.stories.create(script(1), casting(_URL, "m"), "command line")
    store.close()
    with sqlite3.connect(db) as database:
        names = [row[1] for row in database.execute("pragma table_info(story)")]
        first = dict(zip(names, database.execute("select * from story").fetchone(), strict=True))
        holes = ", ".join("?" * len(names))
        stories = [*_stories()]
        ended = {**first, "status": "ended"}
        told = ([*{**ended, "id": id, "language": language}.values()] for id, _, _, language in stories)
        database.executemany(f"insert into story values ({holes})", told)  # noqa: S608 - question marks
        database.executemany(
            "insert into event (story_id, seq, path, kind, content) values (?, ?, 'end', 'story_ended', ?)",
            ((id, _STEPS, '{"round": 3, "because": "rounds"}') for id, *_ in stories),
        )
        database.executemany(
            "insert into reply (story_id, path, take, digest, prompt, text, author, url, model, attempts, latency,"
            " created_at) values (?, ?, 1, x'00', x'00', ?, 'model', ?, 'm', 1, 0.2, ?)",
            _replies(id for id, *_ in stories),
        )
        database.executemany(
            "insert into rating (item_kind, owner, slug, story_id, scene, model, language, rater, kind, rubric,"
            " rubric_version, metric, score, created_at)"
            " values ('character', ?, ?, ?, ?, ?, ?, ?, 'judge', 'character', ?, ?, ?, ?)",
            _ratings(stories),
        )


def _stories() -> Iterator[tuple[str, int, str, str]]:
    """Id, number of the scene, model, and language."""
    number = 0
    for scene in range(SCENES):
        for model in MODELS:
            for _ in range(REPEATS):
                number += 1
                yield f"story{number:07}", scene, model, "zh" if scene % 2 else "en"


def _replies(stories: Iterator[str]) -> Iterator[tuple[str, str, str, str, str]]:
    for id in stories:
        paths = [f"r{step}/character-{step % CHARACTERS}/action" for step in range(_STEPS)]
        paths += [
            f"judge/{judge.casefold()}/character-{number}/{part}"
            for judge in JUDGES
            for number in range(CHARACTERS)
            for part in ("critique", "scores")
        ]
        yield from ((id, path, "She stands up and looks around. " * 8, _URL, AT) for path in paths)


def _ratings(stories: list[tuple[str, int, str, str]]) -> Iterator[tuple[object, ...]]:
    """Scores around the paper's means, in scenes of which some are harder than others."""
    random, keys, version = np.random.default_rng(1), load_rubric().keys, load_rubric().version
    known = {(one.model, one.language, one.metric): one.mean for one in TABLE_1}
    hard = random.normal(0, 0.4, SCENES)
    for id, scene, model, language in stories:
        level = [known.get((model, language, key), 3.0) + hard[scene] for key in keys]
        given = np.clip(np.rint(random.normal(level, 0.6, (len(JUDGES), CHARACTERS, len(keys)))), 1, 5).astype(int)
        for (judge, number, key), score in np.ndenumerate(given):
            place = (id, f"character-{number}", id, f"Bench: scene-{scene}", model, language)
            yield (*place, JUDGES[judge], version, keys[key], int(score), AT)
