"""What of a study was changed after it was registered, in sentences and as differences of the files.

Nothing is hidden and nothing is judged: a comment that was corrected is told, too, as a change of no value.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from hashlib import sha256
from typing import Any

from annotations.rubrics.rubric import load_rubric
from characterbox.scenes.differences import differences
from characterbox.scenes.scene import Scene
from characterbox.store import Store
from characterbox.store.campaigns.campaign import Campaign
from characterbox.store.ratings.ratings import scene_name
from characterbox.studies.folder import CAMPAIGN, Study, bytes_of
from characterbox.studies.rating import rated_items
from characterbox.studies.registration import (
    Registered,
    Registration,
    design_now,
    entry_hash,
    scene_hash,
    told_date,
)
from characterbox.sweeps.file import SCENES
from characterbox.sweeps.sweep import Sweep, cells_of

MISSING = "(nothing)"
_LONGEST = 160
"""Letters of a value that a sentence repeats."""


@dataclass(frozen=True)
class Changes:
    """What was changed."""

    sentences: tuple[str, ...]
    """One for each change."""
    patches: tuple[str, ...]
    """The differences of the files, as `diff -u` gives them."""


def changes_since(
    registered: Registered, study: Study, store: Store, sweep: Sweep, campaign: Campaign | None
) -> Changes:
    """What is not as it was registered."""
    now = design_now(study, sweep)
    sentences = [*_of_copies(registered)]
    patches: list[str] = []
    for name in dict.fromkeys([*registered.content.files, *now.files]):
        if registered.content.files.get(name) != now.files.get(name):
            sentences += _of_file(name, registered, study, now)
            patches.append(_patch(name, registered, study, now))
    sentences += _of_scenes(registered, sweep)
    sentences += _of_versions(registered.content, now)
    sentences += data_before(study, store, sweep, campaign, registered.content.registered_at)
    if campaign is not None and campaign.status != "draft":
        sentences += _of_campaign(study, store, sweep, campaign)
    return Changes(tuple(sentences), tuple(patches))


def _of_copies(registered: Registered) -> Iterator[str]:
    """What was registered and is not there as it was: then the differences cannot be trusted."""
    for name, digest in registered.content.files.items():
        copy = registered.file(name)
        if copy is None:
            yield f"registered/{name}: the registered copy is gone."
        elif sha256(copy).hexdigest() != digest:
            yield f"registered/{name}: the registered copy was altered: its SHA-256 is not the one that was registered."


def _of_file(name: str, registered: Registered, study: Study, now: Registration) -> Iterator[str]:
    if name not in now.files:
        yield f"{name}: was registered, and is no part of the study any more."
        return
    if name not in registered.content.files:
        yield f"{name}: was added after the registration."
        return
    before, after = registered.file(name), bytes_of(study.folder, name)
    if before is None:
        yield f"{name}: was changed after the registration."
    elif name.endswith(".toml"):
        told = [*values_changed(_toml(before), _toml(after))]
        yield from (f"{name}: {one}." for one in told)
        if not told:
            yield f"{name}: comments or layout were changed, no value was."
    else:
        yield f"{name}: the file was changed; what that changes of the scenes is told by scene."


def _toml(raw: bytes) -> Mapping[str, Any]:
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def values_changed(before: Any, after: Any, place: str = "") -> Iterator[str]:
    """Each value that is not the same in two documents, such as `items.scenes was 5, is 3`."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            yield from values_changed(before.get(key), after.get(key), f"{place}.{key}" if place else str(key))
    elif _tables(before) and _tables(after):
        for number in range(max(len(before), len(after))):
            one, other = (side[number] if number < len(side) else None for side in (before, after))
            yield from values_changed(one, other, f"{place}[{number + 1}]")
    elif before != after or type(before) is not type(after):
        yield f"{place} was {_told(before)}, is {_told(after)}"


def _tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, Mapping) for one in value)


def _told(value: Any) -> str:
    if value is None:
        return MISSING
    text = value.isoformat() if isinstance(value, datetime) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _patch(name: str, registered: Registered, study: Study, now: Registration) -> str:
    before = registered.file(name) or b""
    after = bytes_of(study.folder, name) if name in now.files else b""
    one, other = (side.decode("utf-8", "replace").splitlines() for side in (before, after))
    return "\n".join(unified_diff(one, other, f"registered/{name}", name, lineterm=""))


def _of_scenes(registered: Registered, sweep: Sweep) -> Iterator[str]:
    before, after = _registered_scenes(registered), {scene_name(scene): scene for scene in sweep.scenes}
    for name in dict.fromkeys([*registered.content.scenes, *after]):
        if name not in after:
            yield f"Scene {name}: was registered, and is not played any more."
        elif name not in registered.content.scenes:
            yield f"Scene {name}: was added after the registration."
        elif name not in before:
            yield f"Scene {name}: its registered copy is gone or was altered."
            if scene_hash(after[name]) != registered.content.scenes[name]:
                yield f"Scene {name}: was changed after the registration."
        else:
            yield from _of_scene(name, before[name], after[name])


