"""The leaderboard as CSV, LaTeX and JSON, in English; and who narrated the stories behind it.

Models that differ in their narrators, or in their rounds, have means of unlike stories.

What the rehearsal made is marked in each of them, so that no file can be taken for a result that is none.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields

import pandas as pd

from annotations.exchange.csv_file import csv_of
from annotations.i18n.messages import Message, Readable, count_message, joined, listed, to_say
from annotations.leaderboard.standings import Standing
from annotations.marking.rating import COLUMNS, IMPROVISED
from annotations.resampling.draws import USUAL_DRAWS, Draws
from annotations.rubrics.rubric import load_rubric
from characterbox.judging.provenance import DEMO_NOTE
from characterbox.store.ratings.scores import NARRATOR, ROUNDS

Mix = Mapping[str, int]
"""Of how many trajectories each narrator is, or each number of rounds."""
Shares = tuple[tuple[str, int], ...]
"""The same in percent, without what rounds to none: less than half a percent is no difference."""
UNLIKE = {
    NARRATOR: to_say("Models had different narrators: {mixes}."),
    ROUNDS: to_say("Models played different numbers of rounds: {mixes}."),
}
MOST = 5
"""Groups of models that a sentence names, those of the most models."""


def mixes(items: pd.DataFrame, column: str) -> dict[str, Mix]:
    """By model, of how many of its trajectories that have a score each narrator is, or each number of rounds."""
    scored = items.dropna(subset=[*load_rubric().keys], how="all")
    found: dict[str, dict[str, int]] = defaultdict(dict)
    counts = scored.groupby(["model", column]).size().reset_index()
    for model, value, count in counts.itertuples(index=False, name=None):
        found[model][str(value)] = count
    return dict(found)


def cautions(items: pd.DataFrame) -> list[Message]:
    """A sentence each where models had other narrators, or other numbers of rounds, or not in the same shares."""
    several = [column for column in UNLIKE if items[column].nunique() > 1]  # soon told; shares take longer
    found = {column: groups for column in several if len(groups := _by_shares(mixes(items, column))) > 1}
    return [Message(UNLIKE[column], mixes=_named(groups, column)) for column, groups in found.items()]


def _by_shares(mixes: Mapping[str, Mix]) -> dict[Shares, list[str]]:
    """Models whose stories are alike together, the most first."""
    groups: dict[Shares, list[str]] = defaultdict(list)
    for model, mix in mixes.items():
        shares = ((value, round(100 * count / sum(mix.values()))) for value, count in mix.items())
        groups[tuple((value, share) for value, share in shares if share)].append(model)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


def _named(groups: Mapping[Shares, Sequence[str]], column: str) -> Message:
    """Such as `alpha, beta (gpt-4); gamma (40 % glm-4, 60 % gpt-4)`."""
    told = [
        Message("{models} ({shares})", models=listed(models), shares=_mixed(shares, column))
        for shares, models in groups.items()
    ]
    if more := sum(map(len, [*groups.values()][MOST:])):
        told[MOST:] = [
            count_message("{count:,} other model with other shares", "{count:,} other models with other shares", more)
        ]
    return joined(told)


def _mixed(shares: Shares, column: str) -> Readable:
    values = [_called(value, column) for value, _ in shares]
    if len(shares) == 1:
        return values[0]
    percent = zip(values, shares, strict=True)
    return listed(Message("{share} % {value}", share=share, value=value) for value, (_, share) in percent)


def _called(value: str, column: str) -> Readable:
    return value if column == NARRATOR else count_message("{count:,} round", "{count:,} rounds", int(value))


OF_SCENES = "over scenes, each the mean of its trajectories"
CORRECTED = "prediction-powered, over trajectories"
STUDENT = "Student's t over scenes"
JACKKNIFE = "jackknife by scenes, Student's t"


@dataclass(frozen=True)
class Provenance:
    """What standings are of; each file tells it."""

    scores: str
    """Whose: a judge with its version, the experts, or a judge whom the experts correct."""
    language: str
    """Of the scenes."""
    sweep: str | None = None
    """Whose stories; None for all."""
    narrator: str | None = None
    """Which model narrated the stories; None for all of them."""
    narrators: Mapping[str, Mix] = field(default_factory=dict)
    """By model, of how many of its trajectories each narrator is."""
    rounds: Mapping[str, Mix] = field(default_factory=dict)
    """By model, of how many of its trajectories each number of rounds is."""
    cautions: Sequence[str] = ()
    """Why the means are of unlike stories."""
    left_out: Sequence[str] = ()
    """How many trajectories do not count, and why: a sentence's part for each reason."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """How many trajectories of a model lack a score on some metric, and count in no mean of it; only where any does."""
    corrected: bool = False
    """Whether experts correct the judge: then means are over trajectories."""
    draws: Draws = USUAL_DRAWS
    improvised: Mapping[str, str] = field(default_factory=dict)
    """What of each model no language model made: `story`, `judge`, or `story and judge`; only models with any."""

    @property
    def interval(self) -> str:
        """How intervals were made, of means and of ranks."""
        ranks = f"percentiles of {self.draws.number} draws of scenes, seed {self.draws.seed}"
        return f"{JACKKNIFE if self.corrected else STUDENT}; of ranks: {ranks}"

    @property
    def mean(self) -> str:
        """What is a mean."""
        return CORRECTED if self.corrected else OF_SCENES


