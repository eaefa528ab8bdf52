"""What is written in the fields of a campaign, read: its settings, or what is wrong with a field."""

from datetime import UTC
from typing import Any

from pydantic import ValidationError

from annotations.campaign import Settings
from annotations.wording import to_say
from pages.parts.form import FieldFaults
from pages.parts.models_form import NEEDED

_SENTENCES = {
    "name": to_say("Give it a name of at most 120 characters."),
    "raters_per_item": to_say("Give a whole number from 1 to 50."),
    "seed": to_say("Give a whole number from 0 to 2,147,483,647."),
    "repeats": to_say("Give none, or 5 to 10 %."),
    "threshold": to_say("Give a whole number from 50 to 100."),
    "attempts": to_say("Give a whole number from 1 to 5."),
    "checks": to_say("Give a whole number from 0 to 10."),
    "minutes": to_say("Give a number above 0, up to 120."),
}
_NUMBERS = ("raters_per_item", "seed", "threshold", "attempts", "checks", "minutes")
_PERCENT = ("repeats", "threshold")


def written_of(settings: Settings) -> dict[str, Any]:
    """What stands in the fields: shares in percent, the deadline without its zone, which is UTC."""
    shown = settings.model_dump()
    shown |= {field: round(shown[field] * 100) for field in _PERCENT}
    until = settings.deadline
    return {
        **shown,
        "rubric": (settings.rubric, settings.rubric_version),
        "deadline": until and until.astimezone(UTC).replace(tzinfo=None),
    }


def read_field(settings: Settings, field: str, written: Any) -> Settings:
    """The settings with another value in one field. Raises FieldFaults, to be said, if it can't be used."""
    if field in _NUMBERS and written is None:
        raise FieldFaults({field: NEEDED})
    try:
        return Settings.model_validate(settings.model_dump() | _changes(field, written))
    except ValidationError:
        raise FieldFaults({field: _SENTENCES[field]}) from None


def _changes(field: str, written: Any) -> dict[str, Any]:
    if field == "rubric":
        name, version = written
        return {"rubric": name, "rubric_version": version}
    if field == "deadline":
        return {field: written and written.replace(tzinfo=UTC)}
    return {field: written / 100 if field in _PERCENT else written}
