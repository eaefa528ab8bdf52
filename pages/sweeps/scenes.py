"""Which scenes a sweep plays: those of languages and works, so many of each, and single ones."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import streamlit as st

from annotations.i18n.translation import say, say_count, tongue
from characterbox.scenes.library import brought_along, bundled
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES
from pages.shared.form import Numbers, pick_some
from pages.shared.text import ALONE, quiet

EVERY_WORK = ""
"""Stands for all works of a language."""
Group = tuple[str, str]
"""A language, and a work."""


def chosen_scenes(stage: Stage, numbers: Numbers) -> tuple[Scene, ...]:
    """The scenes that are chosen, in the order in which there are."""
    scenes = [*bundled(), *brought_along(stage.store.scenes.all())]
    groups, by_key = groups_of(scenes), {key_of(scene): scene for scene in scenes}
    works, most = st.columns([3, 1])
    with works:
        chosen = pick_some(
            say("Scenes by language or work"),
            sorted(groups, key=lambda group: group[0] != tongue()),
            format_func=lambda group: _group_told(group, len(groups[group])),
            placeholder=say("languages or works"),
            key="sweep-works",
            persist_state="session",
        )
    with most:
        each = numbers.ask(
            say("Maximum per work"),
            1,
            None,
            None,
            placeholder=say("all"),
            key="sweep-each",
            persist_state="session",
        )
    single = pick_some(
        say("Individual scenes"),
        sorted(by_key, key=lambda key: by_key[key].language != tongue()),
        format_func=lambda key: scene_told(by_key[key]),
        placeholder=say("titles"),
        key="sweep-scenes",
        persist_state="session",
    )
    found = picked(scenes, chosen, each, {key for key in single if key in by_key})
    with st.container():  # also where it stays empty: what stands below keeps its place
        if found:
            quiet(scenes_told(found))
    return found


def groups_of(scenes: Iterable[Scene]) -> Mapping[Group, Sequence[Scene]]:
    """The scenes by language, and by language and work: languages first, then works in the order in which there are."""
    wholes: dict[Group, list[Scene]] = {}
    works: dict[Group, list[Scene]] = {}
    for scene in scenes:
        wholes.setdefault((scene.language, EVERY_WORK), []).append(scene)
        works.setdefault((scene.language, scene.work), []).append(scene)
    return {**wholes, **works}


def picked(
    scenes: Iterable[Scene], chosen: Iterable[Group], each: int | None, single: Collection[str]
) -> tuple[Scene, ...]:
    """The scenes of the chosen groups, so many of each work at most, and the single ones, each once."""
    wanted, taken = {*chosen}, dict[Group, int]()
    found = []
    for scene in scenes:
        group = (scene.language, scene.work)
        if wanted & {group, (scene.language, EVERY_WORK)} and (each is None or taken.get(group, 0) < each):
            taken[group] = taken.get(group, 0) + 1
            found.append(scene)
        elif key_of(scene) in single:
            found.append(scene)
    return tuple(found)


def key_of(scene: Scene) -> str:
    """What names a scene among others, also of the same id."""
    return fingerprint(scene)[:16]


def _group_told(group: Group, count: int) -> str:
    language, work = group
    spoken = say(LANGUAGES[language])
    if work == EVERY_WORK:
        return say("All in {language} ({count:,})", language=spoken, count=count)
    return say("{work} · {language} ({count:,})", work=work, language=spoken, count=count)


def scene_told(scene: Scene) -> str:
    """A scene as it stands in the choice."""
    told = f"{scene.title} ({scene.work})"
    return f"{told} · {say(ALONE)}" if len(scene.cast) == 1 else told


def scenes_told(scenes: Sequence[Scene]) -> str:
    """How many scenes are chosen, in which languages, and in how many of them nobody reacts."""
    spoken = [
        say("{count:,} in {language}", count=count, language=say(name))
        for code, name in LANGUAGES.items()
        if (count := sum(scene.language == code for scene in scenes))
    ]
    told = say_count("{count:,} scene", "{count:,} scenes", len(scenes))
    told = say("{scenes}: {spoken}", scenes=told, spoken=say(", ").join(spoken))
    if not (alone := sum(len(scene.cast) == 1 for scene in scenes)):
        return told
    marked = say_count(
        "{count:,} has only one character, so nobody reacts",
        "{count:,} have only one character, so nobody reacts",
        alone,
    )
    return say("; ").join([told, marked])
