"""What the files of a study say, besides its sweep: the question, who rates what, and the analysis.

Each is TOML that people write, read into a frozen value, or refused with the line of each fault. What must fit a value
in another file is looked at where all of them are known (see `folder`).
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from annotations.design.practice import THRESHOLD
from annotations.design.settings import Settings
from annotations.i18n.messages import Message
from annotations.reliability.pairwise import USUAL_GAPS, Gaps
from annotations.resampling.jackknife import USUAL, Drawn
from annotations.rubrics.rubric import RESERVED, load_rubric
from annotations.rubrics.rubric_file import Misfit, hold_together
from characterbox.accounts.account import account_name, name_key
from characterbox.errors import AccountError
from characterbox.scenes.scene import Text
from characterbox.values import Language, Value

EXPERTS = "experts"
"""Whose scores a hypothesis is tested on, where it names no judge."""
Kind = Literal["models", "agreement", "judges", "reliability"]
Direction = Literal["greater", "less", "different"]

_NEEDED: dict[Kind, frozenset[str]] = {
    "models": frozenset({"models"}),
    "agreement": frozenset({"judge"}),
    "judges": frozenset({"judges"}),
    "reliability": frozenset({"dimension"}),
}
_TAKEN: dict[Kind, frozenset[str]] = {
    "models": frozenset({"models", "by", "metric", "beyond"}),
    "agreement": frozenset({"judge", "metric", "beyond"}),
    "judges": frozenset({"judges", "metric"}),
    "reliability": frozenset({"dimension", "by", "beyond"}),
}
"""What a test of a kind may say besides its language and direction."""


class Comparison(Value):
    """The test of a hypothesis: one figure against a value that is named beforehand."""

    kind: Kind
    """`models`: the mean score of the first of two models minus that of the second, in the same scenes. `agreement`:
    Pearson's r of a judge with the experts' mean. `judges`: r of the first of two judges minus that of the second, on
    the same items. `reliability`: Cronbach's alpha of a dimension."""
    models: tuple[Text, Text] | None = None
    judge: Text | None = None
    judges: tuple[Text, Text] | None = None
    dimension: Text | None = None
    by: Text = EXPERTS
    """Whose scores: the experts' mean, or a judge's."""
    metric: Text = RESERVED
    """`overall` for the mean of all metrics."""
    language: Language | None = None
    """Of the scenes; None for all."""
    direction: Direction = "greater"
    beyond: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    """The value that the figure is to be above, below, or different from."""

    @model_validator(mode="after")
    def _says_what_its_kind_takes(self) -> "Comparison":
        hold_together(self._misfits())
        return self

    def _misfits(self) -> Iterator[Misfit]:
        said = self.model_fields_set - {"kind", "language", "direction"}
        for name in sorted(_NEEDED[self.kind] - said):
            yield (name,), Message("is missing; a test of the kind {kind} needs it", kind=self.kind)
        for name in sorted(said - _TAKEN[self.kind]):
            yield (name,), Message("does not belong to a test of the kind {kind}; remove it", kind=self.kind)
        for name in ("models", "judges"):
            pair = getattr(self, name)
            if pair is not None and pair[0] == pair[1]:
                yield (name,), Message("{name} is listed twice", name=pair[0])
        rubric = load_rubric()
        if self.metric not in (RESERVED, *rubric.keys):
            yield ("metric",), unknown(self.metric, (*rubric.keys, RESERVED))
        dimensions = [dimension.name.en for dimension in rubric.dimensions]
        if self.dimension is not None and self.dimension not in dimensions:
            yield ("dimension",), unknown(self.dimension, dimensions)
        if self.kind == "agreement" and not -1 < self.beyond < 1:
            yield ("beyond",), Message("must lie between -1 and 1")
        if self.kind == "reliability" and not self.beyond < 1:
            yield ("beyond",), Message("must be less than 1")


def unknown(name: str, known: tuple[str, ...] | list[str]) -> Message:
    """Why a name can't be used, with those that can."""
    return Message("there is no {name}; choose one of {known}", name=name, known=", ".join(known))


