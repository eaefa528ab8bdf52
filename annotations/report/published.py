"""The paper's own figures (CharacterBox, sections 6.2 to 6.5 and B: tables 1 to 4 and 6, and what the text says of
figure 2), to be shown beside ours, with what is to be said of them, and of its figure 3."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from annotations.i18n.messages import to_say


@dataclass(frozen=True)
class PublishedAlpha:
    """Cronbach's alpha of one dimension over the scenes of one language. The paper gives neither definition nor n, nor
    says whose scores it is of."""

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


WHOSE_ALPHA = to_say(
    "The paper does not say whose scores its alphas are based on, so they are shown next to the experts' and to"
    " each judge's."
)
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


@dataclass(frozen=True)
class PublishedScore:
    """How a model scored on one metric in the scenes of one language, as GPT-4 judged it."""

    model: str
    language: Literal["en", "zh"]
    metric: str
    """A key of the rubric `character`, or `overall`: the mean of the seven."""
    mean: float
    sd: float
    """Over what, the paper does not say."""


_SCORES = """
en Phi-3.5-mini 3.014±.55 2.521±.48 2.775±.53 2.676±.53 2.535±.54 2.437±.51 2.620±.54 2.654±.48
en Mistral-7B-v0.2 2.525±.57 2.406±.48 3.099±.53 2.891±.53 2.960±.54 3.050±.51 2.802±.54 2.819±.48
en Baichuan2-7B 3.041±.51 2.786±.44 2.602±.51 3.041±.48 2.857±.46 2.592±.46 2.969±.50 2.841±.44
en Llama-3-8B 3.191±.59 2.882±.54 2.836±.49 3.245±.53 3.091±.54 2.573±.51 3.109±.54 2.990±.48
en Baichuan2-13B 3.237±.49 3.062±.45 2.959±.37 3.289±.46 3.186±.42 3.082±.40 3.247±.46 3.152±.39
en Qwen2.5-7B 2.202±.55 3.753±.48 3.400±.53 3.653±.53 3.030±.54 3.374±.51 3.644±.54 3.294±.48
en Qwen2.5-14B 3.130±.56 3.967±.55 2.900±.45 3.860±.49 3.574±.48 3.016±.43 3.984±.51 3.490±.45
en GPT-3.5 3.702±.57 3.681±.52 3.186±.40 3.867±.44 3.717±.40 3.159±.44 3.841±.49 3.593±.42
en GPT-4 3.796±.49 3.746±.45 3.789±.39 3.974±.36 4.088±.33 3.930±.44 4.158±.35 3.926±.36
zh Phi-3.5-mini 2.800±.55 2.554±.43 2.662±.57 2.615±.50 2.539±.52 2.585±.45 2.585±.51 2.620±.50
zh Mistral-7B-v0.2 2.878±.59 2.791±.39 2.904±.60 3.000±.56 3.035±.56 2.939±.38 2.922±.58 2.924±.52
zh Llama-3-8B 3.452±.49 3.278±.36 2.730±.49 3.426±.50 3.209±.45 2.870±.35 3.435±.49 3.200±.45
zh Baichuan2-7B 3.763±.43 3.535±.40 3.123±.56 3.728±.54 3.570±.42 3.149±.38 3.640±.54 3.501±.47
zh Baichuan2-13B 3.617±.40 3.522±.49 3.270±.49 3.713±.50 3.557±.44 3.243±.42 3.635±.52 3.508±.46
zh GPT-3.5 3.861±.45 3.783±.34 3.243±.42 4.000±.43 3.774±.33 3.313±.33 3.904±.41 3.697±.39
zh Qwen2.5-7B 4.341±.50 3.951±.39 3.289±.32 4.026±.39 3.871±.33 3.196±.29 3.982±.33 3.808±.37
zh Qwen2.5-14B 4.057±.42 4.122±.31 3.743±.39 4.321±.39 4.042±.30 3.742±.27 4.369±.34 4.057±.35
zh GPT-4 4.252±.45 4.357±.39 4.096±.30 4.496±.33 4.530±.30 4.139±.24 4.522±.34 4.342±.34
"""


def _scores() -> Iterator[PublishedScore]:
    for line in _SCORES.split("\n")[1:-1]:
        language, model, *cells = line.split()
        for metric, cell in zip(_COLUMNS, cells, strict=True):
            mean, _, sd = cell.partition("±")
            yield PublishedScore(model, "en" if language == "en" else "zh", metric, float(mean), float(sd))


TABLE_1: tuple[PublishedScore, ...] = (*_scores(),)

SAME_DEVIATIONS = ("Phi-3.5-mini", "Qwen2.5-7B")
"""Models of which all deviations are the same in English scenes."""
SHARED_DEVIATIONS = to_say(
    "In the paper's English rows, Phi-3.5-mini and Qwen2.5-7B have the same eight standard deviations;"
    " Mistral-7B-v0.2 shares seven of them and Llama-3-8B five. The paper does not say why; interpret them with"
    " caution."
)


@dataclass(frozen=True)
class PublishedSceneScore:
    """How the scenes that a model extracted or generated scored on one metric (section 6.5)."""

    screenwriter: str
    """`Three-Stage` is ChatGLM3-6B with a director and an evaluator; the others wrote alone."""
    origin: Literal["extracted", "generated"]
    metric: str
    """A key of the rubric `scene`. For the creativity of extracted scenes there is no figure."""
    mean: float
    sd: float
    """Over what, the paper does not say."""


_SCENE_SCORES = """
GPT-4 - 3.1±.35 3.7±.32 3.6±.26 3.9±.26 3.4±.42 3.4±.33 3.6±.40
GPT-3.5 - 3.0±.45 3.4±.34 3.7±.35 3.6±.38 3.6±.33 3.0±.31 3.0±.36
ChatGLM3 - 3.2±.33 3.4±.45 3.6±.23 3.4±.33 4.0±.22 2.7±.45 3.0±.46
Three-Stage - 3.5±.49 4.0±.34 4.2±.21 4.1±.22 4.2±.26 4.1±.27 3.9±.26
"""
_SCENE_COLUMNS: tuple[tuple[str, Literal["extracted", "generated"]], ...] = (
    *(("creativity", "extracted"), ("creativity", "generated"), ("coherence", "extracted"), ("coherence", "generated")),
    *(("conformity", "extracted"), ("conformity", "generated"), ("detail", "extracted"), ("detail", "generated")),
)


def _scene_scores() -> Iterator[PublishedSceneScore]:
    for line in _SCENE_SCORES.split("\n")[1:-1]:
        screenwriter, *cells = line.split()
        for (metric, origin), cell in zip(_SCENE_COLUMNS, cells, strict=True):
            if cell != "-":
                mean, _, sd = cell.partition("±")
                yield PublishedSceneScore(screenwriter, origin, metric, float(mean), float(sd))


TABLE_4: tuple[PublishedSceneScore, ...] = (*_scene_scores(),)


@dataclass(frozen=True)
class PublishedCost:
    """What one scene of three rounds took (appendix B): tokens, and US dollars where a paid API was asked."""

    narrator: str
    characters: str
    narrator_input: int
    narrator_output: int
    narrator_price: float | None
    characters_input: int
    characters_output: int
    characters_price: float | None
    price: float | None
    caution: str = ""
    """Why the characters' price, and with it the sum, is not what it seems; to be said."""


