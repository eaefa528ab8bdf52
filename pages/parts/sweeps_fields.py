"""What is written in the form of a new sweep, read: a sweep, or what is wrong with which field."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from annotations.messages import wrong_with
from annotations.wording import say, to_say, translate
from characterbox.errors import AddressError
from characterbox.llm.endpoint import Endpoint
from characterbox.sweeps.sweep import Sweep
from pages.parts.models_fields import FieldFaults

ENDPOINTS = ("characters", "narrators")
MOST_SEEDS = 1000
_NEEDED = {
    "name": to_say("a name"),
    "scenes": to_say("the scenes"),
    "characters": to_say("models of the characters"),
    "narrators": to_say("a narrator"),
}
_SENTENCES = {
    ("name", "string_too_long"): to_say("A name has at most 80 characters."),
    ("seeds", "greater_than_equal"): to_say("Seeds are whole numbers from 0 to 2,147,483,647."),
    ("seeds", "less_than"): to_say("Seeds are whole numbers from 0 to 2,147,483,647."),
    ("budget", "greater_than"): to_say("A budget is more than nothing; leave it empty for no bound."),
}


def lacking(written: Mapping[str, Any]) -> dict[str, str]:
    """What is not chosen yet and has to be, in a few words each, by field."""
    return {field: say(what) for field, what in _NEEDED.items() if not _there(written.get(field))}


def read_sweep_form(written: Mapping[str, Any]) -> Sweep:
    """The sweep that a form describes. Raises FieldFaults, also for what is lacking."""
    faults: dict[str, str] = {}
    values = dict(written)
    for field in ENDPOINTS:
        values[field] = _endpoints(written[field], field, faults)
    values["seeds"] = _seeds(written["seeds"], faults)
    try:
        sweep = Sweep.model_validate({name: value for name, value in values.items() if name not in faults})
    except ValidationError as error:
        for one in error.errors():
            field = str(one["loc"][0])
            faults.setdefault(field, _sentence(field, one))
        raise FieldFaults(faults) from None
    if faults:
        raise FieldFaults(faults)
    return sweep


def endpoints_of(texts: Sequence[str]) -> list[Endpoint]:
    """The endpoints among what was written; what is none is left out."""
    found = []
    for text in texts:
        try:
            found.append(Endpoint.parse(text))
        except AddressError:
            continue
    return found


def _endpoints(texts: Sequence[str], field: str, faults: dict[str, str]) -> tuple[Endpoint, ...]:
    found = []
    for text in texts:
        try:
            found.append(Endpoint.parse(text))
        except AddressError as error:
            faults.setdefault(field, str(error))
    return tuple(found)


def _seeds(text: str, faults: dict[str, str]) -> tuple[int, ...]:
    """Seeds as people list them, runs of them with a dash: `1, 2, 5-9`."""
    seeds: list[int] = []
    for part in re.split(r"[\s,，、;；]+", text.strip()) if text.strip() else ["1"]:
        found = re.fullmatch(r"(\d{1,10})(?:[-–](\d{1,10}))?", part)
        if found is None:
            faults["seeds"] = say("{part} is no seed: write whole numbers, as in 1, 2, 5-9.", part=part)
            return ()
        first, last = int(found[1]), int(found[2] or found[1])
        if len(seeds) + last - first >= MOST_SEEDS or last < first:
            faults["seeds"] = say("{part}: at most {most:,} seeds, the smaller first.", part=part, most=MOST_SEEDS)
            return ()
        seeds += range(first, last + 1)
    return tuple(seeds)


def _there(value: Any) -> bool:
    return bool(value.strip() if isinstance(value, str) else value)


def _sentence(field: str, fault: Mapping[str, Any]) -> str:
    if (known := _SENTENCES.get((field, fault["type"]))) is not None:
        return say(known)
    return translate(wrong_with(fault))
