"""The file of a sweep: TOML that people write, and the sweep that it describes.

name = "first look"
characters = ["http://127.0.0.1:8000/v1#llama", "rehearsal"]
narrators = ["#strong"]          # a name of cast.toml beside this file, which is read for such names alone
memory = "http://127.0.0.1:8001/v1#bge-m3"    # the embedding model by which characters recall; without it, letters

[[scenes]]
file = "scenes/hamlet.json"    # beside this file, or bundled:NAME
first = 5                      # or ids = ["hamlet-1"]; without either, all

[settings.narrator]            # characters, memory, last_beliefs
temperature = 0.2              # or "endpoint": its own

[[judges]]
name = "GPT-4"
endpoint = "https://api.openai.com/v1#gpt-4"
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tomli_w
from pydantic import BeforeValidator, Field, ValidationError, field_validator

from annotations.exchange.decoding import Encoding
from annotations.i18n.messages import Message, Readable, listed, wrong_with
from annotations.rubrics.rubric_file import Misfit, read_toml, refused
from characterbox.errors import CharacterBoxError, SceneError
from characterbox.judging.judge import Judge
from characterbox.judging.protocol import NEW, PRESETS, Manner, Order, Protocol, Replies, Spoken
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.sampling import Sampling, Temperature, read, written
from characterbox.scenes.file_reading import decode
from characterbox.scenes.import_report import SceneFile, find_scene
from characterbox.scenes.importer import read_scene_bytes, read_scene_file
from characterbox.scenes.library import PREFIX, beside_bundled, bundled_scene
from characterbox.scenes.scene import Scene, Text
from characterbox.sweeps.cast import CAST, Cast, read_cast
from characterbox.sweeps.sweep import Settings, Sweep
from characterbox.values import Language, Value

_AGENTS = ("narrator", "characters")
"""Whose replies the settings of stories say how to draw."""
SCENES = "scenes.json"
"""Where the scenes are beside a sweep that was written."""


class _Scenes(Value):
    """Some scenes of a file."""

    file: Text
    ids: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    first: Annotated[int, Field(strict=True, ge=1)] | None = None
    language: Language | None = None


class WrittenJudge(Value):
    """A judge; what is left out is as the paper's judge of that name has it, or else its GPT-4."""

    name: Text
    endpoint: Text
    manner: Manner | None = None
    replies: Replies | None = None
    order: Order | None = None
    language: Spoken | None = None
    temperature: Annotated[Temperature | None, BeforeValidator(read)] = None

    def judge(self) -> Judge:
        """The judge. Raises AddressError or ValidationError."""
        protocol = PRESETS.get(self.name.strip(), NEW)
        wanted = self.model_dump(include=set(Protocol.model_fields), exclude_unset=True)
        return Judge(
            name=self.name,
            endpoint=Endpoint.parse(self.endpoint),
            protocol=protocol.model_copy(update=wanted),
        )


class WrittenSweep(Settings):
    """What stands in the file; `Sweep` says what it means. A model may be a name that has no address yet: `#GPT-4`."""

    scenes: Annotated[tuple[_Scenes, ...], Field(min_length=1)]
    characters: Annotated[tuple[Text, ...], Field(min_length=1)]
    narrators: Annotated[tuple[Text, ...], Field(min_length=1)]
    judges: tuple[WrittenJudge, ...] = ()
    memory: Text | None = None
    """The embedding model by which characters recall."""


def unaddressed(endpoints: Iterable[str]) -> tuple[str, ...]:
    """The models among endpoints that have a name, but no address yet: `#GPT-4` is GPT-4."""
    return tuple(text.strip()[1:].strip() for text in endpoints if text.strip().startswith("#"))