PRICED_AS_GPT_35 = to_say(
    "The paper's GPT-4 row uses GPT-3.5 prices: 75,349 input and 14,407 output tokens give $0.0593 at $0.0005"
    " and $0.0015 per 1,000 tokens, the prices of its GPT-3.5 rows."
)
TABLE_6: tuple[PublishedCost, ...] = (
    PublishedCost("GPT-3.5", "GPT-4", 25_723, 4_203, 0.0192, 75_349, 14_407, 0.0593, 0.0785, PRICED_AS_GPT_35),
    PublishedCost("GPT-3.5", "GPT-3.5", 19_954, 3_883, 0.0158, 49_832, 6_823, 0.0352, 0.0510),
    PublishedCost("GPT-3.5", "Llama-3-8B", 24_403, 3_928, 0.0181, 65_178, 10_877, None, 0.0181),
    PublishedCost("CharacterNR", "Llama-3-8B", 25_184, 3_626, None, 63_077, 10_133, None, None),
)

FIGURE_3 = to_say(
    "The paper compares narrators in figure 3 (bars) and gives no numbers. It says that CharacterNR is"
    " significantly better than Qwen2.5-7B on all maxims, and comparable to or better than GPT-3.5, in ten new"
    " scenes, five in each language. It does not say who scored them, or which kinds of step were scored."
)
"""In the place of figures (section 6.5): they can only be read off the drawing."""


@dataclass(frozen=True)
class PublishedGain:
    """By how much fine-tuning on trajectories raised a model's scores (section 6.4 and figure 2), on five new scenes of
    a language. The paper gives neither interval nor n."""

    kind: Literal["guided", "reflective"]
    base: str
    language: Literal["en", "zh"]
    percent: float
    """Of the base's overall score."""


FIGURE_2: tuple[PublishedGain, ...] = (
    PublishedGain("guided", "Qwen2.5-7B", "en", 14.3),
    PublishedGain("guided", "Qwen2.5-7B", "zh", 10.7),
    PublishedGain("reflective", "Qwen2.5-14B", "en", 19.9),
    PublishedGain("reflective", "Qwen2.5-14B", "zh", 12.8),
)
