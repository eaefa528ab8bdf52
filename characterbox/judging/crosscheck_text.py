"""The agreement of two narrators, told as text and as JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from annotations.cross_check import AFFECTED, WORDING, CrossCheck, Somebody, Wording
from annotations.estimates import Estimate
from annotations.intraclass import IntraclassCorrelation
from annotations.nominal import KAPPA, Nominal
from annotations.resampling import Interval
from annotations.undefined import Undefined
from characterbox.judging.provenance import DEMO_NOTE


def as_json(found: CrossCheck, left_out: Mapping[str, int], *, improvised: bool) -> dict[str, Any]:
    """All figures with their evidence; what is undefined has a `reason` in its place.

    `improvised` says that the rehearsal made the story, or is the second narrator.
    """
    figures = asdict(found)
    for step in figures["importance"].values():
        step.pop("dropped", None)  # it is counted in n
    return {"note": DEMO_NOTE if improvised else None, **figures, "left_out": dict(left_out)}


def as_text(found: CrossCheck, left_out: Mapping[str, int], *, improvised: bool) -> str:
    """The same to be read, a line each."""
    return "\n".join(_lines(found, left_out, improvised))


def _lines(found: CrossCheck, left_out: Mapping[str, int], improvised: bool) -> Iterator[str]:
    if improvised:
        yield DEMO_NOTE
    yield f"Stories: {found.stories}, scenes: {found.scenes}"
    yield from _agreed("Who is affected, or nobody", found.affected)
    if isinstance(found.somebody, Somebody):
        yield from _agreed("Whether anybody is", found.somebody.agreement)
        yield (
            f"  somebody by both {found.somebody.both}, by the first alone {found.somebody.first_only}, by the second"
            f" alone {found.somebody.second_only}; nobody by both {found.somebody.neither}"
        )
    for step, icc in found.importance.items():
        yield f"Importance of {step}s: {_icc(icc)}"
    for step, near in found.wording.items():
        yield f"Wording of {step}s: {_near(near)}"
    for reason, times in sorted(left_out.items()):
        yield f"Left out: {times}, as {reason}"
    if isinstance(found.affected, Nominal) and isinstance(found.affected.share.interval, Undefined):
        yield f"No interval: {found.affected.share.interval.reason}"
    yield f"Kappa: {KAPPA}; {AFFECTED}"
    yield f"Wording: {WORDING}"


def _agreed(label: str, found: Nominal | Undefined) -> Iterator[str]:
    if isinstance(found, Undefined):
        yield f"{label}: {found.reason}"
        return
    yield f"{label}: equal {_estimate(found.share)} of {found.n}; {found.by_chance:.3f} by chance"
    kappa = found.kappa.reason if isinstance(found.kappa, Undefined) else _estimate(found.kappa)
    yield f"  kappa {kappa}"


def _icc(found: IntraclassCorrelation | Undefined) -> str:
    if isinstance(found, Undefined):
        return found.reason
    return f"{found.name} {found.estimate:.3f} {_interval(found.interval)}, n = {found.n}"


def _near(found: Wording | Undefined) -> str:
    if isinstance(found, Undefined):
        return found.reason
    others = "" if found.of_others is None else f"; of the next action {found.of_others:.3f}"
    return f"{_estimate(found.similarity)}, n = {found.n}{others}"


def _estimate(found: Estimate) -> str:
    return f"{found.estimate:.3f} {_interval(found.interval)}"


def _interval(found: Interval | Undefined) -> str:
    return "[no interval]" if isinstance(found, Undefined) else f"[{found.low:.3f}, {found.high:.3f}]"
