"""The app from a script or a notebook: its database, its scenes, its stories and their figures.

    import characterbox

    with characterbox.Database() as database:
        story = database.play("bundled:dracula-wolves", characters="http://127.0.0.1:8000/v1#qwen")
        database.judge(story, "GPT-4=https://api.openai.com/v1#gpt-4.1")
        print(characterbox.stats(database.ratings()))

Each method does what a page does, with the same functions. All of them wait until they are done, whether an event loop
runs around them, as in a notebook, or not; what is interrupted is kept, and goes on when it is asked for again.
"""

import asyncio
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import pandas as pd
from pydantic import ValidationError

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import wrong_with
from characterbox.api.frames import (
    board_frame,
    calls_frame,
    events_frame,
    figures_frame,
    judgements_frame,
    ratings_frame,
    scenes_frame,
    stories_frame,
)
from characterbox.api.loop import OwnLoop
from characterbox.errors import SceneError, StoreError, StoryError
from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.judging.leaderboard import Wanted, board_of, scores_of
from characterbox.judging.provenance import rated
from characterbox.judging.subject import JudgeRubric
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import REHEARSAL, Casting, Endpoint, parse_embedding_model
from characterbox.llm.replies.character_names import match_name
from characterbox.play.events import Event
from characterbox.play.settings import Settings
from characterbox.play.world import Script
from characterbox.scenes.library import PREFIX, bundled, open_scene
from characterbox.scenes.scene import Scene
from characterbox.settings import as_url
from characterbox.settings import settings as app_settings
from characterbox.stage.client import open_client
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.story import Story

USUAL = Settings()


def stats(ratings: pd.DataFrame, *, scale: tuple[float, float] | None = None) -> pd.DataFrame:
    """Every figure of reliability and validity of a table of ratings, as the page shows them.

    `ratings` is in long form: one score a row, with the columns item, scene, model, metric, rater, kind (expert or
    judge) and score (a number, NaN where it is missing). `scale` are the lowest and the highest score that can be
    given; without it, those of the rubric, or of the table, are taken.

    The frame has one figure a row: statistic, what it is of, whose scores it is of, estimate, low and high (95 %
    interval), n, and why there is none where it is undefined. `attrs["cautions"]` are sentences on what limits the
    figures, `attrs["left_out"]` what could not be used, and why. Raises AnnotationError if the table can't be used. See
    the reference of statistics for formulas and sources.
    """
    return figures_frame(ratings, scale)