class Hypothesis(Value):
    """What is expected, in a sentence, and what counts as support."""

    says: Text
    test: Comparison | None = None
    """None where people are to judge by other evidence."""


class StudyFile(Value):
    """`study.toml`: what the study is, and what it expects."""

    title: Text
    authors: tuple[Text, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()


class Draw(Value):
    """Which trajectories are rated: all characters of all stories, unless fewer are drawn."""

    scenes: Annotated[int, Field(strict=True, ge=1)] | None = None
    """So many scenes of each language, drawn with the seed; all models are rated in the same ones."""
    characters: Annotated[int, Field(strict=True, ge=1)] | None = None
    """So many characters of each scene, drawn with the seed; all models are rated as the same ones."""


class CampaignFile(Settings):
    """`campaign.toml`: the settings of the campaign in which people rate, and what they rate."""

    rubric: Literal["character"] = "character"
    items: Draw = Draw()

    @model_validator(mode="before")
    @classmethod
    def _as_usual(cls, content: Any) -> Any:
        usual = {
            "rubric_version": load_rubric().version,
            "repeats": 0.0,
            "practice": True,
            "threshold": THRESHOLD,
            "attempts": 3,
            "checks": 0,
            "asks_model": False,
            "minutes": 5.0,
        }
        return {**usual, **content} if isinstance(content, dict) else content

    @field_validator("rubric_version")
    @classmethod
    def _is_bundled(cls, version: str) -> str:
        if version != (here := load_rubric().version):
            raise ValueError(
                Message(
                    "this version of the app has version {here} of the rubric; correct it, or install the app that"
                    " the study was designed with",
                    here=here,
                )
            )
        return version

    @property
    def settings(self) -> Settings:
        """As the campaign has them."""
        return Settings(**self.model_dump(exclude={"items"}))


class Expert(Value):
    """Who rates."""

    name: Text
    languages: Annotated[tuple[Language, ...], Field(min_length=1)]

    @field_validator("name")
    @classmethod
    def _is_a_name(cls, name: str) -> str:
        try:
            return account_name(name)
        except AccountError as error:
            raise ValueError(error.message) from None


class ExpertsFile(Value):
    """`experts.toml`: who rates. It stays with the researchers: no other file names people."""

    experts: Annotated[tuple[Expert, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _are_told_apart(self) -> "ExpertsFile":
        keys = [name_key(expert.name) for expert in self.experts]
        hold_together(
            (("experts", place, "name"), Message("{name} is listed twice", name=self.experts[place].name))
            for place, key in enumerate(keys)
            if key in keys[:place]
        )
        return self


class Exclusions(Value):
    """What is left out of the analysis, as it was decided beforehand. None leaves nothing out."""

    unread_replies: Annotated[int, Field(strict=True, ge=0)] | None = None
    """Stories in which more replies than this could not be read."""
    failed_checks: Annotated[int, Field(strict=True, ge=0)] | None = None
    """Experts who failed more attention checks than this, with all that they rated."""
    fastest_seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """What an expert rated in less reading time than this."""


class AnalysisFile(Value):
    """`analysis.toml`: how the figures are made, and what counts as support."""

    drawn: Drawn = USUAL
    """What intervals take as drawn."""
    gaps: Gaps = USUAL_GAPS
    """What Cronbach's alphas rest on."""
    level: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    """Below which p counts."""
    multiplicity: Literal["Holm", "none"] = "Holm"
    """How p is adjusted for the number of hypotheses with a test."""
    language: Language | None = None
    """Of the scenes that are analysed; None for all."""
    models: tuple[Text, ...] = ()
    """Those that are analysed, by their names in the cast; none for all."""
    judges: tuple[Text, ...] = ()
    """Those whose scores are analysed; none for all of the sweep."""
    metrics: tuple[Text, ...] = ()
    """Those that are analysed; none for all of the rubric."""
    exclusions: Exclusions = Exclusions()

    @field_validator("metrics")
    @classmethod
    def _are_of_the_rubric(cls, metrics: tuple[str, ...]) -> tuple[str, ...]:
        known = load_rubric().keys
        for metric in metrics:
            if metric not in known:
                raise ValueError(unknown(metric, list(known)))
        return metrics
