"""Why a scene cannot be used, in words for the person who has the file open."""

from collections.abc import Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from annotations.wording import say, to_say
from characterbox.scenes.dialect import Dialect, field_label, shown

_WHOLE = (to_say("it has to be a whole number"), to_say("write it as one"))
_TRUTH = (to_say("it has to be true or false"), to_say("write one of the two"))
_REASONS: dict[str, tuple[str, str]] = {
    "missing": (to_say("it is missing"), to_say("add it")),
    "extra_forbidden": (to_say("it does not belong there"), to_say("take it out")),
    "string_type": (to_say("it is not a text"), to_say("write it as a text")),
    "string_unicode": (to_say("it has half of a sign in it"), to_say("write it anew")),
    "string_too_short": (to_say("it is empty"), to_say("write something there")),
    "too_short": (to_say("it is empty"), to_say("add at least one character")),
    "tuple_type": (to_say("it is not a list"), to_say("make it a list of characters")),
    "model_type": (to_say("it is not an object"), to_say("write it as an object with its fields")),
    "literal_error": (to_say("it has a value that is not known"), to_say("write {expected}")),
    "greater_than_equal": (to_say("it has to be {ge} or more"), to_say("correct it")),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size", "finite_number"), _WHOLE),
    **dict.fromkeys(("bool_type", "bool_parsing"), _TRUTH),
}
"""By pydantic's name of a fault, why a field cannot be used, and what to do; to be said."""
_OTHERS_SHOWN = 5


class Unusable(Exception):
    """One scene of a file cannot be used."""

    def __init__(self, field: str, why: str, remedy: str) -> None:
        super().__init__(f"{field}: {why}; {remedy}")
        self.field = field
        self.why = why
        self.remedy = remedy


def unusable(error: ValidationError, dialect: Dialect, places: Sequence[int]) -> Unusable:
    """The first thing that keeps the fields from being a scene, and the names of the other fields concerned, as
    `field_label` says them."""
    found = error.errors(include_url=False, include_input=False)
    nested = {detail["loc"][0] for detail in found if len(detail["loc"]) > 1}
    # a cast whose characters all have faults is called too short as well
    details = [detail for detail in found if detail["type"] != "too_short" or detail["loc"][0] not in nested]
    field, why, remedy = _reason(details[0])
    others = dict.fromkeys(field_label(_reason(detail)[0], dialect, places) for detail in details[1:])
    if others:
        fields = say(", ").join([*others][:_OTHERS_SHOWN]) + (", ..." if len(others) > _OTHERS_SHOWN else "")
        remedy = say("{remedy} (to correct as well: {fields})", remedy=remedy, fields=fields)
    return Unusable(field_label(field, dialect, places), why, remedy)


def _reason(detail: ErrorDetails) -> tuple[str, str, str]:
    """The field in house form, why it cannot be used, and what to do."""
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{shown(step)}" for step in detail["loc"]).lstrip(".")
    if detail["type"] == "value_error":
        about, _, why = str(detail["ctx"]["error"]).partition(": ")
        return field or about, why, say("rename one of them or give it a name")
    if detail["type"] not in _REASONS:
        return field, say("it cannot be read ({error})", error=detail["msg"]), say("correct it")
    values = dict(detail.get("ctx", {}))
    if "expected" in values:
        values["expected"] = str(values["expected"]).replace(" or ", say(" or ")).replace(", ", say(", "))
    why, remedy = (say(text, **values) for text in _REASONS[detail["type"]])
    return field, why, remedy
