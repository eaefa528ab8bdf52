"""How two versions of a role differ: field by field, and within a field word by word."""

from characterbox.roles.role import Provenance, Role
from characterbox.scenes.differences import Difference, differences_of

MOST_COMPARED = 200
"""Rounds of a source that are compared word by word; of more their number alone is told."""


def role_differences(before: Role, after: Role) -> list[Difference]:
    """What is not the same, in the order in which a role is read."""
    return differences_of(_fields(before), _fields(after))


def _fields(role: Role) -> dict[str, str]:
    phrases, parts = role.catchphrases, role.dialogues
    told = {
        "name": role.name,
        "language": role.language,
        "work": role.work,
        "author": role.author or "",
        "other_names": "\n".join(role.other_names),
        "category": role.category or "",
        "work_category": role.work_category or "",
        "catchphrases": "\n".join(one.text for one in phrases),
        "sources": "\n".join(dict.fromkeys(_source(one) for one in role.provenances)),
        "dialogues": "\n\n".join(
            "\n".join(f"{turn.speaker}: {turn.text}" if turn.speaker else turn.text for turn in one.turns)
            for part in parts
            for one in part.rounds[:MOST_COMPARED]
        ),
        "turns": str(role.turns),
    }
    if role.description is not None:
        told["description"] = role.description.text
    if role.distinctiveness is not None:
        told["distinctiveness"] = f"{role.distinctiveness.level}: {role.distinctiveness.reason}"
    return told


def _source(provenance: Provenance) -> str:
    marks = [provenance.source, provenance.model, "✓" if provenance.verified else None]
    return " · ".join(one for one in marks if one)
