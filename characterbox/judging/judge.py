"""A judge reads a trajectory, writes a critique, and scores it (paper, section 3.3); the judges that are known.

In the same way it judges what the narrator decided in a story, or the scene that it was played from (section 6.5).

A judge is one more rater: what it gives is the same kind of rating that a person gives. Its replies are journaled
with the story, so that nothing is judged and paid for twice.
"""

import asyncio
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Annotated

from pydantic import Field, ValidationError, field_validator

from annotations.i18n.messages import Message, Readable, to_say, wrong_with
from annotations.marking.rating import judge_called
from annotations.rubrics.rubric import load_rubric
from characterbox.accounts.account import MAX_NAME
from characterbox.errors import AddressError, StoryError
from characterbox.judging.protocol import NEW, PRESETS, Protocol, Verdict
from characterbox.judging.subject import JudgeRubric, Opening, Work, works_in
from characterbox.judging.verdict import TRIED, Retaking, all_of, filed_as, judge_work, place_of_judge, superseded
from characterbox.llm.asking import Asker, Doorkeeper, JournaledAsk, OpenDoor
from characterbox.llm.endpoint import Endpoint, is_modelless
from characterbox.llm.journal import Record
from characterbox.llm.request import answer
from characterbox.pause_reasons import Reason
from characterbox.processes.concurrency import held
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.ratings.ratings import Rating, item_and_model, rating_of, scene_item_of
from characterbox.store.ratings.scene_ratings import key_of, title_of
from characterbox.store.stories.stories import Story
from characterbox.values import Value

_VERSIONED = re.compile(r" v\d+$")


def rater_of(name: str, version: int) -> str:
    """The name under which a version of a judge rates."""
    return name if version == 1 else f"{name} v{version}"


class Judge(Value):
    """A named judge on any endpoint, and how it judges."""

    name: str
    endpoint: Endpoint
    protocol: Protocol = Protocol()
    version: Annotated[int, Field(ge=1)] = 1
    """Counts what has judged under this name: another model, protocol or wording of the prompts is another version.
    Characters, narrators and scenes are counted apart, as each has prompts of its own."""
    variation: str | None = None
    """What an experiment varies of the judge, or of what it judges; the scores are then nobody's ratings. None for the
    judge itself."""
    reseeded: Annotated[int, Field(ge=0)] = 0
    """Added to the seed of each story, so that the same question is asked anew."""

    @field_validator("name")
    @classmethod
    def _can_be_told_apart(cls, name: str) -> str:
        name = name.strip()
        if not slug_of(name) or not name.isprintable() or len(name) > MAX_NAME:
            told = Message(
                "a name needs a letter or digit, no invisible characters, and at most {most} characters", most=MAX_NAME
            )
            raise ValueError(told)
        if TRIED in name:
            raise ValueError(Message("a name must not contain {sign}, which marks judge experiments", sign=TRIED))
        if _VERSIONED.search(name):
            raise ValueError(Message("a name must not end like {name}, which marks judge versions", name="v2"))
        return name

    @property
    def rater(self) -> str:
        """Whose ratings these are: each version of a judge is a rater of its own."""
        return rater_of(self.name, self.version)

    @property
    def called(self) -> Readable:
        """The same as people read of it: by name, or that it is the rehearsal."""
        called = judge_called(self.rater, self.endpoint.is_modelless)
        tried = f"{TRIED}{self.variation}"
        return called if self.variation is None else Message("{judge}{variation}", judge=called, variation=tried)

    @classmethod
    def parse(cls, text: str) -> "Judge":
        """A judge from `NAME=URL#MODEL`, which judges as the paper's judge of this name does, or else as its GPT-4.

        Raises AddressError, saying what is wrong with it.
        """
        name, separator, endpoint = text.partition("=")
        if not separator:
            raise AddressError("judge: use the form NAME=URL#MODEL, for example GPT-4=https://api.openai.com/v1#gpt-4")
        try:
            protocol = PRESETS.get(name.strip(), NEW)
            return cls(name=name, endpoint=Endpoint.parse(endpoint), protocol=protocol)
        except ValidationError as error:
            reason = wrong_with(error.errors()[0])
            raise AddressError("judge: {reason}", reason=reason) from None


