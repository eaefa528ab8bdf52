"""What the experiments on a judge have shown, as text for a terminal and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from annotations.comparing import Comparison
from annotations.estimates import Estimate
from annotations.halo import Contrast
from annotations.intraclass import IntraclassCorrelation
from annotations.resampling import Interval
from annotations.undefined import Undefined
from annotations.variations import Change, HaloContrast, Steadiness
from characterbox.judging.findings import Findings
from characterbox.judging.provenance import DEMO_NOTE

Row = Sequence[str]
CHANGE = ("difference", "equal", "apart", "r", "ICC(A,1)", "n")
STEADINESS = ("repeats", "SD", "identical", "ICC(1,1)", "times", "n")
VALIDITY = ("validity", "r, varied", "r, as it is", "difference", "n")


def as_json(found: Findings) -> dict[str, Any]:
    """All figures, ready for `json.dumps`; what is undefined is `{"undefined": reason}`."""
    return {"note": DEMO_NOTE if found.improvised else None, "judged_by": found.called, **_fields(found)}


def as_text(found: Findings) -> str:
    """Aligned tables for a terminal."""
    heading = f"Experiments on {found.called}: {found.items:,} items, {found.scenes:,} scenes"
    parts = [heading, *([DEMO_NOTE] if found.improvised else [])]
    for variation, by_metric in found.changes.items():
        parts.append(_table([(variation, *CHANGE), *((metric, *_change(one)) for metric, one in by_metric.items())]))
    if found.steadiness:
        parts.append(_table([STEADINESS, *((metric, *_steady(one)) for metric, one in found.steadiness.items())]))
    if found.halo is not None:
        parts.append(_halo(found.halo))
    if found.validity:
        parts.append(_table([VALIDITY, *((name, *_validity(one)) for name, one in found.validity.items())]))
    return "\n\n".join([*parts, *(f"no interval: {reason}" for reason in dict.fromkeys(_missing(found)))])


def _missing(value: object) -> Iterator[str]:
    """Why there is no interval where there is none."""
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        if isinstance(undefined := value.get("interval"), Undefined):
            yield undefined.reason
        for one in value.values():
            yield from _missing(one)


def _change(found: Change | Undefined) -> Row:
    if isinstance(found, Undefined):
        return (_reason(found),)
    return (*map(_estimate, (found.difference, found.exact, found.apart, found.pearson, found.icc)), str(found.n))


def _steady(found: Steadiness | Undefined) -> Row:
    if isinstance(found, Undefined):
        return (_reason(found),)
    return (*map(_estimate, (found.sd, found.identical, found.icc)), str(found.times), str(found.n))


def _validity(found: Comparison | Undefined) -> Row:
    if isinstance(found, Undefined):
        return (_reason(found),)
    return (*map(_estimate, (found.first_r, found.second_r, found.difference)), str(found.n))


def _halo(found: HaloContrast | Undefined) -> str:
    if isinstance(found, Undefined):
        return f"halo: {_reason(found)}"
    rows = (
        ("halo", "one reply", "a reply for each", "difference", "n"),
        ("mean r between metrics", *_contrast(found.correlation)),
        ("Cronbach's alpha", *_contrast(found.alpha)),
    )
    return f"{_table(rows)}\n{found.verdict}"


def _contrast(found: Contrast) -> Row:
    return (f"{found.first:z.2f}", f"{found.second:z.2f}", _figure(found.difference, found.interval), str(found.n))


def _estimate(found: Estimate | IntraclassCorrelation | Undefined) -> str:
    return _reason(found) if isinstance(found, Undefined) else _figure(found.estimate, found.interval)


def _figure(estimate: float, interval: Interval | Undefined) -> str:
    limits = "[no interval]" if isinstance(interval, Undefined) else f"[{interval.low:z.2f}, {interval.high:z.2f}]"
    return f"{estimate:z.2f} {limits}"


def _reason(found: Undefined) -> str:
    return f"undefined: {found.reason}"


def _table(rows: Sequence[Row]) -> str:
    """In columns; a reason goes over all that follow."""
    whole = [row for row in rows if len(row) == len(rows[0])]
    widths = [max(len(row[at]) for row in whole) for at in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def _fields(value: Any) -> dict[str, object]:
    return {one.name: _json(getattr(value, one.name)) for one in fields(value)}


def _json(value: object) -> object:
    if isinstance(value, Undefined):
        return {"undefined": value.reason}
    if is_dataclass(value):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): _json(one) for key, one in value.items()}
    return [_json(one) for one in value] if isinstance(value, (list, tuple)) else value
