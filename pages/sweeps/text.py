"""How sweeps stand, and what is said of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from pydantic import ValidationError

from annotations.i18n.messages import to_say
from annotations.i18n.translation import say, say_count, translate
from characterbox.components.settings_text import settings_told
from characterbox.errors import StoryError
from characterbox.llm.endpoint import Endpoint, label_of
from characterbox.pause_reasons import Reason
from characterbox.stage.jobs.model_jobs import BatchJob
from characterbox.stage.stage import Stage
from characterbox.store.sweeps import Failure, SweepStatus
from characterbox.sweeps.progress import Plan, Progress, standing
from characterbox.sweeps.sweep import Cell, Sweep, cells_of, stored_sweep
from pages.story.judgements import MANNERS

State = Literal["running", "resting", "elsewhere", "broken", "paused", "spent", "uncounted", "ended"]
"""Running here, or about to rest; running in another process; broken off with its process, or by an error; put aside by
a person; out of budget; paused as it is not known what calls cost; or ended, be it that some of it failed."""


@dataclass(frozen=True, slots=True)
class Known:
    """A sweep with its stories."""

    sweep: Sweep
    cells: tuple[Cell, ...]


Noted = tuple[SweepStatus, Reason | None]
"""How a batch stands as it was written down last, and why it is paused, where no person wanted that."""


def state_of(noted: Noted | None, job: BatchJob | None, at_work: Callable[[], bool]) -> State:
    """How a sweep, or an evaluation, stands: as this process knows it, else as it was written down.

    `at_work` tells whether some process is at it.
    """
    if job is not None and job.under_way:
        return "resting" if job.resting else "running"
    match noted:
        case None:
            return "broken"
        case "running", _:
            return "elsewhere" if at_work() else "broken"
        case "paused", Reason(code=code):
            return "spent" if code == "spent" else "uncounted"
        case "paused", _:
            return "paused"
    return "ended"


def state_now(stage: Stage, name: str) -> State:
    """How the sweep of a name stands at this moment."""
    heading = stage.store.sweeps.find(name)
    noted = None if heading is None else (heading.status, heading.reason)
    return state_of(noted, stage.sweepings.of(name), lambda: stage.store.sweeps.at_work(name))


def progress_now(stage: Stage, known: Known) -> Progress:
    """How far a sweep is at this moment; calls are counted only where it runs here."""
    sweeping = stage.sweepings.of(known.sweep.name)
    if sweeping is not None and sweeping.under_way:
        return sweeping.run.progress
    return standing(stage.store, known.sweep, known.cells)


def find_sweep(stage: Stage, name: str) -> Known:
    """The sweep of a name. Raises StoryError if there is none, or it can't be read."""
    sweeping = stage.sweepings.of(name)
    if sweeping is not None and sweeping.under_way:
        return known_sweep(sweeping.run.sweep)
    try:
        return known_sweep(stored_sweep(stage.store.sweeps.content(name)))
    except ValidationError:
        raise StoryError(
            say("sweep {name}: this version of the app can't read its plan, but it can read its stories", name=name)
        ) from None


def known_sweep(sweep: Sweep) -> Known:
    """A sweep with its stories; those of the last ones are at hand."""
    return _known(sweep.model_dump_json())


@lru_cache(maxsize=32)
def _known(content: str) -> Known:
    sweep = Sweep.model_validate_json(content)
    return Known(sweep, tuple(cells_of(sweep)))


STATES: Mapping[State, str] = {
    "running": to_say("running"),
    "resting": to_say("pausing"),
    "elsewhere": to_say("running in another process"),
    "broken": to_say("interrupted"),
    "paused": to_say("paused"),
    "spent": to_say("paused: budget spent"),
    "uncounted": to_say("paused: call costs unknown"),
    "ended": to_say("ended"),
}
LISTED = 5
"""What failed for one reason that is named."""


def money(dollars: float) -> str:
    """US dollars, so that small amounts do not look like nothing."""
    return f"${dollars:,.4f}" if 0 < dollars < 1 else f"${dollars:,.2f}"


