"""The Scenes page: what is found, read, saved, compared and brought in; all text of scenes is data."""

import json

import pytest
import streamlit as st

from annotations.i18n.translation import speaking
from characterbox.accounts.account import LOCAL
from characterbox.processes import limited
from characterbox.processes.limited import Limits
from characterbox.scenes.file_reading import LARGEST
from characterbox.scenes.library import bundled, bundled_scene
from characterbox.scenes.scene import Alias, Crafted, Passage
from characterbox.scenes.search import fingerprint, heading_of
from characterbox.scenes.validation import made
from characterbox.store import Store
from pages.scenes.drafts import duplicate, form_fields, free_id, id_of_title, read_values, values_of, with_the_rest
from pages.scenes.editor import EMPTY
from pages.scenes.import_files import reports_of
from pages.scenes.list import all_headings, bundled_saying, scenes_of
from pages.scenes.scene import about_scene, pairs_of
from pages.scenes.text import FIELDS, about_heading, crafted_told, list_html, passage_told, reading_html, scene_html
from pages.shared import links
from pages.stage.launch import names_of
from tests.fakes.app_stage import app_stage
from tests.fakes.scenes import a_scene
from tests.fakes.scenes_page import page as page_at
from tests.fakes.scenes_page import texts
from tests.fakes.stories import a_story

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def stage(url):
    with app_stage(url) as stage:
        yield stage


def test_a_scene_reads_whole_and_hostile_text_stays_text():
    scene = a_scene("Ann", HOSTILE)
    knows = scene.cast[0].model_copy(
        update={"knowledge": (f"{HOSTILE} is hers.", "Not who took it."), "gender": "female"}
    )
    told = scene_html(scene.model_copy(update={"cast": (knows, scene.cast[1])}).model_dump(mode="json"))
    for text in ("An open safe.", "SECRET-MARK-OF-ANN", "(female)", "Not who took it.", "PLOT-MARK", "place of Ann"):
        assert text in told
    assert "<img" not in told
    masked = scene.cast[0].model_copy(
        update={
            "public_face": f"A woman in grey. {HOSTILE}",
            "known_as": (Alias(name="the clerk", by=(HOSTILE,)), Alias(name=HOSTILE)),
            "other_names": ("Miss Lee",),
            "unseen_by": (HOSTILE,),
        }
    )
    told = scene_html(scene.model_copy(update={"cast": (masked, scene.cast[1])}).model_dump(mode="json"))
    for text in (
        "A woman in grey.",
        "the clerk (used by &lt;img",
        "&gt; (used by all others)",
        "Miss Lee",
        "Hidden from",
    ):
        assert text in told
    assert "<img" not in told
    assert "<img" not in list_html([('"><img>', "en", HOSTILE, HOSTILE, HOSTILE)])


def test_a_scene_that_is_not_finished_says_what_is_open():
    told = reading_html(read_values({**EMPTY, "language": "en"}))
    assert told.count("not filled in yet") == 3 + 2 * 3
    assert 'tabindex="0"' in told


def test_the_form_gives_back_the_scene_it_was_given_and_what_it_does_not_show_is_kept():
    passage = Passage(source="novel.txt", start=3, end=9)
    scene = bundled()[0].model_copy(update={"passage": passage, "pair": "other"})
    values = values_of(scene)
    assert read_values(json.loads(json.dumps(values))) == values
    back = with_the_rest(values, scene, scene.id)
    assert made(back) == scene
    assert "passage" not in values


def test_what_no_form_of_ours_says_is_read_as_nothing():
    texts = ("name", "gender", "position", "state", "description", "public_face")
    lists = ("knowledge", "unaware", "other_names", "known_as", "unseen_by")
    empty = {**dict.fromkeys(texts, ""), **{kind: [] for kind in lists}}
    assert read_values({"title": 3, "cast": ["x", {"knowledge": "y", "name": None}], "evil": 1}) == {
        **dict.fromkeys(("title", "work", "language", "origin", "author", "plot"), ""),
        "environment": dict.fromkeys(("time", "location", "description"), ""),
        "cast": [empty] * 2,
    }
    assert set(form_fields()) == set(FIELDS) - {"cast", "knowledge", "unaware", "known_as", "unseen_by"}


