"""Importing scenes and characters: files are dropped, a report says of each what is in it, and only then something is
stored, or a scene is begun."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import streamlit as st

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, tongue, translate
from characterbox.components.encoding_choice import read_as_chosen
from characterbox.errors import SceneError, TooHeavy
from characterbox.processes.limited import run_limited_once
from characterbox.scenes.cards.profile import CardFile
from characterbox.scenes.field_names import PROFILE_NAMES, PROFILE_NOTES
from characterbox.scenes.import_files import CARD_ENDINGS, ENDINGS, read_any
from characterbox.scenes.import_report import Repair, SceneFile
from characterbox.scenes.leaks import leaks
from characterbox.scenes.library import bundled
from characterbox.scenes.repairs import language_by_letters
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.stage.stage import Stage
from characterbox.values import LANGUAGES, Language
from pages.scenes.drafts import NEW, Drafts, Values, check_writes, read_values
from pages.scenes.text import bullets, note_done, to_scenes, told_list
from pages.shared.current_user import current_user
from pages.shared.links import go
from pages.shared.text import plain, quiet
from pages.story.actions import do, show_error

LARGEST = 50
"""Megabytes of a file."""
MOST_LOOKED_AT = 200
"""New scenes of a file that are looked at for what they give away: a millisecond each, whenever the page is drawn."""
BY_LETTERS = ""
GIVEN = {BY_LETTERS: to_say("Detect automatically"), **LANGUAGES}


@dataclass(frozen=True, slots=True)
class Report:
    """What is in one file, or why it can't be used."""

    name: str
    given: SceneFile | CardFile | None
    fault: str | None
    known: Mapping[str, str | None]
    """The scenes that are there already, by fingerprint: the chain, or None for one that is bundled or in an earlier
    file."""

    @property
    def file(self) -> SceneFile | None:
        """The scenes in it, if it is a file of scenes."""
        return self.given if isinstance(self.given, SceneFile) else None

    @property
    def card(self) -> CardFile | None:
        """The character in it, if it is a card."""
        return self.given if isinstance(self.given, CardFile) else None

    @property
    def new(self) -> list[Scene]:
        """The scenes that would be stored."""
        scenes = self.file.scenes if self.file is not None else ()
        return [scene for scene in scenes if fingerprint(scene) not in self.known]


def import_form(stage: Stage) -> None:
    """Choose files, see what is in them, and only then store it."""
    st.title(say("Import scenes"))
    st.caption(
        say(
            "Scene files of this app or of the paper's authors (YAML or JSON) and character cards (JSON, PNG or"
            " CHARX). You can choose several files. Nothing is saved until you see the preview and confirm."
        )
    )
    show_error()
    files = st.file_uploader(
        say("Files"), type=[*ENDINGS], accept_multiple_files=True, max_upload_size=LARGEST, key="scene-files"
    )
    asked = st.selectbox(
        say("Default language"),
        [*GIVEN],
        format_func=lambda language: say(GIVEN[language]),
        key="scene-language",
        width=336,
    )
    if files:
        language = cast("Language | None", asked or None)
        contents = [(file.name, read_as_chosen(file)) for file in files]
        given = [(name, content) for name, content in contents if content is not None]
        reports = reports_of(stage, given, language)
        new = [scene for report in reports for scene in report.new]
        cards = [report.card for report in reports if report.card is not None]
        if new:
            label = say_count("Import {count:,} scene", "Import {count:,} scenes", len(new))
            st.button(label, key="scenes-store", type="primary", on_click=do, args=(_store, stage, new))
        elif any(report.file is not None for report in reports) or (reports and not cards):
            quiet(say("Nothing to import; see below."))
        if cards:
            begin_with(stage, cards, primary=not new)
        away = {one.place for one in stage.store.scenes.headings() if one.away}
        for number, report in enumerate(reports):
            with st.container(key=f"scene-report-{number}"):
                _tell(report, away)
    to_scenes()


