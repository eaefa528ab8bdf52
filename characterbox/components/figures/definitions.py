"""What each statistic is, in the words of `annotations` where there are any: for a methods section."""

from annotations.agreement import CHANCE
from annotations.alternative_annotator import EPSILON
from annotations.ceiling import CEILING, DISATTENUATED, RELIABILITY
from annotations.comparing import DIFFERENCE, WILLIAMS, ZOU
from annotations.concordance import BIAS, LIMITS, LIN, MAE, SPEARMAN
from annotations.figures_of_judges import (
    ACROSS,
    BESIDE,
    BESIDE_ALL,
    BETWEEN,
    CELLS,
    CONVERGENCE,
    DISCRIMINATION,
    WIDTH,
    WITHIN,
)
from annotations.figures_of_raters import MEAN_R, NEAR, NEEDED, OF_ALL, PRESENT, RATIO
from annotations.holm import HOLM, WALD
from annotations.levels import (
    ITEMS,
    MODEL_MEAN_OVERALL,
    MODELS,
    POOLED_OVERALL,
    ROW_MEAN_OVERALL,
    WITHIN_SCENES,
)
from annotations.reliability import ACROSS_METRICS, BETWEEN_RATERS
from annotations.shared_teacher import EXCESS, EXPLAINED

RELIABILITY_OF_RATINGS = (
    f"Cronbach's alpha (1951) of a dimension: {ACROSS_METRICS}",
    f"Cronbach's alpha of a metric: {BETWEEN_RATERS}",
    "Cronbach's alpha without a metric: that of the dimension's other metrics, over the same rows",
    "Cronbach's alpha, Feldt's interval: the alpha of a dimension, with Feldt's interval whatever way is chosen",
    "Spearman-Brown coefficient, of a dimension of two metrics: 2 r / (1 + r) (Eisinga, te Grotenhuis & Pelzer, 2013);"
    " its interval comes from the same draws, or, where items are taken as independent, from both ends of Fisher's"
    " interval of r, put into the same formula",
    "Pearson's r between metrics: over rated trajectories with a score for every metric of the dimension",
    f"mean r between metrics: {MEAN_R}",
    f"Pearson's r between metrics, of all: {OF_ALL}",
    "ICC(A,1), ICC(A,k): absolute agreement of a single rater, and of the mean of all k, two-way (McGraw & Wong, 1996),"
    " over items that all of them scored",
    "Krippendorff's alpha, ordinal (Krippendorff, 2019): over items with at least two scores, whoever gave them",
    "share of pairs within one point, share of pairs equal: of all pairs of scores of an item",
    f"share of pairs {CHANCE} (Cohen, 1960)",
    "severity: mean of the rater's score minus the mean of the others (on the same metric of the same item)",
    "standard deviation of the scores: of a rater's scores on all metrics, over n - 1",
    f"ratio of standard deviations: {RATIO}",
    "Pearson's r with the mean of the others: over the scores that a rater shares with others",
    f"share within one point of others: {NEAR}",
    "share of variance, from variance components: random effects of model, scene and rater, of each two of them"
    " together, and a residual (Brennan, 2001), estimated from symmetric differences (Koch, 1968)",
    f"generalizability of the present design: {PRESENT}",
    f"scenes for a generalizability of so much, with so many experts: {NEEDED}",
)
VALIDITY_OF_JUDGES = (
    "a pair of scores: the judge's score of an item and the mean of the experts' scores of that item",
    f"Pearson's r, {ITEMS}",
    f"Pearson's r, {WITHIN_SCENES}",
    f"Pearson's r, {MODELS}",
    SPEARMAN,
    *(BIAS, MAE),
    f"concordance, Lin's concordance correlation: {LIN}",
    f"lower limit of agreement, upper limit of agreement: {LIMITS}",
    RELIABILITY,
    f"ceiling of r: {CEILING}",
    "Pearson's r below the ceiling: of the items that all experts and the judge scored",
    f"r corrected for attenuation: {DISATTENUATED}",
    "r of the best expert, r beside the best expert: of one expert, and of the judge on the same items,"
    " against the means of the others",
    WALD,
    f"p of r, Holm: {HOLM}; overall is none of them",
    f"multitrait-multimethod r (Campbell & Fiske, 1959): {CELLS}",
    f"multitrait-multimethod r, mean within the judge; multitrait-multimethod r, mean within the experts: {WITHIN}",
    f"multitrait-multimethod r, mean same metric; multitrait-multimethod r, mean different metrics: {ACROSS}",
    f"discrimination (halo): {DISCRIMINATION}",
    f"convergence: {CONVERGENCE}",
    f"expected width of the interval of r, as now; expected width of the interval of r, twice the scenes: {WIDTH}",
    "alternative annotator test, winning rate; alternative annotator test, average advantage:"
    f" Calderon et al. (2025), epsilon {EPSILON:g}; the share of experts whom the judge is not worse than, and the mean"
    " share of items on which it is at least as near to the other experts as the expert left out",
    "mean corrected by experts: prediction-powered mean of a model (Angelopoulos et al., 2023; the weight is that of"
    " Angelopoulos, Duchi & Zrnic, 2023)",
    "mean of the experts, mean of the judge: of a model, over the items that the side scored on every metric",
)
OVERALL_OF_LEVELS = (POOLED_OVERALL, ROW_MEAN_OVERALL, MODEL_MEAN_OVERALL)
JUDGES_COMPARED = (
    f"difference of r: {DIFFERENCE}",
    f"Pearson's r of the first judge, Pearson's r of the second judge: {BESIDE}",
    f"Pearson's r of two judges: {BETWEEN}",
    f"t of the difference, Williams; p of the difference, Williams: {WILLIAMS}",
    f"difference of r, Zou's interval: {ZOU}",
    f"excess of r of two judges: {EXCESS}",
    f"r of two judges beside all experts: {BESIDE_ALL}",
    f"r of two judges that experts explain: {EXPLAINED}; in draws it is at most 1, and 1 where that reliability is not"
    " above 0",
)
TOO_WIDE = (
    "Such an interval is rather too wide where items of one scene, and of one model, hardly resemble each other (about"
    " 1.5 times as wide as need be in simulations where they do not at all), since what is due to an item alone is"
    " drawn with its scene and again with its model."
)
"""What draws of scenes and models together do."""

REFERENCES = (
    *("Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023)", "Angelopoulos, Duchi & Zrnic (2023)"),
    *("Bland & Altman (1986)", "Brennan (2001)", "Calderon, Reichart & Dror (2025)", "Campbell & Fiske (1959)"),
    *("Cohen (1960)", "Cronbach (1951)", "Efron (1981)", "Eisinga, te Grotenhuis & Pelzer (2013)"),
    *("Feldt, Woodruff & Salih (1987)", "Fisher (1921)", "Holm (1979)", "Koch (1968)", "Krippendorff (2019)"),
    *("Liang & Zeger (1986)", "Lin (1989)", "McGraw & Wong (1996)", "Owen (2007)", "Spearman (1904)"),
    *("Williams (1959)", "Zou (2007)"),
)