def test_ids_of_new_scenes_are_free():
    assert free_id("rain", {"rain", "rain-2"}) == "rain-3"
    assert id_of_title("A letter, read!", ()) == "a-letter-read"
    assert id_of_title("雪夜 客店", {"雪夜-客店"}) == "雪夜-客店-2"
    assert id_of_title("!?", ()) == "scene"


def test_a_copy_is_a_scene_of_its_own(stage):
    first = stage.store.scenes.find(duplicate(stage, bundled()[0], all_headings(stage))).content
    second = stage.store.scenes.find(duplicate(stage, first, all_headings(stage))).content
    assert first.title == second.title == f"{bundled()[0].title} (copy)"
    assert [one.id for one in (first, second)] == [f"{bundled()[0].id}-copy", f"{bundled()[0].id}-copy-2"]
    assert first.cast == bundled()[0].cast


def test_the_address_of_the_stage_tells_scenes_of_one_id_apart():
    one, other, third = a_scene("Ann"), a_scene("Bob"), a_scene("Zoe").model_copy(update={"id": "zoe"})
    names = names_of([one, other, third])
    assert [*names.values()] == [one, other, third]
    assert [*names] == ["watch", f"watch~{fingerprint(other)[:8]}", "zoe"]
    assert [*names_of([one, third, other])] == ["watch", "zoe", f"watch~{fingerprint(other)[:8]}"]


def test_a_pair_is_found_from_either_side(stage):
    sun = a_scene("孙悟空", language="zh").model_copy(update={"id": "watch-zh", "pair": "watch"})
    stage.store.scenes.add([a_scene(), sun])
    headings = all_headings(stage)
    assert [one.id for one in pairs_of(sun, headings)] == ["watch"]
    assert [one.id for one in pairs_of(a_scene(), headings)] == ["watch-zh"]
    assert 'lang="zh"' in about_scene(stage.store, a_scene(), None, headings)


def test_what_is_known_of_a_scene_is_told(stage):
    crafted = Crafted(method="three-stage", screenwriter="m", director=HOSTILE, evaluator="rehearsal")
    passage = Passage(source="novel.txt", start=999, end=2000, chapter="III")
    scene = a_scene().model_copy(update={"crafted": crafted, "passage": passage, "author": HOSTILE})
    told = about_scene(stage.store, scene, stage.store.scenes.find(stage.store.scenes.start(scene, None)), [])
    assert "III; novel.txt, characters 1,000 to 2,000" in told
    assert "Demo output (no language model); do not report" in told
    assert "<img" not in told
    assert "version 1" in told
    assert passage_told(passage.model_copy(update={"chapter": None})) == "novel.txt, characters 1,000 to 2,000"
    assert "Generated" not in about_scene(stage.store, a_scene(), None, [])
    model = Crafted(method="direct", screenwriter="http://h/v1#gpt")
    assert crafted_told(model) == "by models, by the screenwriter only (screenwriter: http://h/v1#gpt)"
    assert "do not report" not in about_scene(stage.store, scene.model_copy(update={"crafted": model}), None, [])


def test_headings_say_what_a_scene_is(stage):
    chain = stage.store.scenes.start(a_scene(), None)
    stage.store.scenes.save(chain, a_scene().model_copy(update={"title": "B"}), after=1, made_by=None)
    [heading] = stage.store.scenes.headings()
    assert about_heading(heading) == "The Hotel · English · original · 2 characters · custom · version 2"
    assert scenes_of(stage, [heading])[chain].title == "B"
    alone = about_heading(heading_of(bundled_scene("crusoe-footprint")))
    assert alone == "Robinson Crusoe · English · extracted · one character: no reactions · bundled"
    assert bundled_saying("darcy") >= {"bundled:pride-rain"}


