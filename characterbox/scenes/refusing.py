"""Why a scene cannot be used, in words for the person who has the file open."""

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from characterbox.scenes.dialect import Dialect, field_label

_REASONS: dict[str, tuple[str, str]] = {
    "missing": ("it is missing", "add it"),
    "string_type": ("it is not a text", "write it as a text"),
    "string_too_short": ("it is empty", "write something there"),
    "too_short": ("it is empty", "add at least one character"),
    "tuple_type": ("it is not a list", "make it a list of characters"),
    "model_type": ("it is not an object", "write it as an object with its fields"),
    "literal_error": ("it has a value that is not known", "write one that is"),
}


class Unusable(Exception):
    """One scene of a file cannot be used."""

    def __init__(self, field: str, why: str, remedy: str) -> None:
        super().__init__(f"{field}: {why}; {remedy}")
        self.field = field
        self.why = why
        self.remedy = remedy


def unusable(error: ValidationError, dialect: Dialect) -> Unusable:
    """The first thing that keeps the fields from being a scene, and the names of the other fields concerned."""
    found = error.errors(include_url=False, include_input=False)
    nested = {detail["loc"][0] for detail in found if len(detail["loc"]) > 1}
    # a cast whose characters all have faults is called too short as well
    details = [detail for detail in found if detail["type"] != "too_short" or detail["loc"][0] not in nested]
    field, why, remedy = _reason(details[0])
    others = dict.fromkeys(field_label(_reason(detail)[0], dialect) for detail in details[1:])
    if others:
        shown = ", ".join(list(others)[:5]) + (", ..." if len(others) > 5 else "")
        remedy = f"{remedy} (to correct as well: {shown})"
    return Unusable(field_label(field, dialect), why, remedy)


def _reason(detail: ErrorDetails) -> tuple[str, str, str]:
    """The field in house form, why it cannot be used, and what to do."""
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in detail["loc"]).lstrip(".")
    if detail["type"] == "value_error":
        about, _, why = str(detail["ctx"]["error"]).partition(": ")
        return field or about, why, "rename one of them or give it a name"
    why, remedy = _REASONS.get(detail["type"], (detail["msg"], "correct it"))
    if detail["type"] == "literal_error":
        remedy = f"write {detail['ctx']['expected']}"
    return field, why, remedy
