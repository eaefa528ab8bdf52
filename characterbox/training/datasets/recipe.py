"""What goes into a dataset, and the stories that are chosen by it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field, model_validator

from annotations.errors import UndefinedStatistic
from annotations.i18n.messages import Message, count_message, to_say
from annotations.rubrics.rubric import RESERVED
from characterbox.errors import StoryError, TrainingError
from characterbox.judging.leaderboard import Wanted, board_of, scores_of
from characterbox.judging.narrator_scores import EXPERTS, compared, narrator_ratings
from characterbox.scenes.scene import Scene
from characterbox.scenes.search import fingerprint
from characterbox.store import Store
from characterbox.store.ratings.scores import JUDGED
from characterbox.store.stories.stories import Story
from characterbox.training.datasets.example import StoryKind
from characterbox.values import LANGUAGE_CODES, Language, Value

CUTOFF = 8192
"""Tokens that prompt and answer have room for in training (paper, table 7)."""
ROLE_CUTOFF = 1024
"""The same for RoleLLaMA, whose prompts and answers have 512 tokens each (RoleLLM, appendix E)."""
NotChosen = Literal[
    "improvised",
    "language",
    "narrator",
    "date",
    "score",
    "unended",
    "unreadable",
    "unscored",
    "no_teacher",
    "unrewritten",
]
"""Why a story is not chosen."""
WHY_NOT_CHOSEN: Mapping[NotChosen, str] = {
    "improvised": to_say("the built-in rehearsal or a sample wrote some of it"),
    "language": to_say("in another language"),
    "narrator": to_say("narrated by another model"),
    "date": to_say("played on another date"),
    "score": to_say("the narrator's mean score is missing or too low"),
    "unended": to_say("has not ended"),
    "unreadable": to_say("its stored data cannot be read"),
    "unscored": to_say("has no scores by the chosen judge or by experts"),
    "no_teacher": to_say("no teacher plays in it"),
    "unrewritten": to_say("no part of it has been rewritten"),
}
"""The same in words, to be said."""


class DatasetRecipe(Value):
    """What goes into a dataset: the same recipe over the same journals makes the same files."""

    kind: StoryKind
    stories: tuple[str, ...] = ()
    """The ids of the stories; none for all that have ended."""
    language: Language | None = None
    """Of the scenes; None for both."""
    improvised: bool = False
    """Whether what the rehearsal or the samples wrote goes in, too, and is marked."""
    judge: str | None = None
    """The judge whose scores count, as it rates (`GPT-4 v2`); None for the mean of the experts."""
    critique: bool = False
    """For judges: whether the critique is learnt as well as the scores."""
    min_score: Annotated[float, Field(ge=1, le=5, allow_inf_nan=False)] | None = None
    """The lowest mean score: of a narrator over the Gricean maxims, in a story; of a model on the leaderboard, to be a
    teacher. None for all narrators, and for the one model of each language that leads."""
    narrators: tuple[str, ...] = ()
    """The models whose stories go in; none for all."""
    since: date | None = None
    until: date | None = None
    """The days on which stories were begun, both included."""
    test: tuple[str, ...] = ()
    """The scenes to be tested with, by id or title."""
    cutoff: Annotated[int, Field(strict=True, ge=64, le=1_000_000)] = CUTOFF
    """Tokens from which on an example is listed as too long."""

    @model_validator(mode="after")
    def _holds_together(self) -> "DatasetRecipe":
        if self.critique and (self.kind != "judge" or self.judge is None):
            raise ValueError(Message("critiques belong to datasets for judges, of one judge; name the judge"))
        if self.kind == "reflective" and (self.judge is not None or self.min_score is not None):
            raise ValueError(Message("a reflective dataset is chosen by no scores; leave out judge and minimum score"))
        if self.kind == "judge" and self.min_score is not None:
            raise ValueError(Message("a dataset for judges needs low scores as well; leave out the minimum score"))
        if self.kind == "narrator" and self.judge is not None and self.min_score is None:
            raise ValueError(Message("a judge chooses narrators by a minimum score; give one, or leave out the judge"))
        if self.since and self.until and self.since > self.until:
            raise ValueError(Message("the first day is after the last day; swap them"))
        return self


class RoleRecipe(Value):
    """What a dataset of roles was made of; its examples are chosen by whoever has it written."""

    kind: Literal["role"] = "role"
    source: Annotated[str, Field(min_length=1, max_length=2000)]
    """What the examples come from, such as the name and the hash of a benchmark, and how the roles are conditioned."""
    cutoff: Annotated[int, Field(strict=True, ge=64, le=1_000_000)] = ROLE_CUTOFF
    """Tokens from which on an example is listed as too long."""


@dataclass(frozen=True)
class Choice:
    """The stories of a recipe."""

    scene_of: Mapping[str, str]
    """The fingerprint of each story's scene."""
    scenes: Mapping[str, Scene]
    """By their fingerprints."""
    improvised: frozenset[str]
    """Those of the chosen stories of which no language model wrote some."""
    not_chosen: Mapping[NotChosen, int]
    """How many are not chosen, by the reason."""