class Database:
    """An open database of the app. It is closed at the end of a `with`, or by `close`."""

    def __init__(self, where: str | os.PathLike[str] | None = None) -> None:
        """Open the database at a path or an SQLAlchemy URL; without one, that of the app (CHARACTERBOX_DB).

        It is made where there is none. Raises StoreError if it can't be opened.
        """
        self._kept: TemporaryDirectory[str] | None = None
        self._client: Client | None = None
        self._closed = False
        try:
            url = app_settings().db if where is None else as_url(os.fspath(where))
        except ValueError as error:
            raise StoreError(f"{where}: {error}") from None
        self._opened = Store(url)
        self._loop = OwnLoop()

    @classmethod
    def temporary(cls) -> "Database":
        """A database that is gone as it is closed: to play without keeping anything."""
        kept = TemporaryDirectory(prefix="characterbox-")
        database = cls(Path(kept.name) / "characterbox.db")
        database._kept = kept
        return database

    def __enter__(self) -> Self:
        self._store  # noqa: B018 - raises StoreError where it is closed
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _store(self) -> Store:
        if self._closed:
            raise StoreError("this database is closed; open it again with characterbox.Database")
        return self._opened

    def close(self) -> None:
        """Close the connections to models and to the database; what is under way ends, and can be gone on with."""
        if self._closed:
            return
        self._loop.end_all()  # before its connections go: a call that loses them would have failed
        if self._client is not None:
            self._loop.run(self._client.close())
        self._loop.close()
        self._closed = True
        self._opened.close()
        if self._kept is not None:
            self._kept.cleanup()

    def scenes(self) -> pd.DataFrame:
        """All scenes that can be played: those that are bundled, and those of this database.

        Columns: name (for `scene` and `play`), title, work, language, characters, source.
        """
        own = ((scene.id, scene, "database") for scene in self._store.scenes.all())
        return scenes_frame([*((f"{PREFIX}{one.id}", one, "bundled") for one in bundled()), *own])

    def scene(self, name: str | os.PathLike[str], id: str | None = None) -> Scene:
        """The scene of a name: `bundled:NAME`, the id of one in this database, or the path of a scene file; `id` says
        which one of a file with several. Raises SceneError, saying what there is."""
        known = self._store.scenes.with_id(str(name)) if id is None else None
        return open_scene(os.fspath(name), id) if known is None else known.content

    def stories(self) -> pd.DataFrame:
        """All stories of this database, the newest first.

        Columns: id, title, work, scene, language, status, rounds, seed, narrator, characters, memory, created_at.
        """
        return stories_frame(self._store.stories.stories())

    def play(
        self,
        what: Scene | Story | str,
        *,
        characters: str | Mapping[str, str] = REHEARSAL,
        narrator: str = REHEARSAL,
        memory: str | None = None,
        rounds: int = 3,
        seed: int = 1,
        may_conclude: bool = False,
        settings: Settings = USUAL,
        on_event: Callable[[Event], object] | None = None,
    ) -> Story:
        """Play a scene to its end, or a story on that was interrupted; gives the story as it then stands.

        A scene is given as such, or by its name (see `scene`); a story as such, or by its id. Models are named as
        `URL#MODEL`; `rehearsal` improvises without a language model. `characters` is one model for all, or a mapping
        of models by the names of characters. `memory` is an embedding model by which characters recall; without one,
        they do by wording. `on_event` is called with each event as soon as it is stored, on another
        thread, to show progress: `on_event=print`. The story waits for it, so that it should be quick; it can't
        play or judge itself, and what it raises stops the story, which is kept.

        A story goes on with its own models and settings, whatever the other arguments are. Raises SceneError,
        AddressError or StoryError for what can't be used, EndpointError when a model fails for good (the story is
        kept), and StoryError when a person has to answer in it.
        """
        if on_event is not None and (not callable(on_event) or inspect.iscoroutinefunction(on_event)):
            raise StoryError("on_event has to be a plain function of one event, not a coroutine function or a value")
        chosen = {"rounds": rounds, "seed": seed, "may_conclude": may_conclude, "settings": settings}
        story = self._story(what)
        if story is None:
            scene = what if isinstance(what, Scene) else self.scene(str(what))
            story = self._new_story(scene, casting_of(scene, narrator, characters, memory), chosen)
        try:
            return self._loop.run(self._play(story, on_event or _nothing))
        except _Told as error:
            raise error.what from None

    def _new_story(self, scene: Scene, casting: Casting, chosen: Mapping[str, object]) -> Story:
        """A story that is yet to be played. Raises StoryError for a value that can't be used."""
        try:
            script = Script.model_validate({"scene": scene, **chosen})
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            raise StoryError(f"{'.'.join(map(str, first['loc']))}: {wrong_with(first)}") from None
        return self._store.stories.create(script, casting, "command line")

    def _story(self, what: Scene | Story | str) -> Story | None:
        """The story as it stands now, if it is one, or the id of one. Raises StoryError if it can't be read, or is a
        story of another database."""
        if isinstance(what, Scene):
            return None
        id = what if isinstance(what, str) else what.id
        if self._store.stories.headings([id]):
            return self._store.stories.story(id)
        if isinstance(what, Story):
            raise StoryError("story {id}: it is not in this database", id=id)
        return None

    async def _play(self, story: Story, on_event: Callable[[Event], object]) -> Story:
        stories, failures = self._store.stories, list[BaseException]()

        def tell(_: int, event: Event) -> None:
            try:
                if not failures:
                    on_event(event)
            except BaseException as error:  # whatever it is, it may not end the thread on which the story is played
                failures.append(error)
                loop.call_soon_threadsafe(playing.cancel)

        loop, pace = asyncio.get_running_loop(), PlaybackControl(people=story.people)
        playing = asyncio.ensure_future(perform(stories, self._models(), story, pace, on_event=tell))
        try:
            status = await playing
        finally:
            if failures:
                raise _Told(failures[0])
        if status == "cued":
            raise StoryError(f"story {story.id}: a person plays in it, and has to answer now; open it in the app")
        return stories.story(story.id)

    def judge(
        self, story: Story | str, judge: Judge | str, *, of: JudgeRubric = "character", anew: bool = False
    ) -> pd.DataFrame:
        """Have a story judged that has ended; what this judge has given before is not asked again, unless `anew`.

        `judge` is `NAME=URL#MODEL`, such as `GPT-4=https://api.openai.com/v1#gpt-4.1`: the paper's judge of that name
        says how it judges. `of` is what is judged: character, narrator, narrator_steps or scene. The ratings are
        stored, and come as a frame in long form, NaN with a reason where a score could not be read. Raises StoryError
        if the story has not ended, EndpointError if the model fails.
        """
        told = self._store.stories.story(story if isinstance(story, str) else story.id)
        wanted = Judge.parse(judge) if isinstance(judge, str) else judge
        return self._loop.run(self._judge(told, wanted, of, anew=anew))

    async def _judge(self, story: Story, judge: Judge, of: JudgeRubric, *, anew: bool) -> pd.DataFrame:
        wanted = await asyncio.to_thread(registered, self._store, judge, of)
        ratings = await judge_story(self._store, self._models(), story, wanted, of=of, anew=anew)
        return await asyncio.to_thread(judgements_frame, self._store, ratings)

    def events(self, story: Story | str) -> pd.DataFrame:
        """What happened in a story, an event a row: number, kind, path, round, turn, character, and the fields of each
        kind of event."""
        id = story if isinstance(story, str) else story.id
        self._store.stories.story(id)  # one that is not there has no events, and no frame either
        return events_frame(self._store.stories.events(id))

    def calls(self, sweep: str | None = None) -> pd.DataFrame:
        """Every reply that was recorded, of all stories or of a sweep's: story, path, role, model, tokens, price in US
        dollars (NaN where it is not known), attempts, latency in seconds. Raises StoryError if there is no such sweep.
        """
        self._check_sweep(sweep)
        return calls_frame(self._store.spending.calls(sweep))

    def ratings(self, dataset: str | None = None) -> pd.DataFrame:
        """The ratings that count, of judges and experts, in long form; or those of an imported dataset, by its id.

        Columns: item, scene, model, metric, rater, kind, score, language, reason, improvised.
        """
        if dataset is None:
            return ratings_frame(rated(self._store))
        return self._store.datasets.frame(dataset)

    def leaderboard(self, language: str, judge: str | None = None, sweep: str | None = None) -> pd.DataFrame:
        """How the models stand in scenes of a language: by a judge's scores, or by the experts' where none is named.

        Columns: model, metric, mean, sd, low, high, rank, best_rank, worst_rank, ... one row a model and metric, with
        `overall`. Raises UndefinedStatistic if there are no such scores, saying who has scored.
        """
        self._check_sweep(sweep)
        scores = scores_of(self._store, sweep)
        try:
            return board_frame(board_of(scores, Wanted("judge" if judge else "experts", language, judge, sweep)))
        except UndefinedStatistic as error:
            known = "; ".join(f"{one}: {', '.join(scores.judges(one)) or 'experts'}" for one in scores.languages)
            raise UndefinedStatistic(f"{error}; there are scores of: {known or 'nobody'}") from None

    def _check_sweep(self, sweep: str | None) -> None:
        if sweep is not None and self._store.sweeps.find(sweep) is None:
            raise StoryError("there is no sweep {name!r}; the Sweeps page lists all sweeps", name=sweep)

    def _models(self) -> Client:
        """The client of this database's loop, on which alone it may be asked for."""
        if self._client is None:
            self._client = open_client(self._store, for_owner=True)
        return self._client


class _Told(Exception):
    """Carries what was raised as an event was told, which may be more than a thread survives, to who plays."""

    def __init__(self, what: BaseException) -> None:
        super().__init__(what)
        self.what = what


def _nothing(_: Event) -> None:
    pass


def casting_of(scene: Scene, narrator: str, characters: str | Mapping[str, str], memory: str | None) -> Casting:
    """Who plays whom. Raises AddressError or SceneError."""
    everybody = dict.fromkeys(scene.names, characters) if isinstance(characters, str) else {}
    if not isinstance(characters, str):
        for name, endpoint in characters.items():
            matched = match_name(name, scene.names)
            if matched is None:
                raise SceneError(f"{name!r} is none of the cast: {', '.join(scene.names)}")
            everybody[matched] = endpoint
    if lacking := [name for name in scene.names if name not in everybody]:
        raise SceneError(f"there is no model for {', '.join(lacking)}; name one for each character, or one for all")
    return Casting(
        narrator=Endpoint.parse(narrator),
        characters={name: Endpoint.parse(everybody[name]) for name in scene.names},
        memory=None if memory is None else parse_embedding_model(memory),
    )
