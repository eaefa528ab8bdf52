"""Forty random tables of ratings: what pingouin, scipy, statsmodels and krippendorff, or a formula, give of them.

Of the figures whose interval is a formula, too: means of scenes with as many items each, and differences of models.
"""

import warnings
from itertools import combinations

import krippendorff
import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.api as sm
from scipy.stats import false_discovery_control, pearsonr, spearmanr, studentized_range, ttest_1samp
from statsmodels.stats.multitest import multipletests

from annotations.errors import Undefined, or_undefined
from annotations.leaderboard.differences import Differences, model_differences
from annotations.leaderboard.standings import leaderboard
from annotations.reliability.agreement import rated_items
from annotations.reliability.cronbach_alpha import cronbach_alpha, rater_table, trajectory_table
from annotations.reliability.intraclass import NAMES, IntraclassCorrelation, intraclass
from annotations.reliability.item_analysis import resampled_alpha
from annotations.reliability.krippendorff import krippendorff_alpha
from annotations.resampling.clustered import clustered_mean, clustered_pearson
from annotations.resampling.estimates import Estimate
from annotations.resampling.jackknife import Interval
from annotations.validity.alternative_annotator import benjamini_yekutieli
from annotations.validity.concordance import concordance
from annotations.validity.holm import CorrelationTest, correlation_test, holm
from annotations.validity.judge_expert_correlation import correlate, sides_of
from tests.annotations.tables import frame_of, rating

METRICS = ("BA", "EE", "KA")
EXPERTS = ("ann", "bo", "cy")
SEEDS = [*range(40)]


def table(seed: int) -> pd.DataFrame:
    """6 to 12 scenes, 2 to 4 models, two or three metrics; three experts and a judge give 1 to 5. Of every other table
    a tenth of the scores is missing."""
    random = np.random.default_rng(seed)
    scenes, models, metrics = (int(random.integers(low, high)) for low, high in ((6, 13), (2, 5), (2, 4)))
    truth = (
        random.normal(3, 0.7, (scenes, models, metrics))
        + random.normal(0, 0.5, (scenes, 1, 1))
        + random.normal(0, 0.4, (models, 1))
    )
    rows = []
    for rater in (*EXPERTS, "gpt"):
        scores = np.clip(np.round(truth + random.normal(0, 0.3) + random.normal(0, 0.8, truth.shape)), 1, 5)
        if seed % 2:
            scores[random.random(truth.shape) < 0.1] = np.nan
        rows += [
            rating(
                item=f"i{scene:02}-{model}",
                scene=f"s{scene:02}",
                model=f"m{model}",
                metric=METRICS[metric],
                rater=rater,
                kind="judge" if rater == "gpt" else "expert",
                score=score,
            )
            for (scene, model, metric), score in np.ndenumerate(scores)
        ]
    return frame_of(rows).dropna(subset=["score"])


FRAMES = {seed: table(seed) for seed in SEEDS}
SIDES = {seed: sides_of(frame, ["gpt"])["gpt"] for seed, frame in FRAMES.items()}


def metrics_of(frame: pd.DataFrame) -> list[str]:
    return sorted(frame["metric"].unique())


def experts_of(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["kind"] == "expert"]


def pairs(frame: pd.DataFrame, metric: str) -> pd.DataFrame:
    """The judge's score and the experts' mean of the items that both scored, by pandas alone."""
    own = frame[frame["metric"] == metric]
    means = own.pivot_table(index=["item", "scene", "model"], columns="kind", values="score", aggfunc="mean")
    return means.dropna().reset_index()


def ends(interval: Interval | Undefined) -> tuple[float, float]:
    assert isinstance(interval, Interval)
    return interval.low, interval.high


