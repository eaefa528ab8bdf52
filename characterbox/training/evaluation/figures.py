"""What an evaluation has shown: base, tuned and teacher beside each other, each figure with its evidence."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from annotations.errors import Undefined, UndefinedStatistic, or_undefined
from annotations.leaderboard.narrators import NarratorScore, by_narrator
from annotations.leaderboard.paired_scenes import PairedScenes, paired_scenes
from annotations.leaderboard.standings import Standing
from annotations.reliability.narrator_agreement import CrossCheck
from annotations.resampling.clustered import clustered_mean, clustered_share
from annotations.resampling.estimates import Estimate, enough_cases
from annotations.rubrics.rubric import RESERVED, load_rubric
from characterbox.judging.cross_check import UNREAD, Checked, agreement, checks_of, left_out, rows_of
from characterbox.judging.experiments import as_plain
from characterbox.judging.judge import as_known
from characterbox.judging.leaderboard import Scores, Wanted, board_of, scores_of
from characterbox.judging.narrator_scores import compared, narrator_ratings
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.llm.endpoint import Endpoint
from characterbox.play.events import ActionInfluence
from characterbox.play.replies.forms import InfluenceReply
from characterbox.store import Store
from characterbox.store.ratings.ratings import scene_name
from characterbox.store.stories.stories import Story
from characterbox.training.datasets.calls import ReadingRules, Source, read_at_first
from characterbox.training.datasets.example import StoryKind
from characterbox.training.evaluation.judge_figures import JudgeFigures, judge_figures
from characterbox.training.evaluation.plan import BASE, TEACHER, TUNED, EvaluationPlan
from characterbox.training.evaluation.progress import ended_story

OfStory = tuple[Story, list[Checked]]
"""A held-out story, and what a second narrator has decided in it."""
Gains = Mapping[str, Mapping[str, PairedScenes | Undefined]]
"""By part, tuned or teacher, then by metric: how much better than the base it is in the same scenes."""


@dataclass(frozen=True)
class ScoredNarrators:
    """What one judge gave the narrators of the held-out scenes."""

    scores: Mapping[str, Mapping[str, NarratorScore]]
    """By part, then by maxim."""
    gains: Gains
    """By maxim; `overall` is the mean over the maxims."""


@dataclass(frozen=True)
class NarratorFigures:
    """Narrators beside each other."""

    readable: Mapping[str, Estimate | Undefined]
    """By part, the share of its replies that could be read at the first try; n counts replies."""
    readable_gain: PairedScenes | Undefined
    """That of tuned minus base, per scene."""
    agreement: Mapping[str, CrossCheck]
    """Of base and tuned with the teacher, on the held-out decisions of the dataset."""
    agreement_gain: Estimate | Undefined
    """By how much more often tuned names whom the teacher names than base does; a reply that could not be read names
    nobody rightly."""
    left_out: Mapping[str, Mapping[str, int]]
    """By part, how many decisions are not compared, by the reason."""
    unended: int
    """Held-out stories that are not there any more, or have not ended: nobody is asked about them."""
    scored: Mapping[str, ScoredNarrators]
    """By judge; those who have scored nothing are left out."""


@dataclass(frozen=True)
class ScoredCharacters:
    """What one judge gave the characters of the held-out scenes of one language."""

    standings: Mapping[str, Mapping[str, Standing]]
    """By part, then by metric, `overall` among them."""
    gains: Gains


@dataclass(frozen=True)
class CharacterFigures:
    """Characters beside each other."""

    scored: Mapping[str, Mapping[str, ScoredCharacters | Undefined]]
    """By judge, then by language."""


@dataclass(frozen=True)
class EvaluationFigures:
    """All that an evaluation has shown."""

    name: str
    kind: StoryKind
    models: Mapping[str, str]
    """The name of each part's model."""
    scenes: int
    of: NarratorFigures | CharacterFigures | JudgeFigures
    demo: bool
    """Whether no language model did some of it, so that nothing here is a result."""

    def as_json(self) -> dict[str, Any]:
        """All figures at full precision, ready for `json.dumps`; what is undefined is `{"undefined": reason}`."""
        plain: dict[str, Any] = as_plain(self)
        return {"note": DEMO_NOTE if plain.pop("demo") else None, **plain}


def figures_of(store: Store, plan: EvaluationPlan) -> EvaluationFigures:
    """What an evaluation has shown so far."""
    of: NarratorFigures | CharacterFigures | JudgeFigures
    if plan.kind == "judge":
        of = judge_figures(store, plan)
    else:
        of = _narrators(store, plan) if plan.kind == "narrator" else _characters(store, plan)
    models = {part: endpoint.model for part, endpoint in plan.of_parts.items()}
    return EvaluationFigures(plan.name, plan.kind, models, len(plan.scenes), of, plan.demo)


def _narrators(store: Store, plan: EvaluationPlan) -> NarratorFigures:
    tries = _first_tries(store, plan)
    stories = [story for id in plan.stories if (story := ended_story(store, id)) is not None]
    checks = {story.id: checks_of(store, story) for story in stories}
    of_part = {part: _checks(stories, checks, plan.of_parts[part]) for part in (BASE, TUNED)}
    rows = {part: tuple(row for one in found for row in rows_of(*one)) for part, found in of_part.items()}
    return NarratorFigures(
        readable={part: or_undefined(_share, tries[tries["model"] == part]) for part in plan.of_parts},
        readable_gain=or_undefined(paired_scenes, tries, TUNED, BASE),
        agreement={part: agreement(found) for part, found in rows.items()},
        agreement_gain=or_undefined(_agreement_gain, of_part[TUNED], of_part[BASE]),
        left_out={part: dict(left_out(checked for _, checked in found)) for part, found in of_part.items()},
        unended=len(plan.stories) - len(stories),
        scored=dict(_scored_narrators(store, plan)),
    )


