"""A judge reads a trajectory, writes a critique, and then scores it on the rubric (paper, section 3.3).

A judge is one more rater: what it gives is the same kind of rating that a person gives. Its replies are journaled
with the story, so that nothing is judged and paid for twice.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import ValidationError, field_validator

from annotations.rubric import Rubric, load_rubric
from annotations.wording import say
from characterbox.accounts.account import MAX_NAME
from characterbox.errors import AddressError, ReplyError, StoryError
from characterbox.judging.scores import Verdict, read_all_scores, read_scores, rubric_text, scores_form
from characterbox.llm.asking import JournaledAsk, OpenDoor
from characterbox.llm.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.reading import read_prose
from characterbox.llm.record import Record
from characterbox.llm.request import Ask, Message, Request, answer
from characterbox.play.character import environment_block
from characterbox.play.events import Event
from characterbox.play.trajectory import as_text, trajectory
from characterbox.prompts import render, words
from characterbox.scenes.scene import Scene, slug_of
from characterbox.store import Store
from characterbox.store.costs import JUDGES
from characterbox.store.held import held
from characterbox.store.ratings import Rating, item_of, rating_of
from characterbox.store.stories import Story
from characterbox.values import Value

OnVerdict = Callable[[str], None]
"""Takes the name of each character as soon as it is judged."""


class Judge(Value):
    """A named judge on any endpoint."""

    name: str
    endpoint: Endpoint

    @field_validator("name")
    @classmethod
    def _can_be_told_apart(cls, name: str) -> str:
        name = name.strip()
        if not slug_of(name) or not name.isprintable() or len(name) > MAX_NAME:
            told = say("a name has a letter or digit, nothing invisible, and at most {most} letters", most=MAX_NAME)
            raise ValueError(told)
        return name

    @classmethod
    def parse(cls, text: str) -> "Judge":
        """A judge from `NAME=URL#MODEL`. Raises AddressError, saying what is wrong with it."""
        name, separator, endpoint = text.partition("=")
        if not separator:
            raise AddressError(say("judge: give NAME=URL#MODEL, such as GPT-4=https://api.openai.com/v1#gpt-4"))
        try:
            return cls(name=name, endpoint=Endpoint.parse(endpoint))
        except ValidationError as error:
            reason = error.errors()[0]["msg"].removeprefix("Value error, ")
            raise AddressError(say("judge: {reason}", reason=reason)) from None


@dataclass(frozen=True, slots=True)
class Part:
    """What a judge is shown: one character's part in a story."""

    scene: Scene
    name: str
    events: Sequence[Event]

    def question(self) -> str:
        """The scene, the profile and the trajectory, and the wish for a critique."""
        scene, language = self.scene, self.scene.language
        return render(
            "critique",
            language,
            work=scene.work,
            title=scene.title,
            environment=environment_block(scene.environment, words(language)),
            name=self.name,
            profile=scene.profile(self.name).description,
            trajectory=as_text(trajectory(self.events, self.name, language), language),
        )


async def judge_story(
    store: Store,
    client: Client,
    story: Story,
    judge: Judge,
    *,
    anew: bool = False,
    on_verdict: OnVerdict | None = None,
) -> Sequence[Rating]:
    """Judge every character of a story that has ended, and store the ratings of each as soon as it is judged.

    What a judge of this name has said before is not asked again, unless it is to judge `anew`: then what was said with
    another prompt or by another model is asked for again. When one character's judging fails, the others still come to
    their end. Raises StoryError if the story has not ended, or a judge of this name is at it, AddressError if the name
    is too like another judge's, EndpointError if the judge's endpoint fails, and RecordMismatch if there are records of
    another prompt or model.
    """
    if story.status != "ended":
        raise StoryError(f"story {story.id}: it is {story.status}; only a story that has ended can be judged")
    await asyncio.to_thread(_check_name, store, story, judge)
    async with held(store.stories.writing_replies(story.id, slug_of(judge.name))) as journal:
        record = Record(
            replies=await store.stories.replies(story.id, _place(judge.name)),
            endpoint_of=lambda _: judge.endpoint,
            seed=story.script.seed,
            on_mismatch="ask" if anew else "stop",
        )
        return await _rate_all(store, story, judge, JournaledAsk(journal, record, client, OpenDoor()), on_verdict)


async def _rate_all(
    store: Store, story: Story, judge: Judge, ask: Ask, on_verdict: OnVerdict | None
) -> Sequence[Rating]:
    events = await asyncio.to_thread(store.stories.events, story.id)

    async def rate(name: str) -> list[Rating]:
        verdict = await judge_character(ask, judge.name, Part(story.script.scene, name, events), load_rubric())
        ratings = list(_ratings(story, name, judge, verdict))
        await asyncio.to_thread(_add_new, store, judge.name, ratings)
        if on_verdict is not None:
            on_verdict(name)
        return ratings

    outcomes = await asyncio.gather(*(rate(name) for name in story.script.scene.names), return_exceptions=True)
    given: list[Rating] = []
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
        given += outcome
    return given


def _check_name(store: Store, story: Story, judge: Judge) -> None:
    """A judge's name is its own: its replies, and its ratings, are found by it."""
    items = [item_of(story, name) for name in story.script.scene.names]
    for rater in sorted(store.ratings.judges(items)):
        if rater != judge.name and slug_of(rater) == slug_of(judge.name):
            raise AddressError(
                say(
                    "judge {name}: the story was judged by {rater}, a name too alike; choose another",
                    name=judge.name,
                    rater=rater,
                )
            )


async def judge_character(ask: Ask, judge: str, part: Part, rubric: Rubric) -> Verdict:
    """Critique first, then the scores. Raises EndpointError; a reply that can't be read leaves scores missing."""
    place = f"{_place(judge)}{slug_of(part.name)}"
    language = part.scene.language
    opening = (
        Message("system", render("judge", language, rubric=rubric_text(rubric, language))),
        Message("user", part.question()),
    )
    try:
        critique = await answer(ask, Request(f"{place}/critique", judge, language, opening), _read_critique)
    except ReplyError as error:
        return dict.fromkeys(rubric.keys, f"there is no critique to score by: {error}")
    messages = (*opening, Message("assistant", critique), Message("user", render("scores", language, name=part.name)))
    request = Request(f"{place}/scores", judge, language, messages, scores_form(rubric))
    try:
        return await answer(ask, request, lambda text: read_all_scores(text, rubric))
    except ReplyError as error:
        return read_scores(error.reply, rubric)


def _place(judge: str) -> str:
    """Where the replies of a judge are filed in the journal of a story."""
    return f"{JUDGES}{slug_of(judge)}/"


def _read_critique(text: str) -> str:
    return read_prose(text, labels=("critique", "评论", "评语"))


def _ratings(story: Story, name: str, judge: Judge, verdict: Verdict) -> Iterator[Rating]:
    for metric, score in verdict.items():
        missing = isinstance(score, str)
        yield rating_of(
            story,
            name,
            rater=judge.name,
            metric=metric,
            score=None if missing else score,
            reason=score if missing else None,
        )


def _add_new(store: Store, judge: str, ratings: Sequence[Rating]) -> None:
    known = {item: store.ratings.of_judge(item, judge) for item in {rating.item for rating in ratings}}
    store.ratings.add(rating for rating in ratings if known[rating.item].get(rating.metric) != rating)