def value(found: Estimate | Undefined) -> float:
    assert isinstance(found, Estimate)
    return found.estimate


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_is_pingouin_s(seed: int) -> None:
    frame = FRAMES[seed]
    experts, metrics = experts_of(frame), metrics_of(frame)
    rows = experts.pivot(index=["item", "rater"], columns="metric", values="score").dropna()
    theirs = pingouin.cronbach_alpha(rows)
    assert resampled_alpha(experts, metrics).alpha.estimate == pytest.approx(theirs[0], abs=1e-9)
    assert ends(cronbach_alpha(trajectory_table(experts, metrics)).interval) == pytest.approx(theirs[1], abs=6e-4)
    for metric in metrics:
        raters = experts[experts["metric"] == metric].pivot(index="item", columns="rater", values="score").dropna()
        expected, _ = pingouin.cronbach_alpha(raters)
        assert cronbach_alpha(rater_table(experts, metric)).estimate == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_intraclass_correlations_are_pingouin_s(seed: int) -> None:
    experts = experts_of(FRAMES[seed])
    own = experts[experts["metric"] == METRICS[seed % 2]]
    complete = own[own.groupby("item")["rater"].transform("size") == len(EXPERTS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pingouin 0.7 drops rows in a way that pandas will give up
        theirs = pingouin.intraclass_corr(complete, "item", "rater", "score").set_index("Type")
    rated = rated_items(own)
    for name in NAMES:
        found = intraclass(rated, name, "independent items")
        assert isinstance(found, IntraclassCorrelation)
        assert found.n == complete["item"].nunique()
        assert found.estimate == pytest.approx(theirs.loc[name, "ICC"], abs=1e-9)
        if isinstance(found.interval, Interval):
            assert ends(found.interval) == pytest.approx(tuple(theirs.loc[name, "CI95"]), abs=6e-3)


@pytest.mark.parametrize("seed", SEEDS)
def test_krippendorff_s_alpha_is_that_of_his_package(seed: int) -> None:
    experts = experts_of(FRAMES[seed])
    own = experts[experts["metric"] == "BA"]
    reliability = own.pivot(index="rater", columns="item", values="score").to_numpy()
    for level in ("ordinal", "interval", "nominal"):
        expected = krippendorff.alpha(reliability, level_of_measurement=level)
        assert krippendorff_alpha(rated_items(own), level).estimate == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_correlations_are_scipy_s(seed: int) -> None:
    frame = FRAMES[seed]
    for metric in metrics_of(frame)[:2]:
        both = pairs(frame, metric)
        r = pearsonr(both["expert"], both["judge"])
        own = correlate(SIDES[seed], metric)
        assert (own.estimate, own.n) == (pytest.approx(r.statistic, abs=1e-9), len(both))
        independent = correlate(SIDES[seed], metric, "independent items")
        assert ends(independent.interval) == pytest.approx(tuple(r.confidence_interval()), abs=1e-9)
        found = clustered_pearson(both["expert"].to_numpy(), both["judge"].to_numpy(), pd.factorize(both["scene"])[0])
        assert found.estimate == pytest.approx(r.statistic, abs=1e-9)
        rho = spearmanr(both["expert"], both["judge"]).statistic
        assert value(concordance(SIDES[seed], [metric]).spearman) == pytest.approx(rho, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_lin_s_concordance_bias_and_distance_are_their_formulas(seed: int) -> None:
    frame = FRAMES[seed]
    for metric in metrics_of(frame)[-1:]:
        both = pairs(frame, metric)
        x, y = both["expert"], both["judge"]
        found = concordance(SIDES[seed], [metric])
        covariance = float(((x - x.mean()) * (y - y.mean())).mean())
        lin = 2 * covariance / (x.var(ddof=0) + y.var(ddof=0) + (x.mean() - y.mean()) ** 2)
        assert value(found.lin) == pytest.approx(lin, abs=1e-9)
        assert found.bias.estimate == pytest.approx((y - x).mean(), abs=1e-9)
        assert found.mae.estimate == pytest.approx((y - x).abs().mean(), abs=1e-9)
        limits = (y - x).mean() - 1.959964 * (y - x).std(), (y - x).mean() + 1.959964 * (y - x).std()
        assert (found.limits.low.estimate, found.limits.high.estimate) == pytest.approx(limits, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_adjusted_p_are_statsmodels_and_scipy_s(seed: int) -> None:
    frame = FRAMES[seed]
    tests = {metric: or_undefined(correlation_test, SIDES[seed], [metric]) for metric in metrics_of(frame)}
    p = {metric: test.p for metric, test in tests.items() if isinstance(test, CorrelationTest)}
    p |= {f"more {at}": float(one) for at, one in enumerate(np.random.default_rng(seed).random(4) ** 3)}
    expected = dict(zip(p, multipletests([*p.values()], method="holm")[1], strict=True))
    assert holm(p) == pytest.approx(expected, abs=1e-12)
    adjusted = false_discovery_control([*p.values()], method="by").tolist()
    assert benjamini_yekutieli([*p.values()]) == pytest.approx(adjusted, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_means_have_student_s_interval_over_scenes(seed: int) -> None:
    own = FRAMES[seed][lambda frame: (frame["rater"] == "gpt") & (frame["metric"] == "BA")]
    scores, scene = own["score"].to_numpy(dtype=float), pd.factorize(own["scene"])[0]
    found = clustered_mean(scores, scene)
    assert found.estimate == pytest.approx(scores.mean(), abs=1e-12)
    by_scene = own.groupby("scene")["score"].mean().to_numpy()
    if own.groupby("scene").size().nunique() == 1:
        limits = ttest_1samp(by_scene, 0).confidence_interval(0.95)
        assert ends(found.interval) == pytest.approx(tuple(limits), abs=1e-9)
    for standing in leaderboard(own, ["BA"]):
        means = own[own["model"] == standing.model].groupby("scene")["score"].mean().to_numpy()
        assert standing.mean == pytest.approx(means.mean(), abs=1e-9)
        if standing.low is not None and standing.high is not None:
            limits = ttest_1samp(means, 0).confidence_interval(0.95)
            assert (standing.low, standing.high) == pytest.approx(tuple(limits), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS[::2] + SEEDS[1::8])
def test_differences_of_models_are_least_squares_with_tukey_s_range(seed: int) -> None:
    own = FRAMES[seed][lambda frame: (frame["rater"] == "gpt") & (frame["metric"] == "BA")]
    several = own[own.groupby("scene")["model"].transform("size") > 1]
    found = or_undefined(model_differences, own[["scene", "model", "score"]].rename(columns={"score": "BA"}), ["BA"])
    if several["scene"].nunique() < 5:
        assert isinstance(found, Undefined)
        return
    assert isinstance(found, Differences)
    design = pd.get_dummies(several[["model", "scene"]], dtype=float).drop(columns=f"scene_{several['scene'].iloc[0]}")
    fitted = sm.OLS(several["score"].to_numpy(), design.to_numpy()).fit()
    names, k = list(design.columns), several["model"].nunique()
    assert (found.df, len(found.models)) == (int(fitted.df_resid), k)
    assert [(one.better, one.other) for one in found.pairs] == [*combinations(found.models, 2)]
    point = studentized_range.ppf(0.95, k, fitted.df_resid) / 2**0.5
    for at, one in enumerate(found.pairs):
        contrast = np.zeros(len(names))
        contrast[names.index(f"model_{one.better}")], contrast[names.index(f"model_{one.other}")] = 1, -1
        told = fitted.t_test(contrast)
        apart, se = told.effect.item(), told.sd.item()
        assert one.difference == pytest.approx(apart, abs=1e-9)
        assert ends(one.interval) == pytest.approx((apart - point * se, apart + point * se), abs=1e-6)
        if at == 0:  # it takes a while to work out
            expected = studentized_range.sf(2**0.5 * abs(apart) / se, k, fitted.df_resid)
            assert one.p == pytest.approx(expected, abs=1e-6)
