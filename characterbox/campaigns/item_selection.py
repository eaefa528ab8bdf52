"""What a campaign may rate: parts in stories, narrations, scenes of the library; and which of them are picked."""

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache

from annotations.rubrics.rubric import Rubric, Subject
from characterbox.campaigns.blinded_item import scene_item
from characterbox.llm.endpoint import is_improvised
from characterbox.scenes.library import bundled
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import MOST_SEARCHED, check_searched
from characterbox.store import Store
from characterbox.store.campaigns.campaign import CampaignItem
from characterbox.store.ratings.ratings import item_and_model, scene_name
from characterbox.store.stories.stories import Story
from characterbox.store.tables.ratings import Item
from characterbox.values import Language


@dataclass(frozen=True, slots=True)
class StoryItem:
    """One thing that can be rated."""

    item: Item
    story: Story
    character: str | None
    model: str
    """The model whose work it is."""

    @property
    def campaign_item(self) -> CampaignItem:
        """The subject as an item of a campaign."""
        return CampaignItem(
            identity=self.item,
            story_id=self.story.id,
            character=self.character,
            scene=scene_name(self.story.script.scene),
            model=self.model,
            language=self.story.script.scene.language,
        )


def subjects(stories: Iterable[Story], rubric: Rubric) -> list[StoryItem]:
    """What there is to rate of stories that have ended, in their order; a scene that several share is there once."""
    ended = (story for story in stories if story.status == "ended")
    found: dict[Item, StoryItem] = {}
    for story in ended:
        for subject in _of_story(story, rubric):
            found.setdefault(subject.item, subject)
    return list(found.values())


def _of_story(story: Story, rubric: Rubric) -> Iterator[StoryItem]:
    """What there is to rate of a story: of a dialogue the roles alone, as nobody narrates it, or wrote its scene."""
    names: Sequence[str | None] = story.script.rated
    if rubric.subject != "character":
        names = (None,) if story.script.conversation is None else ()
    for name in names:
        item, model = item_and_model(story, name, rubric.subject)
        yield StoryItem(item, story, name, model)


PORTION = 250
"""Stories that are read at once, before anybody is told how far it is."""


@dataclass(frozen=True)
class Offer:
    """A story that has ended, or a scene of the library, and what it has to rate."""

    id: str
    """Of the story; for a scene the label of its item."""
    title: str
    work: str
    created_at: datetime | None
    """When the story began; None for a scene."""
    improvised: bool
    """Whether the rehearsal played in it; where scenes are rated, whether it crafted the scene."""
    items: tuple[CampaignItem, ...]
    rated: Scene | None = None
    """The scene, which is to be kept as it is now when it is picked; None for a story."""

    @property
    def scene(self) -> str:
        """What tells its scene from others."""
        return self.items[0].scene

    @property
    def language(self) -> Language:
        """In which it is played."""
        return self.items[0].language

    @property
    def models(self) -> tuple[str, ...]:
        """Whose work there is to rate, each once."""
        return tuple(sorted({item.model for item in self.items}))

    def searched(self) -> str:
        """All that a search looks at."""
        cast = [item.character or "" for item in self.items]
        name = self.id if self.rated is None else self.rated.id
        return " ".join([name, self.title, self.work, self.language, *self.models, *cast]).casefold()


