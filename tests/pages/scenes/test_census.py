"""The census of the scenes that are found, on the page: counts, the chart, duplicates and what is missing."""

import pytest

from annotations.i18n.translation import speaking
from characterbox.components.figures.charts.theme import Tokens
from characterbox.scenes.census import Gap, Pair
from characterbox.scenes.library import bundled
from pages.scenes import census
from pages.scenes.census import (
    MOST_LINKS,
    alike_html,
    cast_chart,
    census_of,
    counts_html,
    gaps_html,
    identical_html,
    lengths_html,
)
from pages.scenes.list import all_headings
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.scenes import a_scene
from tests.fakes.scenes_page import page, texts

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setattr("pages.shared.links.allowed", lambda _: False)  # there is no other page to lead to
    linked = []
    monkeypatch.setattr(census, "show_linked", lambda html, key: linked.append(html))
    with app_stage(database_in(tmp_path / "inspected.db")) as stage:
        stage.linked = linked
        yield stage


def test_scenes_of_one_id_are_told_apart_and_linked(stage):
    twin = a_scene().model_copy(update={"title": "A WATCH goes missing!", "plot": a_scene().plot})
    stage.store.scenes.add([a_scene(), twin, bundled()[0].model_copy(update={"title": HOSTILE, "plot": None})])
    headings = all_headings(stage)
    found = census_of(stage, headings)
    assert found.scenes == len(bundled()) + 3
    [group] = found.identical
    assert {one.place for one in headings if one.id == "watch"} == set(group)
    by_place = {one.place: one for one in headings}
    told = identical_html(found.identical, by_place) + alike_html(found.alike, by_place)
    assert all(f"scene={place}" in told for place in group)
    assert [(pair.one, by_place[pair.other].title) for pair in found.alike] == [(headings[0].place, HOSTILE)]
    assert "<img" not in told + gaps_html(found.gaps, by_place) + counts_html(found)


def test_a_set_is_counted_once_and_another_version_is_another_set(stage, monkeypatch):
    counted = []
    count = census.census
    monkeypatch.setattr(census, "census", lambda scenes: counted.append(len(scenes)) or count(scenes))
    chain = stage.store.scenes.start(a_scene(), None)
    for _ in range(2):
        census_of(stage, stage.store.scenes.headings())
    stage.store.scenes.save(chain, a_scene("Ann"), after=1, made_by=None)
    assert census_of(stage, stage.store.scenes.headings()).casts == {"original": {1: 1}}
    assert counted == [1, 1]


def test_long_lists_are_cut_and_say_so(stage):
    stage.store.scenes.add([a_scene(f"P{number}").model_copy(update={"id": str(number)}) for number in range(40)])
    headings = {one.place: one for one in stage.store.scenes.headings()}
    told = gaps_html([Gap(place, "plot", "plot") for place in headings], headings)
    assert "40 scenes that do not say how their source goes on" in told
    assert told.count("<a ") == MOST_LINKS
    assert "and 10 more" in told
    one, other = [*headings][:2]
    assert "50%: <a" in alike_html([Pair(one, other, 0.5)], headings)


def test_origins_have_a_row_each_over_one_axis():
    colours = Tokens("#000000", "#ffffff", "#aa0000", "#cccccc")
    figure = cast_chart({"extracted": {2: 3, 3: 1}, "generated": {1: 1}}, colours)
    assert [list(bars.y) for bars in figure.data] == [[0.75, 0.25], [1.0]]
    assert [one.text for one in figure.layout.annotations] == ["from its source (4)", "generated (1)"]
    assert list(figure.data[0].text) == ["3", "1"]


def test_the_page_inspects_what_is_found(stage):
    app = page(inspect="yes", language="zh")
    chinese = sum(scene.language == "zh" for scene in bundled())
    assert f"{chinese} scenes" in texts(app)
    assert "English" not in lengths_html(census_of(stage, [one for one in all_headings(stage) if one.language == "zh"]))
    assert [one.value for one in app.subheader] == [
        "Characters per scene",
        "Duplicates",
        "Missing or too short",
        "Text lengths",
    ]
    assert "No two of these scenes" in texts(app)
    app.button[-1].click().run()
    assert set(app.query_params) == {"language"}
    next(one for one in app.button if one.label == "Statistics").click().run()
    assert set(app.query_params) == {"language", "inspect"}


@pytest.mark.slow
def test_nothing_found_and_in_chinese(stage):
    assert "No matching scenes." in texts(page(inspect="yes", text="nosuchwordanywhere"))
    with speaking("zh"):
        page(inspect="yes")