def test_why_a_scene_makes_no_file_is_told_at_its_button(page, chain, monkeypatch):
    monkeypatch.setitem(LARGEST, ".yaml", 100)
    app = page(scene=chain)
    known, refused = (app.download_button(key=f"scenes-file-{form}") for form in ("json", "yaml"))
    assert (known.disabled, known.help) == (False, "")
    assert refused.disabled
    assert "the file would have more than 100 bytes and could not be imported again; choose JSON" in refused.help


@pytest.mark.process
def test_why_many_scenes_make_no_file_is_told_at_its_button(page, stage):
    long = "word " * 50_000
    stage.store.scenes.add(
        a_scene().model_copy(update={"id": f"long-{number}", "plot": long, "work": "Long"}) for number in range(25)
    )
    app = page(export="yes", work="Long")
    known, refused = (app.download_button(key=f"scenes-file-{form}") for form in ("json", "yaml"))
    assert (known.disabled, known.help) == (False, "")
    assert refused.disabled
    assert "the file would have more than 5,000,000 bytes and could not be imported again; choose JSON" in refused.help


def file(*scenes):
    return json.dumps(
        {"scenes": [scene if isinstance(scene, dict) else scene.model_dump(mode="json") for scene in scenes]}
    )


@pytest.mark.process
def test_each_file_has_a_report_and_nothing_is_stored_before_somebody_says_so(stage):
    known, away, new, twice = (a_scene(name).model_copy(update={"id": name}) for name in ("Ann", "Bob", "Cy", "Zoe"))
    stage.store.scenes.add([known, away])
    chain = stage.store.scenes.known([away])[fingerprint(away)]
    stage.store.scenes.put_away(LOCAL, chain)
    broken = {**a_scene().model_dump(mode="json"), "cast": [], "id": "broken"}
    files = [
        ("a.json", file(known, away, new, bundled()[0], broken).encode()),
        ("b.json", b"{"),
        ("c.json", file(new, twice).encode()),
    ]
    first, second, third = reports_of(stage, files, None)
    assert [scene.names for scene in first.new] == [("Cy",)]
    assert first.known[fingerprint(away)] == chain
    assert first.known[fingerprint(bundled()[0])] is None
    assert first.file is not None
    assert [one.field for one in first.file.refused] == ["cast"]
    assert (second.file, second.new) == (None, [])
    assert "b.json" in (second.fault or "")
    assert [scene.names for scene in third.new] == [("Zoe",)]
    assert len(stage.store.scenes.headings()) == 2


@pytest.mark.process
def test_a_file_that_is_made_to_take_long_is_refused_and_the_next_one_is_read(stage, monkeypatch):
    """In the app's process such a file took three quarters of a minute, and 785 MB."""
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=2, waited=600))
    small = b"- {a: b}\n" * 530_000
    slow, good = reports_of(stage, [("slow.yaml", small), ("good.json", file(a_scene("Ann")).encode())], None)
    assert (slow.given, slow.fault) == (None, "reading the file takes more than 2 seconds; split it")
    assert [scene.names for scene in good.new] == [("Ann",)]


@pytest.mark.process
def test_a_file_that_is_made_to_take_much_memory_is_refused(stage, monkeypatch):
    """A tenth of the largest: that one took 2.3 GB."""
    monkeypatch.setattr(limited, "LIMITS", Limits(seconds=120, waited=600, megabytes=150))
    (report,) = reports_of(stage, [("large.json", b"[" + b"[[[]]]," * 700_000 + b"0]")], None)
    assert report.fault == "reading the file takes more than 150 MB of memory; split it"


