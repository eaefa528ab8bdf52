"""How far an evaluation is by what is stored, and what it would take from there before anything is asked."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from characterbox.judging.cross_check import decisions_to_check, place_of_check
from characterbox.judging.judge import Judge, as_known, given_by
from characterbox.judging.verdict import place_of_judge
from characterbox.llm.calls.client import Client
from characterbox.llm.endpoint import Endpoint
from characterbox.llm.usage import estimate
from characterbox.stage.forecast import Load
from characterbox.store import Store
from characterbox.store.stories.call_costs import total
from characterbox.store.stories.stories import Story
from characterbox.sweeps.progress import Missing, Plan, Progress, add_missing, known_of, standing
from characterbox.sweeps.sweep import cells_of
from characterbox.training.evaluation.plan import BASE, TUNED, EvaluationPlan

NOTHING = Progress(0, 0, 0, 0, 0, 0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class EvaluationProgress(Progress):
    """How far an evaluation is; its stories and judgements are counted as those of a sweep."""

    decisions: int
    """Those of held-out stories, each once for every narrator that is asked for it."""
    decided: int

    @property
    def done(self) -> bool:
        """Whether all of it is played, judged and decided, as far as it could be read."""
        return (self.played, self.made, self.decided) == (self.stories, self.judgements, self.decisions)


@dataclass(frozen=True)
class ReadingTask:
    """Somebody who is asked about a story that has ended: a judge who scores it, or a second narrator."""

    story: str
    """Its id."""
    by: Judge | Endpoint
    known: bool = True
    """Whether it may have been asked already: a judge that is not registered has not."""


def readings(store: Store, plan: EvaluationPlan) -> Iterator[ReadingTask]:
    """All that is asked about stories beside what the sweep does."""
    if plan.kind == "judge":
        yield from _judgings(store, plan, plan.trained_judges.values(), plan.stories)
    if plan.kind == "narrator":
        yield from _judgings(store, plan, plan.judges, [cell.id for cell in cells_of(plan.sweep)])
        narrators = (plan.of_parts[part] for part in (BASE, TUNED))
        yield from (ReadingTask(id, narrator) for narrator in narrators for id in plan.stories)


def _judgings(
    store: Store, plan: EvaluationPlan, judges: Iterable[Judge], stories: Sequence[str]
) -> Iterator[ReadingTask]:
    for judge in judges:
        known = as_known(store, judge, plan.judged)
        yield from (ReadingTask(id, known or judge, known is not None) for id in stories)


def ended_story(store: Store, id: str) -> Story | None:
    """A story, if it is there and has ended."""
    return store.stories.story(id) if store.sweeps.statuses([id]).get(id) == "ended" else None


def open_decisions(store: Store, story: Story, narrator: Endpoint) -> tuple[dict[str, Load], int]:
    """What a second narrator has still to decide of a story, as prompts by path, and how much it is asked in all."""
    wanted, place = decisions_to_check(store, story), place_of_check(narrator)
    known = {path.removeprefix(place) for _, path in store.stories.reply_paths([story.id], place)}
    prompts = {path: Load(1, estimate(reply.messages)) for path, reply in wanted.items() if path not in known}
    return prompts, len(wanted)


def standing_of(store: Store, plan: EvaluationPlan) -> EvaluationProgress:
    """How far an evaluation is; no calls are counted."""
    return _found(store, plan, Missing(store, ()))


def taken(store: Store, client: Client, plan: EvaluationPlan) -> Plan:
    """What an evaluation would take. Not to be called where an event loop runs: scenes are rehearsed for it."""
    missing = Missing(store, plan.endpoints)
    if plan.kind != "judge":
        add_missing(missing, store, plan.sweep)
    return missing.plan(client, _found(store, plan, missing, counts=True))


def _found(store: Store, plan: EvaluationPlan, missing: Missing, *, counts: bool = False) -> EvaluationProgress:
    """How far an evaluation is; what is missing beside the sweep is added to `missing`, if it `counts`."""
    played = NOTHING if plan.kind == "judge" else standing(store, plan.sweep, [*cells_of(plan.sweep)])
    scenes = {cell.id: cell.scene for cell in cells_of(plan.sweep)} if plan.kind == "narrator" else {}
    judgements = judged = unread = decisions = decided = 0
    for reading in readings(store, plan):
        story, by = ended_story(store, reading.story), reading.by
        if isinstance(by, Judge):
            if story is None and reading.story not in scenes:
                continue  # it was held out, and is not there any more
            judgements += 1
            given = given_by(store, story, by, plan.judged) if story is not None and reading.known else None
            unread += given is not None and any(one.score is None for one in given)
            judged += given is not None and all(one.score is not None for one in given)
            if counts and given is None:
                if story is None:
                    missing.add_judgement(by, scenes[reading.story], plan.rounds, plan.judged)
                else:
                    events = store.stories.events(story.id)
                    missing.add(by.endpoint, missing.judging(by, story.script.scene, events, plan.judged))
        elif story is not None:
            prompts, wanted = open_decisions(store, story, by)
            decisions += wanted
            decided += wanted - len(prompts)
            if counts:
                tokens = missing.reply_tokens(by)
                asked = sum(prompts.values(), Load())
                missing.add(by, Load(asked.calls, asked.prompt_tokens, tokens * asked.calls))
    own = {one.name: getattr(played, one.name) for one in fields(played)}
    own["judgements"] += judgements
    own["judged"] += judged
    own["unread"] += unread
    own["failed"] += unread
    own["spent"] = spent(store, plan)
    return EvaluationProgress(**own, decisions=decisions, decided=decided)


def spent(store: Store, plan: EvaluationPlan) -> float:
    """What an evaluation has cost in all, in US dollars, as far as it is known."""
    played = 0.0
    if plan.kind != "judge":
        ids = [cell.id for cell in cells_of(plan.sweep)]
        played = store.sweeps.spent(ids, [judge.rater for judge in known_of(store, plan.sweep)])
    return played + spent_on_readings(store, plan)


def spent_on_readings(store: Store, plan: EvaluationPlan) -> float:
    """What of it is not the sweep's."""
    asked: dict[str, list[str]] = {}
    for reading in readings(store, plan):
        if reading.known:
            asked.setdefault(_place(reading, plan), []).append(reading.story)
    costs = (store.sweeps.reading_costs(ids, [place]) for place, ids in asked.items())
    return total(one for found in costs for one in found.values()).price


def _place(reading: ReadingTask, plan: EvaluationPlan) -> str:
    """Where the replies to it are filed."""
    if not isinstance(reading.by, Judge):
        return place_of_check(reading.by)
    return place_of_judge(reading.by.rater) + ("~narrator/" if plan.kind == "narrator" else "")
