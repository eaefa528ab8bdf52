"""What a scene costs, by who narrates and who plays (paper, appendix B, table 6), and what a judge costs,
against what an expert does.

A figure is the mean over stories, or over judged trajectories, with its standard deviation. Where a story's figure is
not known, as the price of a call is not, the story is left out of the mean and counted: nothing unknown counts as 0.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

import numpy as np

from annotations.i18n.messages import Readable
from annotations.marking.rating import judge_called
from annotations.report.published import TABLE_6, PublishedCost
from annotations.report.published_names import PublishedNames
from characterbox.judging.judge import rater_of
from characterbox.scenes.scene import slug_of
from characterbox.store import Store
from characterbox.store.stories.call_costs import CallCosts, total
from characterbox.store.stories.costs_across_stories import Judging, Model, OnProgress, StorySpent

Reason = Literal["not ended", "partly reused", "partly by people", "nothing asked"]
"""Why a story is in no mean: it has not ended; replies were taken over from another story, or people wrote some; or it
asked nobody. Its costs are in the sums all the same."""
HUNDRED = 100
"""Trajectories that prices are told for, besides a single one."""
PAPER_ROUNDS = 3
"""Of the scenes in the paper's table 6."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over those of which the figure is known."""

    mean: float | None
    """None where it is known of none."""
    sd: float | None
    """None where it is known of fewer than two."""
    n: int
    unknown: int
    """Of how many it is not known."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What a story, or the judging of a trajectory, takes on average."""

    calls: Mean
    tokens_in: Mean
    """Tokens of prompts."""
    tokens_cached: Mean
    """Those of them that came from a cache; unknown where the endpoint does not tell."""
    cache_untold: Mean
    """Calls of which nothing is in that, as the endpoint told of others only."""
    tokens_out: Mean
    """Tokens of replies."""
    dollars: Mean
    seconds: Mean
    """CallCosts waiting for the replies as if one came after the other; where calls run side by side it takes less."""
    retries: Mean
    """Attempts beyond the first one of each call."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """A narrator with those who play the characters, in stories that ended in the same round."""

    narrator: tuple[Model, ...]
    characters: tuple[Model, ...]
    rounds: int
    stories: int
    scenes: int
    of_narrator: Costs
    of_characters: Costs
    of_both: Costs
    published: PublishedCost | None
    """The paper's row of the same models, for as many rounds."""

    @property
    def improvised(self) -> bool:
        """Whether any of it was made without a language model."""
        return any(model.improvised for model in (*self.narrator, *self.characters))


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge."""

    judge: str
    """The rater's name where it is known, else the judge's slug."""
    models: tuple[Model, ...]
    trajectories: int
    """Those with a reply that has scores, of which all was asked for."""
    broken_off: int
    """Those that are left out, as there are none, or some was taken over from elsewhere."""
    stories: int
    """Those of which every trajectory is among them."""
    of_trajectory: Costs
    of_story: Costs

    @property
    def improvised(self) -> bool:
        """Whether it judged without a language model."""
        return any(model.improvised for model in self.models)

    @property
    def called(self) -> Readable:
        """The judge as people read of it."""
        return judge_called(self.judge, self.improvised)


@dataclass(frozen=True, slots=True)
class CostTable:
    """What stories have cost: means by who was at work, and sums of everything."""

    pairs: tuple[PairRow, ...]
    judges: tuple[JudgeRow, ...]
    stories: int
    left_out: Mapping[Reason, int]
    """Stories that are in no mean of `pairs`."""
    sums: Mapping[str, CallCosts]
    """Of everything, what is in no mean included: narrator, characters, embeddings, judges, second narrators, and
    models that rewrite their parts."""


@dataclass(frozen=True)
class Expert:
    """What an expert takes: minutes for a trajectory, US dollars for an hour."""

    minutes: float
    wage: float

    @property
    def dollars(self) -> float:
        """What the rating of one trajectory costs."""
        return self.minutes / 60 * self.wage

    @property
    def an_hour(self) -> float:
        """Trajectories in an hour."""
        return 60 / self.minutes


def cost_table(
    store: Store, sweep: str | None = None, language: str | None = None, on_progress: OnProgress | None = None
) -> CostTable:
    """The table of the stories of a sweep, or in one language, or of all."""
    raters = [rater_of(name, version) for name, version, _ in store.judges.all("character")]
    return table_of(store.spending.spending(sweep, language, on_progress), raters, store.published_names.names())


def table_of(stories: Sequence[StorySpent], raters: Sequence[str], names: PublishedNames) -> CostTable:
    """The table of what these stories have cost; `raters` are the judges that are known by name, `names` find the
    paper's models."""
    reasons = {story.id: _left_out(story) for story in stories}
    judgings = [(story, judging) for story in stories for judging in story.judgings]
    return CostTable(
        pairs=tuple(_pairs((story for story in stories if reasons[story.id] is None), names)),
        judges=tuple(_judges(judgings, {slug_of(rater): rater for rater in raters})),
        stories=len(stories),
        left_out=Counter(reason for reason in reasons.values() if reason is not None),
        sums={
            "narrator": total(story.narrator.spent for story in stories),
            "characters": total(story.characters.spent for story in stories),
            "embeddings": total(story.embeddings.spent for story in stories),
            "judges": total(judging.part.spent for _, judging in judgings),
            "second narrators": total(story.checks.spent for story in stories),
            "reflections": total(story.reflections.spent for story in stories),
        },
    )


