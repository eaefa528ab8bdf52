"""What experiments on a judge have shown, as HTML: a variation a row, beside the judge as it is."""

from annotations.comparing import Comparison
from annotations.estimates import Estimate
from annotations.halo import Contrast
from annotations.intraclass import IntraclassCorrelation
from annotations.undefined import Undefined
from annotations.variations import Change, HaloContrast, Steadiness
from annotations.wording import say, to_say
from characterbox.components.figures.cells import Notes, table, undefined_cells
from characterbox.components.figures.estimate_cells import body, row, text_cell, undefined_cell, value_cell
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


def changes_table(found: Findings, metric: str) -> str:
    """How the scores of each variation stand to the judge's own, on a metric or overall."""
    notes = Notes()
    rows = [row(variation_name(name), _change(one[metric], notes)) for name, one in found.changes.items()]
    return _table(say("Variations beside the judge as it is"), CHANGES, rows, notes, found)


def steadiness_table(found: Findings) -> str:
    """How alike scores are when the judge is asked again, by metric."""
    notes = Notes()
    rows = [row(metric_label(metric), _steady(one, notes)) for metric, one in found.steadiness.items()]
    return _table(say("Repeats"), STEADINESS, rows, notes, found)


def halo_table(halo: HaloContrast, found: Findings) -> str:
    """How much the metrics hang together both ways."""
    notes = Notes()
    parts = {say("Mean r between metrics"): halo.correlation, say("Cronbach's alpha"): halo.alpha}
    rows = [row(name, _contrast(one, notes)) for name, one in parts.items()]
    return _table(say("Halo"), HALO, rows, notes, found)


def varied_validity_table(found: Findings) -> str:
    """How each variation goes with the experts, overall, and the judge as it is on the same items."""
    notes = Notes()
    rows = [row(variation_name(name), _validity(one, notes)) for name, one in found.validity.items()]
    return _table(say("Validity of the variations"), VALIDITY, rows, notes, found)


def _table(caption: str, heads: tuple[str, ...], rows: list[str], notes: Notes, found: Findings) -> str:
    return table(caption, list(map(say, heads)), [body(rows, len(heads), improvised=found.improvised)], notes)


def _change(found: Change | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(CHANGES))]
    figures = (found.difference, found.exact, found.apart, found.pearson, found.icc)
    return [*(_figure(one, notes) for one in figures), text_cell(counted(found.n, "item"))]


def _steady(found: Steadiness | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(STEADINESS))]
    items = say("{items}, {times:,} times", items=counted(found.n, "item"), times=found.times)
    return [*(_figure(one, notes) for one in (found.sd, found.identical, found.icc)), text_cell(items)]


def _validity(found: Comparison | Undefined, notes: Notes) -> list[str]:
    if isinstance(found, Undefined):
        return [undefined_cells(found.reason, len(VALIDITY))]
    return [_figure(one, notes) for one in (found.first_r, found.second_r, found.difference)]


def _contrast(found: Contrast, notes: Notes) -> list[str]:
    items = counted(found.n, "item")
    sides = [text_cell(decimal(one)) for one in (found.first, found.second)]
    return [*sides, value_cell(found.difference, found.interval, items, notes)]


def _figure(found: Estimate | IntraclassCorrelation | Undefined, notes: Notes) -> str:
    if isinstance(found, Undefined):
        return undefined_cell(found, notes)
    return value_cell(found.estimate, found.interval, "", notes)
