"""Roles as files: JSON that loses nothing, of one role, or of several under `roles`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from annotations.i18n.messages import Message, cited, wrong_with
from characterbox.errors import RoleError
from characterbox.roles.role import Role
from characterbox.scenes.file_reading import parse_json

MOST_ROLES = 1_000
_DEFAULTS: tuple[object, ...] = (None, [], {}, 0, False)


def as_json(roles: Sequence[Role]) -> bytes:
    """A file that reads back as the same roles; a single one is the whole file. Raises RoleError for none."""
    if not roles:
        raise RoleError("there is no role to export; choose one")
    told = [_without_empty(role.model_dump(mode="json")) for role in roles]
    document = told[0] if len(told) == 1 else {"roles": told}
    return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"


def read_roles(name: str, raw: bytes) -> tuple[Role, ...]:
    """The roles in the file `name`. Raises SceneError where it is no JSON, and RoleError, with the place of the first
    fault, where a role cannot be used."""
    data = parse_json(name, raw).data
    if not isinstance(data, dict):
        raise RoleError("{file}: it must be an object: a role, or several under 'roles'", file=name)
    listed = data.get("roles", [data])
    if not isinstance(listed, list) or not listed or len(listed) > MOST_ROLES:
        raise RoleError("{file}: roles: it must be a list of 1 to {most:,} roles", file=name, most=MOST_ROLES)
    if "roles" in data and (others := [key for key in data if key != "roles"]):
        raise RoleError(
            "{file}: {key}: there is no such field beside 'roles'; remove it", file=name, key=cited(others[0])
        )
    roles = tuple(_role(name, one, f"roles[{place}]" if "roles" in data else "") for place, one in enumerate(listed))
    ids = [role.id for role in roles]
    if twice := [id for place, id in enumerate(ids) if id in ids[:place]]:
        raise RoleError("{file}: two roles have the id {id!r}; give each its own", file=name, id=twice[0])
    return roles


def _role(file: str, data: object, where: str) -> Role:
    try:
        return Role.model_validate(data)
    except ValidationError as error:
        fault: Mapping[str, Any] = error.errors(include_url=False, include_input=False)[0]
        steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"])
        place = f"{where}{''.join(steps)}".removeprefix(".")
        why = Message("{place}: {what}", place=place, what=wrong_with(fault)) if place else wrong_with(fault)
        raise RoleError("{file}: {why}", file=file, why=why) from None


def _without_empty(value: Any) -> Any:
    """The value without the fields that say nothing: those that are empty by default."""
    if isinstance(value, dict):
        kept = {key: _without_empty(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one not in _DEFAULTS}
    return [_without_empty(one) for one in value] if isinstance(value, list) else value