def reports_of(stage: Stage, files: Sequence[tuple[str, bytes]], language: Language | None) -> list[Report]:
    """What is in each of the files; what stands in two of them is new in the first."""
    reports = []
    seen: dict[str, str | None] = {fingerprint(scene): None for scene in bundled()}
    for name, raw in files:
        try:
            file = run_limited_once(read_any, name, raw, language)
        except (SceneError, TooHeavy) as error:
            reports.append(Report(name, None, translate(error), {}))
            continue
        if isinstance(file, CardFile):
            reports.append(Report(name, file, None, {}))
            continue
        prints = [fingerprint(scene) for scene in file.scenes]
        stored = stage.store.scenes.known(file.scenes)
        known = {print: stored.get(print) for print in prints if print in stored or print in seen}
        reports.append(Report(name, file, None, known))
        seen |= dict.fromkeys(prints)
    return reports


def _tell(report: Report, away: Collection[str]) -> None:
    st.subheader(plain(report.name), anchor=False)
    if report.card is not None:
        tell_card(report.card)
        return
    file = report.file
    if file is None:
        st.error(plain(report.fault or ""))
        return
    new = report.new
    if new:
        quiet(say_count("{count:,} new scene:", "{count:,} new scenes:", len(new)))
        told_list([f"{scene.title} ({scene.work}, {say(LANGUAGES[scene.language])})" for scene in new])
    found = [Repair(scene.id, leak.field, leak.told) for scene in new[:MOST_LOOKED_AT] for leak in leaks(scene)]
    if found:
        told = say_count(
            "{count:,} text may reveal a secret:",
            "{count:,} texts may reveal secrets:",
            len(found),
        )
        quiet(told)
        told_list([translate(one.message) for one in found])
    known = [(scene.title, report.known[key]) for scene in file.scenes if (key := fingerprint(scene)) in report.known]
    if known:
        quiet(say_count("{count:,} scene already exists:", "{count:,} scenes already exist:", len(known)))
        told_list([say("{title} (archived)", title=title) if chain in away else title for title, chain in known])
    if file.refused:
        quiet(say_count("{count:,} scene can't be imported:", "{count:,} scenes can't be imported:", len(file.refused)))
        told_list([translate(refusal.message) for refusal in file.refused])
    if file.repairs:
        told = say_count("{count:,} automatic fix", "{count:,} automatic fixes", len(file.repairs))
        with st.expander(told):
            told_list([translate(repair.message) for repair in file.repairs])


def _store(stage: Stage, scenes: Sequence[Scene]) -> None:
    check_writes()
    count = stage.store.scenes.add(scenes, current_user().id)
    note_done(say_count("{count:,} scene imported.", "{count:,} scenes imported.", count))
    st.session_state.pop("scene-files", None)
    go(whose="own", sort="newest first")


CARDS = (".json", *CARD_ENDINGS)


def tell_card(card: CardFile) -> None:
    """What is in a card: who it is, what it knows, whom it speaks to, and what was left out or put right."""
    quiet(say("Character card: {name}", name=card.character))
    lines = [say_count("{count:,} note under “Knows”", "{count:,} notes under “Knows”", len(card.knowledge))]
    if card.scenario is not None:
        lines.append(say("a scenario, suggested as the environment"))
    if card.position is not None or card.state is not None:
        lines.append(say("position and state (only in cards made by this app)"))
    if card.user is not None:
        lines.append(
            say("mentions {mark}, replaced with “{person}”", mark="{{user}}", person=card.user),
        )
    bullets(lines)
    if card.repairs:
        count = len(card.repairs)
        told = say_count("{count:,} omission or automatic fix", "{count:,} omissions or automatic fixes", count)
        with st.expander(told):
            told_list([say("{where}: {what}", where=one.field, what=one.what) for one in card.repairs])