@pytest.fixture
def page(stage, monkeypatch):
    """Gives the page at a place, with nothing found out before: a test may change what that rests on."""
    monkeypatch.setattr(links, "allowed", lambda _: False)  # there is no other page to lead to
    st.cache_data.clear()
    yield page_at
    st.cache_data.clear()


def labels(app):
    return [button.label for button in app.button]


@pytest.fixture
def chain(url):
    """A scene with two versions, from the first of which a story was played."""
    store = Store(url)
    chain = store.scenes.start(a_scene(), None)
    other = a_scene().model_copy(update={"title": f"Other {HOSTILE}", "author": "Cai"})
    store.scenes.save(chain, other, after=1, made_by=None)
    a_story(store, a_scene())
    store.close()
    return chain


def test_a_scene_of_ones_own_is_put_away_brought_back_and_duplicated(page, chain, url):
    app = page(scene=chain)
    assert labels(app) == ["All scenes", "Edit", "Translate", "Duplicate", "Archive"]
    app.button(key="scene-archive").click().run()
    assert "This scene is archived" in texts(app)
    assert "Edit" not in labels(app)
    app.button(key="scene-unarchive").click().run()
    assert "Edit" in labels(app)
    app.button(key="scene-duplicate").click().run()
    assert app.query_params["edit"] == "yes"
    store = Store(url)
    assert len(store.scenes.headings()) == 2
    store.close()


def test_a_bundled_scene_is_duplicated_before_it_is_edited(page):
    app = page(scene="bundled:pride-rain", edit="yes")
    assert labels(app) == ["All scenes", "Translate", "Duplicate to edit"]
    assert "edit" not in app.query_params


def test_differences_stand_side_by_side_and_the_way_back_is_a_new_version(page, chain, url):
    app = page(scene=chain, view="Versions")
    table = texts(app)
    assert "<ins>Other &lt;img" in table
    assert '<span role="img" aria-label="empty" title="empty">–</span>' in table, "the author of the first version"
    assert "<img" not in table
    assert "1 story" in app.selectbox(key="chosen-against").options[1]
    app.button(key="back-1").click().run()
    assert not app.exception
    store = Store(url)
    assert store.scenes.find(chain).version == 3
    assert store.scenes.find(chain).content == a_scene()
    store.close()


def test_stories_are_told_by_the_version_that_they_were_played_from(page, chain):
    app = page(scene=chain, view="Stories")
    assert [one.value for one in app.subheader] == ["Version 1"]
    assert "This scene has no stories yet." in texts(page(scene="bundled:pride-rain", view="Stories"))


def test_an_old_version_says_so_and_an_address_that_leads_nowhere_too(page, chain):
    app = page(scene=chain, version="1")
    assert "This is version 1 (" in texts(app)
    assert "View newest version" in labels(app)
    for place in ({"scene": "no"}, {"scene": "bundled:no"}, {"scene": chain, "version": "77"}):
        assert len(page(**place).error) == 1


def test_who_may_only_read_changes_nothing(page, chain, monkeypatch):
    for module in ("scenes.scene", "scenes.list", "scenes.versions", "scenes.drafts", "shared.current_user"):
        monkeypatch.setattr(f"pages.{module}.allowed", lambda act: act == "watch")
    assert labels(page(scene=chain)) == ["All scenes"]
    assert labels(page(scene=chain, view="Versions")) == ["All scenes"]
    assert labels(page(scene=chain, edit="yes")) == ["All scenes"]
    assert labels(page()) == ["Export", "Statistics"]
    assert labels(page(new="import")) == ["Export", "Statistics"]


@pytest.mark.process
def test_the_page_speaks_chinese(page, chain):
    with speaking("zh"):
        for place in ({}, {"scene": chain}, {"scene": chain, "view": "Versions"}, {"new": "scene"}, {"export": "yes"}):
            page(**place)


def test_what_no_database_stores_is_no_part_of_a_draft():
    assert read_values({"title": "a\ud800b"})["title"] == "a\ufffdb"