def for_the_wage(judge: JudgeRow, wage: float) -> float | None:
    """How many trajectories a judge does for this wage.

    None where its price is not known of any; infinitely many where it costs nothing.
    """
    dollars = judge.of_trajectory.dollars.mean
    if dollars is None:
        return None
    return wage / dollars if dollars else math.inf


def _left_out(story: StorySpent) -> Reason | None:
    narrator, characters = story.narrator.spent, story.characters.spent
    if story.status != "ended":
        return "not ended"
    if narrator.reused or characters.reused:
        return "partly reused"
    if narrator.by_people or characters.by_people:
        return "partly by people"
    return None if narrator.calls or characters.calls else "nothing asked"


def _pairs(stories: Iterable[StorySpent], names: PublishedNames) -> Iterable[PairRow]:
    """A row for each narrator, each characters' model, and number of rounds."""
    groups: dict[tuple[tuple[Model, ...], tuple[Model, ...], int], list[StorySpent]] = defaultdict(list)
    for story in stories:
        groups[tuple(sorted(story.narrator.models)), tuple(sorted(story.characters.models)), story.rounds].append(story)
    for (narrator, characters, rounds), found in sorted(groups.items()):
        parts = [(story.narrator.spent, story.characters.spent) for story in found]
        yield PairRow(
            narrator=narrator,
            characters=characters,
            rounds=rounds,
            stories=len(found),
            scenes=len({story.scene for story in found}),
            of_narrator=_costs([spent for spent, _ in parts]),
            of_characters=_costs([spent for _, spent in parts]),
            of_both=_costs([total(both) for both in parts]),
            published=_published(narrator, characters, names) if rounds == PAPER_ROUNDS else None,
        )


def _published(narrator: Sequence[Model], characters: Sequence[Model], names: PublishedNames) -> PublishedCost | None:
    """The paper's row of these models; none where several took turns, or what is called so is no language model."""
    if any(len(models) != 1 or models[0].improvised for models in (narrator, characters)):
        return None
    called = names.row(narrator[0].name), names.row(characters[0].name)
    return next((row for row in TABLE_6 if (row.narrator, row.characters) == called), None)


def _judges(judgings: Iterable[tuple[StorySpent, Judging]], raters: Mapping[str, str]) -> Iterable[JudgeRow]:
    groups: dict[str, list[tuple[StorySpent, Judging]]] = defaultdict(list)
    for story, judging in judgings:
        if judging.of in story.cast:
            groups[judging.judge].append((story, judging))
    for judge, found in sorted(groups.items()):
        whole = [(story, judging) for story, judging in found if _is_whole(judging)]
        of_story: dict[str, list[CallCosts]] = defaultdict(list)
        for story, judging in whole:
            of_story[story.id].append(judging.part.spent)
        casts = {story.id: len(story.cast) for story, _ in whole}
        full = [total(spent) for id, spent in of_story.items() if len(spent) == casts[id]]
        yield JudgeRow(
            judge=raters.get(judge, judge),
            models=tuple(sorted({model for _, judging in found for model in judging.part.models})),
            trajectories=len(whole),
            broken_off=len(found) - len(whole),
            stories=len(full),
            of_trajectory=_costs([judging.part.spent for _, judging in whole]),
            of_story=_costs(full),
        )


def _is_whole(judging: Judging) -> bool:
    spent = judging.part.spent
    return judging.scored and spent.calls > 0 and not spent.reused and not spent.by_people


def _costs(spent: Sequence[CallCosts]) -> Costs:
    return Costs(**{field.name: _mean([getattr(one, field.name) for one in spent]) for field in fields(Costs)})


def _mean(values: Sequence[float | None]) -> Mean:
    known = np.array([value for value in values if value is not None], dtype=float)
    return Mean(
        mean=float(known.mean()) if known.size else None,
        sd=float(known.std(ddof=1)) if known.size > 1 else None,
        n=known.size,
        unknown=len(values) - known.size,
    )