def size_told(sweep: Sweep) -> str:
    """How many stories it has, and what they come of."""
    parts = [
        say_count("{count:,} scene", "{count:,} scenes", len(sweep.scenes)),
        say_count("{count:,} model", "{count:,} models", len(sweep.characters)),
        say_count("{count:,} narrator", "{count:,} narrators", len(sweep.narrators)),
        say_count("{count:,} seed", "{count:,} seeds", len(sweep.seeds)),
        *([say("{count:,} repeats", count=sweep.repeats)] if sweep.repeats > 1 else []),
    ]
    stories = say_count("{count:,} story", "{count:,} stories", sweep.size)
    return say("{stories}: {parts}", stories=stories, parts=" × ".join(parts))


def settings_of(sweep: Sweep) -> dict[str, str]:
    """What a sweep is set to."""
    return {
        say("Stories"): size_told(sweep),
        say("Scenes"): say("; ").join(_by_work(sweep)),
        **_alone(sweep),
        say("Characters"): _models(sweep.characters),
        say("Narrators"): _models(sweep.narrators),
        say("Judges"): say("; ").join(_judges(sweep)) or say("none"),
        say("Rounds"): say("{rounds:,}, or fewer if the narrator ends the story", rounds=sweep.rounds)
        if sweep.may_conclude
        else f"{sweep.rounds:,}",
        say("Seeds"): say(", ").join(map(str, sweep.seeds)),
        say("Settings"): say("; ").join(_story_settings(sweep)),
        say("Budget"): say("no limit") if sweep.budget is None else money(sweep.budget),
        **({say("Concurrent calls"): _parallel(sweep)} if sweep.parallel else {}),
    }


def plan_told(plan: Plan, sweep: Sweep) -> dict[str, str]:
    """What a sweep would take from where it stands."""
    done = plan.progress
    return {
        say("Stories"): _of_them(size_told(sweep), done.played, to_say("{what}; {count:,} already played")),
        **_alone(sweep),
        say("Judgments"): _of_them(f"{done.judgements:,}", done.made, to_say("{what}; {count:,} already done")),
        say("Calls"): say("about {count:,}", count=_rough(plan.calls))
        if plan.calls
        else say("none: everything already exists"),
        say("Tokens"): say(
            "about {prompt:,} in, {reply:,} out",
            prompt=_rough(plan.prompt_tokens),
            reply=_rough(plan.completion_tokens),
        ),
        say("Price"): price_told(plan, sweep),
        say("Time"): time_told(plan.seconds),
    }


def price_told(plan: Plan, sweep: Sweep) -> str:
    """What is still to be paid, and of which budget."""
    if plan.price is None:
        told = say("unknown: no price for {models}", models=_models(plan.unpriced))
    else:
        told = say("about {price}", price=money(plan.price)) if plan.price else say("free")
    if plan.progress.spent:
        told = say("{what}; {spent} already spent", what=told, spent=money(plan.progress.spent))
    return told if sweep.budget is None else say("{what}; budget {budget}", what=told, budget=money(sweep.budget))


def time_told(seconds: float | None) -> str:
    """How long it takes."""
    if seconds is None:
        return say("unknown: these models have not played yet")
    if seconds < 60:
        return say("less than a minute")
    if seconds < 5400:
        return say_count("about {count:,} minute", "about {count:,} minutes", round(seconds / 60))
    return say_count("about {count:,} hour", "about {count:,} hours", round(seconds / 3600))


def done_told(progress: Progress) -> str:
    """How much is done."""
    played = say("{played:,} of {all:,} stories played", played=progress.played, all=progress.stories)
    if not progress.judgements:
        return played
    return say(
        "{played}, {judged:,} of {all:,} judgments done", played=played, judged=progress.judged, all=progress.judgements
    )


