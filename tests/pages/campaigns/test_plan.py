"""The plan of a campaign on its page: scenes, items and languages go by what people call them."""

from types import SimpleNamespace

from streamlit.testing.v1 import AppTest

from annotations.i18n.translation import speaking, translate
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import LOCAL
from characterbox.campaigns import lifecycle
from characterbox.campaigns.plan import Draft
from characterbox.store.campaigns.campaign import CampaignRater
from characterbox.store.ratings.scene_ratings import key_of
from pages.campaigns.editing import edit_draft
from pages.campaigns.plan import whole_outlook
from tests.fakes.campaigns import campaign_item
from tests.fakes.in_english import in_english
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

SCENES = [
    a_scene("Ann", "Bob").model_copy(
        update={"id": f"mill-{n}", "title": f"The <b>mill</b>, {n}", "author": f"Writer {n}"}
    )
    for n in (1, 2)
]


def panel(store, *names):
    return tuple(CampaignRater(rater=str(store.accounts.expert_named(name).id), languages=("en",)) for name in names)


def of_scenes(store, raters_per_item):
    """A draft in which two experts rate two scenes of the library."""
    campaign = lifecycle.make_for_scenes(store, LOCAL, "Scenes", SCENES)
    draft = lifecycle.draft_in(store, campaign)
    settings = draft.settings.model_copy(update={"raters_per_item": raters_per_item})
    lifecycle.keep(store, LOCAL, campaign.id, Draft(settings, draft.items, panel(store, "Cai", "Dora")))
    return edit_draft(SimpleNamespace(store=store), store.campaigns.campaign(campaign.id))


def script(edit, rubric):
    from pages.campaigns.plan import whole_outlook, whole_plan  # noqa: PLC0415 - the script is run by itself

    whole_plan(edit, whole_outlook(edit, rubric), lambda _, __: None)


def test_a_refusal_tells_titles_and_languages_not_ids(store):
    edit = of_scenes(store, 3)
    refusal = str(whole_outlook(edit, load_rubric("scene")).refusal)
    assert "only 2 of the raters read English, the language of item 'The <b>mill</b>, " in refusal
    assert not any(key_of(scene) in refusal for scene in SCENES)
    with speaking("zh"):
        refusal = translate(whole_outlook(edit, load_rubric("scene")).refusal)
    assert "的语言（英" in refusal
    assert "'The <b>mill</b>, " in refusal


def test_a_refusal_tells_whose_part_in_a_story_it_is_about(store):
    story = a_story(store, SCENES[0])
    store.stories.move(story.id, "ended")
    campaign = lifecycle.make(store, LOCAL, "Pilot")
    draft = lifecycle.draft_in(store, campaign)
    lifecycle.keep(
        store, LOCAL, campaign.id, Draft(draft.settings, (campaign_item(story, "Ann"),), panel(store, "Cai"))
    )
    edit = edit_draft(SimpleNamespace(store=store), store.campaigns.campaign(campaign.id))
    refusal = str(whole_outlook(edit, load_rubric()).refusal)
    assert "the language of item 'Ann, The <b>mill</b>, 1';" in in_english(refusal)
    assert story.id not in refusal


def test_the_plan_lists_scenes_by_title(store):
    app = AppTest.from_function(script, args=(of_scenes(store, 2), load_rubric("scene")), default_timeout=60).run()
    assert not app.exception
    shown = "".join(str(one.proto.body) for one in app.get("html"))
    for scene in SCENES:
        assert scene.id not in shown
    assert "in common" not in shown
    assert '<th scope="row">The &lt;b&gt;mill&lt;/b&gt;, 1 · ' in shown


def test_a_model_that_is_called_like_the_account_of_an_expert_keeps_its_name(store):
    experts = panel(store, "Cai", "Dora")
    story = a_story(store, SCENES[0])
    store.stories.move(story.id, "ended")
    ann, bob = (campaign_item(story, name) for name in ("Ann", "Bob"))
    again = campaign_item(a_story(store, SCENES[1]), "Ann")
    called = experts[0].rater
    items = (*(one.model_copy(update={"model": called}) for one in (ann, bob)), again)
    campaign = lifecycle.make(store, LOCAL, "Pilot")
    settings = lifecycle.draft_in(store, campaign).settings
    settings = settings.model_copy(update={"raters_per_item": 1, "repeats": 0.0, "practice": False, "checks": 0})
    lifecycle.keep(store, LOCAL, campaign.id, Draft(settings, items, experts))
    edit = edit_draft(SimpleNamespace(store=store), store.campaigns.campaign(campaign.id))
    app = AppTest.from_function(script, args=(edit, load_rubric()), default_timeout=60).run()
    assert not app.exception
    told = " ".join([*(str(one.proto.body) for one in app.get("html")), *(one.value for one in app.markdown)])
    assert f"Models have different numbers of items: {again.model} has 1, {called} has 2." in told
    assert "Cai has 2. Means" not in told
