"""A sweep with everything in it that costs can depend on."""

from characterbox.judging.judge import Judge, judge_story, registered
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Casting, Endpoint
from characterbox.llm.journal import Reply
from characterbox.llm.rehearsal.app import rehearsal_app
from characterbox.llm.rehearsal.transport import AppTransport
from characterbox.llm.usage import Price, Prices
from characterbox.play.events import StoryEnded
from characterbox.play.paths import END
from characterbox.play.world import Script
from characterbox.scenes.scene import Scene
from characterbox.stage.playback_control import PlaybackControl
from characterbox.stage.runner import perform
from characterbox.store import Store
from characterbox.store.stories.stories import Story
from tests.fakes.scenes import a_scene
from tests.fakes.stories import a_reply

URL = "http://models.test/v1"
NARRATOR, DEAR, UNPRICED = (Endpoint(url=URL, model=model) for model in ("gpt-3.5-turbo", "gpt-4", "=unknown & new"))
REHEARSAL = Endpoint.parse("rehearsal")
PRICES = Prices({"gpt-3.5-turbo": Price(input=1.0, output=2.0), "gpt-4": Price(input=30.0, output=60.0)})
PLAYED = (
    (NARRATOR, DEAR, 1),
    (NARRATOR, DEAR, 1),
    (NARRATOR, DEAR, 2),
    (NARRATOR, UNPRICED, 1),
    (REHEARSAL, REHEARSAL, 1),
)
"""Who narrates, who plays, and for how many rounds."""
JUDGES = (Judge(name="GPT-4", endpoint=DEAR), Judge(name="=New", endpoint=UNPRICED), Judge.parse("Max=rehearsal"))


def a_client() -> Client:
    """Asks the rehearsal whatever model is meant, and knows prices."""
    return Client(prices=PRICES, transport=AppTransport(rehearsal_app()))


def cast_with(narrator: Endpoint, characters: Endpoint, scene: Scene) -> Casting:
    """One model narrates, another plays everybody."""
    return Casting(narrator=narrator, characters=dict.fromkeys(scene.names, characters))


def launched(store: Store, scene: Scene, narrator: Endpoint, characters: Endpoint, **script: int) -> Story:
    """A new story."""
    return store.stories.create(Script(scene=scene, **script), cast_with(narrator, characters, scene), "command line")


async def told(
    store: Store, story: Story, *replies: Reply, status: str | None = "ended", concluded: int | None = None
) -> Story:
    """A story that received these replies, and then came to a status: to its end after all rounds, or after one in
    which it concluded."""
    because = "rounds" if concluded is None else "concluded"
    end = StoryEnded(path=END, round=concluded or story.script.rounds, because=because)
    with store.stories.claimed(story.id) as claimed:
        for reply in replies:
            await claimed.answered(reply)
        if status == "ended":
            await claimed.record(1, end)
    if status is not None:
        store.stories.move(story.id, status)
    return store.stories.story(story.id)


def by_hand(path: str, **changes: object) -> Reply:
    """A reply that took one attempt, unless it is said otherwise."""
    return a_reply(path, **{"attempts": 1, "troubles": (), "endpoint": NARRATOR, **changes})


async def a_sweep(store: Store, name: str = "mixed") -> list[Story]:
    """A sweep of stories, played and judged, some so that they count for no mean; and a story that is not of it."""
    stories = []
    client = a_client()
    try:
        for number, (narrator, characters, rounds) in enumerate(PLAYED):
            scene = a_scene("Ann", "孙 Bob") if number % 2 else a_scene("Ann", "Bo", "Reaction")
            story = launched(store, scene, narrator, characters, rounds=rounds, seed=number)
            await perform(store.stories, client, story, PlaybackControl(), on_event=lambda *_: None)
            story = store.stories.story(story.id)
            for judge in JUDGES:
                await judge_story(store, client, story, registered(store, judge))
            stories.append(story)
    finally:
        await client.close()
    stories += await _odd_ones(store)
    as_sweep(store, name, *stories)
    await told(store, launched(store, a_scene(language="zh"), DEAR, DEAR), by_hand("r1/ann/action", price=99.0))
    return stories


async def _odd_ones(store: Store) -> list[Story]:
    scene = a_scene("Ann", "Bob")

    def story() -> Story:
        return launched(store, scene, NARRATOR, DEAR, rounds=1)

    whole = [
        by_hand("r1/ann/action", endpoint=DEAR, prompt_tokens=1000, cached_tokens=640, attempts=3, latency=1.5),
        by_hand("r1/ann/influence", prompt_tokens=900, cached_tokens=0, price=0.25, latency=0.125),
        by_hand("r1/ann/influence", take=1, prompt_tokens=950, completion_tokens=20, price=0.5),
        by_hand("judge/gpt-4/ann/critique", endpoint=DEAR, prompt_tokens=2000, price=0.125),
        by_hand("judge/gpt-4/ann/scores", endpoint=DEAR, prompt_tokens=2100, price=0.25, attempts=2),
        by_hand("judge/gpt-4/bob/critique", endpoint=DEAR),
        by_hand("self-reflection/dear/ann/inconsistencies", endpoint=DEAR, prompt_tokens=700, price=0.0625),
    ]
    uncounted = [by_hand("r1/ann/action", endpoint=DEAR, prompt_tokens=None, price=None), by_hand("r1/ann/influence")]
    concluding = launched(store, scene, NARRATOR, DEAR, rounds=3, may_conclude=True)
    early = [by_hand(f"r{number}/ann/action", endpoint=DEAR, price=0.5 * number) for number in (1, 2)]
    return [
        await told(store, story(), *whole),
        await told(store, concluding, *early, by_hand("r2/ann/environment", cached_tokens=7), concluded=2),
        await told(store, story(), *uncounted),
        await told(store, story(), by_hand("r1/ann/action", endpoint=DEAR, price=9.0), status="failed"),
        await told(store, story(), by_hand("r1/ann/action", origin="a" * 12), by_hand("r1/ann/dialogue")),
        await told(store, story(), by_hand("r1/ann/action", author="human", price=None), by_hand("r1/ann/dialogue")),
        await told(store, story()),
    ]


def as_sweep(store: Store, name: str, *stories: Story) -> None:
    """Have the stories belong to a sweep, in this order."""
    store.sweeps.put(name, {}, "app")
    store.sweeps.add(name, {story.id: place for place, story in enumerate(stories, 1)})