def costs_told(progress: Progress, sweep: Sweep, *, runs: bool) -> str:
    """What it has taken, in one line: calls where it runs here, money, and what failed."""
    spent = money(progress.spent)
    if sweep.budget is not None:
        spent = say("{spent} of {budget}", spent=spent, budget=money(sweep.budget))
    parts = [
        *([say_count("{count:,} reply received", "{count:,} replies received", progress.calls)] if runs else []),
        say("{spent} spent", spent=spent),
        *([say("{count:,} failed", count=progress.failed)] if progress.failed else []),
    ]
    return " · ".join(parts)


def share_done(progress: Progress) -> float:
    """How much of all stories and judgements is done, from 0 to 1."""
    return (progress.played + progress.judged) / (progress.stories + progress.judgements)


def failures_told(failures: Iterable[Failure], cells: Sequence[Cell]) -> list[tuple[str, list[str]]]:
    """What could not be done, by reason; most of it first, some of each named in the order of the plan."""
    by_id = {cell.id: cell for cell in cells}
    known = [one for one in failures if one.task.story in by_id]
    found = []
    as_told = {reason: translate(reason) for reason in {one.reason for one in known}}  # several can be told alike
    for reason, some in groupby(
        sorted(known, key=lambda one: as_told[one.reason]), key=lambda one: as_told[one.reason]
    ):
        same = sorted(some, key=lambda one: (by_id[one.task.story].place, one.task))
        named = [_task(one, by_id[one.task.story]) for one in same[:LISTED]]
        if (more := len(same) - LISTED) > 0:
            named.append(say("and {count:,} more", count=more))
        found.append((len(same), reason, named))
    return [(reason, named) for _, reason, named in sorted(found, key=lambda one: -one[0])]


def _task(failure: Failure, cell: Cell) -> str:
    judge = failure.task.judge
    # A story among those of its sweep
    about = [cell.scene.title, cell.character.model, say("narrator {model}", model=cell.narrator.model)]
    told = " · ".join([*about, say("seed {seed}", seed=cell.seed), *([f"({cell.repeat})"] if cell.repeat > 1 else [])])
    return say("{judge} on {story}", judge=judge, story=told) if judge else told


def _by_work(sweep: Sweep) -> list[str]:
    works: dict[str, list[str]] = {}
    for scene in sweep.scenes:
        works.setdefault(scene.work, []).append(scene.title)
    return [
        say("{work} ({titles})", work=work, titles=say(", ").join(titles))
        if len(titles) <= LISTED
        else say("{work} ({count:,})", work=work, count=len(titles))
        for work, titles in works.items()
    ]


def _alone(sweep: Sweep) -> Mapping[str, str]:
    """The scenes that have one character."""
    titles = [scene.title for scene in sweep.scenes if len(scene.cast) == 1]
    if not titles:
        return {}
    if len(titles) > LISTED:
        count = len(titles)
        return {say("One character"): say("nobody reacts in {count:,} scenes", count=count)}
    return {say("One character"): say("nobody reacts: {titles}", titles=say(", ").join(titles))}


def _models(endpoints: Iterable[Endpoint]) -> str:
    return say(", ").join(str(one) for one in endpoints)


def _judges(sweep: Sweep) -> list[str]:
    return [
        say(
            "{name} at {endpoint}: {manner}",
            name=one.name,
            endpoint=one.endpoint,
            manner=say(MANNERS[one.protocol.manner]),
        )
        for one in sweep.judges
    ]


def _story_settings(sweep: Sweep) -> list[str]:
    told = settings_told(sweep.settings, label_of(sweep.memory))
    return [say("{name}: {what}", name=name, what=what) for name, what in told.items()]


def _parallel(sweep: Sweep) -> str:
    return say("; ").join(say("{url}: {count:,}", url=url, count=most) for url, most in sorted(sweep.parallel.items()))


def _of_them(what: str, count: int, words: str) -> str:
    return say(words, what=what, count=count) if count else what


def _rough(count: int) -> int:
    """A number as a forecast can know it: two digits of it."""
    return round(float(f"{count:.2g}"))