def begin_with(stage: Stage, cards: Sequence[CardFile], *, primary: bool) -> None:
    """The way on from cards: a scene with their characters, or more characters for the one that is being written."""
    drafts = Drafts(stage.store, current_user().id, NEW)
    drafts.open(0)
    quiet(say("A card belongs to no scene and gives no position or state for its character. Enter these yourself."))
    with st.container(horizontal=True):
        st.button(
            say("Write a scene with these characters"),
            key="cards-begin",
            type="primary" if primary else "secondary",
            icon=":material/edit:",
            on_click=do,
            args=(lambda: _write(drafts, opening(cards), len(cards)),),
        )
        if (values := drafts.values) is not None:
            st.button(
                say("Add to the current draft"),
                key="cards-more",
                type="tertiary",
                on_click=do,
                args=(lambda: _write(drafts, with_cards(values, cards), len(cards)),),
            )
    if drafts.values is not None:
        quiet(say("You have an unsaved new scene. Starting another one replaces it."))


def add_cards(drafts: Drafts, values: Values) -> None:
    """Cards for a scene that is being written; what can't be used is told beside them."""
    with st.popover(say("Add characters from cards"), key="cards-add", icon=":material/person_add:"):
        files = st.file_uploader(
            say("Character cards"),
            type=[*CARDS],
            accept_multiple_files=True,
            max_upload_size=LARGEST,
            key=f"cards-{drafts.form_id}",
        )
        cards = []
        for file in files:
            content = read_as_chosen(file)
            if content is None:
                continue
            try:
                found = run_limited_once(read_any, file.name, content)
                if not isinstance(found, CardFile):
                    raise SceneError(
                        say(
                            "{name}: not a character card; to import scenes, use “Import scenes” on the Scenes page",
                            name=file.name,
                        )
                    )
                cards.append(found)
            except (SceneError, TooHeavy) as error:
                st.error(plain(translate(error)))
        for card in cards:
            tell_card(card)
        if cards:
            label = say_count("Add {count:,} character", "Add {count:,} characters", len(cards))
            st.button(label, key="cards-put", on_click=drafts.put, args=(with_cards(values, cards),))


def opening(cards: Sequence[CardFile]) -> dict[str, Any]:
    """A scene with these characters that is still to be written, in the language of what the cards say."""
    said = "\n".join(text for card in cards for text in (card.description, card.scenario, *card.knowledge) if text)
    language, _ = language_by_letters(said)
    return with_cards({"language": language or tongue(), "origin": "original"}, cards)


def with_cards(values: Values, cards: Sequence[CardFile]) -> dict[str, Any]:
    """The scene with the characters of the cards behind its own. Their scenarios are suggested where nothing is written
    of the environment; characters of whom nothing is written make room."""
    found = read_values(values)
    if not found["environment"]["description"].strip():
        scenarios = dict.fromkeys(card.scenario for card in cards if card.scenario)
        found["environment"]["description"] = "\n\n".join(scenarios)
    kept = [one for one in found["cast"] if any(one.values())]
    return read_values({**found, "cast": [*kept, *map(_profile, cards)]})


def _profile(card: CardFile) -> Mapping[str, Any]:
    return {
        "name": card.character,
        "gender": card.gender,
        "position": card.position,
        "state": card.state,
        "description": card.description,
        "public_face": card.public_face,
        "known_as": [alias.model_dump(mode="json") for alias in card.known_as],
        **{kind: [*getattr(card, kind)] for kind in (*PROFILE_NOTES, *PROFILE_NAMES)},
    }


def _write(drafts: Drafts, values: dict[str, Any], count: int) -> None:
    check_writes()
    drafts.put(values)
    note_done(
        say_count(
            "{count:,} character added from its card. Enter its position and state, and what happens.",
            "{count:,} characters added from their cards. Enter their positions and states, and what happens.",
            count,
        )
    )
    st.session_state.pop("scene-files", None)
    go(new="scene")
