"""Experiments on a judge: the same stories judged once more, with one thing changed in how the judge judges.

The judge itself is the baseline: its own protocol, its own replies, its own ratings, which count. Each variation
changes one setting of the protocol, or nothing but the seed (a repeat, which shows what chance alone does). It has
replies of its own in the journal, so that it is asked, and paid for, only once, and ratings of its own that count
nowhere else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotations.messages import Message, listed
from annotations.rubric import load_rubric
from annotations.wording import to_say
from characterbox.errors import AddressError, StoryError
from characterbox.judging.judge import Judge, judge_story
from characterbox.judging.protocol import Protocol
from characterbox.judging.verdict import all_of, place_of_judge, places_of_replies
from characterbox.llm.client import Client
from characterbox.reasons import Reason
from characterbox.store import Store
from characterbox.store.stories import Story

CHANGES: Mapping[str, Mapping[str, str]] = {
    "each": {"replies": "each"},
    "one": {"replies": "one"},
    "direct": {"manner": "direct"},
    "critique": {"manner": "critique"},
    "shuffled": {"order": "shuffled"},
    "english": {"language": "en"},
}
"""What each variation changes in a protocol."""
REPEATS = "repeats"
TOLD: Mapping[str, str] = {
    "each": to_say("a reply for each metric"),
    "one": to_say("one reply for all metrics"),
    "direct": to_say("scores at once, without a critique"),
    "critique": to_say("a critique first"),
    "shuffled": to_say("the metrics in a shuffled order"),
    "english": to_say("English prompts on Chinese scenes"),
    REPEATS: to_say("the same once more, with another seed"),
}
MOST_REPEATS = 20
_APART = 1000
"""Between the seeds of two repeats: further than a reply is ever asked for again."""

OnTrial = Callable[[int], None]
"""Takes how many trials are done."""


@dataclass(frozen=True)
class Trial:
    """A story to be judged by the judge itself, or by a variation of it."""

    story: Story
    judge: Judge
    calls: int
    """Replies that are not in the journal; one that can't be read is asked for once more."""


def usual_variations(protocol: Protocol) -> list[str]:
    """What can be tried with a judge that judges by this protocol."""
    return [name for name, changed in CHANGES.items() if protocol.model_copy(update=changed) != protocol] + [REPEATS]


def variations(judge: Judge, tried: Sequence[str], repeats: int) -> list[Judge]:
    """The variations of a judge that are to be tried.

    Raises AddressError for one that changes nothing, or that there is not.
    """
    found = []
    for name in dict.fromkeys(tried):
        if name == REPEATS:
            found += [
                judge.model_copy(update={"variation": f"repeat {time}", "reseeded": _APART * time})
                for time in range(1, repeats + 1)
            ]
            continue
        if name not in TOLD:
            raise AddressError(Message("experiment: there is no {name}; try {known}", name=name, known=listed(TOLD)))
        protocol = judge.protocol.model_copy(update=CHANGES[name])
        if protocol == judge.protocol:
            raise AddressError(
                Message("experiment: {name} is how {judge} judges already", name=name, judge=judge.rater)
            )
        found.append(judge.model_copy(update={"variation": name, "protocol": protocol}))
    return found


def planned(store: Store, stories: Sequence[Story], judge: Judge, tried: Sequence[Judge]) -> list[Trial]:
    """What an experiment takes: on each story the judge itself, and each variation that differs there.

    Raises StoryError for a story that has not ended.
    """
    if unended := [story.id for story in stories if story.status != "ended"]:
        raise StoryError(Reason("not_ended_to_judge", id=unended[0]))
    prefix = place_of_judge(judge.rater).rstrip("/")
    known = store.stories.reply_paths([story.id for story in stories], prefix)
    rubric = load_rubric()

    def trial(story: Story, one: Judge) -> Trial:
        names, place = story.script.scene.names, place_of_judge(one.rater, one.variation)
        paths = [path for name in names for path in places_of_replies(place, one.protocol, name, rubric)]
        return Trial(story, one, sum((story.id, path) not in known for path in paths))

    return [trial(story, one) for story in stories for one in (judge, *tried) if _differs(story, judge, one)]


async def experiment(
    store: Store, client: Client, trials: Sequence[Trial], *, anew: bool = False, on_trial: OnTrial = lambda _: None
) -> None:
    """Have the trials made, those of one story side by side.

    What the journal has is not asked again; `anew` is as in `judge_story`. Where a trial fails, those of its story
    still come to their end, and no other story is begun. Raises as `judge_story` does.
    """
    done = 0

    async def made(trial: Trial) -> None:
        nonlocal done
        await judge_story(store, client, trial.story, trial.judge, anew=anew)
        done += 1
        on_trial(done)

    for story in dict.fromkeys(trial.story.id for trial in trials):
        await all_of(made(trial) for trial in trials if trial.story.id == story)


def _differs(story: Story, judge: Judge, one: Judge) -> bool:
    """Whether a variation asks something else on this story: English prompts do on a Chinese scene only."""
    language = story.script.scene.language
    same = one.protocol.model_copy(update={"language": judge.protocol.language}) == judge.protocol
    spoken = one.protocol.spoken(language) != judge.protocol.spoken(language)
    return one.variation is None or bool(one.reseeded) or not same or spoken