async def judge_story(
    store: Store,
    client: Asker,
    story: Story,
    judge: Judge,
    *,
    of: JudgeRubric = "character",
    anew: bool = False,
    unread: bool = False,
    on_verdict: Callable[[str], None] = lambda _: None,
    door: Doorkeeper | None = None,
) -> Sequence[Rating]:
    """Judge every character of a story that has ended, or its narrator or scene, and store each rating at once.

    What a judge of this name has said before is not asked again, but where that is wanted: with `unread` what could
    not be read is, as a new take of the same request; with `anew` that, and what was said with another prompt or by
    another model. A score that came before stays where the new reply has none. A scene that it has judged for another
    story, or where it was crafted, is judged.

    `on_verdict` takes the name of each character as soon as it is judged; of what has no name, its place. When one
    character's judging fails, the others still come to their end. Raises StoryError if the story has not
    ended, or a judge of this name is at it, or at its scene elsewhere; AddressError if the name is too like
    another judge's, EndpointError if the judge's endpoint fails, RecordMismatch if there are records of another prompt
    or model, and Interlude where the door lets no more calls leave.
    """
    if story.status != "ended":
        raise StoryError(Reason("not_ended_to_judge", id=story.id))
    works = works_in(story.script, await asyncio.to_thread(store.stories.events, story.id), of)
    if not works:
        raise StoryError(
            "story {id} is a dialogue with a role: it has no narrator, and no scene of an author; judge its characters",
            id=story.id,
        )
    async with AsyncExitStack() as holding:
        if of == "scene":
            scene = title_of(story.script.scene)
            await holding.enter_async_context(held(store.stories.judging_scene(scene, judge.rater)))
            if not anew and (known := await asyncio.to_thread(_judged_elsewhere, store, story, judge)):
                return known
        return await judge_works(
            store, client, story, judge, works, anew=anew, unread=unread, on_verdict=on_verdict, door=door
        )


async def judge_works(
    store: Store,
    client: Asker,
    story: Story,
    judge: Judge,
    works: Sequence[Work],
    *,
    anew: bool = False,
    unread: bool = False,
    on_verdict: Callable[[str], None] = lambda _: None,
    door: Doorkeeper | None = None,
) -> Sequence[Rating]:
    """Judge some works of a story that are judged by one rubric, and store each rating at once.

    All but `works` is as in `judge_story`. Raises StoryError if a judge of this name is at work on the story, and
    AddressError, EndpointError, RecordMismatch and Interlude as it does.
    """
    await asyncio.to_thread(_check_name, store, story, judge, works)
    filed = filed_as(judge.rater, judge.variation)
    place = place_of_judge(judge.rater, judge.variation)
    claim = filed if works[0].rubric == "character" else f"{filed}/{works[0].place}"
    async with held(store.stories.writing_replies(story.id, claim)) as journal:
        record = Record(
            replies=await asyncio.to_thread(store.stories.replies, story.id, place),
            endpoint_of=lambda _: judge.endpoint,
            seed=(story.script.seed + judge.reseeded) % 2**31,
            on_mismatch="ask" if anew else "stop",
        )
        record.anew = superseded(record.replies)
        answered = Retaking(record) if anew or unread else answer
        ask = JournaledAsk(journal, record, client, door or OpenDoor())

        async def rate(work: Work) -> list[Rating]:
            rubric = load_rubric(work.rubric)
            verdict = await judge_work(
                ask, judge.rater, judge.protocol, work, rubric, variation=judge.variation, answered=answered
            )
            ratings = await asyncio.to_thread(_kept, store, [*_ratings(story, work, judge, verdict)])
            on_verdict(work.name or work.place)
            return ratings

        given = await all_of(rate(work) for work in works)
        return [rating for ratings in given for rating in ratings]


def given_by(store: Store, story: Story, judge: Judge, of: JudgeRubric = "character") -> list[Rating] | None:
    """What a judge, as registered, has said of all characters of a story, or of its narrator or scene; None where it
    has not said all of it. What it could not be read on is said with the reason."""
    rubric = load_rubric(of)
    names = story.script.rated if of == "character" else (None,)
    items = [item_and_model(story, name, rubric.subject)[0].label for name in names]
    known = [rating for item in items for rating in store.ratings.of_judge(item, judge.rater).values()]
    found = [rating for rating in known if rating.rubric == of]
    return found if len(found) >= len(items) * len(rubric.keys) else None


def _judged_elsewhere(store: Store, story: Story, judge: Judge) -> list[Rating]:
    """What the judge has said of the scene: asked about another story that was played from it, or where it was crafted.

    The latter is stored as ratings of this story.
    """
    scene = story.script.scene
    if ratings := list(store.ratings.of_judge(scene_item_of(scene).label, judge.rater).values()):
        place = f"{place_of_judge(judge.rater)}{Opening(scene).place}/"
        asked_here = ratings[0].story_id == story.id and store.stories.reply_paths([story.id], place)
        return [] if asked_here else ratings  # its own journal answers
    version = load_rubric("scene").version
    given = store.scene_ratings.of([key_of(scene)])
    ratings = [
        rating_of(story, None, "scene", **one.model_dump(include={"rater", "metric", "score", "reason"}))
        for one in given
        if one.rater == judge.rater and one.rubric_version == version
    ]
    store.ratings.add(ratings)
    return ratings


