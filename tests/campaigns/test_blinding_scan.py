"""The scan of blinding: every place where a model names itself is found, told in its text, and remembered."""

from annotations.i18n.translation import speaking, translate
from annotations.rubrics.rubric import load_rubric
from characterbox.campaigns import blinding_scan
from characterbox.campaigns.blinding_scan import AROUND, MOST_TOLD, Scanned, Scanner, why_unreadable
from characterbox.campaigns.item_selection import subjects
from characterbox.play.events import Action, Dialogue
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_story

CHARACTER, SCENE = load_rubric("character"), load_rubric("scene")


async def items_of(store, *texts, scene=None, rubric=CHARACTER):
    """The items of a story in which Ann says these texts, one after the other."""
    story = a_story(store, scene or a_scene("Ann", "Bob"))
    with store.stories.claimed(story.id) as claimed:
        for number, text in enumerate(texts, 1):
            said = {"path": f"r1/ann/{number}", "round": 1, "turn": "Ann", "character": "Ann", "text": text}
            await claimed.record(number, (Action if number == 1 else Dialogue)(**said))
    store.stories.move(story.id, "ended")
    return [subject.campaign_item for subject in subjects([store.stories.story(story.id)], rubric)]


async def test_a_model_that_names_itself_is_found_with_its_place(store):
    ann, bob = await items_of(store, "Ann bows.", f"{'So. ' * 60}As an AI language model, I <b>refuse</b>.")
    scanner = Scanner(store)
    scanner.work([ann, bob], CHARACTER, {"m"}, seconds=60)
    known = scanner.known([ann, bob], {"m"})
    [finding] = known[ann.item].findings
    assert (finding.step, finding.why) == (2, ("says it is an AI",))
    assert "AI language model" in finding.words
    assert finding.before.startswith("… ")
    assert len(finding.before) == AROUND + 2
    assert finding.after.endswith("I <b>refuse</b>.")
    assert known[bob.item].count == 1, "Bob hears it, and so who rates Bob reads it"


async def test_what_is_clean_is_known_to_be_and_names_in_the_story_are_no_models(store):
    items = await items_of(store, "Claude bows.", "I am Claude.", scene=a_scene("Ann", "Claude"))
    scanner = Scanner(store)
    scanner.work(items, CHARACTER, {"m"}, seconds=60)
    assert [one.clean for one in scanner.known(items, {"m"}).values()] == [True, True]


async def test_another_model_in_play_makes_the_scan_another_one(store):
    items = await items_of(store, "Ann bows.", "Zephyr-9B would not do that.")
    scanner = Scanner(store)
    scanner.work(items, CHARACTER, {"m"}, seconds=60)
    assert all(one.clean for one in scanner.known(items, {"m"}).values())
    assert scanner.known(items, {"m", "Zephyr-9B"}) == {}
    scanner.work(items, CHARACTER, {"m", "Zephyr-9B"}, seconds=60)
    assert [one.count for one in scanner.known(items, {"m", "Zephyr-9B"}).values()] == [1, 1]
    assert [one.count for one in scanner.known(items, {"m"}).values()] == [1, 1], "what is known for more models holds"
    scanner.work(items, CHARACTER, {"other"}, seconds=60)
    assert len(scanner.known(items, {"m", "other", "Zephyr-9B"})) == 2


async def test_it_goes_on_piece_by_piece_and_reads_nothing_twice(store, monkeypatch):
    items = await items_of(store, "Ann bows.")
    scanner = Scanner(store)
    scanner.work(items, CHARACTER, {"m"}, seconds=0)
    assert list(scanner.known(items, {"m"})) == [items[0].item]
    scanner.work(items, CHARACTER, {"m"}, seconds=0)
    assert len(scanner.known(items, {"m"})) == 2

    def refuse(*_):
        raise AssertionError("read again")

    monkeypatch.setattr(blinding_scan, "shown_item", refuse)
    scanner.work(items, CHARACTER, {"m"}, seconds=60)


async def test_many_places_are_counted_and_the_first_ones_told(store):
    ann, _ = await items_of(store, *["As an AI language model, I refuse."] * 8)
    scanner = Scanner(store)
    scanner.work([ann], CHARACTER, {"m"}, seconds=60)
    scanned = scanner.known([ann], {"m"})[ann.item]
    assert (len(scanned.findings), scanned.count) == (MOST_TOLD, 8)


async def test_of_a_scene_its_own_text_is_scanned(store):
    scene = a_scene("Ann")
    telling = scene.environment.model_copy(update={"description": "A safe. As an AI language model, I made it up."})
    items = await items_of(
        store, "As an AI, I bow.", scene=scene.model_copy(update={"environment": telling}), rubric=SCENE
    )
    scanner = Scanner(store)
    scanner.work(items, SCENE, {"m"}, seconds=60)
    [finding] = scanner.known(items, {"m"})[items[0].item].findings
    assert finding.step == 0


async def test_an_item_that_cannot_be_read_is_told(store):
    ann, _ = await items_of(store, "Ann bows.")
    lost = ann.model_copy(update={"story_id": "gone"})
    scanner = Scanner(store)
    scanner.work([lost], CHARACTER, {"m"}, seconds=60)
    scanned = scanner.known([lost], {"m"})[lost.item]
    assert scanned == Scanned((), 0, unreadable=True)
    assert not scanned.clean
    error = why_unreadable(store, lost, CHARACTER)
    assert "there is no story 'gone'" in str(error)
    with speaking("zh"):
        assert "there is none" not in translate(error)
    assert why_unreadable(store, ann, CHARACTER) is None
