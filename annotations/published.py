"""The paper's own figures (CharacterBox, section 6.3, tables 2 and 3), to be shown beside ours."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PublishedAlpha:
    """Cronbach's alpha of one dimension over the scenes of one language. The paper gives neither definition nor n."""

    dimension: str
    """As in the rubric `character`, in English."""
    language: Literal["en", "zh"]
    alpha: float


@dataclass(frozen=True)
class PublishedCorrelation:
    """Pearson's r between a judge and three experts on one metric. The paper gives neither interval nor n."""

    judge: str
    metric: str
    """A key of the rubric `character`, or `overall`, which the paper does not define."""
    pearson: float


TABLE_2: tuple[PublishedAlpha, ...] = (
    PublishedAlpha("Character Fidelity", "en", 0.958),
    PublishedAlpha("Character Fidelity", "zh", 0.951),
    PublishedAlpha("Human-Likeness", "en", 0.832),
    PublishedAlpha("Human-Likeness", "zh", 0.862),
    PublishedAlpha("Consistency", "en", 0.945),
    PublishedAlpha("Consistency", "zh", 0.941),
)

_COLUMNS = ("KA", "BA", "EE", "PT", "IM", "AD", "BC", "overall")
_ROWS = {
    "GPT-4": (0.445, 0.475, 0.597, 0.445, 0.618, 0.742, 0.601, 0.688),
    "ChatGLM": (0.422, 0.334, 0.407, 0.151, 0.497, 0.386, 0.321, 0.482),
    "CharacterRM": (0.681, 0.584, 0.464, 0.464, 0.620, 0.434, 0.567, 0.610),
}

TABLE_3: tuple[PublishedCorrelation, ...] = tuple(
    PublishedCorrelation(judge, metric, pearson)
    for judge, row in _ROWS.items()
    for metric, pearson in zip(_COLUMNS, row, strict=True)
)