def _check_name(store: Store, story: Story, judge: Judge, works: Sequence[Work]) -> None:
    """A judge's name is its own: its replies, and its ratings, are found by it."""
    items = [item_and_model(story, work.name, work.subject)[0].label for work in works]
    for rater in sorted(store.ratings.judges(items)):
        if rater != judge.rater and filed_as(rater) == filed_as(judge.rater, judge.variation):
            told = to_say(
                "judge {name}: the story was already judged by {rater}, whose name is too similar; choose another name"
            )
            raise AddressError(told, name=judge.name, rater=rater)


def _ratings(story: Story, work: Work, judge: Judge, verdict: Verdict) -> Iterator[Rating]:
    for metric, score in verdict.items():
        missing = isinstance(score, Reason)
        yield rating_of(
            story,
            work.name,
            work.rubric,
            rater=judge.rater,
            kind="judge" if judge.variation is None else "experiment",
            variation=judge.variation,
            metric=metric,
            score=None if missing else score,
            reason=score if missing else None,
        )


def _kept(store: Store, ratings: Sequence[Rating]) -> list[Rating]:
    """What counts now that these ratings of a piece of work came: those that are new are stored.

    That a score is missing takes no score away that came before.
    """
    first = ratings[0]
    known = store.ratings.of_judge(first.item, first.rater, first.variation)

    def counts(rating: Rating) -> Rating:
        before = known.get(rating.metric)
        return rating if before is None or before.score is None or rating.score is not None else before

    given = [counts(rating) for rating in ratings]
    store.ratings.add(rating for rating in given if known.get(rating.metric) != rating)
    return given


def registered(store: Store, judge: Judge, of: JudgeRubric = "character") -> Judge:
    """The judge with its version: a new one where another model, protocol or wording of the prompts judges.

    Where a model is reached makes no version, and neither does what it judges besides.
    """
    version = store.judges.version(judge.name, of, _digest(judge, of), _content(judge, of))
    return judge.model_copy(update={"version": version})


def as_known(store: Store, judge: Judge, of: JudgeRubric = "character") -> Judge | None:
    """The judge with its version, if it is known; nothing is stored."""
    version = store.judges.find(judge.name, of, _digest(judge, of))
    return None if version is None else judge.model_copy(update={"version": version})


def known_judges(store: Store, of: JudgeRubric = "character") -> list[Judge]:
    """The newest version of each judge, by name; what can't be read any more is left out."""
    known = []
    for name, content in store.judges.latest(of).items():
        with suppress(ValidationError):
            judge = Judge.model_validate(content["judge"])
            if judge.name == name:
                known.append(judge)
    return known


def all_judges(store: Store, of: JudgeRubric = "character") -> list[Judge]:
    """All versions of all judges, as they are registered; what can't be read any more is left out."""
    known = []
    for name, version, content in store.judges.all(of):
        with suppress(ValidationError):
            known.append(Judge.model_validate({**content["judge"], "name": name, "version": version}))
    return known


def protocol_of(store: Store, rater: str, of: JudgeRubric) -> Protocol | None:
    """How a rater judges, as it was stored; None where it is not known here, or can't be read any more."""
    return next((judge.protocol for judge in all_judges(store, of) if judge.rater == rater), None)


def rehearsed_raters(store: Store, of: JudgeRubric = "character") -> frozenset[str]:
    """The raters that are the rehearsal: a version of a judge is that from end to end."""
    return frozenset(
        rater_of(name, version)
        for name, version, content in store.judges.all(of)
        if is_modelless(**content["judge"]["endpoint"])
    )


def _content(judge: Judge, of: JudgeRubric) -> dict[str, object]:
    return {
        "judge": judge.model_dump(mode="json", exclude={"version", "variation", "reseeded"}),
        "prompts": _prompts(judge, of),
    }


def _digest(judge: Judge, of: JudgeRubric) -> str:
    content = {
        "model": judge.endpoint.model,
        "rehearsal": judge.endpoint.is_rehearsal,
        "protocol": judge.protocol.model_dump(mode="json"),
        "prompts": _prompts(judge, of),
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _prompts(judge: Judge, of: JudgeRubric) -> str:
    return judge.protocol.prompts_digest(load_rubric(of))
