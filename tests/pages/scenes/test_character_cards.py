"""Character cards on the Scenes page: brought in beside scenes, made to a scene, added to one, and taken along."""

import json

import pytest

from characterbox.scenes.cards.export import as_json, as_png, card_of
from characterbox.scenes.cards.profile import read_card
from characterbox.scenes.import_report import Repair
from characterbox.scenes.library import bundled_scene
from characterbox.scenes.scene import Alias, Profile
from characterbox.scenes.validation import faults_of
from pages.scenes import editor
from pages.scenes.drafts import read_values, values_of
from pages.scenes.editor import EMPTY
from pages.scenes.export import CARDS, left_out_lines, name_of
from pages.scenes.import_files import opening, reports_of, with_cards
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.scene_form import FakeForm
from tests.fakes.scenes import a_scene, masked_scene
from tests.fakes.scenes_page import page, texts

HOSTILE = "<img src=x onerror=alert(1)>"
ANN = {
    "name": "Ann",
    "description": f"A clerk whom {{{{user}}}} knows. {HOSTILE}",
    "scenario": "A lobby at night.",
    "first_mes": "Hi",
}
SUN = {"name": "孙悟空", "description": "花果山水帘洞的美猴王，神通广大，性子急。"}


def file(card):
    return json.dumps({"personality": "", **card}).encode()


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setattr("pages.shared.links.allowed", lambda _: False)  # there is no other page to lead to
    monkeypatch.setattr(editor, "show_scene_form", FakeForm())
    with app_stage(database_in(tmp_path / "cards.db")) as stage:
        yield stage


def drop(app, *files):
    app.file_uploader[0].set_value([(name, raw, "") for name, raw in files]).run()
    assert not app.exception


def form():
    return editor.show_scene_form


def test_a_scene_is_begun_with_all_cards_and_what_they_do_not_say_is_open():
    ann, sun = read_card("ann.json", file(ANN)), read_card("sun.json", file(SUN))
    begun = opening([ann, sun])
    assert (begun["language"], begun["origin"], begun["title"]) == ("en", "original", "")
    assert begun["environment"]["description"] == "A lobby at night."
    assert [(one["name"], one["position"], one["state"]) for one in begun["cast"]] == [
        ("Ann", "", ""),
        ("孙悟空", "", ""),
    ]
    assert opening([sun])["language"] == "zh"
    again = with_cards(values_of(a_scene()), [ann])
    assert [one["name"] for one in again["cast"]] == ["Ann", "Bob", "Ann"]
    assert again["environment"]["description"] == "An open safe."
    assert [one["name"] for one in with_cards(read_values(EMPTY), [ann])["cast"]] == ["Ann"]


def test_a_card_that_was_made_here_brings_back_its_whole_profile():
    profile = Profile(
        name="Ann", description=HOSTILE, position="Desk", state="Calm", knowledge=("{{user}}",), unaware=("A door.",),
        public_face="A woman in grey.", other_names=("Miss Lee",), known_as=(Alias(name="the clerk", by=("Bob",)),),
        unseen_by=("Bob",),
    )  # fmt: skip
    card = read_card("ann.png", as_png(card_of(profile, "A lobby.")))
    begun = opening([card])
    assert begun["cast"] == [profile.model_dump(mode="json") | {"gender": ""}]
    told = {fault.field: str(fault.text) for fault in faults_of(begun)}
    assert told["cast[0].unseen_by"] == "'Bob' is not another character of the cast; name other characters of the cast."


@pytest.mark.process
def test_scenes_cards_and_what_is_neither_are_told_file_by_file(stage):
    files = [
        ("ann.json", file(ANN)),
        ("scene.json", json.dumps(a_scene().model_dump(mode="json")).encode()),
        ("none.png", b"\x89PNG\r\n\x1a\n"),
        ("x.charx", b"x"),
        ("x.exe", b"x"),
    ]
    card, scene, *broken = reports_of(stage, files, None)
    assert card.card is not None
    assert (card.file, card.new, card.card.character) == (None, [], "Ann")
    assert scene.card is None
    assert len(scene.new) == 1
    assert all(one.given is None and one.fault and "\n" not in one.fault for one in broken)