def _of_scene(name: str, before: Scene, after: Scene) -> Iterator[str]:
    if before == after:
        return
    found = differences(before, after)
    for one in found:
        field = one.field.replace("_", " ") + ("" if one.character is None else f" of {one.character}")
        texts = ("".join(piece.text for piece in side) or None for side in (one.before, one.after))
        was, now = map(_told, texts)
        yield f"Scene {name}: {field} was {was}, is {now}."
    if not found:
        yield f"Scene {name}: was changed in a field that is not played."


def _registered_scenes(registered: Registered) -> dict[str, Scene]:
    """The copies that are as they were registered."""
    hashes = {*registered.content.scenes.values()}
    try:
        entries = json.loads(registered.file(SCENES) or b"")["scenes"]
        scenes = [Scene.model_validate(one) for one in entries if entry_hash(one) in hashes]
    except (ValueError, KeyError, TypeError):
        return {}
    return {scene_name(scene): scene for scene in scenes}


def _of_versions(before: Registration, now: Registration) -> Iterator[str]:
    for what, was, are in (
        ("the prompts of the stories", before.prompts, now.prompts),
        ("the rubric", before.rubric, now.rubric),
        ("the app", before.app, now.app),
    ):
        if was != are:
            yield f"Version of {what}: was {was}, is {are}."
    for name in dict.fromkeys([*before.judge_prompts, *now.judge_prompts]):
        was, are = (one.judge_prompts.get(name, MISSING) for one in (before, now))
        if was != are:
            yield f"Version of the prompts of the judge {name}: was {was}, is {are}."
    for languages in dict.fromkeys([*before.experts, *now.experts]):
        counts = [one.experts.get(languages, 0) for one in (before, now)]
        if counts[0] != counts[1]:
            yield f"Experts who read {languages}: were {counts[0]}, are {counts[1]}."


def data_before(study: Study, store: Store, sweep: Sweep, campaign: Campaign | None, moment: datetime) -> Iterator[str]:
    """How many data of the study there were at a moment, by the clock of the database's computer."""
    ids = [cell.id for cell in cells_of(sweep)]
    begun = store.sweeps.begun(ids)
    before = sorted(at for at in begun.values() if at < moment)
    if before:
        yield (
            f"Stories: {len(before):,} of {len(begun):,} were begun before the registration, the first on"
            f" {told_date(before[0])}."
        )
    if campaign is not None and campaign.status != "draft":
        entries = [entry.at for each in store.marks.histories(campaign.id).values() for entry in each]
        if early := [at for at in entries if at < moment]:
            yield f"Ratings: {len(early):,} marks of experts were made before the registration."


def _of_campaign(study: Study, store: Store, sweep: Sweep, campaign: Campaign) -> Iterator[str]:
    """Where the campaign in the app is not what `campaign.toml` says now."""
    settings, designed = (
        one.model_dump(mode="json", exclude={"name"}) for one in (campaign.settings, study.campaign.settings)
    )
    for told in values_changed(designed, settings):
        yield f"Campaign in the app, not as {CAMPAIGN} says: {told}."
    items = {item.item for item in store.campaigns.items(campaign.id)}
    wanted = {item.item for item in rated_items(study, sweep)}
    if items != wanted:
        yield (
            f"Campaign in the app: {len(items):,} trajectories are rated; by the design as it is now there would be"
            f" {len(wanted):,}, of which {len(items & wanted):,} are the same."
        )


def changes_text(registered: Registered | None, changes: Changes | None) -> str:
    """`changes.md`: what was changed, for whoever reads the results."""
    lines = ["# Changes after the registration", ""]
    if registered is None or changes is None:
        lines.append(
            "**The study was not registered**: nothing shows that hypotheses, design and analysis were there before the"
            " data."
        )
        return "\n".join(lines) + "\n"
    lines += [
        f"Registered on {told_date(registered.content.registered_at)} by the clock of the researchers' computer."
        f" SHA-256 of `registered/registration.toml`: `{registered.hash}`.",
        "",
    ]
    if not changes.sentences:
        rubric = load_rubric()
        lines.append(
            "Nothing was changed: all files of the design, the scenes, the prompts and the rubric"
            f" ({rubric.name} {rubric.version}) are those that were registered, and no data were there before."
        )
    lines += [f"- {sentence}" for sentence in changes.sentences]
    for patch in changes.patches:
        fence = "`" * (3 + max((len(run) for run in patch.split("\n") if set(run) == {"`"}), default=0))
        lines += ["", f"{fence}diff", patch, fence]
    return "\n".join(lines) + "\n"