class _File(WrittenSweep):
    """A file of which all can be used, once its models are looked up in a cast."""

    @field_validator("settings", mode="before")
    @classmethod
    def _sampling_as_written(cls, settings: Any) -> Any:
        if not isinstance(settings, dict):
            return settings
        if "prompts" in settings:
            raise ValueError(Message("the prompts are those of the app; omit their version"))
        agents = {name: settings[name] for name in _AGENTS if isinstance(settings.get(name), dict)}
        return settings | {name: {key: read(one) for key, one in of.items()} for name, of in agents.items()}

    @property
    def models(self) -> Iterator[str]:
        """All models that are asked, as the file has them."""
        yield from (*self.characters, *self.narrators, *(judge.endpoint for judge in self.judges))
        if self.memory is not None:
            yield self.memory

    def addressed(self, cast: Cast) -> "_File":
        """With the addresses that the cast knows in place of names."""
        judges = [one.model_copy(update={"endpoint": cast.addressed(one.endpoint)}) for one in self.judges]
        models = {name: tuple(map(cast.addressed, getattr(self, name))) for name in ("characters", "narrators")}
        memory = None if self.memory is None else cast.addressed(self.memory)
        return self.model_copy(update={**models, "judges": tuple(judges), "memory": memory})

    def misfits(self) -> Iterator[Misfit]:
        """The endpoints and judges that can't be used."""
        for name in ("characters", "narrators"):
            texts: tuple[str, ...] = getattr(self, name)
            if waiting := unaddressed(texts):
                yield (name,), _no_address(waiting)
            for place, text in enumerate(texts):
                if not unaddressed([text]):
                    yield from _tried((name, place), lambda text=text: Endpoint.parse(text))
        if self.memory is not None:
            if waiting := unaddressed([self.memory]):
                yield ("memory",), _no_address(waiting)
            else:
                yield from _tried(("memory",), lambda text=self.memory: Endpoint.parse(text))
        for place, judge in enumerate(self.judges):
            if waiting := unaddressed([judge.endpoint]):
                yield ("judges", place), _no_address(waiting)
            else:
                yield from _tried(("judges", place), judge.judge)


def _no_address(models: Iterable[str]) -> Message:
    return Message(
        "there is no address yet for {models}; replace #NAME with URL#MODEL, or add the name to cast.toml",
        models=listed(models),
    )


@dataclass(frozen=True)
class SweepFile:
    """A sweep as it was read, and what was done to its scenes on the way."""

    sweep: Sweep
    repairs: tuple[Readable, ...]
    written: WrittenSweep
    """What stands in the file, models by their names in the cast."""
    cast: Cast
    """The models that its names stand for; none where it names none."""


OpenScenes = Callable[[str, Language | None], SceneFile]
"""Reads the scene file of a name, given the language of all its scenes, if that is told. Raises SceneError."""


def read_sweep(path: Path, encoding: Encoding | None = None) -> SweepFile:
    """The sweep that a file describes; its scene files, and its cast where it names models of one, are looked for
    beside it. The encoding of the scene files may be named.

    Raises FaultyFile with the line of each fault, and SceneError if one of the files can't be read.
    """

    def open_cast() -> Cast:
        cast = path.parent / CAST
        return Cast() if not cast.exists() or cast.samefile(path) else read_cast(_bytes_of(cast))

    return _read(
        path.name,
        _bytes_of(path),
        lambda name, language: read_scene_file(path.parent / name, language, encoding),
        open_cast,
    )


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SceneError(f"{path}: the file cannot be read ({error.strerror}); check the path") from None


def read_given_sweep(files: Mapping[str, bytes]) -> SweepFile:
    """The sweep that the one TOML file among these describes, beside its cast; its scene files are among them, too,
    and nowhere else.

    Raises as `read_sweep`.
    """
    names = [name for name in files if name.lower().endswith(".toml")]
    if len(names) > 1:
        names = [name for name in names if name != CAST]
    if len(names) != 1:
        raise SceneError(
            "a sweep needs exactly one file whose name ends in .toml; add it together with its scene files"
        )
    (name,) = names

    def open_scenes(scenes: str, language: Language | None) -> SceneFile:
        if scenes not in files:
            raise SceneError(
                "{file}: it is missing next to {toml}; add it, or use bundled:NAME", file=scenes, toml=name
            )
        return read_scene_bytes(scenes, files[scenes], language)

    def open_cast() -> Cast:
        return read_cast(files[CAST]) if CAST in files and name != CAST else Cast()

    return _read(name, files[name], open_scenes, open_cast)