class Offers:
    """The offers of a store. What has ended never changes, so each story is read once for each kind of rubric.

    Where scenes are rated, those of the library are offered too, whether they were played or not: a scene has the same
    name in both.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: dict[Subject, dict[str, Offer]] = {"character": {}, "narrator": {}, "scene": {}}
        self._listed: dict[Subject, Sequence[Offer]] = {}

    def reading(self, rubric: Rubric) -> Iterator[int]:
        """Read what has ended since the last time; tells after each portion how many offers are known."""
        known = self._known[rubric.subject]
        while found := self._store.stories.stories("ended", limit=PORTION, but=tuple(known)):
            offers = {story.id: _offer(story, rubric) for story in found}
            with self._lock:
                known |= offers
            yield len(known)

    def all(self, rubric: Rubric) -> Sequence[Offer]:
        """All offers: scenes of the library, then stories, the newest first; what several stories have in common is
        offered with the oldest of them."""
        for _ in self.reading(rubric):
            pass
        with self._lock:
            known = self._known[rubric.subject]
            if rubric.subject not in self._listed or len(self._listed[rubric.subject]) != len(known):
                self._listed[rubric.subject] = _listed(known.values())
            stories = [offer for offer in self._listed[rubric.subject] if offer.items]
            if rubric.subject != "scene":
                return stories
            return _with_library([*self._store.scenes.all(), *bundled()], stories)

    def items(self, stories: Collection[str], rubric: Rubric) -> tuple[CampaignItem, ...]:
        """What these stories have to rate under a rubric, each thing once."""
        for _ in self.reading(rubric):
            pass
        known = self._known[rubric.subject]
        return with_offers((), sorted((known[id] for id in stories if id in known), key=_age))


@cache
def offers_of(store: Store) -> Offers:
    """The offers of this store, with what they remember."""
    return Offers(store)


@dataclass(frozen=True)
class Wanted:
    """What is looked for among the offers; an empty choice lets everything pass."""

    scenes: frozenset[str] = frozenset()
    models: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    words: str = ""
    """All of them occur in the title, the work, the cast, the language, the models, or the id of the story or scene."""

    def __post_init__(self) -> None:
        """Raises SearchError if more is searched for than can be."""
        check_searched(self.words, len(self.words[: MOST_SEARCHED + 1].split()))

    def fits(self, offer: Offer) -> bool:
        """Whether the offer is looked for."""
        return (
            (not self.scenes or offer.scene in self.scenes)
            and (not self.models or not self.models.isdisjoint(offer.models))
            and (not self.languages or offer.language in self.languages)
            and all(word in offer.searched() for word in self.words.casefold().split())
        )


@dataclass(frozen=True)
class Counts:
    """How many offers there are of each kind."""

    scenes: dict[str, int]
    models: dict[str, int]
    languages: dict[str, int]


def counts_of(offers: Sequence[Offer]) -> Counts:
    """How many of these stories are of each scene, model and language, in the order of their names."""
    return Counts(
        scenes=_sorted(offer.scene for offer in offers),
        models=_sorted(model for offer in offers for model in offer.models),
        languages=_sorted(offer.language for offer in offers),
    )


def with_offers(items: Iterable[CampaignItem], offers: Iterable[Offer]) -> tuple[CampaignItem, ...]:
    """The items, and all those of the offers that are not among them."""
    picked = {item.item: item for item in items}
    for offer in offers:
        for item in offer.items:
            picked.setdefault(item.item, item)
    return tuple(sorted(picked.values(), key=lambda item: item.item))


def without(items: Iterable[CampaignItem], left_out: Collection[str]) -> tuple[CampaignItem, ...]:
    """The items but those with these names."""
    return tuple(item for item in items if item.item not in left_out)


def _listed(offers: Iterable[Offer]) -> list[Offer]:
    """The offers, the newest first; those of which all is offered with older ones have nothing left."""
    seen: set[str] = set()
    listed = []
    for offer in sorted(offers, key=_age):
        left = tuple(item for item in offer.items if item.item not in seen)
        seen |= {item.item for item in left}
        listed.append(offer if len(left) == len(offer.items) else replace(offer, items=left))
    return listed[::-1]


def _age(offer: Offer) -> tuple[float, str]:
    return (0 if offer.created_at is None else offer.created_at.timestamp(), offer.id)


def _with_library(library: Iterable[Scene], stories: Sequence[Offer]) -> list[Offer]:
    """The scenes of the library, each text once, before the stories that have a scene of their own."""
    offered = {offer.id: offer for offer in map(scene_offer, library)}
    return [*offered.values(), *(offer for offer in stories if not any(item.item in offered for item in offer.items))]


def scene_offer(scene: Scene) -> Offer:
    """A scene of the library as it is now."""
    item = scene_item(scene)
    return Offer(item.item, scene.title, scene.work, None, is_improvised(item.model), (item,), scene)


def _offer(story: Story, rubric: Rubric) -> Offer:
    items = tuple(subject.campaign_item for subject in subjects([story], rubric))
    return Offer(
        id=story.id,
        title=story.title,
        work=story.script.scene.work,
        created_at=story.created_at,
        improvised=any(is_improvised(item.model) for item in items)
        if rubric.subject == "scene"
        else story.casting.improvised is not None,
        items=items,
    )


def _sorted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