@pytest.mark.process
def test_cards_are_dropped_told_and_made_to_a_scene(stage):
    app = page(new="import")
    drop(app, ("ann.json", file(ANN)), ("sun.json", file(SUN)))
    told = texts(app)
    assert "Character card: Ann" in told
    assert "0 notes under “Knows”" in told
    assert "{{user}}, replaced with “the other person”" in told
    assert "first_mes: not used; a character profile has no such field" in told
    assert "<img" not in told
    assert "Nothing to import" not in told
    app.button(key="cards-begin").click().run()
    assert not app.exception
    assert app.query_params["new"] == "scene"
    assert [one["name"] for one in form().data["values"]["cast"]] == ["Ann", "孙悟空"]
    assert "2 characters added from their cards." in texts(app)
    assert "has been restored" not in texts(app)
    assert stage.store.scenes.headings() == []


@pytest.mark.process
def test_what_a_scene_gives_away_is_told_before_it_is_stored(stage):
    app = page(new="import")
    drop(app, ("watch.json", masked_scene().model_dump_json().encode()))
    told = texts(app)
    assert "1 text may reveal a secret:" in told
    assert "cast[0].position: it uses the name Ann, which Bob should not know" in told


@pytest.mark.process
def test_a_scene_that_was_begun_is_not_lost_to_cards_unless_one_says_so(stage):
    for key, expected in (("cards-begin", ["Ann"]), ("cards-more", ["Ann", "孙悟空"]), ("cards-begin", ["孙悟空"])):
        app = page(new="import")
        drop(app, ("card.json", file(ANN if expected == ["Ann"] else SUN)))
        assert ("Starting another one replaces it" in texts(app)) == (expected != ["Ann"])
        app.button(key=key).click().run()
        assert [one["name"] for one in form().data["values"]["cast"]] == expected


@pytest.mark.process
def test_characters_are_added_in_the_editor(stage):
    chain = stage.store.scenes.start(a_scene(), None)
    app = page(scene=chain, edit="yes")
    before = form().data["id"]
    scene = json.dumps(a_scene().model_dump(mode="json")).encode()
    drop(app, ("sun.json", as_json(card_of(a_scene("Zoe").cast[0]))), ("scene.json", scene))
    assert "not a character card" in app.error[0].value
    app.button(key="cards-put").click().run()
    assert not app.exception
    assert [one["name"] for one in form().data["values"]["cast"]] == ["Ann", "Bob", "Zoe"]
    assert form().data["id"] != before
    assert stage.store.scenes.find(chain).version == 1


@pytest.mark.process
def test_who_may_only_read_brings_in_no_card(stage, monkeypatch):
    app = page(new="import")
    drop(app, ("ann.json", file(ANN)))
    monkeypatch.setattr("pages.scenes.drafts.allowed", lambda act: act == "watch")
    app.button(key="cards-begin").click().run()
    assert "only researchers and admins can write scenes" in app.error[0].value


def downloads(app):
    return {one.key: one.proto.label for one in app.get("download_button")}


def test_each_character_is_taken_along_as_a_card(stage):
    app = page(scene="bundled:pride-rain")
    assert {"character-file-v3", "character-file-v2", "character-file-png", "character-file-charx"} <= set(
        downloads(app)
    )
    scene = bundled_scene("pride-rain")
    for profile in scene.cast:
        card = card_of(profile, scene.environment.description)
        for _, ending, written in CARDS.values():
            back = read_card(f"x{ending}", written(card))
            assert (back.profile(), back.scenario) == (profile, scene.environment.description)


def test_names_of_files_are_safe():
    for name in ("../../x", "a/b\\c:d*?", "孙" * 80, "CON.", '"><img>'):
        named = name_of(a_scene(name).cast[0])
        assert not set(named) & set('/\\:*?"<>| .')
        assert 0 < len(named.encode()) <= 200


@pytest.mark.process
def test_the_authors_form_says_what_it_leaves_out_before_it_is_taken_along(stage):
    app = page(export="authors", work="Pride and Prejudice")
    assert "language: left out" in texts(app)
    assert "cast.knowledge: left out of" in texts(app)
    assert downloads(app) == {"authors-file": "Download 1 file"}
    app = page(export="authors")
    assert texts(app).count("language: left out") == 1
    assert "files (ZIP)" in downloads(app)["authors-file"]
    app = page(export="yes", work="Pride and Prejudice")
    app.button[0].click().run()
    assert dict(app.query_params) == {"export": "authors", "work": "Pride and Prejudice"}


def test_what_is_left_out_is_counted_by_scenes():
    lacks = [Repair("a", "cast[0].knowledge", "x"), Repair("a", "cast[1].knowledge", "x"), Repair("b", "pair", "x")]
    assert left_out_lines([Repair(None, "id", "numbered"), *lacks]) == [
        "id: numbered",
        "cast.knowledge: left out of 1 scene",
        "pair: left out of 1 scene",
    ]