def _first_tries(store: Store, plan: EvaluationPlan) -> pd.DataFrame:
    """Each reply of the narrators in the held-out scenes: `scene`, `model` (its part) and `score`, 1 where it could be
    read at the first try, else 0."""
    parts = _parts(plan)
    rows = []
    for id in sorted(store.scores.stories_of(plan.called)):
        story = ended_story(store, id)
        part = None if story is None else parts.get(story.casting.narrator.model)
        if story is not None and part is not None:
            scene = scene_name(story.script.scene)
            rows += [(scene, part, float(read)) for read in read_at_first(Source.of(store, story, ReadingRules()))]
    return pd.DataFrame(rows, columns=["scene", "model", "score"])


def _parts(plan: EvaluationPlan) -> dict[str, str]:
    """The part of each model, by its name."""
    return {endpoint.model: part for part, endpoint in plan.of_parts.items()}


def _share(tries: pd.DataFrame) -> Estimate:
    if tries.empty:
        raise UndefinedStatistic("no story with this narrator has ended")
    scene, _ = pd.factorize(tries["scene"])
    return clustered_share(tries["score"].to_numpy(dtype=float), scene)


def _checks(
    stories: Sequence[Story], checks: Mapping[str, Mapping[Endpoint, list[Checked]]], narrator: Endpoint
) -> list[OfStory]:
    """What a second narrator has decided, by story: by the name of its model, wherever that was reached."""
    return [
        (story, checked)
        for story in stories
        for endpoint, checked in checks[story.id].items()
        if (endpoint.model, endpoint.is_rehearsal) == (narrator.model, narrator.is_rehearsal)
    ]


def _agreement_gain(tuned: Sequence[OfStory], base: Sequence[OfStory]) -> Estimate:
    """By how much the share of right decisions on who is affected differs."""
    right = [dict(_right(found)) for found in (tuned, base)]
    both = sorted(right[0].keys() & right[1].keys())
    if not both:
        raise UndefinedStatistic("the two narrators have no decisions in common")
    apart = np.array([float(right[0][key]) - float(right[1][key]) for key in both])
    scene, _ = pd.factorize(np.array([scene for scene, *_ in both]))
    found = clustered_mean(apart, scene)
    return replace(found, interval=enough_cases(found.interval, found.n))


def _right(found: Iterable[OfStory]) -> Iterator[tuple[tuple[str, str, str], bool]]:
    """Whether a second narrator names whom the first named, by scene, story and path."""
    for story, checked in found:
        for one in checked:
            if isinstance(one.first, ActionInfluence) and (one.second is not None or one.left_out == UNREAD):
                named = isinstance(one.second, InfluenceReply) and one.second.affected == one.first.affected
                yield (scene_name(story.script.scene), story.id, one.first.path), named


def _scored_narrators(store: Store, plan: EvaluationPlan) -> Iterator[tuple[str, ScoredNarrators]]:
    ratings = narrator_ratings(store, "narrator")
    here = ratings.rows["story"].isin(store.scores.stories_of(plan.called))
    ratings, parts = replace(ratings, rows=ratings.rows[here]), _parts(plan)
    for judge in plan.judges:
        known = as_known(store, judge, "narrator")
        if known is None or known.rater not in ratings.raters:
            continue
        found = compared(ratings, known.rater)
        by_model = by_narrator(found.scores, None)
        stories = found.stories.assign(model=found.stories["narrator"].map(parts))
        yield (
            str(known.called),
            ScoredNarrators(
                {part: by_model[model] for model, part in parts.items() if model in by_model},
                _gains(stories, ratings.rubric.keys, plan),
            ),
        )


def _characters(store: Store, plan: EvaluationPlan) -> CharacterFigures:
    scores = scores_of(store, plan.called)
    languages = sorted({scene.language for scene in plan.scenes})
    return CharacterFigures(
        {
            str(known.called): {
                language: or_undefined(_scored, scores, Wanted("judge", language, known.rater, plan.called), plan)
                for language in languages
            }
            for judge in plan.judges
            if (known := as_known(store, judge)) is not None
        }
    )


def _scored(scores: Scores, wanted: Wanted, plan: EvaluationPlan) -> ScoredCharacters:
    board, parts, keys = board_of(scores, wanted), _parts(plan), load_rubric().keys
    standings: dict[str, dict[str, Standing]] = {part: {} for part in plan.of_parts}
    for one in board.standings:
        if one.model in parts:
            standings[parts[one.model]][one.metric] = one
    items = board.items.assign(model=board.items["model"].astype(str).map(parts))
    return ScoredCharacters(standings, _gains(items, keys, plan))


def _gains(
    items: pd.DataFrame, keys: Sequence[str], plan: EvaluationPlan
) -> dict[str, dict[str, PairedScenes | Undefined]]:
    """Of scores by item, with its `scene` and in `model` its part."""
    scores = {key: items[key] for key in keys} | {RESERVED: items[[*keys]].mean(axis=1, skipna=False)}
    places = items[["scene", "model"]].astype(str)
    return {
        part: {
            metric: or_undefined(paired_scenes, places.assign(score=column.astype(float)), part, BASE)
            for metric, column in scores.items()
        }
        for part in (TUNED, TEACHER)
        if part in plan.of_parts
    }