def choose(store: Store, recipe: DatasetRecipe, lacks: Callable[[Story], NotChosen | None]) -> Choice:
    """The stories of a recipe; `lacks` tells why there is nothing to be learnt in one, None where there is something.

    Raises StoryError for an id in it that no story has, or whose story can't be read, and TrainingError where no story
    is chosen.
    """
    ids = sorted(set(recipe.stories)) or store.stories.ended()
    scores = _narrator_scores(store, recipe) if recipe.kind == "narrator" and recipe.min_score is not None else None
    samples = store.samples.made()
    without_model = samples | store.stories.improvised(samples)
    improvised = set[str]()
    scene_of: dict[str, str] = {}
    scenes: dict[str, Scene] = {}
    not_chosen: Counter[NotChosen] = Counter()
    for id in ids:
        try:
            story = store.stories.story(id)
        except StoryError:
            if recipe.stories:
                raise
            not_chosen["unreadable"] += 1
            continue
        made_up = story.casting.improvised is not None or id in without_model
        if (why := _why_not(story, recipe, scores, improvised=made_up) or lacks(story)) is None:
            improvised |= {id} if made_up else set()
            scene = story.script.scene
            scene_of[id] = fingerprint(scene)
            scenes.setdefault(scene_of[id], scene)
        else:
            not_chosen[why] += 1
    if not scenes:
        raise _nothing_chosen(not_chosen)
    return Choice(scene_of, scenes, frozenset(improvised), dict(not_chosen))


def _nothing_chosen(not_chosen: Mapping[NotChosen, int]) -> TrainingError:
    if not not_chosen:
        return TrainingError("no story has ended yet, so there is nothing to learn; play stories first")
    why, count = max(not_chosen.items(), key=lambda one: one[1])
    return TrainingError(
        "no story is chosen, so there is nothing to learn ({told}); choose other stories, or include demo"
        " output (on the command line with --improvised)",
        told=count_message("{count} story: {why}", "{count} stories: {why}", count, why=Message(WHY_NOT_CHOSEN[why])),
    )


def _why_not(
    story: Story, recipe: DatasetRecipe, scores: Mapping[str, float] | None, *, improvised: bool
) -> NotChosen | None:
    day = story.created_at.date()
    if improvised and not recipe.improvised:
        return "improvised"
    if recipe.language not in (None, story.script.scene.language):
        return "language"
    if recipe.narrators and story.casting.narrator.model not in recipe.narrators:
        return "narrator"
    if (recipe.since and day < recipe.since) or (recipe.until and day > recipe.until):
        return "date"
    if scores is not None and not scores.get(story.id, float("-inf")) >= (recipe.min_score or 0):
        return "score"
    return "unended" if story.status != "ended" and recipe.kind != "narrator" else None


def _narrator_scores(store: Store, recipe: DatasetRecipe) -> Mapping[str, float]:
    """The mean over the Gricean maxims that the judge, or the experts, gave the narrator of each story."""
    ratings = narrator_ratings(store, "narrator", recipe.language)
    rater = recipe.judge or EXPERTS
    if rater not in ratings.raters:
        raise _unscored(recipe.judge)
    stories = compared(ratings, rater).stories.set_index("story")
    means = stories[[*ratings.rubric.keys]].mean(axis=1, skipna=False).dropna()
    return {str(id): float(mean) for id, mean in means.items()}


def teachers(store: Store, recipe: DatasetRecipe) -> dict[Language, tuple[str, ...]]:
    """The models that lead the leaderboard of each language, or have at least the score asked for, the best first.

    Raises TrainingError where nobody has such scores.
    """
    scores = scores_of(store)
    found: dict[Language, tuple[str, ...]] = {}
    ranked, highest = 0, list[float]()
    for language in LANGUAGE_CODES if recipe.language is None else (recipe.language,):
        wanted = Wanted("experts" if recipe.judge is None else "judge", language, recipe.judge)
        try:
            board = board_of(scores, wanted)
        except UndefinedStatistic:
            continue
        means = {model: one.mean for model, one in board.of(RESERVED).items()}
        ranked += len(means)
        means = {model: mean for model, mean in means.items() if recipe.improvised or model not in board.improvised}
        best = max(means.values(), default=None)
        if best is not None:
            highest.append(best)
            least = best if recipe.min_score is None else recipe.min_score
            found[language] = tuple(model for model, mean in means.items() if mean >= least)
    if any(found.values()):
        return found
    if not ranked:
        raise _unscored(recipe.judge)
    if not highest:
        raise TrainingError(
            "only the built-in rehearsal and samples have scores; have other models play and be scored, or include demo"
            " output (on the command line with --improvised)"
        )
    raise TrainingError(
        "no model has a mean score of {least} or more, the highest is {highest}; lower the minimum score",
        least=f"{recipe.min_score:g}",
        highest=f"{max(highest):.2f}",
    )


def played_by(story: Story, models: Mapping[Language, tuple[str, ...]]) -> list[str]:
    """The characters of a story that one of the models of its language plays."""
    led = models.get(story.script.scene.language, ())
    return [name for name in story.script.scene.names if story.casting.characters[name].model in led]


def trajectory_scores(store: Store, recipe: DatasetRecipe) -> pd.DataFrame:
    """The scores of trajectories by the judge, or the experts' means, by story; see `ScoreStore`."""
    table = store.scores.by_experts() if recipe.judge is None else store.scores.judged()
    if recipe.judge is not None:
        mine = table["rater"] == recipe.judge
        table = table[mine if recipe.improvised else mine & ~table[JUDGED]]
    if table.empty:
        raise _unscored(recipe.judge)
    return table


def _unscored(judge: str | None) -> TrainingError:
    if judge is None:
        return TrainingError("no expert has scored any of this; name a judge, or have experts rate first")
    return TrainingError("judge {judge} has scored nothing of this; have it judge the stories first", judge=judge)