_FIGURES = tuple(one.name for one in fields(Standing))
_CSV = (*_FIGURES, "scores", "language", "sweep", "narrator", "means", "interval", "narrators", "rounds",
        "unscored", "left_out", "improvised", "note")  # fmt: skip
"""`narrator` is whose stories were chosen, empty for all; `narrators` and `rounds` are those of a model's trajectories,
each with their number, such as `gpt-4: 6; glm-4: 3`. `unscored` counts those of the model that lack a score on some
metric; `left_out` says how many of all models do not count, and why."""


def standings_csv(standings: Sequence[Standing], of: Provenance) -> bytes:
    """One row for each model and metric, at full precision; nothing where a figure is not defined.

    UTF-8, marked as such, and formula-safe: see `annotations.exchange.csv_file`.
    """

    def row(one: Standing) -> tuple[object, ...]:
        improvised = of.improvised.get(one.model, "")
        told = (of.scores, of.language, of.sweep, of.narrator, of.mean, of.interval)
        stories = (_listed(mix.get(one.model, {})) for mix in (of.narrators, of.rounds))
        figures = (getattr(one, name) for name in _FIGURES)
        lacking = (of.unscored.get(one.model, 0), "; ".join(of.left_out))
        return (*figures, *told, *stories, *lacking, improvised, DEMO_NOTE if improvised else "")

    return csv_of(_CSV, map(row, standings))


def standings_json(standings: Sequence[Standing], of: Provenance) -> str:
    """The same as one JSON object: what they are of, and `standings`, in which null is a figure that is not defined."""
    rows = [
        {
            **asdict(one),
            "narrators": of.narrators.get(one.model, {}),
            "rounds": of.rounds.get(one.model, {}),
            "improvised": (improvised := of.improvised.get(one.model)),
            **_note(improvised),
        }
        for one in standings
    ]
    told = {
        "scores": of.scores,
        "language": of.language,
        "sweep": of.sweep,
        "narrator": of.narrator,
        "cautions": of.cautions,
        "left_out": of.left_out,
        "unscored": of.unscored,
        "rubric": _rubric(),
        "mean": of.mean,
        "interval": of.interval,
        **_note(of.improvised),
    }
    return json.dumps({**told, "standings": rows}, ensure_ascii=False, indent=2) + "\n"


def ratings_csv(frame: pd.DataFrame) -> bytes:
    """The ratings behind standings, in long form: the columns of `annotations.marking.rating`, `language`, `reason`,
    the story's `narrator` and `rounds`, and `improvised`. It can be read in again (`annotations.exchange.intake`), and
    formula-safe in the same way.
    """
    names = (*COLUMNS, "language", "reason", NARRATOR, ROUNDS, IMPROVISED)
    return csv_of(names, frame[[*names]].itertuples(index=False, name=None))


def _listed(mix: Mix) -> str:
    return "; ".join(f"{value}: {count}" for value, count in mix.items())


def _rubric() -> dict[str, str]:
    rubric = load_rubric()
    return {"name": rubric.name, "version": rubric.version}


def _note(improvised: object) -> dict[str, str]:
    return {"note": DEMO_NOTE} if improvised else {}
