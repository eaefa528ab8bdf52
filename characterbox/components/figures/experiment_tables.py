"""What experiments on a judge have shown: a variation a row, beside the judge as it is."""

from collections.abc import Sequence

from annotations.comparing import Comparison
from annotations.estimates import Estimate
from annotations.halo import Contrast
from annotations.table import Content, Row, Table, plain_table
from annotations.undefined import Undefined
from annotations.variations import Change, HaloContrast, Steadiness
from annotations.wording import say, to_say
from characterbox.components.figures.estimate_cells import value_cell
from characterbox.components.figures.words import counted, decimal, metric_label
from characterbox.judging.experiment import TOLD
from characterbox.judging.findings import Findings

CHANGES = (
    to_say("Mean difference"), to_say("Equal scores"), to_say("Mean distance"), to_say("Pearson's r"), "ICC(A,1)",
    to_say("Items"),
)  # fmt: skip
STEADINESS = (to_say("SD of one item's scores"), to_say("Identical scores"), "ICC(1,1)", to_say("Items"))
HALO = (to_say("One reply"), to_say("A reply for each"), to_say("Difference"))
VALIDITY = (to_say("r, varied"), to_say("r, as it is"), to_say("Difference"))


def variation_name(name: str) -> str:
    """What a variation is called."""
    kind, _, time = name.partition(" ")
    return say("repeat {time}", time=time) if time else say(TOLD[kind])


def changes_table(found: Findings, metric: str) -> Table:
    """How the scores of each variation stand to the judge's own, on a metric or overall."""
    rows = [Row(variation_name(name), _change(one[metric])) for name, one in found.changes.items()]
    return _table(say("Variations beside the judge as it is"), CHANGES, rows, found)


def steadiness_table(found: Findings) -> Table:
    """How alike scores are when the judge is asked again, by metric."""
    rows = [Row(metric_label(metric), _steady(one)) for metric, one in found.steadiness.items()]
    return _table(say("Repeats"), STEADINESS, rows, found)


def halo_table(halo: HaloContrast, found: Findings) -> Table:
    """How much the metrics hang together both ways."""
    parts = {say("Mean r between metrics"): halo.correlation, say("Cronbach's alpha"): halo.alpha}
    return _table(say("Halo"), HALO, [Row(name, _contrast(one)) for name, one in parts.items()], found)


def varied_validity_table(found: Findings) -> Table:
    """How each variation goes with the experts, overall, and the judge as it is on the same items."""
    rows = [Row(variation_name(name), _validity(one)) for name, one in found.validity.items()]
    return _table(say("Validity of the variations"), VALIDITY, rows, found)


def _table(caption: str, heads: Sequence[str], rows: Sequence[Row], found: Findings) -> Table:
    return plain_table(caption, map(say, heads), rows, improvised=found.improvised)


def _change(found: Change | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    figures = (found.difference, found.exact, found.apart, found.pearson, found.icc)
    return [*map(_figure, figures), counted(found.n, "item")]


def _steady(found: Steadiness | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    items = say("{items}, {times:,} times", items=counted(found.n, "item"), times=found.times)
    return [*map(_figure, (found.sd, found.identical, found.icc)), items]


def _validity(found: Comparison | Undefined) -> Sequence[Content] | Undefined:
    if isinstance(found, Undefined):
        return found
    return list(map(_figure, (found.first_r, found.second_r, found.difference)))


def _contrast(found: Contrast) -> Sequence[Content]:
    difference = value_cell(found.difference, found.interval, counted(found.n, "item"))
    return [decimal(found.first), decimal(found.second), difference]


def _figure(found: Estimate | Undefined) -> Content:
    return found if isinstance(found, Undefined) else value_cell(found.estimate, found.interval)