def write_sweep(sweep: Sweep) -> str:
    """The file of a sweep, whose scenes are in `scenes.json` beside it."""
    protocol = [
        {**judge.protocol.model_dump(), "temperature": written(judge.protocol.temperature)} for judge in sweep.judges
    ]
    agents: dict[str, Sampling] = {name: getattr(sweep.settings, name) for name in _AGENTS}
    content: dict[str, Any] = {
        "name": sweep.name,
        "rounds": sweep.rounds,
        "may_conclude": sweep.may_conclude,
        "seeds": [*sweep.seeds],
        "repeats": sweep.repeats,
        "characters": [str(endpoint) for endpoint in sweep.characters],
        "narrators": [str(endpoint) for endpoint in sweep.narrators],
        **({} if sweep.memory is None else {"memory": str(sweep.memory)}),
        **({} if sweep.budget is None else {"budget": sweep.budget}),
        "settings": {
            **sweep.settings.model_dump(exclude={"prompts"}),
            **{name: {key: written(one) for key, one in of.model_dump().items()} for name, of in agents.items()},
        },
        "scenes": [{"file": SCENES}],
        "judges": [
            {"name": judge.name, "endpoint": str(judge.endpoint), **said}
            for judge, said in zip(sweep.judges, protocol, strict=True)
        ],
        "parallel": dict(sorted(sweep.parallel.items())),
    }
    return tomli_w.dumps({key: value for key, value in content.items() if value not in ([], {})})


def _read(name: str, raw: bytes, open_scenes: OpenScenes, open_cast: Callable[[], Cast]) -> SweepFile:
    toml, _ = decode(name, raw, "UTF-8")  # which TOML is by its definition
    written = read_toml(toml, _File, file=name)
    cast = open_cast() if unaddressed(written.models) else Cast()
    file = written.addressed(cast)
    if faults := [*file.misfits()]:
        raise refused(faults, toml, file=name)
    scenes: list[Scene] = []
    repairs: list[Readable] = []
    misfits: list[Misfit] = []
    for place, source in enumerate(file.scenes):
        try:
            some, done = _scenes(source, open_scenes)
        except SceneError as error:
            misfits.append((("scenes", place), error.args[0]))
        else:
            scenes += some
            repairs += done
    if misfits:
        raise refused(misfits, toml, file=name)
    try:
        sweep = Sweep(
            scenes=tuple(scenes),
            characters=tuple(Endpoint.parse(text) for text in file.characters),
            narrators=tuple(Endpoint.parse(text) for text in file.narrators),
            judges=tuple(judge.judge() for judge in file.judges),
            memory=None if file.memory is None else Endpoint.parse(file.memory),
            **file.model_dump(exclude={"scenes", "characters", "narrators", "judges", "memory"}),
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise refused([((str(first["loc"][0]),), wrong_with(first))], toml, file=name) from None
    return SweepFile(sweep, tuple(repairs), written, cast)


def _tried(place: tuple[str | int, ...], make: Any) -> Iterator[Misfit]:
    try:
        make()
    except CharacterBoxError as error:
        yield place, error.args[0]
    except ValidationError as error:
        yield place, wrong_with(error.errors()[0])


def _scenes(source: _Scenes, open_scenes: OpenScenes) -> tuple[list[Scene], list[Message]]:
    if source.file.startswith(PREFIX):
        if (source.ids, source.first, source.language) != (None, None, None):
            raise SceneError("{file}: this is a single bundled scene; omit ids, first and language", file=source.file)
        return [bundled_scene(source.file.removeprefix(PREFIX))], []
    written = open_scenes(source.file, source.language)
    found = beside_bundled(written)
    if source.ids:  # as they stand in the file
        places = [written.scenes.index(find_scene(written, id)) for id in source.ids]
        scenes = [found.scenes[place] for place in places]
    else:
        if found.refused:
            raise SceneError(
                "{file}: {refusal}; or select the scenes by their ids",
                file=source.file,
                refusal=found.refused[0].message,
            )
        scenes = [*found.scenes[: source.first]]
    if source.first is not None and len(scenes) < source.first:
        raise SceneError(
            "{file}: it has {count:,} scenes, but the first {first:,} are requested; request fewer, or omit first",
            file=source.file,
            count=len(scenes),
            first=source.first,
        )
    chosen = {scene.id for scene in scenes}
    repairs = [
        Message("{where}: {what}", where=found.name, what=one.message)
        for one in found.repairs
        if one.scene is None or one.scene in chosen
    ]
    return scenes, repairs
