"""`characterbox craft`: have models write scenes, extracted from a source or new, or translate one."""

import argparse
import json
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from characterbox.atomic_file import check_new, new_file
from characterbox.commands.client import with_client
from characterbox.commands.database import open_store
from characterbox.commands.exits import NONE_ACCEPTED, say
from characterbox.components.figures.tables.text import unanswered_told
from characterbox.crafting.editing import keep
from characterbox.crafting.originality import Checks, check, known_scenes
from characterbox.crafting.progress import Wished, look
from characterbox.crafting.request import ROLES, Roles, Wish
from characterbox.crafting.running import How, begin
from characterbox.crafting.running import run as craft
from characterbox.crafting.sources.passages import PASSAGE, pieces_of
from characterbox.crafting.sources.source import Source, read_source
from characterbox.crafting.stages import Draft, Evaluation, Step
from characterbox.crafting.translation import Translation
from characterbox.errors import RecordMismatch, SceneError, StoryError
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.sampling import Sampling, read
from characterbox.scenes.export import as_yaml
from characterbox.scenes.library import open_scene
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.values import Language

_OPTIONS = {"fewest": "characters", "most": "characters"}
"""What fields of a wish are called on the command line, where that is another name."""
_REASONS = {
    "string_too_short": "it is empty; write something there",
    "string_too_long": "it is longer than {max_length} characters; shorten it",
    "greater_than_equal": "it is less than {ge}; give {ge} or more",
    "less_than_equal": "it is more than {le}; give {le} or less",
}
"""By pydantic's name of a fault, why an option cannot be used, and what to do."""
_UNFIT = "what is there cannot be used; give something else"


def run(options: argparse.Namespace) -> int:
    """Craft, and print each step as JSON, one a line; then what is looked at in each accepted scene."""
    if options.out is not None:
        check_new(options.out)  # before anything is paid
    if options.resume and options.source is not None:
        raise SceneError("SOURCE: --resume continues the original request; omit SOURCE")
    source = None if options.source is None else read_source(options.source, options.encoding)
    wish = None if options.resume else _wish(options, source)
    told = lambda number, step: print(_line(number, step), flush=True)  # noqa: E731
    how = How(on_step=told, on_mismatch=options.on_mismatch, unread_anew=True)
    with open_store(options) as store:
        id = begin(store, wish, source) if wish is not None else look(store, str(options.resume)).id
        say(f"crafting {id}: if it is broken off, go on with: characterbox craft --resume {id}")
        _tell_unanswered(store, id)
        try:
            with_client(store, lambda client: craft(store, client, id, how))
        except RecordMismatch as error:
            raise StoryError(f"{error}: --on-mismatch keep or ask") from None
        return _tell(store, id, options.out)


def _wish(options: argparse.Namespace, source: Source | None) -> Wished:
    """What the options ask for. Raises SceneError, saying what is missing or wrong."""
    try:
        return _translation(options) if options.translate is not None else _scenes(options, source)
    except ValidationError as error:
        raise SceneError(_refusal(error.errors()[0])) from None


def _refusal(fault: ErrorDetails) -> str:
    """Why a wish is refused: which option cannot be used, or what of them does not go together, in the wish's words."""
    own = fault["type"] == "value_error"
    reason = str(fault["ctx"]["error"]) if own else _REASONS.get(fault["type"], _UNFIT).format(**fault.get("ctx", {}))
    if not fault["loc"]:
        return reason
    name = str(fault["loc"][0])
    return f"--{_OPTIONS.get(name, name)}: {reason}"


def _translation(options: argparse.Namespace) -> Translation:
    scene = open_scene(options.translate, options.scene, options.encoding)
    other: Language = "en" if scene.language == "zh" else "zh"
    translator = Endpoint.parse(options.screenwriter)
    return Translation(
        scene=scene, language=options.to or other, translator=translator, seed=options.seed, sampling=_sampling(options)
    )


def _scenes(options: argparse.Namespace, source: Source | None) -> Wish:
    missing = [f"--{name}" for name in ("language", "work") if getattr(options, name) is None]
    if missing:
        raise SceneError(f"{' and '.join(missing)}: needed for new scenes; --resume ID goes on with those begun")
    roles = {role: Endpoint.parse(getattr(options, role) or options.screenwriter) for role in ROLES}
    longest = options.passage or PASSAGE[options.language]
    pieces = () if source is None else pieces_of(source, options.count, longest, options.seed)
    fewest, most = options.characters
    return Wish(
        way=options.way or ("generate" if options.source is None else "extract"),
        language=options.language,
        work=options.work,
        author=options.author,
        count=options.count,
        fewest=fewest,
        most=most,
        method="direct" if options.direct else "three-stage",
        threshold=options.threshold,
        returns=options.returns,
        roles=Roles(**roles),
        seed=options.seed,
        sampling=_sampling(options),
        pieces=pieces,
    )


def _sampling(options: argparse.Namespace) -> Sampling:
    return Sampling(temperature=read(options.temperature))


def _line(number: int, step: Step) -> str:
    told: dict[str, object] = {"scene": number, "path": step.path}
    match step:
        case Draft(scene=scene):
            told |= {"title": None if scene is None else scene.title, "problem": step.problem}
        case Evaluation():
            told |= {"scores": dict(step.scores), "accepted": step.accepted, "reasons": step.reasons}
        case _:
            told |= {"problem": step.problem}
    return json.dumps(told, ensure_ascii=False)


def _tell(store: Store, id: str, out: Path | None) -> int:
    """How many were accepted; they are in the database, and in a file if that is wanted. Gives the exit status."""
    crafting = look(store, id)
    scenes = [one.scene for one in crafting.scenes if one.scene is not None]
    if isinstance(crafting.wish, Wish):
        known = known_scenes(store)
        for one in crafting.scenes:
            if one.scene is not None:
                print(_checked(one.number, one.scene, check(store, crafting, one.scene, known)), flush=True)
    elif scenes:
        keep(store, id)
    say(f"{len(scenes)} of {crafting.wish.count} scenes are accepted")
    _tell_unanswered(store, id)
    if crafting.wish.improvised:
        say(f"made by the rehearsal: {DEMO_NOTE}")
    if out is not None and scenes:
        with new_file(out) as file:
            file.write(as_yaml(scenes))
    if not scenes:
        say("no scene was generated; the drafts and the reasons are kept: see Generate scenes on the Scenes page")
        return NONE_ACCEPTED
    return 0


def _checked(number: int, scene: Scene, found: Checks) -> str:
    told: dict[str, object] = {"scene": number, "id": scene.id, "copied": None, "closest": None}
    if (copied := found.copied) is not None:
        told["copied"] = {
            "share": round(copied.share, 4),
            "notable": copied.is_notable,
            "longest": copied.longest(scene),
        }
    if (closest := found.near) is not None:
        told["closest"] = {
            "id": closest.scene.id,
            "title": closest.scene.title,
            "similarity": round(closest.similarity, 4),
            "near": closest.is_near,
        }
    return json.dumps(told, ensure_ascii=False)


def _tell_unanswered(store: Store, id: str) -> None:
    """What was under way as the command was broken off may have been paid for, and is asked again."""
    if unanswered := store.craftings.unanswered(id):
        say(unanswered_told(unanswered))
