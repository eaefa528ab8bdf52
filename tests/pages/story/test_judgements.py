"""Where scores of a judging are missing, the page says how many, and has them asked for again."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from characterbox.judging.judge import Judge
from characterbox.llm.endpoint import Endpoint
from characterbox.pause_reasons import Reason
from characterbox.stage.jobs.model_jobs import Judging
from pages.story import judgements
from tests.fakes.app_stage import app_stage
from tests.fakes.databases import database_in
from tests.fakes.mock_server import mock_server
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story


@pytest.fixture
def stage(tmp_path):
    with app_stage(database_in(tmp_path / "page.db")) as stage:
        yield stage


def draw(id):
    from characterbox.stage.stage import open_stage  # noqa: PLC0415
    from pages.story.judgements import judges  # noqa: PLC0415

    judges(open_stage(), open_stage().store.stories.story(id))


def draw_in_chinese(id):
    from annotations.i18n.translation import speaking  # noqa: PLC0415
    from tests.pages.story.test_judgements import draw  # noqa: PLC0415

    with speaking("zh"):
        draw(id)


@pytest.mark.process
@pytest.mark.parametrize(("model", "called"), [("m", "Vague"), ("rehearsal", "Rehearsal judge, Vague protocol")])
def test_they_are_counted_and_asked_for_again_where_one_wants_it(stage, model, called):
    story = a_story(stage.store, a_scene("Ann"))
    stage.store.stories.move(story.id, "ended")
    story = stage.store.stories.story(story.id)
    with mock_server(style="prose") as server:
        judge = Judge(name="Vague", endpoint=Endpoint(url=server.url, model=model))
        stage.jobs.start(Judging.by(stage.store, story, judge)).future.result(timeout=120)
        app = AppTest.from_function(draw, args=(story.id,), default_timeout=60).run()
        assert not app.exception
        assert [one.value for one in app.warning] == [f"{called}&#58; 7 scores could not be read"]
        chinese = AppTest.from_function(draw_in_chinese, args=(story.id,), default_timeout=60).run()
        told = [one.body for one in chinese.get("html") if "没有分数" in one.body]
        assert told == [
            '<p class="cb-quiet">没有分数（Ann：全部指标）。回复既不是 JSON 对象，也不是带有指定标签的文本。</p>'
        ]
        assert any("temperature set by the endpoint" in one.body for one in app.get("html"))
        server.style = "json"
        app.button(key="anew-Vague-character").click().run()
        [judging] = stage.jobs.of(Judging, story.id)
        assert all(rating.score is not None for rating in judging.future.result(timeout=120))
        assert server.tasks() == {"critique": 1, "scores": 3}
        assert not app.run().warning


def test_each_reason_is_told_once_with_those_and_the_metrics_that_it_concerns(monkeypatch):
    told = []
    monkeypatch.setattr(judgements, "quiet", told.append)
    heads = {"KA": "KA", "BA": "BA", "EE": "EE"}

    def said(name, **reasons):
        ratings = [SimpleNamespace(metric=metric, score=None, reason=why) for metric, why in reasons.items()]
        scored = [SimpleNamespace(metric=metric, score=3, reason=None) for metric in heads if metric not in reasons]
        return SimpleNamespace(name=name, ratings=[*ratings, *scored])

    refused = dict.fromkeys(heads, Reason("told", what="It was refused."))
    given = [
        said("Ann", **refused),
        said("Bob", KA=refused["KA"], BA=Reason("told", what="Cut off.")),
        said("Cy", **refused),
    ]
    judgements._tell_missing(given, heads)
    assert told == ["No score (Ann, Cy: all metrics; Bob: KA). It was refused.", "No score (Bob: BA). Cut off."]
